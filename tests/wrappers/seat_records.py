"""A second opinion on what each seat decides and earns, for the adapters to other libraries."""

from dataclasses import dataclass

import numpy as np

from stammtisch import TERMINAL
from stammtisch.envs.aec import RawAEC

# Two, three and four players, and hidden cards that are paid trick by trick.
TABLES = [
    ("einstein-3x3", {}),
    ("einstein-6x6-3p", {}),
    ("einstein-4x4-4p", {}),
    ("jass-schieber", {"pay": "trick"}),
]


@dataclass
class Transition:
    """A decision of a seat, and what followed until its own next decision or the end."""

    observation: np.ndarray
    mask: np.ndarray
    action: int
    reward: float = 0.0
    following: np.ndarray | None = None
    over: bool = False


class RecordedAEC(RawAEC):
    """Keeps, by means of ``State`` alone, the chains of all seats of each finished game and of the running one."""

    def __init__(self, game, **options):
        super().__init__(game, **options)
        self.games = []
        self.returns = []

    def reset(self, seed=None, options=None):
        super().reset(seed, options)
        if not self.games or any(self.games[-1]):
            self.games.append([[] for _ in self.possible_agents])

    def step(self, action):
        chains = self.games[-1]
        before = self.position()
        seat = before.player
        chains[seat].append(Transition(before.observation(seat), before.legal_mask(), int(action)))
        super().step(action)
        after = self.position()
        for player, agent in enumerate(self.possible_agents):
            if chains[player]:
                chains[player][-1].reward += self.rewards[agent]
                if self.terminations[agent]:
                    chains[player][-1].over, chains[player][-1].following = True, after.observation(player)
        if after.player == TERMINAL:
            self.returns.append(after.returns())
        elif chains[after.player]:
            chains[after.player][-1].following = after.observation(after.player)


def complete(chain):
    """Return the transitions of a chain whose consequence is known."""
    return [transition for transition in chain if transition.following is not None]


def random_legal(mask, rng):
    return int(rng.choice(np.flatnonzero(mask)))
