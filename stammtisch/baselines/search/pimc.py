"""``pimc``: perfect information Monte Carlo, which votes over many deals of the hidden cards."""

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from stammtisch.baselines.search.agent import Explanation, SearchAgent
from stammtisch.baselines.search.heads import heads_of
from stammtisch.baselines.search.hidden import HiddenSearch, hidden_kernels
from stammtisch.baselines.search.net_worlds import NetWorlds
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.jit import is_compiled
from stammtisch.envs.core.options import Option, OptionTable
from stammtisch.envs.core.state import View
from stammtisch.envs.core.streams import Seed

_PLACES = 1 << 17  # entries of the solver's table


class WorldSampling(HiddenSearch):
    """Plays the action with the best mean value over deals that agree with all that is known.

    Near the end of a deal every world is solved exactly, with all cards open. Before, and for the choice of the
    mode, every action is followed by play of the reference bot, whose players see only their own cards. With the
    networks of a ``file`` (Schieber) these choose the mode, play on in place of the bot, and count as so many worlds
    themselves; with ``beliefs`` worlds are drawn as likely as the networks make what was said and played so far.
    """

    OPTIONS: ClassVar[OptionTable] = {
        "worlds": Option(30, "deals of the hidden cards per move", minimum=1),
        "time_s": Option(0.0, "seconds per move instead of worlds; 0 counts worlds", minimum=0.0),
        **SearchAgent.THREADS,
        "search": Option(
            "solve", "how worlds are valued when few tricks are left", choices=("solve", "heuristic", "random")
        ),
        "exact": Option(4, "tricks left from which on worlds are solved", minimum=0),
        **NetWorlds.OPTIONS,
        **SearchAgent.COMMON,
    }

    def __init__(self, game: Game, seed: Seed = None, spec: str = "", **options: Any):
        super().__init__(game, seed, spec, **options)
        search = self.options["search"]
        solver = game.solver() if search == "solve" and game.SOLVER else None
        policy = "heuristic" if search == "solve" else search
        self._work: Any = solver.new_work(_PLACES) if solver else ()
        self._kernels = hidden_kernels(game, "pimc", policy, SOLVER=solver)
        self._actions = np.empty(game.rules.MAX_BRANCH, np.int64)
        self._totals = np.empty(game.rules.MAX_BRANCH, np.float64)
        if self.options["beliefs"] == "on" and not self.options["file"]:
            raise ValueError("beliefs need the networks of a file: pimc:file=FILE,beliefs=on")
        self._nets = NetWorlds(self) if self.options["file"] else None
        self._heads = heads_of(self, seed, "worlds")

    def search(self, view: View) -> Explanation:
        if self._heads is not None:
            return self._heads.search(view)
        row, exact = view._state._row, self.options["exact"]
        if self._nets is not None:
            return self._nets.search(row)
        before = int(self._work.nodes[0]) if self._work else 0
        worlds, totals = 0, np.zeros_like(self._totals)
        for more in self.portions(self.options["worlds"], is_compiled(self._kernels.try_worlds)):
            n = self._kernels.try_worlds(row, more, exact, self.streams, self._work, self._actions, self._totals)
            totals[:n] += self._totals[:n]
            worlds += more
        actions = self._actions[:n].copy()
        values = totals[:n] / worlds
        best = int(actions[values.argmax()])
        nodes = int(self._work.nodes[0]) - before if self._work else 0
        effort = {"worlds": worlds, "nodes": nodes}
        return Explanation(best, actions, values, np.full(n, worlds), (best,), effort)

    def _choose(self, found: Explanation) -> int:
        """All actions get the same visits here, so the temperature weighs them by ``exp(value / T)``."""
        return super()._choose(replace(found, visits=np.exp(found.values)))
