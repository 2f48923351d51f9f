"""The gradient steps of AlphaZero: which weights play, and how a learner goes on."""

import numpy as np
import pytest

import stammtisch
from stammtisch.baselines.kernels.puct_records import new_batch
from stammtisch.baselines.learned.alphazero.shape import NetworkShape
from stammtisch.training.alphazero.learner import NetworkLearner
from stammtisch.training.alphazero.settings import AlphaZeroSettings


def a_learner(network="mlp-16", **changes):
    game = stammtisch.load_game("einstein-3x3")
    settings = AlphaZeroSettings.for_game(game.id, {"network": network, "batch": 16, **changes})
    shape = NetworkShape.for_game(game, network)
    return game, NetworkLearner(game, shape, shape.fresh_weights(0), settings)


def a_batch(game, rng, size=16):
    """Samples of nothing in particular."""
    batch = new_batch(game.rules, size)
    batch.observations[:] = rng.random(batch.observations.shape) < 0.3
    batch.legal[:] = True
    batch.policies[:] = rng.dirichlet(np.ones(batch.policies.shape[1]), size)
    batch.values[:] = rng.uniform(-1, 1, batch.values.shape)
    return batch


@pytest.mark.parametrize("network", ["mlp-16", "2x8"])
def test_the_weights_that_play_are_means_of_the_last_steps(network):
    game, learner = a_learner(network, averaged=4)
    rng = np.random.default_rng(0)
    means = learner.network.weights()
    for step in range(1, 61):
        learner.step(a_batch(game, rng), 0.0)
        share = 1 / max(1, min(4, step / 10))
        means = {name: mean + share * (learner.network.weights()[name] - mean) for name, mean in means.items()}
    for name, values in learner.weights().items():
        assert values == pytest.approx(means[name], abs=1e-6), name
    newest = learner.network.weights()
    assert any((newest[name] != values).any() for name, values in learner.weights().items())


def test_without_averaging_the_newest_weights_play():
    game, learner = a_learner(averaged=1)
    rng = np.random.default_rng(0)
    for _ in range(30):
        learner.step(a_batch(game, rng), 0.0)
    newest = learner.network.weights()
    assert all(np.array_equal(newest[name], values) for name, values in learner.weights().items())


def test_a_restored_learner_goes_on_with_its_means():
    game, learner = a_learner(averaged=20)
    rng = np.random.default_rng(0)
    batches = [a_batch(game, rng) for _ in range(80)]
    for batch in batches[:60]:
        learner.step(batch, 0.0)
    other = a_learner(averaged=20)[1]
    other.restore({name: values.copy() for name, values in learner.saved().items()})
    for each in (learner, other):
        for batch in batches[60:]:
            each.step(batch, 0.5)
    for name, values in learner.weights().items():
        assert np.array_equal(values, other.weights()[name]), name
