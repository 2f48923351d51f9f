"""Agents that are one kernel policy: ``random`` and the reference bots of the games."""

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core.agent import Agent
from stammtisch.envs.core.constants import RANDOM_POLICY
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.state import View
from stammtisch.envs.core.streams import Seed, seed_streams


class PolicyAgent(Agent):
    """Plays a policy that also runs inside the environments' kernels."""

    def __init__(self, game: Game, seed: Seed = None, spec: str = "", policy: str = "random"):
        super().__init__(game, seed, spec)
        if policy != "random" and policy not in game.POLICIES:
            playable = ", ".join(("random", *game.POLICIES))
            raise ValueError(f'agent "{policy}" cannot play {game.id}; reference players there: {playable}')
        self.policy = policy
        self._kind = RANDOM_POLICY if policy == "random" else 1
        self._kernels = game.lane_kernels(() if policy == "random" else (policy,))
        self.reset(seed)
        if seed is None:
            self._streams = seed_streams(None, 1 + game.info.num_players)

    @property
    def thinks_apart(self) -> bool:
        return True

    def reset(self, seed: Seed = None) -> None:
        if seed is not None:
            self._streams = seed_streams(seed, 1 + self.game.info.num_players)

    def take_stream(self, streams: NDArray[np.uint64], seat: int) -> None:
        """Draw exactly what the policy would draw inside a kernel."""
        self._streams = streams.copy()

    def act(self, view: View) -> int:
        action: int = self._kernels.choose(self._kind, view._state._row, self._streams)
        return action
