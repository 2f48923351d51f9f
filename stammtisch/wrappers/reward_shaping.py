"""Reward shaping by a potential (Ng, Harada and Russell 1999): hints on the way that leave the best play as it is."""

from collections.abc import Callable
from typing import Any

import gymnasium as gym

from stammtisch.envs.core.state import View
from stammtisch.envs.single import SingleAgentEnv


class RewardShaping(gym.Wrapper[Any, Any, Any, Any]):
    """Adds ``gamma * potential(next view) - potential(view)`` to the learner's reward; after the end it is 0.

    Args:
        env: a single-agent environment of any game, unless the learner plays all seats.
        potential: how good a view is for its player; it sees what that player may know, and no more.
        gamma: discount of the learner; with another one the hints change what is best.

    Example:
        >>> import gymnasium, stammtisch
        >>> env = gymnasium.make("stammtisch/Reversi6x6-v0")
        >>> env = RewardShaping(env, lambda view: 0.01 * len(view.legal_actions()))
    """

    def __init__(self, env: gym.Env[Any, Any], potential: Callable[[View], float], gamma: float = 0.99):
        super().__init__(env)
        if not isinstance(env.unwrapped, SingleAgentEnv) or env.unwrapped._lanes.plays_all_seats:
            raise ValueError(f"RewardShaping takes a single-agent environment with a learner in one seat, not {env}")
        self.potential, self.gamma = potential, gamma
        self._before = 0.0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start a new game."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._before = self._now()
        return observation, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Take the learner's action."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        before, self._before = self._before, 0.0 if terminated else self._now()
        return observation, float(reward) + self.gamma * self._before - before, terminated, truncated, info

    def _now(self) -> float:
        inner = self.env.unwrapped
        assert isinstance(inner, SingleAgentEnv)
        return float(self.potential(inner.state.view(inner.seat)))
