"""Seat rotation: the learner sits in every seat equally often, one game after the other."""

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import VectorEnv, VectorWrapper

from stammtisch.envs.lanes import Lanes
from stammtisch.envs.single import SingleAgentEnv
from stammtisch.envs.vector import BatchedEnv


class _Rotation:
    """Chooses the learner's next seats: lane ``i`` begins in seat ``first + i`` and moves one on with every game."""

    def __init__(self, lanes: Lanes, first: int):
        players = lanes.game.info.num_players
        if not 0 <= first < players:
            raise ValueError(f"no seat {first} in {lanes.game.id}; first must be in 0..{players - 1}")
        self._lanes, self._first = lanes, first
        self._has_played = np.zeros(lanes.n, np.bool_)
        self.choose()

    def choose(self) -> None:
        """Say where the learner sits in the games that begin next."""
        lanes = self._lanes
        seats = np.where(self._has_played, lanes.seats + 1, self._first + np.arange(lanes.n))
        lanes.seat_learner(seats % lanes.game.info.num_players)

    def begin(self) -> None:
        """Note that all lanes have had a game."""
        self._has_played[:] = True


class SeatRotation(gym.Wrapper[Any, Any, Any, Any]):
    """Moves the learner one seat on with every game, beginning in seat ``first``.

    Args:
        env: a single-agent environment of any game, unless the learner plays all seats.
        first: seat of the first game.
    """

    def __init__(self, env: gym.Env[Any, Any], first: int = 0):
        super().__init__(env)
        inner = env.unwrapped
        if not isinstance(inner, SingleAgentEnv):
            raise ValueError(f"SeatRotation takes a single-agent environment of ours, not {env}")
        self._rotation = _Rotation(inner._lanes, first)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start a new game in the next seat."""
        self._rotation.choose()
        answer = self.env.reset(seed=seed, options=options)
        self._rotation.begin()
        return answer


class VectorSeatRotation(VectorWrapper):
    """Moves the learner one seat on with every game; game ``i`` of the batch begins in seat ``first + i``.

    Args:
        env: a ``BatchedEnv``, or wrappers around one, unless the learner plays all seats.
        first: seat of the first game of the first environment.
    """

    def __init__(self, env: VectorEnv, first: int = 0):
        super().__init__(env)
        inner = env.unwrapped
        if not isinstance(inner, BatchedEnv):
            raise ValueError(f"VectorSeatRotation takes a BatchedEnv or wrappers around one, not {env}")
        self._rotation = _Rotation(inner.lanes, first)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start new games in the next seats."""
        self._rotation.choose()
        answer = self.env.reset(seed=seed, options=options)
        self._rotation.begin()
        return answer

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Take the learner's actions; games that begin anew do so in their next seats."""
        self._rotation.choose()
        return self.env.step(actions)
