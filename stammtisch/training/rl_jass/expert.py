"""An expert for the strong learner: ``pimc``, asked about some of the decisions of a round."""

import numpy as np
from numpy.typing import NDArray

from stammtisch.baselines.search.hidden import hidden_kernels
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.rules import own

_PLACES = 1 << 16  # entries of the solver's table
_EXACT = 4  # tricks left from which on worlds are solved, as the agent has it


class SearchExpert:
    """Values cards by deals of what the player cannot see, as the agent ``pimc`` does.

    Args:
        game: Schieber, single deals.
        worlds: deals per decision.
        share: share of the decisions that it is asked about.
    """

    def __init__(self, game: Game, worlds: int, share: float):
        solver = game.solver()
        self._kernels = hidden_kernels(game, "pimc", "heuristic", SOLVER=solver)
        self._work = solver.new_work(_PLACES)
        self._rules, self._worlds, self._share = own(game.rules), worlds, share

    def __call__(
        self,
        rows: NDArray[np.int64],
        orders: NDArray[np.int64],
        legal: NDArray[np.bool_],
        rng: np.random.Generator,
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Return the values of legal cards less their mean, in hundreds, and where it was asked."""
        values, told = np.zeros(legal.shape, np.float32), np.zeros_like(legal)
        asked = np.flatnonzero(rng.random(len(rows)) < self._share)
        streams = rng.integers(2**63, size=(len(asked), 1), dtype=np.uint64)
        actions, totals = np.empty(self._rules.MAX_BRANCH, np.int64), np.empty(self._rules.MAX_BRANCH)
        for stream, place in zip(streams, asked, strict=True):
            n = self._kernels.try_worlds(rows[place], self._worlds, _EXACT, stream, self._work, actions, totals)
            colours = np.argsort(orders[place])[actions[:n] // 9]
            found = totals[:n] / self._worlds
            values[place, 9 * colours + actions[:n] % 9] = found - found.mean()
            told[place] = legal[place]
        return values, told
