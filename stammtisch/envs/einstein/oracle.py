"""The oracle of EinStein on 3x3 and 4x4 boards for two: every position, from tables built when first needed."""

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core.constants import TERMINAL
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.oracle import Oracle
from stammtisch.envs.core.rules import own
from stammtisch.envs.core.state import State
from stammtisch.envs.einstein.tables import ANSWER, MINE, PERFECT, THEIRS, EinSteinTables
from stammtisch.envs.einstein.tables import tables as tables_of


class EinSteinOracle(Oracle):
    """Looks positions up; ``(1 + value) / 2`` is the probability to win."""

    def __init__(self, game: Game, table_set: EinSteinTables):
        self._tables = table_set
        self._rules = own(game.rules)

    def prepare(self) -> bool:
        return self._tables.build(self._tables.part(PERFECT))

    @functools.cached_property
    def _perfect(self) -> NDArray[np.float32]:
        self.prepare()
        return self._tables.open(self._tables.part(PERFECT).files[0]).entries

    @functools.cached_property
    def _answers(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        self._tables.build(self._tables.part(ANSWER))
        return self._tables.open(MINE).entries, self._tables.open(THEIRS).entries

    def covers(self, state: State) -> bool:
        return not self._is_strange(state)

    def answer_to_random(self, state: State, seat: int) -> float:
        """Return the expected return of ``seat`` if it answers ``random``, in the other seat, as well as can be."""
        if state.player == TERMINAL:
            return float(state.returns()[seat])
        if state.player >= 0:
            after = [self.answer_to_random(state.child(action), seat) for action in state.legal_actions()]
            return max(after) if state.player == seat else float(np.mean(after))
        mine, theirs = self._answers
        mover = int(state._row[self._rules.TURN])
        number = self._number(state)
        return float(mine[number]) if mover == seat else -float(theirs[number])

    def _number(self, state: State) -> int:
        return int(self._tables.kernels.number_of_row(state._row, int(state._row[self._rules.TURN])))

    def _knows(self, state: State) -> bool:
        return True

    def _expected(self, state: State) -> NDArray[np.float64]:
        return self._for_mover(state, float(self._perfect[self._number(state)]))

    def _worth(self, state: State) -> NDArray[np.float64]:
        return self._for_mover(state, max(self._worth_of_actions(state).values()))

    def _for_mover(self, state: State, value: float) -> NDArray[np.float64]:
        return np.array([value, -value] if state._row[self._rules.TURN] == 0 else [-value, value])


def oracle(game: Game, tables: Any = None) -> EinSteinOracle:
    """Return the oracle of a board with three stones for two.

    Args:
        game: the game.
        tables: folder of the tables; by default that of the user.

    Raises:
        ValueError: the board is too large.
    """
    return EinSteinOracle(game, tables_of(game, tables))
