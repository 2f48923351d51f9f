"""The solver of Jass deals with open cards, against plain minimax over states."""

import numpy as np
import pytest

import stammtisch
from stammtisch.envs.core.constants import TERMINAL
from stammtisch.envs.jass.schieber.double_dummy import PLACES, solve_cards, solve_deal

MODES = range(36, 42)


@pytest.fixture(scope="module")
def jass():
    return stammtisch.load_game("jass-schieber")


def position(game, mode, tricks_left, rng, played=0):
    """A position after random play, ``played`` cards into the running trick."""
    state = game.new_state(seed=0)
    state.sample_chance(rng)
    state.apply(mode)
    for _ in range(36 - 4 * tricks_left + played):
        state.apply(int(rng.choice(state.legal_actions())))
    return state


def minimax(state):
    if state.player == TERMINAL:
        return state.returns()[0]
    values = [minimax(state.child(action)) for action in state.legal_actions()]
    return min(values) if state.player % 2 else max(values)


def assert_solved(state):
    cards, values = solve_cards(state)
    assert cards.tolist() == state.legal_actions()
    assert values == pytest.approx([minimax(state.child(card)) for card in cards])
    value, card = solve_deal(state)
    assert value == pytest.approx(min(values) if state.player % 2 else max(values))
    assert values[cards.tolist().index(card)] == pytest.approx(value)


@pytest.mark.parametrize("mode", MODES)
def test_three_tricks_are_solved_like_minimax(jass, mode, rng):
    for tricks_left in (1, 2, 3, 3, 3):
        for played in range(4):
            assert_solved(position(jass, mode, tricks_left, rng, played))


@pytest.mark.parametrize("mode", [37, 40])
def test_four_tricks_are_solved_like_minimax(jass, mode, rng):
    assert_solved(position(jass, mode, 4, rng, played=2))


@pytest.fixture(scope="module")
def rich():
    """Jass with every option that changes what cards count or which may be played."""
    on = dict.fromkeys(("multipliers", "weis", "stoeck", "slalom"), True)
    return stammtisch.load_game("jass-schieber", legal_rule="jass-kit", match_by="points", **on)


@pytest.mark.parametrize("mode", [*MODES, 43, 44])
def test_options_count(rich, mode, rng):
    for tricks_left in (1, 3):
        for played in (0, 3):
            assert_solved(position(rich, mode, tricks_left, rng, played))


def test_the_match_counts(jass):
    """Seats 0 and 2 have taken all; the last tricks decide about 100 points more."""
    deal = [[*range(9)], [*range(9, 18)], [*range(18, 27)], [*range(27, 36)]]
    state = jass.new_state(deal=deal)
    state.apply(36)
    for _ in range(24):
        state.apply(state.legal_actions()[0])
    assert solve_deal(state)[0] == 2.57
    assert_solved(state)


def test_six_tricks_need_few_cards(jass, rng):
    """A deal with six tricks left has some 6! ** 4 ways to be played; the solver plays some ten thousand cards."""
    kernels, played = jass.solver(), []
    for mode in MODES:
        for _ in range(3):
            work = kernels.new_work(PLACES)
            kernels.solve_best(position(jass, mode, 6, rng).row, work)
            played.append(int(work.nodes[0]))
    assert np.median(played) < 100_000


def test_perfect_play_keeps_the_value(jass, rng):
    state = position(jass, 38, 5, rng)
    value = solve_deal(state)[0]
    while state.player != TERMINAL:
        state.apply(solve_deal(state)[1])
    assert state.returns()[0] == pytest.approx(value)


@pytest.mark.parametrize("mode", [36, 41])
def test_melds_and_stoeck_are_foreseen(rich, mode, rng):
    for _ in range(10):
        state = position(rich, mode, 9, rng)
        foreseen = rich.solver()._fixed_points(state._row)
        while state.player != TERMINAL:
            state.apply(state.legal_actions()[0])
        extra = state._row[rich.rules.EXTRA : rich.rules.EXTRA + 2]
        assert foreseen == extra[0] - extra[1]


def test_what_cannot_be_solved_is_said(jass):
    with pytest.raises(ValueError, match="no double-dummy solver for einstein-3x3"):
        solve_deal(stammtisch.load_game("einstein-3x3").new_state(seed=0))
    with pytest.raises(ValueError, match="once the mode has been chosen"):
        solve_deal(jass.new_state(seed=0))
