"""``mcts``: Monte Carlo tree search with upper confidence bounds (Kocsis and Szepesvári 2006)."""

import time
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from stammtisch.baselines.kernels.tree import Limits, Tree
from stammtisch.baselines.search.agent import Explanation, SearchAgent
from stammtisch.baselines.search.endgames import UsesTables
from stammtisch.baselines.search.heads import heads_of
from stammtisch.baselines.search.simulation import SimulationAgent
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.options import Option, OptionTable
from stammtisch.envs.core.state import View
from stammtisch.envs.core.streams import Seed

_FIRST_ROOM = 1 << 12  # nodes
_CHUNK_S = 0.005
_FIRST_CHUNK = 16  # simulations
_MOST_NODES = 1_000_000  # where nothing else limits a tree that is kept from move to move


class TreeSearch(UsesTables, SimulationAgent):
    """Tree search for any number of seats: every seat maximises its own result, chance events are drawn.

    Plays the most visited action. The part of the tree below the position reached by the next call is kept, unless
    ``reuse=0``; it comes on top of the new simulations.

    The exploration constant multiplies the standard deviation of all results of the search so far, which is near one
    for won and lost games but small for the cautious values of an evaluation; with ``unit=utility`` it counts as it is,
    for results between -1 and 1. ``mcts:depth=0,unit=utility`` is the textbook algorithm.

    With the ``file`` of an n-tuple network, positions are worth what it says. With ``prior`` moves are chosen by PUCT:
    what the network, or else the game's evaluation, says of the position after each, through a softmax of that
    temperature, is how much attention it deserves, and counts as its first result.
    """

    OPTIONS: ClassVar[OptionTable] = {
        "iterations": Option(1000, "simulations per move; with a network 10000 by default", minimum=1),
        "time_s": Option(0.0, "seconds per move instead of iterations; 0 counts iterations", minimum=0.0),
        **SearchAgent.THREADS,
        "c": Option(1.4, "exploration", minimum=0.0),
        "unit": Option("spread", "what c multiplies: see the class", choices=("spread", "utility")),
        "reuse": Option(True, "keep what the last move found out about this position"),
        "tree_depth": Option(200, "levels of the tree, chance events included", minimum=1),
        "max_nodes": Option(_MOST_NODES, "positions whose moves the tree may list", minimum=1),
        **SimulationAgent.NETWORK,
        **SimulationAgent.SIMULATION,
        "depth": Option(2, SimulationAgent.SIMULATION["depth"].help, minimum=0),
        **SearchAgent.TABLES,
        **SearchAgent.COMMON,
    }
    OUTCOMES: ClassVar[str] = "drawn"
    WITH_NETWORK: ClassVar[Mapping[str, Any]] = {"iterations": 10_000, "prior": 0.1}  # other defaults then

    def __init__(self, game: Game, seed: Seed = None, spec: str = "", **options: Any):
        super().__init__(game, seed, spec, **options)
        low, high = game.info.utility_range
        self._largest = (high - low) / 2
        self._c = self.exploration * (self._largest if self.options["unit"] == "utility" else 1.0)
        for name, value in self.WITH_NETWORK.items() if self.options["file"] else ():
            if name not in options:
                self.options[name] = value
        self._is_guided = self.options["prior"] > 0
        if self._is_guided and not (self.options["file"] or game.policy_module().EVALUATES):
            raise ValueError(
                f"prior={self.options['prior']} needs an evaluation, which {game.id} has not, or file=FILE of a network"
            )
        self._kernels = self.simulation_kernels(
            "mcts",
            OUTCOMES=self.OUTCOMES,
            UNIT=self.options["unit"],
            PRIOR="guess" if self._is_guided else "none",
            TABLES=self.tables_kernels,
        )
        self._limits = Limits(
            float(self._c),
            self._depth,
            self.options["tree_depth"],
            self.options["max_nodes"] or _MOST_NODES,
            float(self.options["prior"]),
        )
        self._moments = np.zeros(3, np.float64)
        self._tables: Any = ()
        self._root: NDArray[np.int64] | None = None
        self._tree = self._new_tree(_FIRST_ROOM + game.rules.MAX_BRANCH)
        self._heads = heads_of(self, seed, "iterations")

    @property
    def exploration(self) -> float:
        """Weight of the confidence bound."""
        return float(self.options["c"])

    def reset(self, seed: Seed = None) -> None:
        super().reset(seed)
        self._root = None

    def search(self, view: View) -> Explanation:
        if self._heads is not None:
            return self._heads.search(view)
        return self._think(view, ()) if self.endgames is None else self.endgames.guide(view, self._think)

    def _think(self, view: View, endgames: Any) -> Explanation:
        self._tables = endgames
        row = view._state._row
        carried = self._replant(row)
        most = 0 if self.options["time_s"] else self.options["iterations"]
        time_s = self.time_allowed
        simulations = self._run_for(row, time_s, most) if time_s else self._run(row, most)
        nodes = int(self._tree.size[self._kernels.EXPANDED])
        return self._explain({"simulations": simulations, "carried": carried, "nodes": nodes})

    def _run(self, row: NDArray[np.int64], simulations: int) -> int:
        """Run so many simulations, with more room for the tree whenever it is full."""
        limits = self._limits
        if self._most_depth:
            limits = limits._replace(tree_depth=min(limits.tree_depth, self._most_depth))
        done = 0
        while done < simulations:
            tree = self._tree
            done += self._kernels.simulate(row, simulations - done, tree, self.streams, limits, self._net, self._tables)
            if done < simulations:
                self._tree = self._new_tree(2 * len(tree.totals))
                for array, values in zip(self._tree, tree, strict=True):
                    array[: len(values)] = values
        return done

    def _run_for(self, row: NDArray[np.int64], time_s: float, most: int) -> int:
        """Run simulations in chunks of a few milliseconds until the time is over, or so many are done (0: no limit)."""
        begun = now = time.perf_counter()
        done = 0
        chunk = _FIRST_CHUNK
        while now - begun < time_s and (not most or done < most):
            done += self._run(row, min(chunk, most - done) if most else chunk)
            now = time.perf_counter()
            chunk = max(1, int(done / (now - begun) * min(_CHUNK_S, begun + time_s - now)))
        return done

    def _new_tree(self, room: int) -> Tree:
        return Tree(
            nodes=np.empty((room, self._kernels.FIELDS), np.int64),
            totals=np.empty(room, np.float64),
            guesses=np.empty((room if self._is_guided else 0, 2), np.float64),
            size=np.zeros(2, np.int64),
            moments=self._moments,
        )

    def _replant(self, row: NDArray[np.int64]) -> int:
        """Keep what the tree holds below the position, or start a new one; return the visits kept."""
        kernels, tree = self._kernels, self._tree
        node = -1
        if self._root is not None and self.options["reuse"]:
            node = kernels.find(self._root, row, tree.nodes)
        self._root = row.copy()
        self._moments[:] = 2.0, 0.0, 2.0 * self._largest**2  # as if one win and one loss had been seen
        if node < 0:
            tree.nodes[0] = 0
            tree.nodes[0, kernels.FIRST] = -1
            tree.size[:] = 1, 0
            return 0
        self._tree = self._new_tree(len(tree.totals))
        kernels.transplant(node, tree, self._tree)
        return int(self._tree.nodes[0, kernels.VISITS])

    def _explain(self, effort: Mapping[str, float]) -> Explanation:
        kernels = self._kernels
        children = self._children(0)
        children = children[np.argsort(self._tree.nodes[children, kernels.ACTION])]
        actions = self._tree.nodes[children, kernels.ACTION]
        visits = self._tree.nodes[children, kernels.VISITS]
        values = np.full(len(children), np.nan)  # nothing is known of an action without a visit
        np.divide(self._tree.totals[children], visits, out=values, where=visits > 0)
        line = self._main_line()
        return Explanation(line[0], actions, values, visits, line, effort)

    def _children(self, node: int) -> NDArray[np.int64]:
        first, n = self._tree.nodes[node, [self._kernels.FIRST, self._kernels.CHILDREN]]
        return np.arange(first, first + n) if first >= 0 else np.arange(0)

    def _main_line(self) -> tuple[int, ...]:
        """Follow the most visited children, better totals first among equals."""
        tree = self._tree
        line = np.empty(int(tree.size[self._kernels.EXPANDED]), np.int64)
        n = self._kernels.main_line(tree.nodes, tree.totals, line)
        return tuple(line[:n].tolist())
