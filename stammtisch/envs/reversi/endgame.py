"""``solve``: Reversi played out perfectly, the exact score and the best moves of positions with few empty cells."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from stammtisch.envs.core import loader
from stammtisch.envs.core.rules import own
from stammtisch.envs.core.solution import Solution
from stammtisch.envs.core.state import State
from stammtisch.envs.reversi.openings import known_openings
from stammtisch.envs.reversi.score_search import MANY_EMPTIES, MANY_PLACES, PLACES, solver_of

__all__ = ["solve", "solver_of"]


def solve(state: State, every: bool = False, nodes: int = 0, tables: Any = None) -> Solution:
    """Solve a position.

    Scores are the final difference of discs for the side to move. Empty cells go to the winner, as tournaments count,
    unless the game pays by discs and leaves them out (``reward="discs"``).

    Args:
        state: a position of a board up to 8x8; the time grows about threefold with every empty cell.
        every: work out the score of every move, not only which are best.
        nodes: give up after so many positions; 0 never does.
        tables: folder of proven openings; by default the user's.

    Raises:
        ValueError: the game is over, cannot be solved, or the budget was too small.
    """
    game = state.game
    kernels = solver_of(game)
    if state.player < 0:
        raise ValueError(f"nothing to solve in {game.id}: the game is over")
    began = time.perf_counter()
    if (scores := _looked_up(state, every, tables)) is not None:
        return _solution(state, scores, every, 0, began)
    many = int(game.rules.empties(state._row)) >= MANY_EMPTIES
    boards = kernels.new_boards(MANY_PLACES if many else PLACES)
    boards.control[kernels.LIMIT] = nodes
    most = kernels.MOST
    legal = state.legal_actions()
    score = _score(kernels, boards, state, -most, most)
    scores = {}
    for action in legal:
        # One search tells whether the move keeps the score, unless its own score is wanted.
        low, high = (-most, most) if every else (score - 1, score)
        scores[action] = -_score(kernels, boards, state.child(action), -high, -low, state.player)
    return _solution(state, scores, every, int(boards.control[kernels.NODES]), began)


def _looked_up(state: State, every: bool, tables: Any) -> dict[int, int] | None:
    """Return the scores of the moves of a proven opening, exact for the best and, if ``every``, for all."""
    openings = known_openings(state.game, tables)
    found = openings.of_moves(state) if openings is not None else None
    if found is None:
        return None
    best = max(bounds.low for bounds in found.values())
    if any(bounds.low < bounds.high and (every or bounds.high >= best) for bounds in found.values()):
        return None
    return {action: bounds.low for action, bounds in found.items()}


def _solution(state: State, scores: dict[int, int], every: bool, nodes: int, began: float) -> Solution:
    """Return what the scores of the moves tell, exact at least where they are best."""
    score = max(scores.values())
    best = tuple(action for action, found in scores.items() if found >= score)
    returns = np.zeros(2)
    rules = own(state.game.rules)
    returns[state.player] = score / rules.CELLS if rules.REWARD_DISCS else np.sign(score)
    returns[1 - state.player] = -returns[state.player]
    return Solution(
        returns,
        score,
        "discs",
        best,
        {action: float(value) for action, value in scores.items()} if every else {},
        nodes,
        time.perf_counter() - began,
    )


def _score(
    kernels: loader.KernelModule, boards: Any, state: State, alpha: int, beta: int, after: int | None = None
) -> int:
    """Return the score for the seat to move or, ``after`` a seat's move, for its opponent."""
    row = state.row
    if after is not None:
        row[kernels.TURN] = 1 - after  # also where the game is over
    with ThreadPoolExecutor(1) as pool:
        try:
            score, is_sure = pool.submit(kernels.solve, row, alpha, beta, boards).result()
        except KeyboardInterrupt:  # compiled code would not hear it
            boards.control[kernels.LIMIT] = 1
            raise
    if not is_sure:
        spent = int(boards.control[kernels.LIMIT])
        raise ValueError(f"{spent} positions were not enough to solve {state.game.id}; allow more, or 0 for no limit")
    return int(score)
