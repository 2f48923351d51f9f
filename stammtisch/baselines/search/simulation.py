"""``SimulationAgent``: what the Monte Carlo searches share: how a simulated game is played, and when it is cut."""

from typing import Any, ClassVar

from stammtisch.baselines.learned.ntuple.network import read_network
from stammtisch.baselines.search.agent import SearchAgent
from stammtisch.envs.core import loader
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.options import Option, OptionTable
from stammtisch.envs.core.streams import Seed, seed_streams


class SimulationAgent(SearchAgent):
    """A search that plays games on from the positions it reaches. Plays games without hidden information only."""

    IN_KERNELS = True
    SIMULATION: ClassVar[dict[str, Option]] = {
        "rollout": Option("random", "who plays the simulated games", choices=("random", "heuristic")),
        "depth": Option(
            0, "moves after which a simulated game is cut; 0 plays to the end, as without evaluation", minimum=0
        ),
        "cut": Option("evaluate", "what a cut game is worth", choices=("evaluate", "zero")),
    }
    NETWORK: ClassVar[dict[str, Option]] = {
        "file": Option("", "n-tuple network that values positions instead of simulated games", names="file"),
        "prior": Option(
            0.0,
            "above 0 the network (by default 0.1), else the evaluation, guides the tree: temperature of moves' shares",
            minimum=0.0,
        ),
    }
    OPTIONS: ClassVar[OptionTable] = {**SIMULATION, **SearchAgent.COMMON}

    def __init__(self, game: Game, seed: Seed = None, spec: str = "", **options: Any):
        super().__init__(game, seed, spec, **options)
        if game.info.hidden:
            raise ValueError(f'agent "{self.name}" cannot play {game.id}: cards are hidden; try "ismcts" or "pimc"')

        self.streams = seed_streams(seed, 1 + game.info.num_players)  # a policy draws from the stream of its seat
        policy = game.policy_module(self.options["rollout"])
        cuts = 0 < self.options["depth"] < game.info.max_moves
        can_value = policy.EVALUATES or self.options["cut"] == "zero" or bool(self.options.get("file"))
        self._depth = self.options["depth"] if cuts and can_value else -1  # as the kernels count, -1 never cuts

    def reset(self, seed: Seed = None) -> None:
        super().reset(seed)
        if seed is not None:
            self.streams = seed_streams(seed, 1 + self.game.info.num_players)

    def simulation_kernels(self, family: str, **bindings: Any) -> loader.KernelModule:
        """Return a kernel family with this agent's kind of simulation compiled in."""
        game = self.game
        self._net: Any = ()
        if self.options.get("file"):
            network = read_network(self.options["file"], game)
            self._net = network.net
            rollout = network.kernels("ntuple_rollout")
            return loader.load(
                f"stammtisch.baselines.kernels.{family}", game.id, RULES=game.rules, ROLLOUT=rollout, **bindings
            )
        rollout = loader.load(
            "stammtisch.baselines.kernels.rollout",
            game.id,
            RULES=game.rules,
            HEURISTIC=game.policy_module(self.options["rollout"]),
            CUT=self.options["cut"] if self._depth > 0 else "zero",
        )
        source = f"stammtisch.baselines.kernels.{family}"
        return loader.load(source, game.id, RULES=game.rules, ROLLOUT=rollout, **bindings)
