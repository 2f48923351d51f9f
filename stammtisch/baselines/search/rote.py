"""``rote``: alpha-beta search that remembers what it has once worked out, after Samuel's checkers player (1959).

Whatever a search finds out about a position is kept with the depth it was searched to, under a key that is the same for
all positions that the game's symmetries make equal. Later searches look it up: a position valued five moves deep that
lies at the end of a search of five moves makes that one ten moves deep. Where a search was begun, its decision is kept
too, and played again at once.
"""

import functools
import os
import pathlib
import sys
import time
from typing import Any, ClassVar

import numpy as np

from stammtisch.baselines.search.agent import Explanation
from stammtisch.baselines.search.alphabeta import AlphaBeta
from stammtisch.baselines.search.rote_table import RoteTable
from stammtisch.envs.core import loader
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.options import Option, OptionTable
from stammtisch.envs.core.state import View
from stammtisch.envs.core.streams import Seed

_WEIGHTS = ("stones", "stash", "mills", "possible_mills")


class Rote(AlphaBeta):
    """Alpha-beta search with a learned table, which it reads and leaves as it is.

    A decision that came from at least as many nodes, or as much depth, as it may spend now is played again without a
    search. With a limit of time, or when all moves are to be valued, it always searches. Where the search ends, a
    learned value takes the place of the evaluation; a bound does so if it contradicts it. In Mühle the evaluation is
    that of the rote-learning work, which knows only men, mills and possible mills.
    """

    OPTIONS: ClassVar[OptionTable] = {
        "table": Option("", "file of a learned table, or several joined by +; none knows nothing", names="file"),
        **AlphaBeta.OPTIONS,
        "stones": Option(3.0, "weight of a man on the board, in games whose plain evaluation has it", minimum=0.0),
        "stash": Option(3.0, "weight of a man in hand, likewise", minimum=0.0),
        "mills": Option(2.0, "weight of a mill, likewise", minimum=0.0),
        "possible_mills": Option(1.0, "weight of a line that lacks one man, likewise", minimum=0.0),
    }
    LEARNED = 1
    TWO_SIDES_ONLY = True

    def __init__(self, game: Game, seed: Seed = None, spec: str = "", **options: Any):
        self._weights = {name: options[name] for name in _WEIGHTS if name in options}
        super().__init__(game, seed, spec, **options)
        self._least_depth = 0 if self.options["nodes"] and "depth" not in options else self._depth
        self._keys = np.empty(game.rules.MAX_BRANCH, np.int64)
        self.use(_read(self.options["table"], game))

    def kernels(self, family: str) -> loader.KernelModule:
        return loader.load(
            f"stammtisch.baselines.kernels.{family}",
            self.game.id,
            RULES=self.game.rules,
            HEURISTIC=self.game.policy_module(evaluation="evaluate_plain", weights=self._weights),
            LEARNED=self.LEARNED,
            TABLES=self.tables_kernels,
        )

    def use(self, table: RoteTable) -> None:
        """Look positions up in this table from now on."""
        self.table = table
        self._work = self._work._replace(learned=table.arrays)

    def key_of(self, view: View) -> int:
        """Return the key of a position, which all those share that symmetry makes equal to it."""
        return self._list(view)[1]

    def choices(self, view: View, actions: Any) -> dict[int, list[int]]:
        """Return actions by the key of the position that they lead to: those that symmetry makes equal together."""
        n, _ = self._list(view)
        leads = dict(zip(self._actions[:n].tolist(), self._keys[:n].tolist(), strict=True))
        found: dict[int, list[int]] = {}
        for action in actions:
            found.setdefault(leads[int(action)], []).append(int(action))
        return found

    def recall(self, view: View) -> Explanation | None:
        """Return what was decided here before, if that took as much thinking as is allowed now."""
        options = self.options
        if not self.table.decisions or options["time_s"] or options["exact"]:
            return None
        begun = time.perf_counter()
        n, key = self._list(view)
        known = self.table.decisions.get(key)
        if known is None or known.nodes < options["nodes"] or known.depth < self._least_depth:
            return None
        ways = np.flatnonzero(self._keys[:n] == known.after)
        if not len(ways):
            return None
        actions = self._actions[:n].copy()
        visits = np.zeros(n, np.int64)
        visits[ways[0]] = 1
        effort = {"nodes": 0, "depth": known.depth, "seconds": time.perf_counter() - begun}
        action = int(actions[ways[0]])
        return Explanation(action, actions, np.full(n, known.value), visits, (action,), effort)

    def search(self, view: View) -> Explanation:
        known = self.recall(view)
        return super().search(view) if known is None else known

    def _list(self, view: View) -> tuple[int, int]:
        """Fill ``_actions`` and ``_keys`` with the legal actions and where they lead; return number and key."""
        n, key = self._kernels.keys_after(view._state._row, self._actions, self._work.rows[1], self._keys)
        return int(n), int(key)


def _read(files: str, game: Game) -> RoteTable:
    names = [name for name in files.split("+") if name]
    stamps = tuple(pathlib.Path(name).stat().st_mtime_ns if os.path.exists(name) else 0 for name in names)
    return _read_once(tuple(names), stamps, game)


@functools.lru_cache(maxsize=4)
def _read_once(names: tuple[str, ...], stamps: tuple[int, ...], game: Game) -> RoteTable:
    """Read tables and merge them; all agents of a process share the result."""
    merged = RoteTable.load(names[0], game, max_size=sys.maxsize) if names else RoteTable(game)
    for name in names[1:]:
        merged.merge(RoteTable.load(name, game, max_size=sys.maxsize))
    return merged
