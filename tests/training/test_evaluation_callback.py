"""The evaluator inside Stable-Baselines3, with algorithms that know masks and such that do not."""

import gymnasium as gym
import pytest
from sb3_contrib import QRDQN, MaskablePPO
from stable_baselines3 import DQN, PPO

import stammtisch
from stammtisch.baselines.learned.sb3 import ModelAgent
from stammtisch.benchmarks import play_match
from stammtisch.training.evaluator import Evaluator
from stammtisch.training.sb3.evaluation import EvaluationCallback


def make():
    return gym.make("stammtisch/EinStein3x3-v0", opponent="random", observation="coding-2")


@pytest.fixture(scope="module")
def game():
    return stammtisch.load_game("einstein-3x3", observation="coding-2")


def test_a_model_in_training_is_evaluated_every_so_many_steps(game):
    evaluator = Evaluator(game, ["random"], every=64, games=20)
    model = MaskablePPO("MlpPolicy", make(), n_steps=64, batch_size=64, n_epochs=1, seed=0, device="cpu")
    model.learn(192, callback=EvaluationCallback(evaluator, verbose=1))
    assert [step for step, _ in evaluator.curve("random")] == [1, 65, 129]


@pytest.mark.parametrize(
    ("algorithm", "settings"),
    [
        (PPO, {"n_steps": 32, "batch_size": 32}),
        (DQN, {"learning_starts": 10, "buffer_size": 100}),
        (QRDQN, {"learning_starts": 10, "buffer_size": 100}),
    ],
)
def test_models_without_masks_play_legally_too(game, algorithm, settings):
    model = algorithm("MlpPolicy", make(), seed=0, device="cpu", **settings)
    assert play_match(game, [ModelAgent(game, model), "random"], games=10).games == 10


def test_a_model_plays_wherever_an_agent_may(game):
    model = PPO("MlpPolicy", make(), n_steps=8, batch_size=8, device="cpu")
    given = play_match(game, [model, "random"], games=6)
    wrapped = play_match(game, [ModelAgent(game, model), "random"], games=6)
    assert given.agents == ["PPO", "random"]
    assert given.records == wrapped.records
    against = gym.make("stammtisch/EinStein3x3-v0", opponent=[model, "random"], observation="coding-2")
    against.reset(seed=0)
    assert isinstance(against.unwrapped._lanes.agents[0], ModelAgent)
