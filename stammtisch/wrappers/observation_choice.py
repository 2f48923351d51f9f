"""Observation choice: planes, one flat vector, or a dictionary that has the action mask beside the observation."""

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces

KINDS = ("planes", "flat", "dict")


class ObservationChoice(gym.Wrapper[Any, Any, Any, Any]):
    """Shows the observation as a library wants it.

    ``planes`` is ``float32[channels, height, width]`` and needs a game that has planes, ``flat`` a vector
    ``float32[length]``. ``dict`` holds the observation as it is and the mask: under ``"observation"`` and
    ``"action_mask"`` for PettingZoo, Tianshou and policies that mask by themselves; RLlib's masked module wants
    ``observation_key="observations"`` and float32 in both.

    Args:
        env: a single-agent environment of any game.
        kind: ``"planes"``, ``"flat"`` or ``"dict"``.
        observation_key: name of the observation in the dictionary.
        mask_key: name of the mask in the dictionary.
        dtype: type of what the dictionary holds; None leaves both as they are.
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        kind: str = "flat",
        observation_key: str = "observation",
        mask_key: str = "action_mask",
        dtype: Any = None,
    ):
        super().__init__(env)
        if kind not in KINDS:
            raise ValueError(f'no kind of observation "{kind}"; choose one of {", ".join(KINDS)}')
        box = env.observation_space
        if not isinstance(box, spaces.Box) or not isinstance(env.action_space, spaces.Discrete):
            raise ValueError(f"ObservationChoice takes an environment that shows an array, not {box}")
        if kind == "planes" and len(box.shape) != 3:
            raise ValueError(f"there are no planes in an observation of shape {box.shape}; choose flat or dict")
        self.kind, self.observation_key, self.mask_key = kind, observation_key, mask_key
        self._dtype = dtype
        low, high = float(box.low.min()), float(box.high.max())
        if kind == "dict":
            mask = spaces.Box(0, 1, (int(env.action_space.n),), dtype or np.int8)
            self.observation_space = spaces.Dict(
                {observation_key: spaces.Box(low, high, box.shape, dtype or box.dtype), mask_key: mask}
            )
        else:
            shape = box.shape if kind == "planes" else (int(np.prod(box.shape)),)
            self.observation_space = spaces.Box(low, high, shape, np.float32)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start a new game."""
        observation, info = self.env.reset(seed=seed, options=options)
        return self._shown(observation, info), info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Take the learner's action."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return self._shown(observation, info), reward, terminated, truncated, info

    def _shown(self, observation: Any, info: dict[str, Any]) -> Any:
        if self.kind == "dict":
            mask = info["action_mask"].copy()
            if self._dtype is not None:
                observation, mask = observation.astype(self._dtype), mask.astype(self._dtype)
            return {self.observation_key: observation, self.mask_key: mask}
        return observation.astype(np.float32).reshape(self.observation_space.shape)
