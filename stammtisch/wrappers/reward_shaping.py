"""Reward shaping by a potential (Ng, Harada and Russell 1999): hints on the way that leave the best play as it is."""

from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv, VectorWrapper
from numpy.typing import NDArray

from stammtisch.envs.core.state import View
from stammtisch.envs.single import SingleAgentEnv
from stammtisch.envs.vector import BatchedEnv


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


class VectorRewardShaping(VectorWrapper):
    """The same for a batch of games, with a potential of all observations at once.

    Args:
        env: a ``BatchedEnv``, or wrappers around one, unless the learner plays all seats.
        potential: ``observations -> float[k]``, how good each of ``k`` observations is for the learner.
        gamma: discount of the learner; with another one the hints change what is best.

    Example:
        >>> env = BatchedEnv("reversi-6x6", 64)
        >>> env = VectorRewardShaping(env, lambda seen: 0.01 * seen[:, 0].sum(axis=(1, 2)))
    """

    def __init__(self, env: VectorEnv, potential: Callable[[NDArray[Any]], NDArray[Any]], gamma: float = 0.99):
        super().__init__(env)
        inner = env.unwrapped
        if not isinstance(inner, BatchedEnv) or inner.lanes.plays_all_seats:
            raise ValueError(f"VectorRewardShaping takes a BatchedEnv with a learner in one seat, not {env}")
        if not isinstance(env.single_observation_space, spaces.Box):
            raise ValueError("a potential needs observations that are arrays; choose other observations outside of it")
        self.potential, self.gamma = potential, gamma
        self._mode = inner.autoreset_mode
        self._before = np.zeros(self.num_envs)
        self._begins = np.zeros(self.num_envs, np.bool_)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start new games."""
        observations, info = self.env.reset(seed=seed, options=options)
        self._before = self._values(observations)
        self._begins[:] = False
        return observations, info

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Take the learner's actions."""
        observations, rewards, terminated, truncated, info = self.env.step(actions)
        now = self._values(observations)
        after = now.copy()
        if self._mode is AutoresetMode.SAME_STEP and truncated.any():
            cut = np.flatnonzero(truncated)
            after[cut] = self._values(np.stack(list(info["final_obs"][cut])))
        after[terminated] = 0.0
        hints = np.where(self._begins, 0.0, self.gamma * after - self._before)
        self._before = now
        self._begins = (terminated | truncated) & (self._mode is AutoresetMode.NEXT_STEP)
        return observations, rewards + hints, terminated, truncated, info

    def _values(self, observations: NDArray[Any]) -> NDArray[np.float64]:
        values = np.asarray(self.potential(observations), np.float64)
        if values.shape != (len(observations),):
            raise ValueError(f"the potential of {len(observations)} observations has shape {values.shape}")
        return values
