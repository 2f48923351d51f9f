"""Checkpoints of a training with Stable-Baselines3: algorithm, opponents, games and random states in one file.

A training that goes on from a checkpoint gives the same curve as one that was never interrupted.
"""

import os
import random
from collections import deque
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from stammtisch.baselines.learned.tensor_files import named, read_tensors, under, write_tensors
from stammtisch.files.reading import reading
from stammtisch.training.checkpoints import Arrays, optimizer_arrays, restore_optimizer, tensors_of
from stammtisch.training.sb3.self_play import OpponentPool, SelfPlayCallback, Snapshot
from stammtisch.wrappers.libraries.sb3.vec_env import SB3VecEnv
from stammtisch.wrappers.random_symmetry import VectorRandomSymmetry

KIND = "sb3 checkpoint"


def save_checkpoint(
    path: str | os.PathLike[str], model: Any, env: SB3VecEnv, self_play: SelfPlayCallback, facts: dict[str, Any]
) -> None:
    """Write a checkpoint; ``facts`` are further plain values, handed back by ``load_checkpoint``."""
    arrays: Arrays = {f"policy/{k}": v.detach().cpu().numpy() for k, v in model.policy.state_dict().items()}
    arrays |= named("optimizer/", optimizer_arrays(model.policy.optimizer))
    arrays |= named("env/", _env_arrays(env))
    pool = self_play.pool
    for i, snapshot in enumerate(pool.snapshots):
        arrays |= {f"snapshot {i}/{name}": tensor.cpu().numpy() for name, tensor in snapshot.weights.items()}
    for name, tensor in (pool.accepted or {}).items():
        arrays[f"accepted/{name}"] = tensor.cpu().numpy()
    arrays |= _replay_arrays(model)
    arrays["random/torch"] = torch.get_rng_state().numpy()
    arrays["random/numpy"] = np.random.get_state()[1]  # type: ignore[index]
    header = {
        "kind": KIND,
        "facts": facts,
        "model": _model_values(model),
        "random": _random_values(env, pool),
        "pool": [[s.step, s.points, s.games] for s in pool.snapshots],
        "next_snapshot": self_play.next_snapshot,
        "points": self_play.points,
    }
    write_tensors(path, arrays, header)


def load_checkpoint(
    path: str | os.PathLike[str], model: Any, env: SB3VecEnv, self_play: SelfPlayCallback
) -> dict[str, Any]:
    """Put a fresh model, environment and pool into the state of a checkpoint; return its facts."""
    arrays, header = read_tensors(path, KIND)
    with reading(path, KIND):
        model.policy.load_state_dict(tensors_of(under("policy/", arrays)))
        restore_optimizer(model.policy.optimizer, under("optimizer/", arrays))
        _restore_env(env, under("env/", arrays))
        pool = self_play.pool
        pool.snapshots = [
            Snapshot(step, tensors_of(under(f"snapshot {i}/", arrays)), points, games)
            for i, (step, points, games) in enumerate(header["pool"])
        ]
        pool.accepted = tensors_of(under("accepted/", arrays)) or None
        self_play.next_snapshot = header["next_snapshot"]
        self_play.points = header["points"]
        _restore_replay(model, arrays)
        _restore_model(model, env, header["model"])
        _restore_random(env, pool, arrays, header["random"])
        facts: dict[str, Any] = header["facts"]
    return facts


def _symmetry(env: SB3VecEnv) -> VectorRandomSymmetry | None:
    return env.env if isinstance(env.env, VectorRandomSymmetry) else None


def _env_arrays(env: SB3VecEnv) -> Arrays:
    arrays = env.saved()
    if wrapper := _symmetry(env):
        arrays["frames"] = wrapper.chosen
    return arrays


def _restore_env(env: SB3VecEnv, arrays: Arrays) -> None:
    env.restore(arrays)
    if wrapper := _symmetry(env):
        wrapper.turn(arrays["frames"])


def _replay_arrays(model: Any) -> Arrays:
    """Return what the algorithm sees next and, if it has one, its replay buffer as far as it is filled."""
    arrays: Arrays = {"starts": np.asarray(model._last_episode_starts)}
    arrays |= {f"last/{k}": v for k, v in _as_dict(model._last_obs).items()}
    buffer = getattr(model, "replay_buffer", None)
    if buffer is not None:
        filled = buffer.buffer_size if buffer.full else buffer.pos
        for name in ("observations", "next_observations"):
            arrays |= {f"replay/{name}/{k}": v[:filled] for k, v in _as_dict(getattr(buffer, name)).items()}
        for name in ("actions", "rewards", "dones", "timeouts"):
            arrays[f"replay/{name}"] = getattr(buffer, name)[:filled]
    return arrays


def _restore_replay(model: Any, arrays: Arrays) -> None:
    shown = under("last/", arrays)
    model._last_obs = shown.get("", shown)
    model._last_episode_starts = arrays["starts"].astype(np.bool_)
    buffer = getattr(model, "replay_buffer", None)
    if buffer is None:
        return
    filled = len(arrays["replay/rewards"])
    for name in ("observations", "next_observations"):
        for key, mine in _as_dict(getattr(buffer, name)).items():
            mine[:filled] = arrays[f"replay/{name}/{key}"]
    for name in ("actions", "rewards", "dones", "timeouts"):
        getattr(buffer, name)[:filled] = arrays[f"replay/{name}"]


def _as_dict(value: Any) -> dict[str, NDArray[Any]]:
    return value if isinstance(value, dict) else {"": value}


def _model_values(model: Any) -> dict[str, Any]:
    buffer = getattr(model, "replay_buffer", None)
    return {
        "num_timesteps": model.num_timesteps,
        "n_updates": model._n_updates,
        "n_calls": getattr(model, "_n_calls", 0),
        "episodes": model._episode_num,
        "remaining": model._current_progress_remaining,
        "exploration": getattr(model, "exploration_rate", 0.0),
        "recent": [dict(info) for info in model.ep_info_buffer or ()],
        "replay": [buffer.pos, buffer.full] if buffer is not None else None,
        "rates": [group["lr"] for group in model.policy.optimizer.param_groups],
    }


def _restore_model(model: Any, env: SB3VecEnv, values: dict[str, Any]) -> None:
    model.num_timesteps, model._n_updates = values["num_timesteps"], values["n_updates"]
    model._episode_num, model._current_progress_remaining = values["episodes"], values["remaining"]
    if hasattr(model, "_n_calls"):
        model._n_calls, model.exploration_rate = values["n_calls"], values["exploration"]
    if values["replay"] is not None:
        model.replay_buffer.pos, model.replay_buffer.full = values["replay"]
    model.ep_info_buffer = deque(values["recent"], maxlen=model._stats_window_size)
    model.ep_success_buffer = deque(maxlen=model._stats_window_size)
    for group, rate in zip(model.policy.optimizer.param_groups, values["rates"], strict=True):
        group["lr"] = rate


def _random_values(env: SB3VecEnv, pool: OpponentPool) -> dict[str, Any]:
    wrapper = _symmetry(env)
    _, _, position, has_gauss, gauss = np.random.get_state()
    return {
        "python": random.getstate(),
        "numpy": [int(position), int(has_gauss), float(gauss)],
        "env": env.inner.lanes.rng.bit_generator.state,
        "pool": pool.rng.bit_generator.state,
        "frames": wrapper.rng.bit_generator.state if wrapper else None,
    }


def _restore_random(env: SB3VecEnv, pool: OpponentPool, arrays: Arrays, values: dict[str, Any]) -> None:
    version, words, gauss = values["python"]
    random.setstate((version, tuple(words), gauss))
    np.random.set_state(("MT19937", arrays["random/numpy"], *values["numpy"]))
    torch.set_rng_state(torch.from_numpy(np.array(arrays["random/torch"])))
    env.inner.lanes.rng.bit_generator.state = values["env"]
    pool.rng.bit_generator.state = values["pool"]
    if wrapper := _symmetry(env):
        wrapper.rng.bit_generator.state = values["frames"]
