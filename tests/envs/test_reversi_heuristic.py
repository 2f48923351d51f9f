"""The reference player of Reversi."""

import numpy as np
import pytest

from stammtisch import TERMINAL, load_agent, load_game
from stammtisch.benchmarks import play_match
from stammtisch.envs.reversi.game import owners
from tests.playing import random_states


@pytest.mark.parametrize(("size", "games", "least"), [(4, 200, 0.8), (6, 200, 0.93), (8, 1000, 0.98), (10, 200, 0.97)])
def test_it_beats_random_play(size, games, least):
    result = play_match(f"reversi-{size}x{size}", ["heuristic", "random"], games=games, seed=1)
    assert result.score >= least


def test_it_takes_a_corner():
    game = load_game("reversi-8x8")
    state = game.from_board(
        board="""
        - o - - - - - -
        - o o x - - - -
        - - o o x - - -
        - - - x x - - -
        - - x x o o - -
        - - - - - - - -
        - - - - - - - -
        - - - - - - - -""",
        to_move=0,
    )
    assert len(state.legal_actions()) > 3
    assert state.action_text(load_agent("heuristic", game, seed=0).act(state.view(0))) == "a1"


def test_it_takes_a_win_in_one():
    game = load_game("reversi-4x4")
    state = game.from_board(board="xx-- -o-- --o- ----", to_move=0)
    assert len(state.legal_actions()) > 1
    assert state.action_text(load_agent("heuristic", game, seed=0).act(state.view(0))) == "d4"


@pytest.mark.parametrize("size", [4, 10])
def test_a_position_is_worth_to_one_side_what_it_costs_the_other_however_the_board_lies(size):
    game = load_game(f"reversi-{size}x{size}")
    evaluate = game.policy_module().evaluate
    for state in random_states(game, seed=size):
        if state.player == TERMINAL:
            break
        value = evaluate(state.row, 0)
        assert abs(value) < 1
        assert evaluate(state.row, 1) == pytest.approx(-value)
        cells = np.array(["-" if owner is None else "xo"[owner] for owner in owners(state)])
        for symmetry in game.symmetries:
            board = "".join(cells[symmetry.observation[: len(cells)]])
            turned = game.from_board(board=board, to_move=state.player)
            assert evaluate(turned.row, 0) == pytest.approx(value)
