"""``HiddenSearch``: what the searches for games with hidden cards share."""

from typing import Any

from stammtisch.baselines.search.agent import SearchAgent
from stammtisch.envs.core import loader
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.streams import Seed


class HiddenSearch(SearchAgent):
    """A search that deals what its seat cannot see anew, again and again, and plays to the end of each deal.

    After a deal, a game of several deals is worth what the reference bot's evaluation says. The search is handed the
    row of the view, in which hidden cards are blank, and nothing else.
    """

    def __init__(self, game: Game, seed: Seed = None, spec: str = "", **options: Any):
        super().__init__(game, seed, spec, **options)
        if not game.info.hidden:
            raise ValueError(f'agent "{self.name}" cannot play {game.id}: nothing is hidden; try "mcts"')

    def hidden_kernels(self, family: str, policy: str, **bindings: Any) -> loader.KernelModule:
        """Return a kernel family whose simulations are played on by a policy."""
        game = self.game
        horizon = loader.load(
            "stammtisch.baselines.kernels.horizon",
            game.id,
            RULES=game.rules,
            HEURISTIC=game.policy_module(policy),
        )
        source = f"stammtisch.baselines.kernels.{family}"
        return loader.load(source, game.id, RULES=game.rules, HORIZON=horizon, **bindings)
