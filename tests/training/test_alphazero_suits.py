"""Networks for cards: what they have learned of one suit they know of every other."""

import numpy as np
import pytest

import stammtisch
from stammtisch.baselines.kernels.puct_records import new_batch
from stammtisch.baselines.learned.alphazero.evaluators import make_evaluator
from stammtisch.baselines.learned.alphazero.files import load_network, save_network
from stammtisch.baselines.learned.alphazero.shape import NetworkShape
from stammtisch.baselines.learned.alphazero.suits import suit_orders
from stammtisch.training.alphazero.learner import NetworkLearner
from stammtisch.training.alphazero.settings import AlphaZeroSettings


def a_batch(game, size, rng):
    """Samples of nothing in particular."""
    batch = new_batch(game.rules, size)
    batch.observations[:] = rng.random(batch.observations.shape) < 0.2
    batch.legal[:] = rng.random(batch.legal.shape) < 0.5
    batch.legal[:, 0] = True
    batch.policies[:] = np.where(batch.legal, rng.random(batch.policies.shape), 0)
    batch.policies[:] /= batch.policies.sum(axis=1, keepdims=True)
    batch.values[:] = rng.uniform(-1, 1, batch.values.shape)
    return batch


@pytest.mark.parametrize("options", [{}, {"multipliers": True}])
def test_exchanging_suits_exchanges_what_it_says(options):
    game = stammtisch.load_game("jass-schieber", **options)
    shape = NetworkShape.for_game(game, "suits-6-5")
    settings = AlphaZeroSettings.for_game(game.id, {"network": "suits-6-5", "batch": 16})
    rng = np.random.default_rng(0)
    learner = NetworkLearner(game, shape, shape.fresh_weights(0), settings)
    before = learner.network.weights()
    for _ in range(5):
        learner.step(a_batch(game, 16, rng), 0.0)
    weights = learner.network.weights()
    assert all((weights[name] != values).any() for name, values in before.items())
    answer = make_evaluator(shape, weights, "numpy")
    x = (rng.random((8, shape.inputs)) < 0.2).astype(np.float32)
    said = answer(x)
    assert np.abs(said.values).max() > 0
    for symmetry in game.symmetries:
        turned = answer(np.ascontiguousarray(x[:, symmetry.observation]))
        assert turned.logits[:, symmetry.action] == pytest.approx(said.logits, abs=1e-5)
        assert turned.values == pytest.approx(said.values, abs=1e-5)


def test_layers_are_counted_per_suit_and_the_file_says_so(tmp_path):
    game = stammtisch.load_game("jass-schieber")
    assert suit_orders(game).shape == (24, 4)
    shape = NetworkShape.for_game(game, "suits-6-5")
    assert (shape.sizes, shape.name) == ((24, 20), "suits-6-5")
    save_network(tmp_path / "net.safetensors", game, shape, shape.fresh_weights(0), {})
    assert load_network(tmp_path / "net.safetensors", game)[0] == shape


def test_games_without_suits_that_are_alike_are_refused():
    with pytest.raises(ValueError, match="jass-differenzler has no suits that are alike"):
        NetworkShape.for_game(stammtisch.load_game("jass-differenzler"), "suits-8")
