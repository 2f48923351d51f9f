"""Bridges against each other: our own engine command is the outside engine, over every protocol."""

import json
import shutil
import sys

import numpy as np
import pytest

import stammtisch
from stammtisch.arena.plan import MatchPlan
from stammtisch.arena.replay import verify
from stammtisch.baselines.engines.agent import words_of
from stammtisch.baselines.engines.serving import GtpServer, MillServer, NBoardServer, TextServer
from stammtisch.benchmarks import play_match
from stammtisch.envs.reversi.ggf import read_ggf, write_ggf

RHINO = shutil.which("gtp-rhino", path="/usr/games") or shutil.which("gtp-rhino")


def ours(game, protocol, agent="random"):
    """The spec that seats our own engine as an outside one."""
    command = [sys.executable, "-m", "stammtisch.cli", "engine", game, "--agent", agent, "--protocol", protocol]
    return f"engine:{protocol},command={json.dumps(command)},timeout_s=300"  # it may have to compile first


def converse(server_class, game, *lines, agent="random"):
    said = []
    loaded = stammtisch.load_game(game)
    server = server_class(stammtisch.load_agent(agent, loaded, seed=0), said.append)
    server.run(lines)
    return said


@pytest.mark.parametrize(
    ("game", "protocol", "opening"),
    [("reversi-6x6", "gtp", 4), ("reversi-4x4", "nboard", 2), ("morris-6", "mill", 3), ("einstein-3x3", "text", 0)],
)
def test_games_over_every_protocol_end_by_the_rules(game, protocol, opening):
    result = play_match(game, ["random", ours(game, protocol)], games=4, seed=2, opening=opening)
    assert all(min(record.events) >= 0 for record in result.records), "no game was forfeited"
    plan = MatchPlan(game, tuple(result.agents), 4, 2, opening)
    assert verify(plan, result.records) == (4, [])


def test_the_same_player_over_a_bridge_plays_the_same_games():
    near, far = (
        play_match("reversi-4x4", [agent, "random"], games=2, seed=5, opening=2)
        for agent in ("alphabeta:depth=12", ours("reversi-4x4", "gtp", "alphabeta:depth=12"))
    )
    assert [record.returns for record in near.records] == [record.returns for record in far.records]


def test_positions_that_nobody_told_of_are_found_out():
    game = stammtisch.load_game("morris-3")
    agent = stammtisch.load_agent(ours("morris-3", "mill"), game)
    state = game.new_state()
    while state.player >= 0 and state.turn < 6:
        seat = state.player
        state.apply(agent.act(state.view(seat)) if seat == 0 else state.legal_actions()[0])
    assert state.turn == 6
    agent.close()


def test_a_position_without_a_past_is_said_to_be_one():
    game = stammtisch.load_game("reversi-8x8")
    state = game.new_state()
    for _ in range(30):
        state.apply(state.legal_actions()[0])
    agent = stammtisch.load_agent(ours("reversi-8x8", "gtp"), game)
    if len(state.legal_actions()) > 1:
        with pytest.raises(stammtisch.errors.Forfeit, match="how this position of reversi-8x8 came about"):
            agent.act(state.view(state.player))


@pytest.mark.skipif(RHINO is None, reason="the Debian package grhino is not installed")
def test_gtp_rhino_plays_a_whole_game():
    result = play_match("reversi-8x8", ["random", "engine:gtp,command=gtp-rhino -l 1"], games=2, seed=3, opening=4)
    assert all(min(record.events) >= 0 for record in result.records)
    assert result.losses >= 1


@pytest.mark.parametrize("bot", ["mcts", "random"])
def test_bots_of_open_spiel_play(bot):
    pytest.importorskip("pyspiel")
    for game in ("reversi-8x8", "muehle", "einstein-5x5"):
        opening = 0 if game == "einstein-5x5" else 4
        result = play_match(game, ["random", f"engine:spiel,bot={bot},level=5"], games=2, seed=1, opening=opening)
        assert all(min(record.events) >= 0 for record in result.records)


def test_einstein_of_open_spiel_has_the_same_rules():
    pyspiel = pytest.importorskip("pyspiel")
    game = stammtisch.load_game("einstein-5x5")
    twin = game.spiel_twin()
    rng = np.random.default_rng(1)
    for _ in range(100):
        ours, theirs = game.new_state(), pyspiel.load_game(twin.name).new_initial_state()
        for number in twin.opening:
            theirs.apply_action(number)
        while ours.player != stammtisch.TERMINAL:
            numbers = {twin.number(ours, action): action for action in ours.legal_actions()}
            assert sorted(numbers) == sorted(theirs.legal_actions())
            number = int(rng.choice(sorted(numbers)))
            assert theirs.is_chance_node() == (ours.player == stammtisch.CHANCE)
            if ours.player >= 0:
                assert theirs.current_player() == twin.seats[ours.player]
            ours.apply(numbers[number])
            theirs.apply_action(number)
        assert theirs.is_terminal()
        assert [theirs.returns()[seat] for seat in twin.seats] == list(ours.returns())


def test_refusals_are_one_line():
    with pytest.raises(
        ValueError, match='engines of the protocol "gtp" do not play muehle; it is played over mill, text'
    ):
        stammtisch.load_agent("engine:gtp,command=x", "muehle")
    with pytest.raises(ValueError, match='cannot start engine "no-such-engine": there is no such program'):
        stammtisch.load_agent("engine:text,command=no-such-engine", "muehle")
    with pytest.raises(ValueError, match="an engine needs a command"):
        stammtisch.load_agent("engine:text", "muehle")
    with pytest.raises(ValueError, match="OpenSpiel has no game like jass-schieber"):
        stammtisch.load_agent("engine:spiel", "jass-schieber")
    with pytest.raises(ValueError, match="cannot read the command"):
        stammtisch.load_agent("engine:text,command=a 'b", "muehle")


def test_commands_are_lists():
    assert words_of("gtp-rhino -l 3") == ["gtp-rhino", "-l", "3"]
    assert words_of('"a b" $HOME;ls') == ["a b", "$HOME;ls"]
    assert words_of('["a,b", "c"]') == ["a,b", "c"]


def test_options_come_from_a_file(tmp_path):
    path = tmp_path / "engine.toml"
    path.write_text(f'command = ["{sys.executable}", "-c", "pass"]\nprotocol = "text"\ntimeout_s = 3\n')
    agent = stammtisch.load_agent(f"engine:text,file={path},level=2", "muehle")
    assert (agent.options["timeout_s"], agent.options["level"]) == (3.0, 2)
    path.write_text("command = 'x'")
    with pytest.raises(ValueError, match=r'it has no command = \["program", "argument"\]'):
        stammtisch.load_agent(f"engine:file={path}", "muehle")


def test_gtp_server_takes_the_other_colour_as_a_pass():
    said = converse(
        GtpServer, "reversi-8x8", "1 protocol_version", "play black d3", "play black e6", "genmove b", "foo"
    )
    assert said[0] == "=1 2\n"
    assert said[1] == "=\n"
    assert said[2].startswith("? illegal move")
    assert said[3].startswith("? illegal move")
    assert said[4] == "? unknown command\n"


def test_gtp_server_undoes_and_counts():
    said = converse(GtpServer, "reversi-4x4", "play b a2", "undo", "undo", "final_score", "boardsize 8", "quit", "name")
    assert [line.strip() for line in said] == ["=", "=", "? cannot undo", "= 0", "? unacceptable size", "="]


def test_ggf_round_trip():
    game = stammtisch.load_game("reversi-6x6")
    state = game.new_state()
    for _ in range(6):
        state.apply(state.legal_actions()[-1])
    assert read_ggf(game, write_ggf(state)) == state
    begun = write_ggf(game.new_state()).removesuffix(";)")
    moved = game.new_state()
    moved.apply(moved.legal_actions()[0])
    assert read_ggf(game, f"{begun}B[{game.new_state().action_text(moved.last_action).upper()}/0.5/1];)") == moved


def test_nboard_server_says_what_is_wrong_and_goes_on():
    said = converse(
        NBoardServer, "reversi-8x8", "nboard 2", "set game (;GM[Othello];)", "ping 7", "move a1", "quit", "go"
    )
    assert said[0] == "set myname stammtisch-random"
    assert said[1].startswith("status error: a game of reversi-8x8 has a part BO[8")
    assert said[2] == "pong 7"
    assert said[3].startswith("status error:")
    assert len(said) == 4


def test_mill_server():
    said = converse(MillServer, "muehle", "uci", "isready", "position startpos moves a1 a1", "go", "quit")
    assert said[2:4] == ["uciok", "readyok"]
    assert said[4].startswith("info string cannot read")
    assert said[5].startswith("bestmove ")


def test_text_server_answers_every_line():
    game = stammtisch.load_game("einstein-3x3")
    state = game.new_state()
    state.apply(0)
    question = json.dumps({"type": "move", "id": 4, "position": state.to_text()})
    said = converse(TextServer, "einstein-3x3", '{"type": "hello"}', "[1]", "{", question, '{"type": "quit"}', question)
    answers = [json.loads(line) for line in said]
    assert [answer["type"] for answer in answers] == ["ready", "error", "error", "move"]
    assert answers[3]["id"] == 4
    assert answers[3]["action"] in state.legal_actions()
    with pytest.raises(ValueError, match="cards are hidden"):
        TextServer.check(stammtisch.load_game("jass-schieber"))
