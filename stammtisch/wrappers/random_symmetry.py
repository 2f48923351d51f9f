"""Symmetry augmentation: every game is seen in a frame that is drawn from the symmetries of its board."""

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv, VectorWrapper
from numpy.typing import NDArray

from stammtisch.envs.vector import BatchedEnv


class RandomSymmetry(VectorWrapper):
    """Turns and mirrors the board for the learner, anew for every game; actions and masks are turned with it.

    A game without symmetries stays as it is.

    Args:
        env: a ``BatchedEnv``, or wrappers around one.
        seed: decides the frames until ``reset`` is given a seed.
    """

    def __init__(self, env: VectorEnv, seed: int | None = None):
        super().__init__(env)
        inner = env.unwrapped
        if not isinstance(inner, BatchedEnv) or inner.autoreset_mode is AutoresetMode.DISABLED:
            raise ValueError(f"RandomSymmetry takes a BatchedEnv that begins new games by itself, not {env}")
        self._same_step = inner.autoreset_mode is AutoresetMode.SAME_STEP
        symmetries = inner.game.symmetries
        self._observation = np.stack([symmetry.observation for symmetry in symmetries])
        self._original = np.argsort(np.stack([symmetry.action for symmetry in symmetries]), axis=1)
        self.chosen = np.zeros(self.num_envs, np.int64)
        self._done = np.zeros(self.num_envs, np.bool_)
        self._everyone = np.arange(self.num_envs)
        self.rng = np.random.default_rng(seed)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start new games in new frames."""
        if options and "reset_mask" in options:
            raise ValueError("RandomSymmetry starts all games at once; reset_mask is not possible")
        first = seed[0] if isinstance(seed, list) else seed
        if first is not None:
            self.rng = np.random.default_rng(first)
        observations, info = self.env.reset(seed=seed, options=options)
        self._draw(np.ones(self.num_envs, np.bool_))
        self._done[:] = False
        return self._turned(observations), self._turned_info(info)

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Take actions that are meant in the frame shown."""
        chosen = np.asarray(actions)
        inside = (chosen >= 0) & (chosen < self._original.shape[1])
        meant = np.where(inside, self._original[self.chosen, np.where(inside, chosen, 0)], chosen)
        observations, rewards, terminated, truncated, info = self.env.step(meant)
        if not self._same_step:
            self._draw(self._done)
        self._done = terminated | truncated
        if self._same_step and self._done.any():
            for lane in np.flatnonzero(self._done):
                final = info["final_obs"][lane]
                info["final_obs"][lane] = final.ravel()[self._observation[self.chosen[lane]]].reshape(final.shape)
            self._draw(self._done)
        return self._turned(observations), rewards, terminated, truncated, self._turned_info(info)

    def _draw(self, which: NDArray[np.bool_]) -> None:
        self.chosen[which] = self.rng.integers(len(self._original), size=int(which.sum()))

    def _turned(self, observations: NDArray[Any]) -> NDArray[Any]:
        flat = observations.reshape(self.num_envs, -1)
        return np.take_along_axis(flat, self._observation[self.chosen], axis=1).reshape(observations.shape)

    def _turned_info(self, info: dict[str, Any]) -> dict[str, Any]:
        turned = np.take_along_axis(info["action_mask"], self._original[self.chosen], axis=1)
        return {**info, "action_mask": turned}
