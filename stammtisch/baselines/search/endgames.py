"""``Endgames``: how a search uses endgame tables: inside the tree, and for the move itself where they know all."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from stammtisch.baselines.search.agent import Explanation
from stammtisch.envs.core import loader
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.oracle import oracle_of
from stammtisch.envs.core.state import View


class Endgames:
    """The tables of one search.

    A won or lost position is played by the tables alone, on the shortest or longest way. In a drawn one the search
    chooses among the moves that keep the draw, without tables, which would call them all equal. In all others it
    searches, and takes positions that it reaches at their worth in the tables.

    Attributes:
        source: kernels to be bound as ``TABLES``.
        opened: what they look up.
        closed: the same with nothing in it.
    """

    def __init__(self, game: Game, folder: str):
        table_set = game.tables(folder)
        self.source: loader.KernelModule
        self.source, self.opened, self.closed = table_set.for_searches()
        self._oracle = oracle_of(game, tables=folder)
        self._kept = table_set  # whose files stay mapped

    def guide(self, view: View, search: Callable[[View, Any], Explanation]) -> Explanation:
        """Return a move by the tables, or by ``search(view, tables)``."""
        state = view._state
        if not self._oracle.covers(state):
            return search(view, self.opened)
        values = self._oracle.values(state)
        best = self._oracle.best(state)
        if max(values.values()) != 0:
            actions = np.array(list(values), np.int64)
            visits = np.isin(actions, best).astype(np.int64)
            return Explanation(best[0], actions, np.array(list(values.values())), visits, (best[0],), {"exact": 1})
        found = search(view, self.closed)
        holds = np.isin(found.actions, best)
        visits = np.where(holds, found.visits, 0)
        action = found.action
        if action not in best:
            worth = np.where(holds, np.nan_to_num(found.values, nan=-np.inf), -np.inf)
            action = int(found.actions[np.lexsort((visits, worth, holds))[-1]])
        exact = np.array([values[int(each)] for each in found.actions])
        return Explanation(action, found.actions, exact, visits, (action,), found.effort)


class UsesTables:
    """A search that has the option ``tables``."""

    game: Game
    options: dict[str, Any]

    @functools.cached_property
    def endgames(self) -> Endgames | None:
        """The endgame tables that the option names."""
        return Endgames(self.game, folder) if (folder := self.options.get("tables")) else None

    @property
    def tables_kernels(self) -> loader.KernelModule:
        """What kernels look endgames up with."""
        if self.endgames is not None:
            return self.endgames.source
        return loader.load("stammtisch.envs.kernels.no_tables", self.game.id)
