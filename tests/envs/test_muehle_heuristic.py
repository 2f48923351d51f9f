"""The reference players of Mühle: they see what is on the board, and they beat weaker ones."""

import numpy as np
import pytest

from stammtisch import TERMINAL, load_game
from stammtisch.envs.core.constants import RANDOM_POLICY

HEURISTIC, STRONG = 1, 2


@pytest.fixture(scope="module")
def muehle():
    return load_game("muehle")


def with_men(game, white, black, **facts):
    names = [game.point_name(point) for point in range(game.rules.POINTS)]
    board = "".join("W" if name in white.split() else "B" if name in black.split() else "." for name in names)
    return game.from_board(board=board, **facts)


def score(game, first, second, games, seed=1, policies=("heuristic", "strong")):
    """Points per game of ``first``, draws counting half, in pairs of games with both colours and the same streams."""
    lanes, step = game.lane_kernels(policies), game.stepping
    row, out, points = np.zeros(game.rules.STATE_LEN, np.int64), np.zeros(2), 0.0
    for number in range(games):
        streams = np.random.SeedSequence([seed, number // 2]).generate_state(3, np.uint64)
        seat, player = number % 2, step.start(row, 0)
        while player != TERMINAL:
            player = step.play(row, lanes.choose(first if player == seat else second, row, streams))
        step.fill_returns(row, out)
        points += (1 + out[seat]) / 2
    return points / games


def choices(state, kind, tries=20):
    lanes = state.game.lane_kernels(("heuristic", "strong"))
    streams = np.random.SeedSequence(5).generate_state(3, np.uint64)
    return {state.action_text(lanes.choose(kind, state.row, streams)) for _ in range(tries)}


@pytest.mark.parametrize("kind", [HEURISTIC, STRONG])
def test_they_close_a_mill_that_wins(muehle, kind):
    state = with_men(muehle, "a7 d7 g4 b2 c3", "f6 e5 d1", turn=40)
    assert choices(state, kind) == {"g4-g7"}


@pytest.mark.parametrize("kind", [HEURISTIC, STRONG])
def test_they_stop_a_mill_while_placing(muehle, kind):
    state = with_men(muehle, "a7", "b2 d2", in_hand=(8, 7), turn=3)
    assert choices(state, kind) == {"f2"}


@pytest.mark.parametrize("kind", [HEURISTIC, STRONG])
def test_they_block_the_last_way_out(muehle, kind):
    state = with_men(muehle, "a4 g4 b6 f6 c5", "a7 d7 g7 d6", turn=30)
    assert choices(state, kind) == {"c5-d5"}


def test_they_draw_lots_among_equal_moves(muehle):
    assert len(choices(muehle.new_state(), HEURISTIC, 60)) > 10


def evaluated(state, player, evaluation="evaluate_plain"):
    return state.game.policy_module(evaluation=evaluation).evaluate(state.row, player)


def test_searches_see_blocked_men_while_men_are_placed(muehle):
    free = with_men(muehle, "b4 f4", "d7 d1", in_hand=(5, 5), turn=4)
    shut_in = with_men(muehle, "a7 f4", "d7 a4", in_hand=(5, 5), turn=4)
    assert evaluated(free, 0, "evaluate") > evaluated(shut_in, 0, "evaluate")
    assert evaluated(free, 0) == evaluated(shut_in, 0)
    assert evaluated(shut_in, 1, "evaluate") == -evaluated(shut_in, 0, "evaluate")


def test_the_evaluation_weighs_men_mills_and_possible_mills_three_three_two_one(muehle):
    scale = 3 * 9 + 2 * 16
    assert evaluated(muehle.new_state(), 0) == 0
    man_ahead = with_men(muehle, "a7 b6 g1", "d1 c4", in_hand=(3, 3), turn=6)
    assert evaluated(man_ahead, 0) == pytest.approx(3 / scale)
    in_hand = with_men(muehle, "a7 b6", "d1 c4", in_hand=(4, 3), turn=6)
    assert evaluated(in_hand, 0) == pytest.approx(3 / scale)
    mill = with_men(muehle, "a7 d7 g7", "a1 b6 d3", in_hand=(3, 3), turn=6)
    assert evaluated(mill, 0) == pytest.approx(2 / scale)
    possible = with_men(muehle, "a7 d7 c3", "a1 b6 d3", in_hand=(3, 3), turn=6)
    assert evaluated(possible, 0) == pytest.approx(1 / scale)
    assert evaluated(possible, 1) == pytest.approx(-1 / scale)


def test_the_evaluation_counts_a_man_about_to_be_removed_as_gone_and_knows_the_end(muehle):
    pending = with_men(muehle, "a7 d7 g7", "a1 b6 d3", in_hand=(3, 3), removal_pending=True, turn=6)
    assert evaluated(pending, 0) == pytest.approx((2 + 3) / (3 * 9 + 2 * 16))
    over = with_men(muehle, "a7 d7", "c3 f6 e5", turn=30)
    assert [evaluated(over, p) for p in (0, 1)] == [-1.0, 1.0]


def test_the_heuristic_beats_random_in_a_thousand_games(muehle):
    assert score(muehle, HEURISTIC, RANDOM_POLICY, 1000) >= 0.95


@pytest.mark.parametrize("game_id", ["morris-3", "morris-6", "morris-12"])
def test_the_heuristic_beats_random_on_the_other_boards(game_id):
    assert score(load_game(game_id), HEURISTIC, RANDOM_POLICY, 100, policies=("heuristic",)) >= 0.95


def test_strong_beats_the_heuristic(muehle):
    assert score(muehle, STRONG, HEURISTIC, 20) >= 0.75
