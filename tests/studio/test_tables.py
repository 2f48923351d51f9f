"""Tables of the studio without a server: what is kept, taken back, hidden and set up."""

import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import stammtisch
from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.jass.family.names import CARDS
from stammtisch.errors import BadFile
from stammtisch.studio import showing
from stammtisch.studio.desk import Studio
from stammtisch.studio.levels import levels
from stammtisch.studio.reels import Library
from stammtisch.studio.setup import replaced, symbols
from stammtisch.studio.table import AGENT, PERSON, GameTable, Sitter


def table_of(game, people=2, seats=2):
    sitters = [Sitter(PERSON) if seat < people else Sitter(AGENT, "random") for seat in range(seats)]
    table = GameTable(game, sitters)
    table.load()
    return table


def test_a_table_is_the_same_after_it_was_written_and_read(tmp_path):
    table = table_of("reversi-4x4")
    for _ in range(3):
        table.play(table.state.legal_actions()[0])
    table.save(tmp_path)
    again = GameTable.read(tmp_path / f"{table.name}.json")
    again.load()
    assert again.events == table.events
    assert again.state == table.state


def test_a_table_is_saved_by_several_at_once_and_stays_deleted(tmp_path):
    table = table_of("reversi-4x4")
    with ThreadPoolExecutor(8) as threads:
        for _ in range(6):
            table.play(table.state.legal_actions()[0])
            saves = [threads.submit(table.save, tmp_path) for _ in range(20)]
        assert [save.result() for save in saves] == [None] * 20
    assert GameTable.read(tmp_path / f"{table.name}.json").events == table.events
    table.delete(tmp_path)
    table.save(tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_damaged_file_is_one_line(tmp_path):
    path = tmp_path / "0123456789.json"
    for text in ("", "{", "[]", '{"seats": 3}', '{"seats": [], "game_id": "x", "events": ["a"]}'):
        path.write_text(text)
        with pytest.raises(BadFile):
            GameTable.read(path)


def test_taking_back_brings_no_new_dice():
    table = table_of("einstein-3x3")
    table.draw_chance()
    first = list(table.events)
    table.play(table.state.legal_actions()[0])
    table.draw_chance()
    rolled = table.events[-1]
    table.take_back()
    assert table.events == first
    table.play(table.state.legal_actions()[0])
    table.draw_chance()
    assert table.events[-1] == rolled


def test_there_is_nothing_to_take_back_at_the_start():
    with pytest.raises(ValueError, match="no move"):
        table_of("reversi-4x4").take_back()


def jass_states(game_id, n=30):
    game = stammtisch.load_game(game_id)
    rng = np.random.default_rng(1)
    state = game.new_state(1)
    for _ in range(n):
        while state.player == CHANCE:
            state.sample_chance(rng)
        if state.player == TERMINAL:
            return
        action = int(rng.choice(state.legal_actions()))
        yield state, action
        state = state.child(action)


def cards_in_hands(svg):
    pairs = re.findall(r'data-kind="(\w+)" data-place="hand (\d)', svg)
    return {(card, int(seat)) for card, seat in pairs if card in CARDS}


def test_nobody_sees_no_hand_and_a_seat_only_its_own():
    for state, _ in jass_states("jass-schieber"):
        assert not cards_in_hands(showing.picture(state, showing.NOBODY, {}))
        for seat in range(4):
            shown = cards_in_hands(showing.picture(state, seat, {}))
            assert shown == {(CARDS[card], seat) for card in state.view(seat).hand}


def test_secret_predictions_are_not_named_and_cards_are():
    secrets = [
        showing.is_secret(state, action, (state.player + 1) % 4)
        for state, action in jass_states("jass-differenzler", 12)
    ]
    assert secrets[:4] == [True] * 4
    assert not any(secrets[4:])


@pytest.mark.parametrize(
    "game_id", ["reversi-4x4", "morris-3", "muehle", "einstein-5x5", "einstein-6x6-3p", "reversixt-2"]
)
def test_a_click_changes_the_cell_that_was_clicked(game_id):
    game = stammtisch.load_game(game_id)
    state = game.new_state(0)
    canvas = game.picture(state)
    text = state.to_text()
    for spot in list(canvas.spots)[:: max(1, len(canvas.spots) // 7)]:
        for symbol in symbols(game)[:3]:
            changed = replaced(game, text, canvas, spot, symbol)
            try:
                after = game.from_text(changed)
            except ValueError:
                continue
            back = replaced(game, after.to_text(), canvas, spot, symbol)
            assert game.from_text(back) == after


def test_every_game_has_levels_from_beginner_to_champion():
    for game_id in ("reversi-8x8", "muehle", "einstein-5x5", "jass-schieber", "reversixt-3"):
        rows = levels(stammtisch.load_game(game_id))
        assert rows[0]["spec"] == "random"
        assert rows[-1]["level"] == "champion"
        names = [(row["level"], row.get("step")) for row in rows]
        assert len(set(names)) == len(names)


def test_a_game_as_text_becomes_a_reel(tmp_path):
    library = Library(Studio(tmp_path, "t"))
    game = stammtisch.load_game("reversi-4x4")
    state = game.new_state(0)
    words = []
    for _ in range(4):
        words.append(state.action_text(state.legal_actions()[0]))
        state = state.child(state.legal_actions()[0])
    for text in (", ".join(words), "\n".join(words), " ".join(words)):
        reel = library.written(game, "", text)
        assert reel.states[-1] == state
        assert [entry["text"] for entry in reel.to_json()["moves"]] == words
    with pytest.raises(ValueError, match="legal"):
        library.written(game, "", "z9")
