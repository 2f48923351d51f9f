"""``train rl-jass``: the lanes agree with the rules, a training can stop and go on, and what it writes plays."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from stammtisch.baselines import load_agent  # noqa: E402
from stammtisch.baselines.learned.jass.network import JassNetworks  # noqa: E402
from stammtisch.envs import load_game  # noqa: E402
from stammtisch.envs.jass.family.sight import CARD_LEN, OPEN_LEN, TRUMP_LEN, TRUMP_OUT  # noqa: E402
from stammtisch.training.learners import learner_named  # noqa: E402
from stammtisch.training.rl_jass.learner import RLJassTraining  # noqa: E402
from stammtisch.training.rl_jass.settings import RLJassSettings  # noqa: E402
from stammtisch.training.rl_jass.table import DealTable, Players, Softness  # noqa: E402
from tests.playing import play_out  # noqa: E402

GAME = load_game("jass-schieber")
SMALL = {
    "lanes": 8,
    "layers": [8],
    "trump_layers": [8],
    "critic_layers": [8],
    "batch": 16,
    "validate_deals": 4,
    "validate_every": 16,
    "checkpoint_every": 16,
    "seed": 5,
}


def settings(**changes):
    return RLJassSettings.for_game("jass-schieber", {**SMALL, **changes})


def linear(inputs, outputs, seed):
    weights = np.random.default_rng(seed).normal(size=(inputs, outputs)).astype(np.float32)
    return lambda sights: sights.astype(np.float32) @ weights


def players():
    return Players(linear(CARD_LEN, 36, 1), linear(TRUMP_LEN, TRUMP_OUT, 2), linear(OPEN_LEN, 1, 3))


def test_returns_without_trace_of_a_critic_that_says_nothing_are_the_points_to_come():
    table = DealTable(GAME, 16)
    nothing = Players(players().card, players().trump, lambda sights: np.zeros((len(sights), 1), np.float32))
    found = table.learn_from(nothing, Softness(1.0, 1.0, 0.5, 0.5), 1.0, np.random.default_rng(4))
    leads = table.results()
    assert np.all((np.abs(leads) <= 2.57) & (np.abs(leads) >= 0.01))
    # The first decisions are forehand's, of team 0, before any points.
    assert np.allclose(found.returns[:16], leads)
    assert found.sights.shape == (len(found.returns), CARD_LEN)
    assert found.legal.sum(1).min() >= 2  # forced cards teach nothing
    assert np.abs((found.values * found.legal).sum(1)).max() < 1e-4
    assert not found.values[~found.legal].any()


def test_both_sides_of_a_deal_hold_the_same_cards():
    table = DealTable(GAME, 32, "heuristic")
    chosen = players()
    leads = table.match(chosen.card, chosen.trump, 1)
    again = table.match(chosen.card, chosen.trump, 1)
    assert np.array_equal(leads, again)
    assert leads.shape == (2, 32)
    assert leads.mean() < 0  # a network without sense loses to the reference bot


def test_a_training_goes_on_as_if_it_had_not_stopped(tmp_path):
    whole = RLJassTraining(settings(deals=64), tmp_path / "whole.safetensors").run()
    part = tmp_path / "part.safetensors"
    rounds = 0

    def stop(_):
        nonlocal rounds
        rounds += 1
        return rounds == 3

    RLJassTraining(settings(deals=64), part, progress=stop).run()
    resumed = RLJassTraining(settings(deals=64), part, resume=True).run()
    assert resumed.deals == whole.deals == 64
    for name in whole.networks:
        for first, second in zip(whole.networks[name].parameters(), resumed.networks[name].parameters(), strict=True):
            assert torch.equal(first, second)
    assert [p for p in resumed.curve if p.step % 16 == 0] == [p for p in whole.curve if p.step % 16 == 0]


def test_other_settings_cannot_go_on(tmp_path):
    out = tmp_path / "net.safetensors"
    RLJassTraining(settings(deals=8), out).run()
    with pytest.raises(ValueError, match="learning_rate"):
        RLJassTraining(settings(deals=8, learning_rate=0.5), out, resume=True)
    with pytest.raises(ValueError, match="add --resume"):
        RLJassTraining(settings(deals=8), out)


def test_the_result_plays_and_says_what_it_is(tmp_path):
    out = tmp_path / "net.safetensors"
    facts = learner_named("rl-jass").train(settings(deals=16), out)
    assert facts["deals"] == 16
    networks = JassNetworks.load(out)
    assert networks.facts["deals"] == 16
    play_out(load_agent(f"rl-jass:{out}", GAME, 1), GAME, seed=1)


def test_a_training_can_begin_with_the_networks_of_another(tmp_path):
    first = tmp_path / "first.safetensors"
    RLJassTraining(settings(deals=8), first).run()
    for method in ("values", "gradient"):
        begun = RLJassTraining(settings(deals=8, start=str(first), method=method, anchor=0.1))
        saved = JassNetworks.load(first)
        assert np.array_equal(begun.card[0].weight.detach().numpy().T, saved.card.weights[0][0])
        begun.run()
    with pytest.raises(ValueError, match="-8-36 on sight"):
        RLJassTraining(settings(deals=8, start=str(first), layers=[9]))


@pytest.mark.parametrize("method", ["imitate", "expert"])
def test_a_start_for_reinforcement_and_an_expert(tmp_path, method):
    changes = {"expert_worlds": 2, "expert_share": 0.5, "anchor": 0.1 if method == "expert" else 0.0}
    training = RLJassTraining(settings(deals=16, method=method, **changes), tmp_path / "net.safetensors").run()
    assert training.deals == 16
    assert JassNetworks.load(tmp_path / "net.safetensors").card.output == "logits"
    known = training.memory[-1].legal.any(1)
    assert known.all() if method == "imitate" else 0 < known.sum() < len(known)


def test_imitation_learns_the_reference_bot():
    training = RLJassTraining(
        settings(deals=4096, lanes=128, layers=[64], method="imitate", batch=256, average=0.05, learning_rate=3e-3)
    )
    losses = []
    training.progress = lambda now: losses.append(now.figures["loss"]) if "loss" in now.figures else None
    training.run()
    assert losses[-1] < 0.75 * losses[0]
    assert training.validation.points > -50  # random play loses 73


def test_an_expert_values_cards_in_the_frame_of_the_player():
    from stammtisch.training.rl_jass.expert import SearchExpert

    table = DealTable(GAME, 4)
    seen = []
    expert = SearchExpert(GAME, 3, 1.0)

    def watch(rows, orders, legal, rng):
        values, told = expert(rows, orders, legal, rng)
        seen.append((values, told, legal))
        return values, told

    table.learn_from(players(), Softness(1.0, 1.0, 0.1, 0.1), 0.8, np.random.default_rng(2), watch)
    for values, told, legal in seen:
        assert np.array_equal(told, legal)
        assert not values[~legal].any()
        assert np.abs(values.sum(1)).max() < 1e-4


def test_learning_lowers_what_is_lost():
    """A few rounds from nothing teach more than nothing."""
    training = RLJassTraining(settings(deals=1536, lanes=64, layers=[32], critic_layers=[32], batch=64, reuse=2.0))
    losses = []
    training.progress = lambda now: losses.append(now.figures["error"]) if "error" in now.figures else None
    training.run()
    assert np.mean(losses[-4:]) < 0.8 * np.mean(losses[:2])


def test_only_plain_schieber_is_learned():
    with pytest.raises(ValueError, match="without options"):
        RLJassTraining(RLJassSettings.for_game("jass-schieber", {**SMALL, "options": {"weis": True}}))
