"""``ismcts``: information set Monte Carlo tree search (Cowling, Powley and Whitehouse 2012)."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from stammtisch.baselines.search.agent import Explanation, SearchAgent
from stammtisch.baselines.search.heads import heads_of
from stammtisch.baselines.search.hidden import HiddenSearch, hidden_kernels
from stammtisch.baselines.search.net_worlds import NetSearch
from stammtisch.envs.core import loader
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.jit import is_compiled
from stammtisch.envs.core.options import Option, OptionTable
from stammtisch.envs.core.state import View
from stammtisch.envs.core.streams import Seed

_EXACT = 4  # tricks left from which on simulations by networks are solved
_ITERATIONS_PER_WORLD = 10  # with beliefs, so many simulations per world that could be told apart


class InformationSetSearch(HiddenSearch):
    """One tree over what can happen, with another deal of the hidden cards in every simulation.

    Every seat maximises its own result. Plays the most visited action; the tree is grown anew for every move. With
    ``time_s`` it grows until the time is over. With the networks of a ``file`` (Schieber) these choose the mode, say
    what to try first and play the simulations.
    """

    OPTIONS: ClassVar[OptionTable] = {
        "iterations": Option(1000, "simulations per move", minimum=1),
        "time_s": Option(0.0, "seconds per move instead of iterations; 0 counts iterations", minimum=0.0),
        **SearchAgent.THREADS,
        "c": Option(0.7, "exploration, in units of the result", minimum=0.0),
        "rollout": Option("heuristic", "who plays the simulated games", choices=("random", "heuristic")),
        **NetSearch.OPTIONS,
        "prior": Option(0.3, "with file: weight of what the network likes, in units of the result", minimum=0.0),
        **SearchAgent.COMMON,
    }

    def __init__(self, game: Game, seed: Seed = None, spec: str = "", **options: Any):
        super().__init__(game, seed, spec, **options)
        self._kernels = hidden_kernels(game, "ismcts", self.options["rollout"])
        if self.options["beliefs"] == "on" and not self.options["file"]:
            raise ValueError("beliefs need the networks of a file: ismcts:file=FILE,beliefs=on")
        self._nets: NetSearch | None = None
        if self.options["file"]:
            self._nets = NetSearch(self, max(1, self.options["iterations"] // _ITERATIONS_PER_WORLD))
            self._net_kernels = loader.load(
                "stammtisch.baselines.kernels.ismcts_nets",
                game.id,
                RULES=game.rules,
                NETS=self._nets.net_kernels,
                WORLDS=self._nets.kernels,
                TREE=self._kernels,
            )
        room = 1 + self.options["iterations"]
        self._nodes = np.empty((room, self._kernels.FIELDS), np.int64)
        self._totals = np.empty(room, np.float64)
        self._heads = heads_of(self, seed, "iterations")

    def search(self, view: View) -> Explanation:
        if self._heads is not None:
            return self._heads.search(view)
        kernels = self._kernels
        row = view._state._row
        size = iterations = 0
        if self._nets is not None:
            actions, thought = self._nets.think(row)
            if self._nets.is_settled(row, len(actions)):
                return self._nets.settle(actions, thought)
            self._nets.weigh(row)
        ready = kernels.search if self._nets is None else self._net_kernels.search
        for more in self.portions(self.options["iterations"], is_compiled(ready)):
            self._make_room(size + 1 + more)
            size = self._grow(row, more, size)
            iterations += more
        children = self._children(0)
        actions = self._nodes[children, kernels.ACTION]
        visits = self._nodes[children, kernels.VISITS]
        values = self._totals[children] / visits
        line = self._main_line()
        effort = {"simulations": iterations, "nodes": size}
        return Explanation(line[0], actions, values, visits, line, effort)

    def _grow(self, row: NDArray[np.int64], more: int, size: int) -> int:
        """Run so many simulations; return how many nodes the tree has then."""
        tree = self.streams, self._nodes, self._totals, size
        c, nets = self.options["c"], self._nets
        if nets is None:
            return int(self._kernels.search(row, more, c, *tree))
        bounds = self._net_kernels.NetBounds(c, self.options["prior"], _EXACT)
        thought = self._net_kernels.NetThought(nets.work, nets.nets, nets.room, nets.worlds, nets.weights)
        return int(self._net_kernels.search(row, more, bounds, thought, *tree))

    def _make_room(self, room: int) -> None:
        """Let the tree have so many nodes; what it has stays."""
        if len(self._totals) < room:
            nodes = np.empty((2 * room, self._kernels.FIELDS), np.int64)
            totals = np.empty(2 * room, np.float64)
            nodes[: len(self._nodes)], totals[: len(self._totals)] = self._nodes, self._totals
            self._nodes, self._totals = nodes, totals

    def _children(self, node: int) -> list[int]:
        """The moves tried below a node, in ascending order of the action."""
        children = []
        child = int(self._nodes[node, self._kernels.FIRST])
        while child >= 0:
            children.append(child)
            child = int(self._nodes[child, self._kernels.NEXT])
        return sorted(children, key=lambda node: int(self._nodes[node, self._kernels.ACTION]))

    def _main_line(self) -> tuple[int, ...]:
        """Follow the most visited children, better totals first among equals."""
        line = []
        node = 0
        while children := self._children(node):
            visits = self._nodes[children, self._kernels.VISITS]
            node = children[np.lexsort((self._totals[children], visits))[-1]]
            line.append(int(self._nodes[node, self._kernels.ACTION]))
        return tuple(line)
