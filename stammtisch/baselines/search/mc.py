"""``mc``: flat Monte Carlo, the same number of simulated games for every legal action."""

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from stammtisch.baselines.search.agent import Explanation, SearchAgent
from stammtisch.baselines.search.heads import heads_of
from stammtisch.baselines.search.simulation import SimulationAgent
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.options import Option, OptionTable
from stammtisch.envs.core.state import View
from stammtisch.envs.core.streams import Seed


class FlatMonteCarlo(SimulationAgent):
    """Plays the action after which simulated games end best on average.

    With ``depth=22,cut=zero`` this is the MC agent of the GBG framework, where an unfinished game counts nothing.
    """

    OPTIONS: ClassVar[OptionTable] = {
        "iterations": Option(1000, "simulated games per legal action", minimum=1),
        **SearchAgent.THREADS,
        **SimulationAgent.SIMULATION,
        **SearchAgent.COMMON,
    }

    def __init__(self, game: Game, seed: Seed = None, spec: str = "", **options: Any):
        super().__init__(game, seed, spec, **options)
        self._kernels = self.simulation_kernels("mc")
        self._actions = np.empty(game.rules.MAX_BRANCH, np.int64)
        self._totals = np.empty(game.rules.MAX_BRANCH, np.float64)
        self._heads = heads_of(self, seed, "iterations")

    def search(self, view: View) -> Explanation:
        if self._heads is not None:
            return self._heads.search(view)
        simulations = self.options["iterations"]
        n = self._kernels.try_actions(
            view._state._row, simulations, self._depth, self.streams, self._actions, self._totals
        )
        actions = self._actions[:n].copy()
        values = self._totals[:n] / simulations
        best = int(actions[values.argmax()])
        effort = {"simulations": n * simulations}
        return Explanation(best, actions, values, np.full(n, simulations), (best,), effort)

    def _choose(self, found: Explanation) -> int:
        """All actions get the same visits here, so the temperature weighs them by ``exp(value / T)``."""
        return super()._choose(replace(found, visits=np.exp(found.values)))
