"""Policies of Stable-Baselines3 by name, and files of them that need no pickle."""

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3 import A2C, PPO
from stable_baselines3.common.base_class import BaseAlgorithm

from stammtisch.baselines.learned.tensor_files import read_model, write_model
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.spaces import masked_observation, observation_box
from stammtisch.errors import unknown
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
        ValueError: the file is damaged, something else, or made for other observations or actions.
    """
    arrays, header = read_model(path, KIND, game)
    try:
        policy = build_policy(header["algo"], game, header["network"])
        weights = {name: torch.from_numpy(np.array(array)) for name, array in arrays.items()}
        missing, unexpected = policy.load_state_dict(weights, strict=False)
        left_out = [name for name in missing if _plays(name)]
        if left_out or unexpected:
            raise ValueError(f"tensors do not fit: {', '.join([*left_out, *unexpected])}")
    except (KeyError, TypeError, RuntimeError, ValueError) as error:
        raise ValueError(f'"{path}" is a damaged model ({error})') from None
    policy.set_training_mode(False)
    return policy, header
