"""``LearnedSearch``: alpha-beta on a learned evaluation, with an exact solver at the end; used by ``alphabeta``."""

import math
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.baselines.kernels.ntuple_net import BEHIND_TAPS
from stammtisch.baselines.learned.ntuple.network import Network
from stammtisch.baselines.search.agent import Explanation
from stammtisch.baselines.search.lookahead import alarm
from stammtisch.envs.core import loader
from stammtisch.envs.core.jit import is_compiled

_ENTRY_BYTES = 16
_LONGEST_LINE = 64
_SOLVER_LINES = 1 << 16
_BEFORE_SOLVING = 0.25  # share of a budget that is spent on finding which moves to solve first
# Measured: positions that the solver looks at with no empty cell, by what factor they grow with each, and how many it
# looks at while the search looks at one.
_SOLVED_NODES, _SOLVED_GROWTH, _SOLVED_PER_NODE = 0.008, 2.5, 0.35
_SOLVED_PER_SECOND = 800_000
_WIN = np.int64(1)


class LearnedSearch:
    """Searches positions of one game with one network.

    Args:
        network: what values positions.
        options: those of the agent.
        deepest: player actions to look ahead at most, ever.
        tables: kernels that look endgames up, if there are any.
    """

    def __init__(
        self, network: Network, options: Mapping[str, Any], deepest: int, tables: loader.KernelModule | None = None
    ):
        self.network, self.options = network, options
        self._net = network.net_of_searches
        game = network.game
        if tables is None:
            tables = loader.load("stammtisch.envs.kernels.no_tables", game.id)
        track = loader.load(
            "stammtisch.baselines.kernels.ntuple_track", game.id, RULES=game.rules, FEATURES=network.features
        )
        self._kernels = loader.load(
            "stammtisch.baselines.kernels.alphabeta_learned", game.id, RULES=game.rules, TRACK=track, TABLES=tables
        )
        places = 1 << (options["table_mb"] * (1 << 20) // _ENTRY_BYTES).bit_length() - 1
        self._table = np.zeros((places, 2), np.int64)
        self._cuts = self._probcuts()
        self._work = [self._new_work(deepest, track.SCRATCH) for _ in range(options["threads"])]
        self._solver = game.endgame() if options["endgame"] else None
        self._boards = self._solver.new_boards(_SOLVER_LINES) if self._solver is not None else None
        branch = game.rules.MAX_BRANCH
        self._results = [
            (
                np.empty(branch, np.int64),
                np.empty(branch, np.float64),
                np.empty(branch, np.int64),
                np.empty(_LONGEST_LINE, np.int64),
            )
            for _ in self._work
        ]

    def _new_work(self, deepest: int, scratch: int) -> Any:
        kernels, rules = self._kernels, self.network.game.rules
        levels = kernels.levels_for(deepest)
        return kernels.LearnedArrays(
            rows=np.zeros((levels, rules.STATE_LEN), np.int64),
            lists=np.zeros((levels, kernels.LIST_LEN), np.int64),
            reals=np.zeros((1 + levels, kernels.REAL_LEN), np.float64),
            taps=np.zeros((levels, rules.N_PLAYERS, self.network.taps + BEHIND_TAPS), np.int64),
            scratch=np.zeros((levels, scratch), np.int64),
            control=np.zeros(kernels.CONTROL_LEN, np.int64),
            table=self._table,
            cuts=self._cuts,
            endgames=(),
        )

    def _probcuts(self) -> NDArray[np.float64]:
        """Return what the network's file knows of the difference between shallow and deep searches."""
        rows = self.network.facts.get("probcut", [])
        cuts = np.zeros((1 + max((int(row["depth"]) for row in rows), default=0), self._kernels.CUT_FIELDS), np.float64)
        for row in rows:
            cuts[int(row["depth"])] = row["shallow"], row["slope"], row["offset"], row["spread"], row["margin"]
        return cuts

    def reset(self) -> None:
        """Forget what earlier moves found out."""
        self._table[:] = 0

    def search(
        self, row: NDArray[np.int64], streams: NDArray[np.uint64], depth: int, time_s: float, endgames: Any = ()
    ) -> Explanation:
        """Look ahead from a position; ``endgames`` is what the kernels of the tables look up, or nothing."""
        begun = time.perf_counter()
        self._work = [work._replace(endgames=endgames) for work in self._work]
        nodes = self.options["nodes"]
        solves = self._solver is not None and self._empties(row) <= self._solvable(nodes, time_s)
        share = _BEFORE_SOLVING if solves else 1.0
        if solves and not nodes and not time_s:
            depth = min(depth, 4)  # only to order the moves
        found = self._look_ahead(row, streams, depth, int(nodes * share), time_s * share)
        if solves and len(found.actions) > 1:
            left_s = max(1e-3, time_s - (time.perf_counter() - begun)) if time_s else 0.0
            found = self._solve(row, found, int(nodes * (1 - share) * _SOLVED_PER_NODE), left_s)
        effort = {**found.effort, "seconds": time.perf_counter() - begun}
        return Explanation(found.action, found.actions, found.values, found.visits, found.line, effort)

    def _empties(self, row: NDArray[np.int64]) -> int:
        return int(self.network.game.rules.empties(row))

    def _solvable(self, nodes: int, time_s: float) -> int:
        """Return up to how many empty cells a budget probably suffices to solve."""
        most = float("inf")
        if nodes:
            most = nodes * _SOLVED_PER_NODE
        if time_s:
            most = min(most, time_s * _SOLVED_PER_SECOND)
        if math.isinf(most):
            return int(self.options["endgame"])
        return min(int(self.options["endgame"]), int(math.log(max(most, 1.0) / _SOLVED_NODES, _SOLVED_GROWTH)))

    def _look_ahead(
        self, row: NDArray[np.int64], streams: NDArray[np.uint64], depth: int, nodes: int, time_s: float
    ) -> Explanation:
        kernels, net = self._kernels, self._net
        exact = self.options["exact"]
        if time_s and not is_compiled(kernels.think):
            self._set_control(0, 0)
            kernels.think(row, streams.copy(), 1, exact, net, self._work[0], *self._results[0])
        for number in range(len(self._work)):
            self._set_control(number, nodes)
        main = self._work[0]
        with ExitStack() as stack:
            stack.enter_context(alarm(main.control, kernels.STOP, time_s))
            helpers = self._help(stack, row, streams, depth)
            n, chosen, length = kernels.think(row, streams, depth, exact, net, main, *self._results[0])
            for helper in self._work[1:]:
                helper.control[kernels.STOP] = 1
        actions, values, visits, line = self._results[0]
        effort = {
            "nodes": sum(int(work.control[kernels.NODES]) for work in self._work[: 1 + helpers]),
            "depth": int(main.control[kernels.DEPTH_REACHED]),
        }
        return Explanation(
            int(actions[chosen]),
            actions[:n].copy(),
            values[:n].copy(),
            visits[:n].copy(),
            tuple(line[:length].tolist()),
            effort,
        )

    def _help(self, stack: ExitStack, row: NDArray[np.int64], streams: NDArray[np.uint64], depth: int) -> int:
        """Let further threads search the same position, some a step deeper; what they find reaches us by the table."""
        helpers = self._work[1:]
        if not helpers:
            return 0
        pool = stack.enter_context(ThreadPoolExecutor(len(helpers)))
        for number, work in enumerate(helpers, 1):
            work.control[self._kernels.FIRST_DEPTH] = number % 2
            stream = streams + np.uint64(number)
            arguments: tuple[Any, ...] = (row, stream, depth, False, self._net, work, *self._results[number])
            pool.submit(self._kernels.think, *arguments)
        return len(helpers)

    def _set_control(self, number: int, nodes: int) -> None:
        kernels, work = self._kernels, self._work[number]
        work.control[:] = 0
        work.control[kernels.NODE_LIMIT] = nodes or kernels.NO_LIMIT
        work.control[kernels.SELECTIVE] = self.options["selective"]
        work.lists[:] = -1

    def _solve(self, row: NDArray[np.int64], found: Explanation, nodes: int, time_s: float) -> Explanation:
        """Work out which moves win, draw or lose, the promising ones first, until one wins or the budget ends."""
        solver: Any = self._solver
        control = self._boards.control  # type: ignore[union-attr]
        control[solver.NODES], control[solver.LIMIT] = 0, nodes
        values = np.minimum(found.values, 1.0 - 2.0**-14)
        order = np.argsort(-values, kind="stable")
        order = np.concatenate([[i for i in order if found.actions[i] == found.action], order]).astype(int)
        order = order[np.sort(np.unique(order, return_index=True)[1])]
        proven = np.full(len(values), np.nan)
        ends = time.perf_counter() + time_s
        after, seat = np.empty_like(row), self.network.game.rules.player(row)
        with alarm(control, solver.STOPPED, time_s):
            for i in order:
                after[:] = row
                self.network.game.rules.apply(after, found.actions[i])
                after[solver.TURN] = 1 - seat  # also where the game is over
                floor = np.nanmax(proven, initial=-1.0)
                score, is_sure = solver.solve(after, -_WIN, np.int64(-floor) if floor > -1 else _WIN, self._boards)
                if not is_sure or (time_s and time.perf_counter() > ends):
                    break
                proven[i] = -np.sign(score)
                if proven[i] > 0:
                    break
        known = ~np.isnan(proven)
        best = np.where(known, proven, values)
        lost_all = bool(known.all()) and proven.max() < 0
        action = found.action if lost_all else int(found.actions[order[np.argmax(best[order])]])
        effort = {**found.effort, "solved": int(known.sum()), "solver nodes": int(control[solver.NODES])}
        line = found.line if action == found.action else (action,)
        return Explanation(action, found.actions, best, found.visits, line, effort)
