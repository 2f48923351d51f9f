"""The small parts: cards on the wire, ratings, the player's memory, what is missing, the command line."""

import json
import re
import socket
import sys

import pytest
from typer.testing import CliRunner

from stammtisch import load_agent, load_game
from stammtisch.challenge import connection
from stammtisch.challenge.clerk import Clerk
from stammtisch.challenge.glicko import glicko
from stammtisch.challenge.journal import Journal
from stammtisch.challenge.messages import SCHEMAS, Message, read_message
from stammtisch.challenge.player import Player
from stammtisch.challenge.wire import card_from_wire, card_to_wire, mode_from_wire, mode_to_wire
from stammtisch.cli import app, main
from stammtisch.envs.jass import card_id


def test_cards_and_modes_come_back_from_the_wire():
    assert [card_from_wire(card_to_wire(card)) for card in range(36)] == list(range(36))
    assert [mode_from_wire(mode_to_wire(mode)) for mode in range(7)] == list(range(7))
    assert card_to_wire(card_id("SJ")) == {"number": 11, "color": "SPADES"}


def test_all_messages_of_the_protocol_are_known():
    assert len(SCHEMAS) == 28
    assert sum(schema.sender == "C" for schema in SCHEMAS.values()) == 8


def test_ratings_are_those_of_the_original_server():
    assert glicko(2, [(0, 1, True)]) == pytest.approx([1578.801716729907, 1421.198283270093], abs=1e-9)
    assert glicko(2, 2 * [(0, 1, True)]) == pytest.approx([1632.2741275630783, 1367.7258724369217], abs=1e-9)
    assert glicko(3, [(0, 1, True)])[2] == 1500


def test_a_player_who_lost_track_still_follows_suit():
    game = load_game("jass-schieber-2500", match_by="points")
    player = Player(game)
    joined = {"id": "x", "seatId": 2, "name": "me"}
    player.receive(Message("BROADCAST_SESSION_JOINED", {"sessionName": "s", "player": joined, "playersInSession": []}))
    hand = [card_id(name) for name in ("H6", "H7", "D6", "D7", "D8", "C6", "C7", "S6", "S7")]
    player.receive(Message("DEAL_CARDS", [card_to_wire(card) for card in hand]))
    player.receive(Message("BROADCAST_TRUMPF", {"mode": "OBEABE"}))
    player.receive(Message("PLAYED_CARDS", [card_to_wire(card_id("D9")), card_to_wire(card_id("D10"))]))  # one missed
    choice = player.receive(Message("REQUEST_CARD", [card_to_wire(card_id("D9")), card_to_wire(card_id("D10"))]))
    assert choice.view is None
    assert [card_id(name) for name in ("D6", "D7", "D8")] == list(choice.actions)
    player.receive(Message("REJECT_CARD", card_to_wire(card_id("D6"))))
    again = player.receive(Message("REQUEST_CARD", [card_to_wire(card_id("D9")), card_to_wire(card_id("D10"))]))
    assert card_id("D6") not in again.actions
    assert again.actions[0] == card_id("D7")


def test_a_player_knows_nothing_but_its_own_cards():
    game = load_game("jass-schieber-2500", match_by="points")
    player = Player(game)
    joined = {"id": "x", "seatId": 0, "name": "me"}
    player.receive(Message("BROADCAST_SESSION_JOINED", {"sessionName": "s", "player": joined, "playersInSession": []}))
    player.receive(Message("DEAL_CARDS", [card_to_wire(card) for card in range(0, 36, 4)]))
    choice = player.receive(Message("REQUEST_TRUMPF", False))
    assert choice.view.hand == list(range(0, 36, 4))
    rules = game.rules
    assert [int(choice.view._state._row[rules.HAND + seat]) for seat in (1, 2, 3)] == [0, 0, 0]
    assert load_agent("heuristic", game, 0).act(choice.view) in choice.actions


def test_a_journal_is_one_file_per_game_whatever_the_names(tmp_path):
    clerk = Clerk()
    for _ in range(2):
        journal = Journal(tmp_path, clerk)
        journal.begin(["../a/b", "🂡" * 60, "x", "y"])
        journal.note("sentTo", "../a/b#0", Message("REQUEST_TRUMPF", False))
        journal.note("broadcast", True, Message("BROADCAST_TOURNAMENT_STARTED"))
        journal.note_nonsense("x#2", 5000 * "[")
        journal.end()
    Journal(tmp_path / "gone", clerk).end()
    clerk.close()
    files = sorted(tmp_path.iterdir())
    digests = [re.fullmatch(r"([0-9a-f]{12})\.\d+\.json", file.name)[1] for file in files]
    assert digests == 2 * digests[:1]
    assert json.loads(files[0].read_text("utf-8")) == [
        {"sentTo": "../a/b#0", "messageType": "REQUEST_TRUMPF", "data": False},
        {"broadcast": True, "messageType": "BROADCAST_TOURNAMENT_STARTED"},
        {"receivedFrom": "x#2", "messageType": "", "data": 1000 * "["},
    ]


def test_messages_without_data_have_none():
    assert Message("START_TOURNAMENT").text == '{"type":"START_TOURNAMENT"}'
    assert read_message('{"type":"START_TOURNAMENT","data":5}', "C") == Message("START_TOURNAMENT")


# The command line


@pytest.mark.parametrize("command", ["jass-client", "jass-server", "report"])
def test_help_has_an_example(command):
    result = CliRunner().invoke(app, [command, "--help"])
    assert "Example" in result.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["jass-client", "ws://127.0.0.1:1", "--start", "2"], "--start needs --tournament"),
        (["jass-client", "ws://127.0.0.1:1", "--name", ""], "1 to 100 characters"),
        (["jass-client", "ws://127.0.0.1:1", "--agent", "heurristic"], 'did you mean "heuristic"'),
        (["jass-client", "http://127.0.0.1:1"], "give an address like ws://localhost:3000"),
        (["jass-server", "--bot", "nobody", "--out", "OUT"], 'no agent "nobody"'),
        (["report", "OUT"], "there is no such file"),
    ],
)
def test_bad_input_ends_in_one_line_and_code_2(words, message, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("sys.argv", ["stammtisch", *(str(tmp_path / "out") if w == "OUT" else w for w in words)])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    assert message in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("words", [["jass-client", "ws://127.0.0.1:1"], ["jass-server"]])
def test_without_the_library_the_extra_is_named(words, monkeypatch, capsys):
    for name in [name for name in sys.modules if name == "websockets" or name.startswith("websockets.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "websockets", None)
    connection.websockets_client.cache_clear()
    connection.websockets_server.cache_clear()
    monkeypatch.setattr("sys.argv", ["stammtisch", *words])
    with pytest.raises(SystemExit):
        main()
    assert 'pip install "stammtisch[jass]"' in capsys.readouterr().err


# A server that cannot start


@pytest.fixture
def taken_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        yield str(taken.getsockname()[1])


def test_a_port_in_use_is_told_and_leaves_no_folder(taken_port, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for words in ([], ["--out", "cup/deep", "--log", "cup-log"]):
        monkeypatch.setattr("sys.argv", ["stammtisch", "jass-server", "--port", taken_port, *words])
        with pytest.raises(SystemExit) as stopped:
            main()
        assert stopped.value.code == 2
        assert f"cannot listen on 127.0.0.1:{taken_port}" in " ".join(capsys.readouterr().err.split())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--out", "file"], 'cannot write "file"'),
        (["--log", "file/log"], 'cannot write "file/log"'),
        (["--allow-origin", "evil"], 'cannot read origin "evil"'),
        (["--bot", "nobody"], 'no agent "nobody"'),
        (["--host", "256.1.1.1"], "cannot listen on 256.1.1.1"),
    ],
)
def test_a_start_that_fails_is_told_in_a_line(words, told, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setattr("sys.argv", ["stammtisch", "jass-server", "--port", "0", *words])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    assert told in " ".join(capsys.readouterr().err.split())
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
