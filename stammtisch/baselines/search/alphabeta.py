"""``alphabeta``: the classical search of two-sided games, with the Star cuts at dice."""

import time
from typing import Any, ClassVar

import numpy as np

from stammtisch.baselines.kernels.tables import SearchArrays
from stammtisch.baselines.learned.ntuple.network import read_network
from stammtisch.baselines.search.agent import Explanation, SearchAgent
from stammtisch.baselines.search.alphabeta_learned import LearnedSearch
from stammtisch.baselines.search.endgames import UsesTables
from stammtisch.baselines.search.lookahead import LookAhead, alarm
from stammtisch.envs.core import loader
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.jit import is_compiled
from stammtisch.envs.core.options import Option, OptionTable
from stammtisch.envs.core.state import View
from stammtisch.envs.core.streams import Seed

_DEEPEST = 120  # player actions, where nothing else sets a limit
_ENTRY_BYTES = 24
_LONGEST_LINE = 64


class AlphaBeta(UsesTables, LookAhead):
    """Searches one action deep, then two, and so on, up to the depth, nodes or time allowed.

    Plays the best move found, of equal ones any at random. A win that is certain is taken on the shortest way, a loss
    put off. The transposition table is kept from move to move and emptied by ``reset``. In games that fill a board, the
    last ``endgame`` empty cells are searched to the end, whatever the depth, within the nodes or time allowed. Where
    more than two sides play, all others are expected to play together against it (paranoid search).

    With ``tables``, a folder of endgame tables, positions in there are worth what these say, and played by them.
    With ``file`` positions are valued by an n-tuple network, see ``LearnedSearch``.
    """

    OPTIONS: ClassVar[OptionTable] = {
        "depth": Option(5, "player actions to look ahead; no limit if only nodes or time_s is given", minimum=1),
        "nodes": Option(0, "positions to look at per move; 0 for no limit", minimum=0),
        "time_s": Option(0.0, "seconds per move; 0 for no limit", minimum=0.0),
        "endgame": Option(14, "empty cells from which on the game is searched to its end", minimum=0),
        "exact": Option(False, "value all moves exactly, not only the best one"),
        "file": Option("", "n-tuple network that values positions instead of the hand-made evaluation", names="file"),
        "selective": Option(
            True, "with a network: look less deep at late moves and where the outcome is hardly in doubt; else exact"
        ),
        "threads": Option(1, "with a network: searches side by side; only one thread plays the same again", minimum=1),
        "table_mb": Option(8, "size of the transposition table in megabytes", minimum=1),
        **SearchAgent.TABLES,
        **SearchAgent.COMMON,
    }
    LEARNED: ClassVar[int] = 0

    def __init__(self, game: Game, seed: Seed = None, spec: str = "", **options: Any):
        super().__init__(game, seed, spec, **options)
        has_budget = self.options["nodes"] or self.options["time_s"]
        self._depth = _DEEPEST if has_budget and "depth" not in options else min(self.options["depth"], _DEEPEST)
        self._learned: LearnedSearch | None = None
        if self.options["file"]:
            network = read_network(self.options["file"], game)
            self._learned = LearnedSearch(network, self.options, self._depth, self.tables_kernels)
            return
        self._kernels = kernels = self.kernels("alphabeta")
        levels = kernels.levels_for(self._depth)
        places = 1 << (self.options["table_mb"] * (1 << 20) // _ENTRY_BYTES).bit_length() - 1
        self._work = SearchArrays(
            rows=np.empty((levels, game.rules.STATE_LEN), np.int64),
            lists=np.empty((levels, kernels.LIST_LEN), np.int64),
            reals=np.empty((1 + levels, kernels.REAL_LEN), np.float64),
            control=np.empty(kernels.CONTROL_LEN, np.int64),
            table=np.zeros((places, 2), np.int64),
            values=np.zeros(places, np.float64),
            learned=(),
            endgames=(),
        )
        self._line = np.empty(_LONGEST_LINE, np.int64)

    def kernels(self, family: str) -> loader.KernelModule:
        return loader.load(
            f"stammtisch.baselines.kernels.{family}",
            self.game.id,
            RULES=self.game.rules,
            HEURISTIC=self.game.policy_module(),
            LEARNED=self.LEARNED,
            TABLES=self.tables_kernels,
        )

    def reset(self, seed: Seed = None) -> None:
        super().reset(seed)
        if self._learned is not None:
            self._learned.reset()
        else:
            self._work.table[:] = 0

    def search(self, view: View) -> Explanation:
        return self._think(view, ()) if self.endgames is None else self.endgames.guide(view, self._think)

    def _think(self, view: View, endgames: Any) -> Explanation:
        row = view._state._row
        if self._learned is not None:
            return self._learned.search(row, self.streams, self.depth_allowed, self.time_allowed, endgames)
        kernels, options = self._kernels, self.options
        work = self._work._replace(control=np.zeros(kernels.CONTROL_LEN, np.int64), endgames=endgames)
        work.control[kernels.NODE_LIMIT] = options["nodes"] or kernels.NO_LIMIT
        work.lists[:] = -1
        results = (self._actions, self._values, self._visits, self._line)
        time_s = self.time_allowed
        if time_s and not is_compiled(kernels.think):
            kernels.think(row, self.streams.copy(), 1, 0, False, work, *results)  # compiling is not thinking
            work.control[kernels.NODES] = 0
        begun = time.perf_counter()
        with alarm(work.control, kernels.STOP, time_s):
            n, chosen, length = kernels.think(
                row, self.streams, self.depth_allowed, options["endgame"], options["exact"], work, *results
            )
        effort = {
            "nodes": int(work.control[kernels.NODES]),
            "depth": int(work.control[kernels.DEPTH_REACHED]),
            "seconds": time.perf_counter() - begun,
        }
        return Explanation(
            int(self._actions[chosen]),
            self._actions[:n].copy(),
            self._values[:n].copy(),
            self._visits[:n].copy(),
            tuple(self._line[:length].tolist()),
            effort,
        )
