"""``ntuple``: plays by a learned n-tuple network, greedily or with a few plies of expectimax on top."""

from typing import Any, ClassVar

import numpy as np

from stammtisch.baselines.learned.ntuple.network import Network, read_network
from stammtisch.baselines.search.agent import Explanation, SearchAgent
from stammtisch.baselines.search.endgames import UsesTables
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.options import Option, OptionTable
from stammtisch.envs.core.state import View
from stammtisch.envs.core.streams import Seed

_EQUAL = 1e-9
MOST_PLIES = 3


class NTupleAgent(UsesTables, SearchAgent):
    """Values every move by the afterstate it leads to, or by what can follow, and plays the best; equal ones at random.

    With ``plies=2`` it looks at its move, the opponent's answer and its own next move; dice are averaged.
    With ``tables``, a folder of endgame tables, positions in there are worth what these say, and played by them.
    """

    OPTIONS: ClassVar[OptionTable] = {
        "file": Option("", "file of a network, see `stammtisch train ntuple`", names="file"),
        "plies": Option(0, "turns to look ahead after the move; 0 is greedy", minimum=0, maximum=MOST_PLIES),
        **SearchAgent.TABLES,
        **SearchAgent.COMMON,
    }

    def __init__(
        self, game: Game, seed: Seed = None, spec: str = "ntuple", network: Network | None = None, **options: Any
    ):
        super().__init__(game, seed, spec, **options)
        self.network = network if network is not None else _read(self.options["file"], game)
        self._kernels = self.network.kernels("ntuple_search", TABLES=self.tables_kernels)
        branch = game.rules.MAX_BRANCH
        self._actions = np.empty(branch, np.int64)
        self._values = np.empty(branch, np.float64)
        self._visits = np.empty(branch, np.int64)

    def search(self, view: View) -> Explanation:
        return self._think(view, ()) if self.endgames is None else self.endgames.guide(view, self._think)

    def _think(self, view: View, endgames: Any) -> Explanation:
        results = (self._actions, self._values, self._visits)
        n = self._kernels.think(view._state._row, self.options["plies"], self.network.net, endgames, *results)
        values, visits = self._values[:n].copy(), self._visits[:n].copy()
        best = np.flatnonzero(values >= values.max() - _EQUAL)
        action = int(self._actions[best[self._kernels.draw(self.streams, len(best))]])
        effort = {"afterstates": int(visits.sum())}
        return Explanation(action, self._actions[:n].copy(), values, visits, (action,), effort)


def _read(file: str, game: Game) -> Network:
    if not file:
        raise ValueError(
            f"agent ntuple needs a network: train one with `stammtisch train ntuple {game.id} --out FILE`, "
            "then write ntuple:file=FILE"
        )
    return read_network(file, game)
