"""``maxn``: the search of games in which more than two play, each for itself."""

import time
from typing import Any, ClassVar

import numpy as np

from stammtisch.baselines.search.agent import Explanation, SearchAgent
from stammtisch.baselines.search.lookahead import LookAhead, alarm
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.jit import is_compiled
from stammtisch.envs.core.options import Option, OptionTable
from stammtisch.envs.core.state import View
from stammtisch.envs.core.streams import Seed

_DEEPEST = 60  # player actions, where nothing else sets a limit


class MaxN(LookAhead):
    """Expects every seat to play for its own best, where ``alphabeta`` expects all others to play against one.

    Searches one action deep, then two, and so on, up to the depth, nodes or time allowed; a depth that was not finished
    does not count. Equal moves are drawn by lot. With two sides it finds what ``minimax`` finds.
    """

    OPTIONS: ClassVar[OptionTable] = {
        "depth": Option(3, "player actions to look ahead; no limit if only nodes or time_s is given", minimum=1),
        "nodes": Option(0, "positions to look at per move; 0 for no limit", minimum=0),
        "time_s": Option(0.0, "seconds per move; 0 for no limit", minimum=0.0),
        **SearchAgent.COMMON,
    }

    def __init__(self, game: Game, seed: Seed = None, spec: str = "", **options: Any):
        super().__init__(game, seed, spec, **options)
        has_budget = self.options["nodes"] or self.options["time_s"]
        self._depth = _DEEPEST if has_budget and "depth" not in options else min(self.options["depth"], _DEEPEST)
        self._kernels = kernels = self.kernels("maxn")
        levels, rules = kernels.levels_for(self._depth), game.rules
        self._scratch = (
            np.empty((levels, rules.STATE_LEN), np.int64),
            np.empty((levels, rules.MAX_BRANCH), np.int64),
            np.empty((levels, rules.N_PLAYERS), np.float64),
            np.empty((levels, rules.MAX_BRANCH), np.float64),
        )

    def search(self, view: View) -> Explanation:
        kernels, time_s = self._kernels, self.time_allowed
        row = view._state._row
        control = np.zeros(kernels.CONTROL_LEN, np.int64)
        results = (self._actions, self._values, self._visits)
        control[kernels.NODE_LIMIT] = kernels.NO_LIMIT
        if time_s and not is_compiled(kernels.think):
            kernels.think(row, self.streams.copy(), 1, *self._scratch, control, *results)  # compiling is not thinking
            control[:] = 0
        control[kernels.NODE_LIMIT] = self.options["nodes"] or kernels.NO_LIMIT
        begun = time.perf_counter()
        with alarm(control, kernels.STOP, time_s):
            n, chosen = kernels.think(row, self.streams, self.depth_allowed, *self._scratch, control, *results)
        effort = {
            "nodes": int(control[kernels.NODES]),
            "depth": int(control[kernels.DEPTH_REACHED]),
            "seconds": time.perf_counter() - begun,
        }
        action = int(self._actions[chosen])
        actions, values, visits = self._actions[:n].copy(), self._values[:n].copy(), self._visits[:n].copy()
        return Explanation(action, actions, values, visits, (action,), effort)
