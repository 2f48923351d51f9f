"""The oracle of Reversi: the exact solver, for positions with few empty cells; on the smallest board for all.

The first moves are looked up where they have been proven.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core.constants import TERMINAL
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.oracle import Oracle
from stammtisch.envs.core.rules import own
from stammtisch.envs.core.state import State
from stammtisch.envs.reversi.openings import known_openings
from stammtisch.envs.reversi.score_search import PLACES, solver_of

EMPTIES = 14  # cells: well below a second per position


class ReversiOracle(Oracle):
    """Solves positions with at most ``empties`` empty cells when it is asked; what it found out helps the next time.

    It also knows the first moves of a board whose start was proven into the folder of tables.
    """

    SEARCHES = True

    def __init__(self, game: Game, empties: int, tables: Any = None):
        self.empties = empties
        self._rules = own(game.rules)
        self._kernels = solver_of(game)
        self._boards: Any = None
        self._openings = known_openings(game, tables)

    @property
    def searched(self) -> int:
        return 0 if self._boards is None else int(self._boards.control[self._kernels.NODES])

    def covers_from(self, state: State) -> bool:
        return state.player == TERMINAL or self._is_late(state)

    def _is_late(self, state: State) -> bool:
        return int(state.game.rules.empties(state._row)) <= self.empties

    def _knows(self, state: State) -> bool:
        return self._is_late(state) or self._opened(state) is not None

    def _opened(self, state: State) -> dict[int, float] | None:
        """Return the worth of the moves of an opening, None if not all of them are known."""
        bounds = self._openings.of_moves(state) if self._openings is not None else None
        if bounds is None:
            return None
        worth = {action: (self._pays(low), self._pays(high)) for action, (low, high) in bounds.items()}
        if any(low != high for low, high in worth.values()):
            return None
        return {action: low for action, (low, _) in worth.items()}

    def _worth(self, state: State) -> NDArray[np.float64]:
        if self._is_late(state):
            worth = self._pays(self._score(state.row))
        else:
            worth = max(self._worth_of_actions(state).values())
        return np.array([worth, -worth] if state.player == 0 else [-worth, worth])

    def _worth_of_actions(self, state: State) -> dict[int, float]:
        if not self._is_late(state) and (opened := self._opened(state)) is not None:
            return opened
        worth = {}
        for action in state.legal_actions():
            row = state.child(action).row
            row[self._rules.TURN] = 1 - state.player  # also where the game is over
            worth[action] = 0.0 - self._pays(self._score(row))
        return worth

    def _score(self, row: NDArray[np.int64]) -> int:
        kernels = self._kernels
        if self._boards is None:
            self._boards = kernels.new_boards(PLACES)
        # A game that pays for winning alone is solved faster when only the winner is asked for.
        most = kernels.MOST if self._rules.REWARD_DISCS else 1
        score, _ = kernels.solve(row, -most, most, self._boards)
        return int(score)

    def _pays(self, score: int) -> float:
        return score / self._rules.CELLS if self._rules.REWARD_DISCS else float(np.sign(score))

    def _why_not(self, state: State) -> str:
        n = int(state.game.rules.empties(state._row))
        return f"{n} cells are empty, and it solves up to {self.empties}; ask for more by oracle(empties={n})"


def oracle(game: Game, empties: int = EMPTIES, tables: Any = None) -> ReversiOracle:
    """Return the oracle of a board up to 8x8.

    Args:
        game: the game.
        empties: empty cells up to which positions are covered; the time grows about threefold with each.
        tables: folder of proven openings; by default the user's.

    Raises:
        ValueError: the board is too large, or players may pass whenever they like.
    """
    return ReversiOracle(game, empties, tables)
