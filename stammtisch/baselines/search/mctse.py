"""``mctse``: expectimax tree search by simulations, for games with dice."""

from typing import Any, ClassVar

from stammtisch.baselines.search.agent import SearchAgent
from stammtisch.baselines.search.mcts import TreeSearch
from stammtisch.baselines.search.simulation import SimulationAgent
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.options import Option, OptionTable
from stammtisch.envs.core.streams import Seed


class ExpectimaxTreeSearch(TreeSearch):
    """Tree search whose chance nodes visit every outcome as often as its probability demands.

    A node above a chance node thereby holds the expected value over the outcomes rather than the mean over a few rolls.
    Options and defaults are those of the MCTS Expectimax agent of the GBG framework, as the thesis on EinStein used it,
    but for the size of the tree, which follows ``iterations``; there it was ``max_nodes=500``.
    """

    OPTIONS: ClassVar[OptionTable] = {
        "iterations": Option(2000, "simulations per move", minimum=1),
        "time_s": TreeSearch.OPTIONS["time_s"],
        **SearchAgent.THREADS,
        "k": Option(1.414, "exploration", minimum=0.0),
        "unit": Option("utility", "what k multiplies: see mcts", choices=("utility", "spread")),
        "reuse": TreeSearch.OPTIONS["reuse"],
        "tree_depth": Option(22, "levels of the tree, chance events included", minimum=1),
        "max_nodes": Option(
            0, "positions whose moves or outcomes the tree may list; 0 allows one for every simulation", minimum=0
        ),
        **SimulationAgent.NETWORK,
        **SimulationAgent.SIMULATION,
        "depth": Option(150, SimulationAgent.SIMULATION["depth"].help, minimum=0),
        **SearchAgent.COMMON,
    }
    OUTCOMES = "even"
    WITH_NETWORK = {"prior": 0.1}

    def __init__(self, game: Game, seed: Seed = None, spec: str = "", **options: Any):
        super().__init__(game, seed, spec, **options)
        if game.info.chance != "explicit":
            raise ValueError(f'agent "{self.name}" cannot play {game.id}: it has no dice; try "mcts"')

    @property
    def exploration(self) -> float:
        return float(self.options["k"])
