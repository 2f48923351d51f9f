"""``cheater``: sees all cards, as the upper limit of what knowing them could bring."""

from typing import Any, ClassVar

import numpy as np

from stammtisch.baselines.search.agent import Explanation, SearchAgent
from stammtisch.baselines.search.hidden import hidden_kernels
from stammtisch.baselines.search.perfect import OracleSearch
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.options import Option, OptionTable
from stammtisch.envs.core.state import State, View
from stammtisch.envs.core.streams import Seed


class Cheater(OracleSearch):
    """Looks at the hidden cards of everybody and plays a best one, all four hands being in sight.

    Deals are solved exactly from ``reach`` tricks on. Before that, and for the choice of the mode, every action is
    followed by play of the reference bot from the true position, ``simulations`` times.

    It cannot be asked with a ``View``: matches, suites and measurements ask it by ``cheat``; environments refuse it
    unless told ``allow_cheaters=True``, servers always.
    """

    CHEATS = True
    OPTIONS: ClassVar[OptionTable] = {
        "reach": Option(7, "tricks left from which on deals are solved; 9 solves all, in seconds per card", minimum=1),
        "simulations": Option(20, "deals played on per action before that", minimum=1),
        **SearchAgent.COMMON,
    }

    def __init__(self, game: Game, seed: Seed = None, spec: str = "", **options: Any):
        if not game.info.hidden:
            raise ValueError(f'agent "cheater" cannot play {game.id}: nothing is hidden; try "perfect"')
        super().__init__(game, seed, spec, **options)
        self._kernels = hidden_kernels(game, "pimc", "heuristic", SOLVER=None)

    def cheat(self, state: State) -> int:
        return self._choose(self.explain(state))

    def search(self, view: View) -> Explanation:
        raise ValueError(f'agent "{self.name}" sees all cards and cannot play where only a view is given')

    def _elsewhere(self, state: State) -> Explanation:
        rounds, most = self.options["simulations"], self.game.rules.MAX_BRANCH
        actions, totals = np.empty(most, np.int64), np.empty(most, np.float64)
        n = self._kernels.try_open(state._row, rounds, self.streams, actions, totals)
        best = int(actions[totals[:n].argmax()])
        effort = {"exact": 0, "simulations": rounds * n}
        return Explanation(best, actions[:n], totals[:n] / rounds, np.full(n, rounds), (best,), effort)
