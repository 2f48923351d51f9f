"""Keys of positions for learned tables: the same however the board lies and whoever is called white."""

import numpy as np
import pytest

from stammtisch import TERMINAL, load_game
from stammtisch.envs.muehle.game import contents
from stammtisch.envs.reversi.game import owners
from tests.playing import random_states


def muehle_images(state):
    """Yield the position in all its guises, set up anew: every symmetry, with the sides as they are and exchanged."""
    game, rules, row = state.game, state.game.rules, state.row
    hands = (int(row[rules.HAND]), int(row[rules.HAND + 1]))
    facts = {"removal_pending": bool(row[rules.PENDING]), "turn": int(row[rules.TURN])}
    men = np.array(list(contents(state)))
    for symmetry in game.symmetries:
        board = np.empty(rules.POINTS, "<U1")
        board[symmetry.action[: rules.POINTS]] = men
        swapped = "".join(board).translate(str.maketrans("WB", "BW"))
        yield game.from_board(board="".join(board), to_move=state.player, in_hand=hands, **facts)
        yield game.from_board(board=swapped, to_move=1 - state.player, in_hand=hands[::-1], **facts)


def reversi_images(state):
    game = state.game
    cells = np.array(["-" if owner is None else "xo"[owner] for owner in owners(state)])
    for symmetry in game.symmetries:
        board = "".join(cells[symmetry.observation[: len(cells)]])
        yield game.from_board(board=board, to_move=state.player)
        yield game.from_board(board=board.translate(str.maketrans("xo", "ox")), to_move=1 - state.player)


@pytest.mark.parametrize("game_id", ["morris-3", "morris-6", "muehle", "reversi-6x6", "reversi-10x10"])
def test_images_of_a_position_share_its_key_and_others_have_their_own(game_id):
    game = load_game(game_id)
    key = game.rules.canonical_key
    images = reversi_images if "reversi" in game_id else muehle_images
    orbits = {}
    for state in random_states(game, seed=4, games=2):
        if state.player != TERMINAL:
            found = {key(image.row) for image in images(state)}
            assert found == {key(state.row)} != {0}
            orbits.setdefault(key(state.row), set()).add(min(image.row.tobytes() for image in images(state)))
    assert len(orbits) > 10
    if game_id == "reversi-6x6":
        assert all(len(orbit) == 1 for orbit in orbits.values())


def test_the_first_placements_of_muehle_fall_into_few_classes():
    """Counted with Burnside's lemma over the 16 symmetries: 4 first placements, 45 after the second."""
    game = load_game("muehle")
    targets = [symmetry.action[:24] for symmetry in game.symmetries]
    fixed = [int((target == np.arange(24)).sum()) for target in targets]
    firsts = [game.new_state().child(a) for a in range(24)]
    assert len({game.rules.canonical_key(s.row) for s in firsts}) == sum(fixed) / 16
    seconds = [s.child(a) for s in firsts for a in s.legal_actions()]
    assert len({game.rules.canonical_key(s.row) for s in seconds}) == sum(f * (f - 1) for f in fixed) / 16


def test_the_turn_limit_counts_when_it_is_near():
    game = load_game("muehle", max_turns=60)
    board = "WWW.....BBB............."
    key = {turn: game.rules.canonical_key(game.from_board(board=board, turn=turn).row) for turn in range(60)}
    assert len({key[turn] for turn in range(29)}) == 1
    assert len({key[turn] for turn in range(28, 60)}) == 32


def test_earlier_positions_count_with_the_repetition_rule():
    game = load_game("morris-3", repetition=True)
    text = "3 .-W-W\n2 B-.-.\n1 B-B-W\n  a b c\nW to move, in hand 0 0, turn 14"
    first = game.from_text(text)
    later = game.from_text(f"{text}\nseen 2c01a 6c016 1c016")
    assert game.rules.canonical_key(first.row) == game.rules.canonical_key(game.from_text(first.to_text()).row)
    assert game.rules.canonical_key(first.row) != game.rules.canonical_key(later.row)
