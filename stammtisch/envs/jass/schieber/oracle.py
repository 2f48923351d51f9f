"""The oracle of Schieber Jass: what every card of a deal is worth when everybody sees all hands (double dummy)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core import loader
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.oracle import Oracle
from stammtisch.envs.core.rules import own
from stammtisch.envs.core.state import State, View
from stammtisch.envs.core.streams import seed_streams
from stammtisch.envs.jass.schieber.double_dummy import PLACES

TRICKS = 9


class OpenCards(Oracle):
    """Values positions of a single deal as if all four hands lay open, which no player at the table can know.

    The choice of the mode is covered, too: passing it on is worth what the partner's best choice is, for the same team.
    """

    SEARCHES = True

    def __init__(self, game: Game, tricks: int):
        self.tricks = tricks
        self._game = game
        self._rules = own(game.rules)
        self._solver = game.solver()
        self._worlds: Any = loader.load(
            "stammtisch.envs.jass.schieber.worlds", game.id, RULES=game.rules, SOLVER=self._solver
        )
        self._work: Any = None
        self._actions = np.empty(game.rules.MAX_BRANCH, np.int64)
        self._values = np.empty(game.rules.MAX_BRANCH, np.float64)

    @property
    def searched(self) -> int:
        return 0 if self._work is None else int(self._work.nodes[0])

    def values_in_worlds(self, view: View, worlds: int, rng: np.random.Generator) -> NDArray[np.float64]:
        actions = view.legal_actions()
        values = np.empty((worlds, self._game.rules.MAX_BRANCH), np.float64)
        stream = seed_streams(int(rng.integers(1 << 62)), 1)
        self._worlds.solve_worlds(view._state._row, stream, self._arrays(), values)
        return self._for_seat(view.player) * values[:, : len(actions)]

    def _knows(self, state: State) -> bool:
        row, rules = state._row, self._rules
        return bool(TRICKS - row[rules.PLAYED_COUNT] // 4 <= self.tricks)

    def _worth(self, state: State) -> NDArray[np.float64]:
        worth = max(self._worth_of_actions(state).values()) * self._for_seat(state.player)
        return np.array([worth, -worth, worth, -worth])

    def _worth_of_actions(self, state: State) -> dict[int, float]:
        n = self._worlds.solve_actions(state._row, self._arrays(), self._actions, self._values)
        values = self._for_seat(state.player) * self._values[:n]
        return dict(zip(self._actions[:n].tolist(), values.tolist(), strict=True))

    def _arrays(self) -> Any:
        if self._work is None:
            self._work = self._solver.new_work(PLACES)
        return self._work

    @staticmethod
    def _for_seat(seat: int) -> float:
        return -1.0 if seat & 1 else 1.0

    def _why_not(self, state: State) -> str:
        if state.player < 0:
            return "no cards are dealt"
        left = TRICKS - int(state._row[self._rules.PLAYED_COUNT]) // 4
        return f"{left} tricks are left, and it solves up to {self.tricks}"


def oracle(game: Game, tricks: int = TRICKS) -> OpenCards:
    """Return the oracle of a single deal with open cards.

    Args:
        game: the game.
        tricks: unfinished tricks up to which positions are covered; the time grows about threefold with each.

    Raises:
        ValueError: the game goes on after the deal, so that the points of one deal do not settle it.
    """
    if own(game.rules).TARGET:
        raise ValueError(f"{game.id} has no oracle: what later deals bring cannot be solved; take jass-schieber")
    return OpenCards(game, tricks)
