"""Observation choice: planes, one flat vector, or a dictionary that has the action mask beside the observation."""

from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.vector import VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

KINDS = ("planes", "flat", "dict")


@dataclass(frozen=True)
class _Choice:
    """What to show of an observation and a mask, be it of one game or of many."""

    kind: str
    observation_key: str
    mask_key: str
    dtype: Any

    def space(self, box: spaces.Space[Any], actions: spaces.Space[Any]) -> spaces.Space[Any]:
        """Return the space of what is shown of one game."""
        if self.kind not in KINDS:
            raise ValueError(f'no kind of observation "{self.kind}"; choose one of {", ".join(KINDS)}')
        if not isinstance(box, spaces.Box) or not isinstance(actions, spaces.Discrete):
            raise ValueError(f"only environments that show an array can be shown otherwise, not {box}")
        if self.kind == "planes" and len(box.shape) != 3:
            raise ValueError(f"there are no planes in an observation of shape {box.shape}; choose flat or dict")
        low, high = float(box.low.min()), float(box.high.max())
        if self.kind == "dict":
            shown = spaces.Box(low, high, box.shape, self.dtype or box.dtype)
            mask = spaces.Box(0, 1, (int(actions.n),), self.dtype or np.int8)
            return spaces.Dict({self.observation_key: shown, self.mask_key: mask})
        shape = box.shape if self.kind == "planes" else (int(np.prod(box.shape)),)
        return spaces.Box(low, high, shape, np.float32)

    def show(self, observation: NDArray[Any], mask: NDArray[np.int8], space: spaces.Space[Any]) -> Any:
        """Return the observation in its new form, an element of ``space``."""
        if self.kind == "dict":
            kept = [self.dtype or array.dtype for array in (observation, mask)]
            return {self.observation_key: observation.astype(kept[0]), self.mask_key: mask.astype(kept[1])}
        return observation.astype(np.float32).reshape(space.shape)


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
        self._choice = _Choice(kind, observation_key, mask_key, dtype)
        self.observation_space = self._choice.space(env.observation_space, env.action_space)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start a new game."""
        observation, info = self.env.reset(seed=seed, options=options)
        return self._choice.show(observation, info["action_mask"], self.observation_space), info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Take the learner's action."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        shown = self._choice.show(observation, info["action_mask"], self.observation_space)
        return shown, reward, terminated, truncated, info


class VectorObservationChoice(VectorWrapper):
    """Shows the observations of a batch of games as a library wants them; see ``ObservationChoice``.

    Args:
        env: a ``BatchedEnv``, or wrappers around one.
        kind: ``"planes"``, ``"flat"`` or ``"dict"``.
        observation_key: name of the observations in the dictionary.
        mask_key: name of the masks in the dictionary.
        dtype: type of what the dictionary holds; None leaves both as they are.
    """

    def __init__(
        self,
        env: VectorEnv,
        kind: str = "flat",
        observation_key: str = "observation",
        mask_key: str = "action_mask",
        dtype: Any = None,
    ):
        super().__init__(env)
        self._choice = _Choice(kind, observation_key, mask_key, dtype)
        self.single_observation_space = self._choice.space(env.single_observation_space, env.single_action_space)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start new games."""
        observations, info = self.env.reset(seed=seed, options=options)
        return self._choice.show(observations, info["action_mask"], self.observation_space), info

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Take the learner's actions; final observations are shown in the same form, where all actions are allowed."""
        observations, rewards, terminated, truncated, info = self.env.step(actions)
        if "final_obs" in info:
            anything = np.ones_like(info["action_mask"][0])
            for lane in np.flatnonzero(info["_final_obs"]):
                final = info["final_obs"][lane]
                info["final_obs"][lane] = self._choice.show(final, anything, self.single_observation_space)
        shown = self._choice.show(observations, info["action_mask"], self.observation_space)
        return shown, rewards, terminated, truncated, info
