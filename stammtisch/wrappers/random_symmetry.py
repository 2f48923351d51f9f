"""Symmetry augmentation: every game is seen in a frame that is drawn from the symmetries of its board."""

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv, VectorWrapper
from numpy.typing import NDArray

from stammtisch.envs.core.game import Game
from stammtisch.envs.single import SingleAgentEnv
from stammtisch.envs.vector import BatchedEnv


class _Frames:
    """The symmetries of a game as tables: where frame ``k`` takes each entry of an observation or of a mask from."""

    def __init__(self, game: Game):
        self.observation = np.stack([symmetry.observation for symmetry in game.symmetries])
        self.action = np.argsort(np.stack([symmetry.action for symmetry in game.symmetries]), axis=1)

    def seen(self, observation: NDArray[Any], frame: int | np.int64) -> NDArray[Any]:
        """Return one observation in a frame."""
        turned: NDArray[Any] = observation.ravel()[self.observation[frame]].reshape(observation.shape)
        return turned

    def meant(self, actions: NDArray[np.int64], frames: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the game's own numbers of actions chosen in frames; numbers that are no action stay as they are."""
        inside = (actions >= 0) & (actions < self.action.shape[1])
        return np.where(inside, self.action[frames, np.where(inside, actions, 0)], actions)


class RandomSymmetry(gym.Wrapper[Any, Any, Any, Any]):
    """Turns and mirrors the board for the learner, anew for every game; actions and masks are turned with it.

    A game without symmetries stays as it is.

    Args:
        env: a single-agent environment of any game that shows its own observation.
        seed: decides the frames until ``reset`` is given a seed.
    """

    def __init__(self, env: gym.Env[Any, Any], seed: int | None = None):
        super().__init__(env)
        inner = env.unwrapped
        if not isinstance(inner, SingleAgentEnv):
            raise ValueError(f"RandomSymmetry takes a single-agent environment of ours, not {env}")
        self._frames = _Frames(inner.game)
        self.chosen = 0
        self.rng = np.random.default_rng(seed)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start a new game in a new frame."""
        if seed is not None:
            self.rng = np.random.default_rng(seed)
        observation, info = self.env.reset(seed=seed, options=options)
        self.chosen = int(self.rng.integers(len(self._frames.action)))
        return self._frames.seen(observation, self.chosen), self._turned_info(info)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Take an action that is meant in the frame shown."""
        meant = int(self._frames.meant(np.asarray(action, np.int64), np.asarray(self.chosen)))
        observation, reward, terminated, truncated, info = self.env.step(meant)
        shown = self._frames.seen(observation, self.chosen)
        return shown, reward, terminated, truncated, self._turned_info(info)

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions in the frame shown."""
        masks: NDArray[np.bool_] = self.env.get_wrapper_attr("action_masks")()
        turned: NDArray[np.bool_] = masks[self._frames.action[self.chosen]]
        return turned

    def _turned_info(self, info: dict[str, Any]) -> dict[str, Any]:
        return {**info, "action_mask": info["action_mask"][self._frames.action[self.chosen]]}


class VectorRandomSymmetry(VectorWrapper):
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
            raise ValueError(f"VectorRandomSymmetry takes a BatchedEnv that begins new games by itself, not {env}")
        self._same_step = inner.autoreset_mode is AutoresetMode.SAME_STEP
        self._frames = _Frames(inner.game)
        self.chosen = np.zeros(self.num_envs, np.int64)
        self._done = np.zeros(self.num_envs, np.bool_)
        self.rng = np.random.default_rng(seed)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start new games in new frames."""
        if options and "reset_mask" in options:
            raise ValueError("VectorRandomSymmetry starts all games at once; reset_mask is not possible")
        first = seed[0] if isinstance(seed, list) else seed
        if first is not None:
            self.rng = np.random.default_rng(first)
        observations, info = self.env.reset(seed=seed, options=options)
        self._draw(np.ones(self.num_envs, np.bool_))
        self._done[:] = False
        return self._turned(observations), self._turned_info(info)

    def turn(self, chosen: NDArray[np.int64]) -> None:
        """Let every game be shown in a given frame, one number each.

        Raises:
            ValueError: there are no such frames.
        """
        count = len(self._frames.action)
        if chosen.shape != self.chosen.shape or not np.isin(chosen, np.arange(count)).all():
            raise ValueError(f"{self.num_envs} games need as many frames in 0..{count - 1}, not those given")
        self.chosen[:] = chosen

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Take actions that are meant in the frame shown."""
        meant = self._frames.meant(np.asarray(actions), self.chosen)
        observations, rewards, terminated, truncated, info = self.env.step(meant)
        if not self._same_step:
            self._draw(self._done)
        self._done = terminated | truncated
        if self._same_step and self._done.any():
            for lane in np.flatnonzero(self._done):
                info["final_obs"][lane] = self._frames.seen(info["final_obs"][lane], self.chosen[lane])
            self._draw(self._done)
        return self._turned(observations), rewards, terminated, truncated, self._turned_info(info)

    def _draw(self, which: NDArray[np.bool_]) -> None:
        self.chosen[which] = self.rng.integers(len(self._frames.action), size=int(which.sum()))

    def _turned(self, observations: NDArray[Any]) -> NDArray[Any]:
        flat = observations.reshape(self.num_envs, -1)
        return np.take_along_axis(flat, self._frames.observation[self.chosen], axis=1).reshape(observations.shape)

    def _turned_info(self, info: dict[str, Any]) -> dict[str, Any]:
        turned = np.take_along_axis(info["action_mask"], self._frames.action[self.chosen], axis=1)
        return {**info, "action_mask": turned}
