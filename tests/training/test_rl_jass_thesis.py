"""``train rl-jass --experiment``: the experiments of the JassBot thesis in reinforcement learning."""

import doctest
import itertools

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from stammtisch.baselines import load_agent  # noqa: E402
from stammtisch.baselines.learned.jass.network import JassNetworks  # noqa: E402
from stammtisch.envs import load_game  # noqa: E402
from stammtisch.training.rl_jass import thesis  # noqa: E402
from stammtisch.training.rl_jass.learner import RLJassTraining  # noqa: E402
from stammtisch.training.rl_jass.settings import EXPERIMENT_DEFAULTS, RLJassSettings  # noqa: E402
from stammtisch.training.rl_jass.thesis import EXPERIMENTS, ThesisTraining, mode_reward  # noqa: E402
from tests.playing import play_out  # noqa: E402

WEIGHTS = {1: 2_964, 2: 18_600, 3: 972_000}


def settings(experiment, **changes):
    few = {"lanes": 4, "deals": 8, "validate_deals": 2, "validate_every": 1000, "checkpoint_every": 4, "seed": 3}
    return RLJassSettings.for_game("jass-schieber", {**EXPERIMENT_DEFAULTS, **few, "experiment": experiment, **changes})


def test_examples_of_the_reward_for_modes():
    assert doctest.testmod(thesis).failed == 0
    weak = 0b1 << 0 | 0b1 << 10 | 0b1 << 20
    assert mode_reward(weak, 6, False) == 0.0
    assert mode_reward(weak, 0, False) == -0.30
    assert mode_reward(weak, 4, True) <= 0.0


@pytest.mark.parametrize("number", EXPERIMENTS)
def test_networks_have_the_printed_number_of_weights(number):
    layers = EXPERIMENTS[number].layers
    assert sum(a * b for a, b in itertools.pairwise(layers)) == WEIGHTS[number]


@pytest.mark.parametrize(
    ("number", "opponent", "mask"), [(1, "random", True), (2, "self", False), (3, "greedy", False)]
)
def test_an_experiment_learns_and_plays(tmp_path, number, opponent, mask):
    out = tmp_path / "net.safetensors"
    training = ThesisTraining(settings(number, opponent=opponent, mask=mask), out).run()
    assert training.deals >= 8
    assert training.updates > 0
    assert (training.rejections > 0) is not mask
    seats = 4 if opponent == "self" else 1
    decisions = len(training.memory["actions"]) - training.rejections
    assert decisions == 9 * seats * training.deals
    networks = JassNetworks.load(out)
    assert networks.card.encoding == EXPERIMENTS[number].encoding
    game = load_game("jass-schieber")
    play_out(load_agent(f"supervised:{out}", game, 1), game, seed=2)


def test_rewards_of_the_tricks_are_those_of_the_deal():
    training = ThesisTraining(settings(3, opponent="self"))
    deals = []
    remember = training._remember

    def watch(ended):
        deals.extend((training._paid[lane].copy(), training._count[lane].copy()) for lane in ended)
        remember(ended)

    training._remember = watch
    training._play_deals()
    for paid, count in deals:
        assert count.tolist() == [9, 9, 9, 9]
        assert np.allclose(paid[0], paid[2])
        assert np.allclose(paid[0], -paid[1])
        assert 0.01 <= abs(paid[0].sum()) <= 2.57
    # Returns look ahead with 0.95 per trick.
    paid = deals[0][0][0]
    returns = training.memory["rewards"][:9]
    assert returns[0] == pytest.approx(sum(0.95**k * paid[k] for k in range(9)), abs=1e-5)


def test_an_experiment_goes_on_as_if_it_had_not_stopped(tmp_path):
    whole = ThesisTraining(settings(2, deals=16), tmp_path / "whole.safetensors").run()
    part = tmp_path / "part.safetensors"
    ThesisTraining(settings(2, deals=16), part, progress=lambda now: now.deals >= 8).run()
    resumed = ThesisTraining(settings(2, deals=16), part, resume=True).run()
    for first, second in zip(whole.modules["card"].parameters(), resumed.modules["card"].parameters(), strict=True):
        assert torch.equal(first, second)


def test_a_hybrid_begins_with_a_supervised_network(tmp_path):
    first = tmp_path / "first.safetensors"
    ThesisTraining(settings(3, deals=4), first).run()
    begun = ThesisTraining(settings(3, start=str(first)))
    saved = JassNetworks.load(first)
    assert np.allclose(begun.networks().card.weights[0][0], saved.card.weights[0][0])
    other = {"lanes": 2, "deals": 2, "layers": [4], "trump_layers": [4], "critic_layers": [4], "validate_deals": 2}
    RLJassTraining(RLJassSettings.for_game("jass-schieber", other), tmp_path / "x.safetensors").run()
    with pytest.raises(ValueError, match="42, 150 or 186"):
        ThesisTraining(settings(3, start=str(tmp_path / "x.safetensors")))
