"""A batched environment straight into Stable-Baselines3: its ``VecEnv``, with masks, without a loop over the games."""

import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv, VectorWrapper
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from stammtisch.envs.core.scores import scores
from stammtisch.envs.vector import BatchedEnv
from stammtisch.wrappers.libraries.sb3.mask_rows import MaskRows

Observations = NDArray[Any] | dict[str, NDArray[Any]]


class SB3VecEnv(VecEnv):
    """The vector face as Stable-Baselines3 wants it; the contract of the learner stays that of ``SingleAgentEnv``.

    A game that ended has ``terminal_observation``, ``TimeLimit.truncated``, ``episode`` (return, length, seconds),
    ``seat`` (the learner's), ``opponent`` (index in the pool of opponents) and ``score`` (1, 0.5 or 0: won, drawn or
    lost by the game itself, whatever wrappers pay) in its info; the others have none of it. ``action_masks`` is found
    by ``MaskablePPO``.

    Args:
        env: a ``BatchedEnv``, or wrappers around one, with ``autoreset_mode="SameStep"``.
        mask_in_observation: show ``{"observation": …, "action_mask": …}``, for policies that mask by themselves.

    Example:
        >>> env = SB3VecEnv(BatchedEnv("einstein-3x3", 4, autoreset_mode="SameStep"))
        >>> env.reset().shape
        (4, 11, 3, 3)
    """

    def __init__(self, env: VectorEnv | VectorWrapper, mask_in_observation: bool = False):
        inner = env.unwrapped
        if not isinstance(inner, BatchedEnv):
            raise ValueError(f"SB3VecEnv takes a BatchedEnv or wrappers around one, not {env}")
        if inner.autoreset_mode is not AutoresetMode.SAME_STEP:
            raise ValueError(f'SB3VecEnv needs autoreset_mode="SameStep", not "{inner.autoreset_mode.value}"')
        if inner.lanes.plays_all_seats:
            raise ValueError('opponent="self" mixes the seats; let a policy of the latest model sit opposite instead')
        self.env, self.inner = env, inner
        self.mask_in_observation = mask_in_observation
        space: spaces.Space[Any] = env.single_observation_space
        if mask_in_observation:
            mask = spaces.Box(0, 1, (inner.game.rules.N_ACTIONS,), np.int8)
            space = spaces.Dict({"observation": space, "action_mask": mask})
        self.masks = np.ones((inner.num_envs, inner.game.rules.N_ACTIONS), np.bool_)
        self._rows: MaskRows | None = None  # made when first asked for
        self._actions = np.zeros(inner.num_envs, np.int64)
        self._earned = np.zeros(inner.num_envs)
        self._lengths = np.zeros(inner.num_envs, np.int64)
        self._returns = np.zeros((inner.num_envs, inner.game.info.num_players))
        self._begun = time.time()
        super().__init__(inner.num_envs, space, env.single_action_space)

    def reset(self) -> Observations:
        """Start new games everywhere."""
        seeds: Any = list(self._seeds) if self._seeds[0] is not None else None
        obs, info = self.env.reset(seed=seeds)
        self._reset_seeds()
        self._reset_options()
        self._earned[:] = 0.0
        self._lengths[:] = 0
        self._returns[:] = 0.0
        return self._shown(obs, info["action_mask"])

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Remember the actions."""
        self._actions = actions

    def step_wait(self) -> tuple[Observations, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Take the actions in all games; a game that ends begins anew at once."""
        lanes = self.inner.lanes
        seats, opponents = lanes.seats.copy(), lanes.opponents()
        obs, rewards, terminated, truncated, info = self.env.step(self._actions)
        self._earned += rewards
        self._lengths += 1
        self._returns += info["rewards"]
        dones = terminated | truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        ended = dones.nonzero()[0]
        if len(ended):
            seconds = round(time.time() - self._begun, 6)
            anything = np.ones(self.masks.shape[1], np.int8)
            endings = (
                info["final_obs"][ended],
                (truncated & ~terminated)[ended].tolist(),
                self._earned[ended].tolist(),
                self._lengths[ended].tolist(),
                seats[ended].tolist(),
                opponents[ended].tolist(),
                scores(self._returns[ended], seats[ended]).tolist(),
            )
            for i, final, cut, earned, length, seat, opponent, score in zip(ended.tolist(), *endings, strict=True):
                infos[i] = {
                    "terminal_observation": self._one(final, anything),
                    "TimeLimit.truncated": cut,
                    "episode": {"r": earned, "l": length, "t": seconds},
                    "seat": seat,
                    "opponent": opponent,
                    "score": score,
                }
            self._earned[ended] = 0.0
            self._lengths[ended] = 0
            self._returns[ended] = 0.0
        return self._shown(obs, info["action_mask"]), rewards.astype(np.float32), dones, infos

    def _shown(self, obs: NDArray[Any], mask: NDArray[np.int8]) -> Observations:
        self.masks = mask.view(np.bool_)
        return {"observation": obs, "action_mask": mask} if self.mask_in_observation else obs

    def _one(self, obs: NDArray[Any], mask: NDArray[np.int8]) -> Observations:
        return {"observation": obs, "action_mask": mask} if self.mask_in_observation else obs

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions of all games, ``bool[n, num_actions]``."""
        return self.masks

    def saved(self) -> dict[str, NDArray[Any]]:
        """Return what a later ``restore`` needs beside the random states of the environment and its wrappers."""
        mine = {"earned": self._earned, "lengths": self._lengths, "returns": self._returns}
        kept = {name: array.copy() for name, array in mine.items()}
        return {**self.inner.saved(), **kept, "adapter masks": self.masks}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what ``saved`` returned.

        Raises:
            ValueError: it was saved elsewhere, or cannot be.
        """
        masks = arrays["adapter masks"]
        if masks.shape != self.masks.shape:
            raise ValueError(f"its masks have the shape {masks.shape}, not {self.masks.shape}")
        self.inner.restore(arrays)
        self.masks = masks.astype(np.bool_)
        self._earned[:], self._lengths[:], self._returns[:] = (arrays[k] for k in ("earned", "lengths", "returns"))

    def close(self) -> None:
        """Close the environment."""
        self.env.close()

    def has_attr(self, attr_name: str) -> bool:
        """Say whether the games have an attribute; ``action_masks`` above all."""
        return hasattr(self, attr_name) or any(hasattr(env, attr_name) for env in self._layers())

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute, the same for all games."""
        owner = next((env for env in self._layers() if hasattr(env, attr_name)), self.env)
        value = getattr(owner, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of the environment; the games share it."""
        if indices is not None:
            raise ValueError(f"the games of {self.env} share {attr_name}; it cannot be set for some of them")
        setattr(self.env, attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Call ``action_masks`` for each game; other methods do not exist per game.

        The rows for all games are the same arrays each time: copy what is to outlast the next call.
        """
        if method_name != "action_masks":
            raise AttributeError(f"the games of {self.env} have no method {method_name}; there is action_masks")
        if indices is not None:
            return MaskRows(self.masks[list(self._get_indices(indices))])
        if self._rows is None:
            self._rows = MaskRows(np.empty_like(self.masks))
        self._rows.masks[:] = self.masks
        return self._rows

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        """Say whether a wrapper of this class is there, for each game; returns and lengths are monitored here."""
        from stable_baselines3.common.monitor import Monitor

        found = wrapper_class is Monitor or any(isinstance(env, wrapper_class) for env in self._layers())
        return [found for _ in self._get_indices(indices)]

    def _layers(self) -> Iterator[VectorEnv]:
        """Yield the wrappers from the outermost on, then the environment itself."""
        env = self.env
        while isinstance(env, VectorWrapper):
            yield env
            env = env.env
        yield env

    def _get_indices(self, indices: Any) -> Iterable[int]:
        return super()._get_indices(indices)

    def get_images(self) -> list[NDArray[np.uint8] | None]:
        """Return one picture per game."""
        return list(self.inner.render())
