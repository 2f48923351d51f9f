"""Algorithms of Stable-Baselines3 never act illegally: the environment raises if they do."""

import gymnasium as gym
import numpy as np
import pytest
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from stammtisch.baselines.learned.sb3 import ModelAgent
from stammtisch.baselines.learned.sb3_models import MODELS, build_policy, mask_in_observation, policy_arguments
from stammtisch.benchmarks import play_match
from stammtisch.envs import load_game
from stammtisch.envs.vector import BatchedEnv
from stammtisch.training.dqn.learner import DQNTraining
from stammtisch.training.dqn.settings import DQNSettings
from stammtisch.wrappers import ObservationChoice, RandomSymmetry, SeatRotation
from stammtisch.wrappers.libraries.sb3.maskable import QuickMaskablePolicy
from stammtisch.wrappers.libraries.sb3.masked import random_legal
from stammtisch.wrappers.libraries.sb3.vec_env import SB3VecEnv

NETWORK = {"network": "mlp", "layers": [16]}
SHORT = {"n_steps": 16}
REPLAY = {"buffer_size": 2000, "learning_starts": 64, "batch_size": 32, "train_freq": 2, "exploration_fraction": 0.5}
ARGUMENTS = {
    "maskable-ppo": {**SHORT, "batch_size": 64, "n_epochs": 1},
    "ppo": {**SHORT, "batch_size": 64, "n_epochs": 1},
    "a2c": SHORT,
    "dqn": REPLAY,
    "qr-dqn": REPLAY,
}


def make(algo, game_id, n=8):
    env = BatchedEnv(game_id, n, on_illegal="raise", autoreset_mode="SameStep")
    cls, policy = MODELS[algo]
    return cls(
        policy,
        SB3VecEnv(env, mask_in_observation(algo)),
        policy_kwargs=policy_arguments(algo, NETWORK),
        seed=0,
        device="cpu",
        **ARGUMENTS[algo],
    )


def played(model, steps, deterministic):
    """Step the environment with what ``predict`` says; an illegal action would raise."""
    env = model.env
    shown = env.reset()
    for _ in range(steps):
        extra = {} if env.mask_in_observation else {"action_masks": env.masks}
        actions, _ = model.predict(shown, deterministic=deterministic, **extra)
        shown, *_ = env.step(actions)


@pytest.mark.parametrize("game_id", ["einstein-3x3", "reversi-4x4"])
@pytest.mark.parametrize("algo", list(MODELS))
def test_learning_and_playing_stay_legal_and_finite(algo, game_id):
    model = make(algo, game_id)
    model.learn(512)
    assert all(torch.isfinite(tensor).all() for tensor in model.policy.state_dict().values())
    played(model, 20, deterministic=False)
    played(model, 20, deterministic=True)


@pytest.mark.parametrize("algo", list(MODELS))
def test_single_environments_under_wrappers_learn_too(algo):
    env = RandomSymmetry(SeatRotation(gym.make("stammtisch/Reversi4x4-v0", on_illegal="raise")))
    shown = ObservationChoice(env, "dict") if mask_in_observation(algo) else env
    cls, policy = MODELS[algo]
    model = cls(policy, shown, policy_kwargs=policy_arguments(algo, NETWORK), seed=0, device="cpu", **ARGUMENTS[algo])
    model.learn(128)
    assert all(torch.isfinite(tensor).all() for tensor in model.policy.state_dict().values())


@pytest.mark.slow
@pytest.mark.parametrize("algo", list(MODELS))
def test_a_hundred_thousand_steps_without_an_illegal_action(algo):
    model = make(algo, "einstein-5x5", n=64)
    model.learn(100_000)
    assert model.num_timesteps >= 100_000
    assert all(torch.isfinite(tensor).all() for tensor in model.policy.state_dict().values())
    played(model, 160, deterministic=False)
    played(model, 160, deterministic=True)
    assert play_match("einstein-5x5", [ModelAgent(load_game("einstein-5x5"), model), "random"], games=100).games == 100


@pytest.mark.slow
@pytest.mark.parametrize("game_id", ["muehle", "einstein-5x5"])
def test_a_hundred_thousand_actions_of_deep_q_learning_are_legal(game_id):
    training = DQNTraining(DQNSettings.for_game(game_id, {"layers": [32], "validate_games": 100}))
    while training.actions < 100_000:
        training._step()
    assert training.updates > 0
    for networks in (training.main, training.target):
        assert all(torch.isfinite(tensor).all() for tensor in networks.state_dict().values())
    assert training.validate().games == 100


@pytest.mark.slow
def test_maskable_ppo_learns_on_every_game(game_id):
    model = make("maskable-ppo", game_id)
    model.learn(512)
    assert all(torch.isfinite(tensor).all() for tensor in model.policy.state_dict().values())
    played(model, 20, deterministic=False)
    played(model, 20, deterministic=True)


@pytest.mark.parametrize("shared", [True, False])
def test_the_quick_policy_says_the_same_as_its_parent(shared):
    space, actions = spaces.Box(-1.0, 1.0, (20,), np.float32), spaces.Discrete(9)
    quick, parent = (
        cls(space, actions, lambda _: 1e-3, share_features_extractor=shared)
        for cls in (QuickMaskablePolicy, MaskableActorCriticPolicy)
    )
    torch.manual_seed(0)
    torch.nn.init.normal_(quick.action_net.weight)
    parent.load_state_dict(quick.state_dict())
    seen = torch.randn(200, 20)
    legal = np.random.default_rng(0).random((200, 9)) < 0.4
    legal[:, 3] = True
    drawn, _, logs = quick(seen, action_masks=legal)
    assert legal[np.arange(200), drawn.numpy()].all()
    assert torch.allclose(logs, parent.evaluate_actions(seen, drawn, legal)[1], atol=1e-5)
    for mask in (legal, None):
        for ours, theirs in zip(
            quick.evaluate_actions(seen, drawn, mask), parent.evaluate_actions(seen, drawn, mask), strict=True
        ):
            assert torch.allclose(ours, theirs, atol=1e-5)
        assert torch.equal(quick(seen, True, mask)[0], parent(seen, True, mask)[0])


def test_random_legal_actions_are_legal_and_all_of_them_occur():
    mask = np.array([[0, 1, 0, 1], [0, 0, 0, 0]], np.int8)
    drawn = np.array([random_legal(mask, np.random.default_rng(seed)) for seed in range(60)])
    assert set(drawn[:, 0]) == {1, 3}
    assert set(drawn[:, 1]) == {0, 1, 2, 3}


def test_networks_are_checked():
    with pytest.raises(ValueError, match='no network "cnn"'):
        build_policy("ppo", load_game("reversi-4x4"), {"network": "cnn"})
    with pytest.raises(ValueError, match="needs planes"):
        build_policy("ppo", load_game("morris-3"), {"network": "conv"})
    with pytest.raises(ValueError, match='no algorithm "sac"'):
        build_policy("sac", load_game("morris-3"), NETWORK)
    planes = torch.zeros(2, 3, 4, 4)
    policy = build_policy("maskable-ppo", load_game("reversi-4x4"), {"network": "conv", "channels": 4, "layers": [8]})
    assert policy.extract_features(planes).shape == (2, 8)
