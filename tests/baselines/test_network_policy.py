"""Networks as batched policies and as agents."""

import numpy as np
import pytest

import stammtisch
from stammtisch.baselines.learned.network_policy import BatchPolicyAgent, NetworkPolicy
from stammtisch.benchmarks import play_match
from stammtisch.envs.vector import BatchedEnv

torch = pytest.importorskip("torch")


def test_the_best_legal_action_is_played():
    policy = NetworkPolicy(lambda flat: torch.tensor([[3.0, 2.0, 1.0], [1.0, 2.0, 3.0]]))
    masks = np.array([[0, 1, 1], [1, 1, 0]], np.int8)
    assert policy(np.zeros((2, 4, 4), np.int8), masks).tolist() == [1, 1]


def test_a_network_plays_matches_and_sits_opposite():
    game = stammtisch.load_game("einstein-3x3")
    policy = NetworkPolicy(torch.nn.Linear(99, 9))
    result = play_match(game, [BatchPolicyAgent(game, policy, "linear"), "random"], games=10)
    assert result.games == 10
    assert result.agents == ["linear", "random"]
    env = BatchedEnv("einstein-3x3", 4, policy, on_illegal="raise")
    obs, info = env.reset(seed=0)
    for _ in range(20):
        obs, *_, info = env.step(policy(obs, info["action_mask"]))


def test_a_policy_that_draws_is_seeded():
    def uniform(obs, mask, rng):
        return np.array([rng.choice(np.flatnonzero(row)) for row in mask])

    game = stammtisch.load_game("einstein-3x3")
    results = [play_match(game, [BatchPolicyAgent(game, uniform), "random"], games=6, seed=1) for _ in range(2)]
    assert results[0].records == results[1].records
