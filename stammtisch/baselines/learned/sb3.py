"""A Stable-Baselines3 model as a player: masks are applied to what its policy prefers, so it never plays illegally."""

import os
import pathlib
import zipfile
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core.agent import Agent
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.options import Option, OptionTable
from stammtisch.envs.core.state import View
from stammtisch.envs.core.streams import Seed
from stammtisch.errors import unreadable


class ModelAgent(Agent):
    """Plays the legal action that a model's policy prefers.

    Args:
        game: the game whose observations the model was trained on.
        model: a model with a categorical policy (PPO, A2C, MaskablePPO) or Q-values (DQN, QR-DQN).
    """

    def __init__(self, game: Game, model: Any):
        super().__init__(game, spec=type(model).__name__)
        self._model = model

    def act(self, view: View) -> int:
        mask = view.legal_mask()
        scores = action_scores(self._model.policy, view.observation()[None], mask[None])[0]
        return int(np.where(mask == 1, scores, -np.inf).argmax())


class SavedModelAgent(Agent):
    """Plays a model from a file: ``sb3:FILE``.

    Files of ``stammtisch train sb3`` are safetensors with a JSON header. A zip that Stable-Baselines3 saved itself
    holds pickled objects, which can run any program when they are read: it is opened only with ``trust=1``.
    """

    OPTIONS: ClassVar[OptionTable] = {
        "file": Option("", "model.safetensors of a training, or a zip of Stable-Baselines3", names="file"),
        "trust": Option(False, "open a zip of Stable-Baselines3, which can run any program"),
    }
    MAIN_OPTION = "file"

    def __init__(self, game: Game, seed: Seed = None, spec: str = "", **options: Any):
        super().__init__(game, seed, spec, **options)
        file = self.options["file"]
        if not file:
            raise ValueError("agent sb3 needs the file of a model: sb3:FILE")
        self.policy_network = _open(pathlib.Path(file), game, self.options["trust"])

    def act(self, view: View) -> int:
        mask = view.legal_mask()
        scores = action_scores(self.policy_network, view.observation()[None], mask[None])[0]
        return int(np.where(mask == 1, scores, -np.inf).argmax())


def _open(path: pathlib.Path, game: Game, trust: bool) -> Any:
    try:
        from stammtisch.baselines.learned.sb3_models import load_policy
    except ImportError as error:
        raise ValueError(
            f"agent sb3 needs PyTorch and Stable-Baselines3: pip install stammtisch[train] ({error})"
        ) from None
    if path.is_file() and zipfile.is_zipfile(path):
        return _foreign_policy(path, game, trust)
    return load_policy(path, game)[0]


def _foreign_policy(path: pathlib.Path, game: Game, trust: bool) -> Any:
    """Read a model that Stable-Baselines3 saved, trying its algorithms in turn."""
    if not trust:
        raise ValueError(
            f'"{path}" is a zip of Stable-Baselines3; reading it unpickles objects and can run any program. '
            f"If you trust whoever made it, write sb3:{path},trust=1, or add --trust to the match"
        )
    from stammtisch.baselines.learned.sb3_models import MODELS

    algorithm = _algorithm_of(path)
    reasons = []
    for cls in [algorithm] if algorithm else [cls for cls, _ in MODELS.values()]:
        try:
            policy = cls.load(path, device="cpu").policy
        except Exception as error:
            reasons.append(f"{cls.__name__}: {error}")
            continue
        _check_spaces(path, policy, game)
        policy.set_training_mode(False)
        return policy
    raise unreadable("zip of Stable-Baselines3", path, "; ".join(reasons))


def _algorithm_of(path: str | os.PathLike[str]) -> Any:
    """Guess the algorithm from the policy class that the zip names in clear text; None if it says nothing."""
    from stammtisch.baselines.learned.sb3_models import MODELS
    from stammtisch.files.documents import parse_json

    try:
        with zipfile.ZipFile(path) as archive:
            data = parse_json(archive.read("data"))
        policy_module = str(data["policy_class"]["__module__"])
    except (KeyError, TypeError, ValueError, zipfile.BadZipFile):
        return None
    hints = {"maskable": "maskable-ppo", "qrdqn": "qr-dqn", "dqn": "dqn"}
    named = next((algo for hint, algo in hints.items() if hint in policy_module), None)
    if named is None and "n_epochs" in data:
        named = "ppo"
    return MODELS[named or "a2c"][0]


def _check_spaces(path: pathlib.Path, policy: Any, game: Game) -> None:
    from gymnasium import spaces

    space = policy.observation_space
    shape = tuple((space["observation"] if isinstance(space, spaces.Dict) else space).shape or ())
    if shape != game.info.observation_shape or policy.action_space.n != game.info.num_actions:
        raise ValueError(
            f'"{path}" was trained on observations {shape} and {policy.action_space.n} actions, not on those of '
            f"{game.id}, {game.info.observation_shape} and {game.info.num_actions}"
        )


def action_scores(policy: Any, observations: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.float32]:
    """Return one number per position and action, the higher the better, in one forward pass.

    Args:
        policy: a Stable-Baselines3 policy; logits come back from a categorical one, Q-values from the others.
        observations: ``[n, *observation_shape]``.
        masks: int8[n, num_actions], needed by policies that see the mask in the observation.
    """
    import torch
    from gymnasium import spaces
    from stable_baselines3.common.policies import BasePolicy

    nested = isinstance(policy.observation_space, spaces.Dict)
    with torch.no_grad():
        device = policy.device
        tensor: Any = torch.as_tensor(observations, device=device)
        if nested:
            tensor = {"observation": tensor, "action_mask": torch.as_tensor(masks, device=device)}
        if hasattr(policy, "get_distribution"):
            features = BasePolicy.extract_features(policy, tensor, policy.pi_features_extractor)
            scores = policy.action_net(policy.mlp_extractor.forward_actor(features))
        elif hasattr(policy, "q_net"):
            scores = policy.q_net(tensor)
        else:
            scores = policy.quantile_net(tensor).mean(dim=1)
    found: NDArray[np.float32] = scores.cpu().numpy()
    return found
