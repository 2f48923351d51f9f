"""Leaves of Reversi's game tree, and the value of the smallest board."""

import functools

import numpy as np
import pytest

from stammtisch import TERMINAL, load_game
from stammtisch.envs.reversi.game import disc_counts
from stammtisch.envs.reversi.records import read_record
from tests.envs.reversi_twin import Twin

# A: a pass is a ply, a game that ended earlier is one leaf. B: it is none. C: as A, but a pass costs no ply.
EIGHT_A = [4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288, 24571284, 212258800]
EIGHT_B = [*EIGHT_A[:9], 24571056, 212258216]
EIGHT_C = [*EIGHT_A[:8], 3005320, 24571420, 212260880]
SIX_A = [4, 12, 56, 244, 1364, 7604, 47740, 308716, 2114912, 14976792, 108820292, 811201176]
FOUR_A = [4, 12, 44, 128, 424, 1256, 3624, 9116, 20044, 36540, 50704, 57436, 59564, 59980]
FOUR_B = [*FOUR_A[:7], 9112, 20032, 36412, 50268, 55112, 31396, 12920]
FOUR_GAMES = 60060


def count_leaves(game, depth, free_pass=False):
    """Return the leaves at full depth and the games that ended before it."""
    counts = np.zeros(2, np.int64)
    free_action = game.rules.PASS if free_pass else -1
    game.kernels("perft").perft(game.new_state().row, depth, False, free_action, counts)
    return counts.tolist()


def check_eight(depth):
    game = load_game("reversi-8x8")
    at_depth, ended = count_leaves(game, depth)
    assert at_depth + ended == EIGHT_A[depth - 1]
    assert at_depth == EIGHT_B[depth - 1]
    assert sum(count_leaves(game, depth, free_pass=True)) == EIGHT_C[depth - 1]


@pytest.mark.parametrize("depth", range(1, 10))
def test_leaves_of_8x8(depth):
    check_eight(depth)


@pytest.mark.slow
@pytest.mark.parametrize("depth", [10, 11])
def test_leaves_of_8x8_deep(depth):
    check_eight(depth)


@pytest.mark.parametrize("depth", range(1, 10))
def test_leaves_of_6x6(depth):
    assert sum(count_leaves(load_game("reversi-6x6"), depth)) == SIX_A[depth - 1]


@pytest.mark.slow
@pytest.mark.parametrize("depth", [10, 11, 12])
def test_leaves_of_6x6_deep(depth):
    assert sum(count_leaves(load_game("reversi-6x6"), depth)) == SIX_A[depth - 1]


def test_leaves_of_4x4_at_every_depth():
    game = load_game("reversi-4x4")
    counted = [count_leaves(game, depth) for depth in range(1, game.info.max_moves + 1)]
    assert [sum(counts) for counts in counted[:14]] == FOUR_A
    assert [at_depth for at_depth, _ in counted[:14]] == FOUR_B
    assert [sum(counts) for counts in counted[16:]] == [FOUR_GAMES] * (len(counted) - 16)
    reached, ended = plain_profile(Twin(4), {})
    assert counted == [[reached[d], sum(ended[:d])] for d in range(1, len(counted) + 1)]


def plain_profile(twin, known):
    """Return how many nodes of the tree lie, and how many games end, at each ply below; on the plain rules."""
    key = twin.key()
    if key not in known:
        reached, ended = np.zeros((2, 30), int)
        reached[0], ended[0] = 1, twin.turn is None
        for action in twin.legal():
            after = twin.copy()
            after.apply(action)
            nodes, ends = plain_profile(after, known)
            reached[1:] += nodes[:-1]
            ended[1:] += ends[:-1]
        known[key] = reached, ended
    return known[key]


def test_the_second_player_wins_4x4_by_eight_discs():
    game = load_game("reversi-4x4", reward="discs")

    @functools.cache
    def search(state):
        """Return the value for the first player and the number of complete games from here."""
        if state.player == TERMINAL:
            return state.returns()[0], 1
        values, games = zip(*(search(state.child(a)) for a in state.legal_actions()), strict=True)
        return max(values) if state.player == 0 else min(values), sum(games)

    value, games = search(game.new_state())
    assert value * 16 == -8
    assert games == FOUR_GAMES


def test_an_optimal_game_on_4x4_ends_with_both_sides_blocked():
    game = load_game("reversi-4x4")
    state = game.new_state()
    for action in read_record(game, "b1 a1 a2 c1 d4 a3 d1 b4 a4 c4"):
        state.apply(action)
    assert state.player == TERMINAL
    assert disc_counts(state) == (3, 11)
