"""Private parts of Stable-Baselines3 that we use: they are named here, they exist, and the version is capped."""

import ast
import importlib.metadata
import pathlib
import tomllib

import gymnasium as gym
import pytest
from packaging.requirements import Requirement
from sb3_contrib import QRDQN, MaskablePPO
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.off_policy_algorithm import OffPolicyAlgorithm
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.dqn.policies import DQNPolicy

import stammtisch

ROOT = pathlib.Path(stammtisch.__file__).parents[1]
ROOMS = ("training/sb3", "wrappers/libraries/sb3", "baselines/learned/sb3.py", "baselines/learned/sb3_models.py")

OF_MODELS = {
    "_last_obs",
    "_last_episode_starts",
    "_n_updates",
    "_episode_num",
    "_current_progress_remaining",
    "_stats_window_size",
}
OF_Q_MODELS = {"_n_calls"}
METHODS = {
    "_get_constructor_parameters": (ActorCriticPolicy, DQNPolicy),
    "_get_action_dist_from_latent": (ActorCriticPolicy,),
    "_update_features_extractor": (DQNPolicy,),
    "_sample_action": (OffPolicyAlgorithm,),
    "_get_indices": (VecEnv,),
    "_reset_seeds": (VecEnv,),
    "_reset_options": (VecEnv,),
    "_init_callback": (BaseCallback,),
    "_on_step": (BaseCallback, OffPolicyAlgorithm),
}


@pytest.mark.parametrize("algorithm", [PPO, A2C, DQN, MaskablePPO, QRDQN])
def test_the_private_fields_of_models_are_there(algorithm):
    settings = {"buffer_size": 10, "learning_starts": 2} if algorithm in (DQN, QRDQN) else {"n_steps": 4}
    model = algorithm("MlpPolicy", gym.make("stammtisch/EinStein3x3-v0"), device="cpu", **settings)
    model.learn(4)
    wanted = OF_MODELS | (OF_Q_MODELS if algorithm in (DQN, QRDQN) else set())
    assert wanted <= {name for name in wanted if hasattr(model, name)}


def test_the_private_methods_are_there():
    missing = [f"{cls.__name__}.{name}" for name, owners in METHODS.items() for cls in owners if not hasattr(cls, name)]
    assert not missing


def private_names():
    """Yield private attributes of things other than ``self``, and those of ``self`` that the library also has."""
    library = (PPO, DQN, ActorCriticPolicy, DQNPolicy, VecEnv)
    for place in ROOMS:
        path = ROOT / "stammtisch" / place
        for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
            tree = ast.parse(file.read_text("utf-8"))
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef):
                    name, is_own = node.name, True
                elif isinstance(node, ast.Attribute):
                    name, is_own = node.attr, isinstance(node.value, ast.Name) and node.value.id == "self"
                else:
                    continue
                if not name.startswith("_") or name.startswith("__"):
                    continue
                if not is_own or any(hasattr(cls, name) for cls in library):
                    yield name


def test_every_private_part_that_we_use_is_named_here():
    assert set(private_names()) <= OF_MODELS | OF_Q_MODELS | set(METHODS)
    assert "_last_obs" in set(private_names())


def test_the_next_minor_version_is_not_taken_unseen():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    needed = {requirement.name: requirement for requirement in map(Requirement, extras["train"])}
    for name in ("stable-baselines3", "sb3-contrib"):
        installed = importlib.metadata.version(name)
        major, minor = map(int, installed.split(".")[:2])
        assert installed in needed[name].specifier
        assert f"{major}.{minor + 1}.0" not in needed[name].specifier
