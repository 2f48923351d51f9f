"""Seat rotation: the learner sits in every seat equally often, one game after the other."""

from typing import Any

import gymnasium as gym

from stammtisch.envs.single import SingleAgentEnv


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
        self._lanes = inner._lanes
        self._players = inner.game.info.num_players
        self._next = first
        self._lanes.seat_learner(first)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start a new game in the next seat."""
        self._lanes.seat_learner(self._next)
        self._next = (self._next + 1) % self._players
        return self.env.reset(seed=seed, options=options)
