"""``LookAhead``: what the searches of the whole tree share, minimax and alpha-beta."""

from typing import Any

import numpy as np

from stammtisch.baselines.search.agent import SearchAgent
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.streams import Seed


class LookAhead(SearchAgent):
    """A search that looks at all moves and outcomes up to some depth and values what it finds there.

    For two teams whose utilities add up to zero; one maximises, the other minimises. Nothing may be hidden, and chance
    outcomes must be few enough to list.
    """

    def __init__(self, game: Game, seed: Seed = None, spec: str = "", **options: Any):
        super().__init__(game, seed, spec, **options)
        problem = _problem(game)
        if problem:
            raise ValueError(f'agent "{self.name}" cannot play {game.id}: {problem}')
        branch = game.rules.MAX_BRANCH
        self._actions = np.empty(branch, np.int64)
        self._values = np.empty(branch, np.float64)
        self._visits = np.empty(branch, np.int64)


def _problem(game: Game) -> str:
    """Say why a game cannot be searched like this; nothing if it can."""
    if game.info.hidden:
        return 'cards are hidden; try "ismcts" or "pimc"'
    teams = len(set(game.info.teams))
    if teams != 2:
        return f'it is played by {teams} sides, not two; try "mcts"'
    if game.info.chance == "sampled":
        return 'its chance outcomes are too many to list; try "mcts"'
    return "" if game.policy_module().EVALUATES else 'it has no evaluation; try "mcts"'
