"""Policies of Stable-Baselines3 by name, and files of them that need no pickle."""

import math
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3 import A2C, PPO
from stable_baselines3.common.base_class import BaseAlgorithm

from stammtisch.baselines.learned.tensor_files import checked_layers, read_model, write_model
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.spaces import masked_observation, observation_box
from stammtisch.errors import unknown
from stammtisch.files.reading import reading
from stammtisch.wrappers.libraries.sb3.maskable import QuickMaskablePolicy
from stammtisch.wrappers.libraries.sb3.masked import (
    MaskedActorCriticPolicy,
    MaskedDQN,
    MaskedDQNPolicy,
    MaskedQRDQN,
    MaskedQRDQNPolicy,
)
from stammtisch.wrappers.libraries.sb3.networks import GameFeatures

KIND = "sb3 model"
_QUANTILES = 50

MODELS: dict[str, tuple[type[BaseAlgorithm], type[Any]]] = {
    "maskable-ppo": (MaskablePPO, QuickMaskablePolicy),
    "ppo": (PPO, MaskedActorCriticPolicy),
    "a2c": (A2C, MaskedActorCriticPolicy),
    "dqn": (MaskedDQN, MaskedDQNPolicy),
    "qr-dqn": (MaskedQRDQN, MaskedQRDQNPolicy),
}


def mask_in_observation(algo: str) -> bool:
    """Say whether the algorithm's policy reads the mask from the observation."""
    return algo != "maskable-ppo"


def policy_arguments(algo: str, network: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keywords of a policy with a body of ``GameFeatures`` and heads of one layer."""
    arguments: dict[str, Any] = {
        "features_extractor_class": GameFeatures,
        "features_extractor_kwargs": dict(network),
        "net_arch": [],
    }
    if algo == "qr-dqn":
        arguments["n_quantiles"] = _QUANTILES
    return arguments


def build_policy(algo: str, game: Game, network: Mapping[str, Any]) -> Any:
    """Return an untrained policy."""
    if algo not in MODELS:
        raise unknown("algorithm", algo, MODELS)
    space = masked_observation(game) if mask_in_observation(algo) else observation_box(game)
    actions = spaces.Discrete(game.rules.N_ACTIONS)
    return MODELS[algo][1](space, actions, lambda _: 0.0, **policy_arguments(algo, network))


def save_policy(
    path: str | os.PathLike[str], policy: Any, algo: str, game: Game, network: Mapping[str, Any], steps: int
) -> None:
    """Write a policy as safetensors with a JSON header."""
    arrays = {name: tensor.detach().cpu().numpy() for name, tensor in policy.state_dict().items() if _plays(name)}
    write_model(path, KIND, game, arrays, {"algo": algo, "network": dict(network), "steps": steps})


def _plays(name: str) -> bool:
    """Say whether a tensor is needed for playing; target networks are not."""
    return "_target" not in name.partition(".")[0]


def load_policy(path: str | os.PathLike[str], game: Game) -> tuple[Any, dict[str, Any]]:
    """Read a policy that ``save_policy`` wrote, and its header.

    Raises:
        BadFile: the file is damaged, something else, or made for other observations or actions.
    """
    arrays, header = read_model(path, KIND, game)
    with reading(path, KIND):
        _check_network(header["network"], game, arrays)
        policy = build_policy(header["algo"], game, header["network"])
        weights = {name: torch.from_numpy(np.array(array)) for name, array in arrays.items()}
        missing, unexpected = policy.load_state_dict(weights, strict=False)
        left_out = [name for name in missing if _plays(name)]
        if left_out or unexpected:
            raise ValueError(f"tensors do not fit: {', '.join([*left_out, *unexpected])}")
    policy.set_training_mode(False)
    return policy, header


def _check_network(network: Any, game: Game, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Refuse a body that is larger than what the file holds, before it is built."""
    stored = sum(array.size for array in arrays.values())
    channels, blocks = network.get("channels", 0), network.get("blocks", 0)
    if type(channels) is not int or type(blocks) is not int or channels < 0 or blocks < 0:
        raise ValueError(f"it has {channels!r} channels and {blocks!r} blocks")
    planes = network.get("network") == "conv"
    if planes and 18 * channels**2 * blocks > stored:
        raise ValueError(f"it has {blocks} blocks of {channels} channels, but not their weights")
    height_and_width = game.info.observation_shape[1:] if planes else game.info.observation_shape
    checked_layers(network["layers"], (channels if planes else 1) * math.prod(height_and_width), arrays)
