"""``minimax``: the plain search to a fixed depth, expectimax at dice; slow, and ``alphabeta`` must agree with it."""

import time
from typing import Any, ClassVar

import numpy as np

from stammtisch.baselines.search.agent import Explanation, SearchAgent
from stammtisch.baselines.search.lookahead import LookAhead
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.options import Option, OptionTable
from stammtisch.envs.core.state import View
from stammtisch.envs.core.streams import Seed

_EQUAL = 1e-9


class Minimax(LookAhead):
    """Values every move by looking at everything below it, and plays the best; equal ones are drawn at random."""

    OPTIONS: ClassVar[OptionTable] = {
        "depth": Option(3, "player actions to look ahead", minimum=1),
        **SearchAgent.COMMON,
    }

    def __init__(self, game: Game, seed: Seed = None, spec: str = "", **options: Any):
        super().__init__(game, seed, spec, **options)
        self._depth = self.options["depth"]
        self._kernels = self.kernels("minimax")

    def search(self, view: View) -> Explanation:
        begun = time.perf_counter()
        n = self._kernels.value_moves(view._state._row, self.depth_allowed, self._actions, self._values, self._visits)
        values, visits = self._values[:n].copy(), self._visits[:n].copy()
        best = np.flatnonzero(values >= values.max() - _EQUAL)
        chosen = best[self._kernels.draw(self.streams, len(best))]
        action = int(self._actions[chosen])
        effort = {
            "nodes": int(visits.sum()),
            "depth": self.depth_allowed,
            "seconds": time.perf_counter() - begun,
        }
        return Explanation(action, self._actions[:n].copy(), values, visits, (action,), effort)
