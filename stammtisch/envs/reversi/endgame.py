"""``solve``: Reversi played out perfectly, the exact score and the best moves of positions with few empty cells."""

import time
from typing import Any

import numpy as np

from stammtisch.envs.core import loader
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.rules import own
from stammtisch.envs.core.solution import Solution
from stammtisch.envs.core.state import State

PLACES = 1 << 20  # lines of the table, 48 bytes each
_MANY_PLACES, _MANY_EMPTIES = 1 << 24, 22  # from so many empty cells on: what fits is what makes it possible at all
_LARGEST = 64  # cells


def solver_of(game: Game) -> loader.KernelModule:
    """Return the solver's kernels; who gets empty cells at the end is what the game pays for.

    Raises:
        ValueError: the board is too large, or players may pass whenever they like.
    """
    rules = own(game.rules)
    if rules.CELLS > _LARGEST or rules.VOLUNTARY_PASS:
        raise ValueError(f"{game!r} cannot be solved: boards up to 8x8 can, with passes only where they are forced")
    counted = "nobody" if rules.REWARD_DISCS else "winner"
    return loader.load("stammtisch.envs.reversi.solver", game.id, RULES=rules, EMPTIES=counted)


def solve(state: State, every: bool = False, nodes: int = 0) -> Solution:
    """Solve a position.

    Scores are the final difference of discs for the side to move. Empty cells go to the winner, as tournaments count,
    unless the game pays by discs and leaves them out (``reward="discs"``).

    Args:
        state: a position of a board up to 8x8; the time grows about threefold with every empty cell.
        every: work out the score of every move, not only which are best.
        nodes: give up after so many positions; 0 never does.

    Raises:
        ValueError: the game is over, cannot be solved, or the budget was too small.
    """
    game = state.game
    kernels = solver_of(game)
    if state.player < 0:
        raise ValueError(f"nothing to solve in {game.id}: the game is over")
    began = time.perf_counter()
    many = int(game.rules.empties(state._row)) >= _MANY_EMPTIES
    boards = kernels.new_boards(_MANY_PLACES if many else PLACES)
    boards.control[kernels.LIMIT] = nodes
    most = kernels.MOST
    legal = state.legal_actions()
    score = _score(kernels, boards, state, -most, most)
    scores: dict[int, int] = {}
    for action in legal:
        # One search tells whether the move keeps the score, unless its own score is wanted.
        low, high = (-most, most) if every else (score - 1, score)
        scores[action] = -_score(kernels, boards, state.child(action), -high, -low, state.player)
    best = tuple(action for action in legal if scores[action] >= score)
    returns = np.zeros(2)
    rules = own(game.rules)
    returns[state.player] = score / rules.CELLS if rules.REWARD_DISCS else np.sign(score)
    returns[1 - state.player] = -returns[state.player]
    return Solution(
        returns,
        score,
        "discs",
        best,
        {action: float(value) for action, value in scores.items()} if every else {},
        int(boards.control[kernels.NODES]),
        time.perf_counter() - began,
    )


def _score(
    kernels: loader.KernelModule, boards: Any, state: State, alpha: int, beta: int, after: int | None = None
) -> int:
    """Return the score for the seat to move or, ``after`` a seat's move, for its opponent."""
    row = state.row
    if after is not None:
        row[kernels.TURN] = 1 - after  # also where the game is over
    score, is_sure = kernels.solve(row, alpha, beta, boards)
    if not is_sure:
        spent = int(boards.control[kernels.LIMIT])
        raise ValueError(f"{spent} positions were not enough to solve {state.game.id}; allow more, or 0 for no limit")
    return int(score)
