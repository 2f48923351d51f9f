"""``train supervised``: networks learn from deals, always the same from the same seed, also after a kill."""

import json
import math

import numpy as np
import pytest

import stammtisch
from stammtisch.baselines.learned.jass.encodings import weights_in
from stammtisch.baselines.learned.jass.network import JassNetworks
from stammtisch.baselines.learned.jass.sighted import shipped_file
from stammtisch.training.jass.deals import Deals, write_deals
from stammtisch.training.jass.making import MakingSettings, make_deals, write_made
from stammtisch.training.jass.predicting import draw_bars, predict
from stammtisch.training.jass.samples import CardSamples
from stammtisch.training.learners import learner_named
from stammtisch.training.supervised.architectures import CARD_NETWORKS, TRUMP_NETWORKS, units
from stammtisch.training.supervised.measuring import measure
from stammtisch.training.supervised.settings import SupervisedSettings, card_plan, trump_plan

torch = pytest.importorskip("torch")

from stammtisch.training.supervised.course import Course  # noqa: E402
from stammtisch.training.supervised.modules import DenseModule  # noqa: E402
from stammtisch.training.supervised.training import run_supervised  # noqa: E402

WEIGHTS = {
    "SL_42_1": 2_964,
    "SL_150_1": 9_300,
    "SL_150_1_200": 37_200,
    "SL_150_2": 53_600,
    "SL_150_7": 570_480,
    "SL_150_9": 1_330_480,
    "SL_186_2": 162_936,
    "SL_186_5_Faktor1.5": 139_828,
    "SL_186_3_Faktor2": 113_820,
    "SL_186_3_Faktor3": 217_920,
    "SL_186_3_1Mio": 1_353_840,
    "SL_186_5_2Mio": 2_099_520,
    "SL_186_7_20Mio": 19_033_920,
    "SL_37_1": 1_628,
}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("deals") / "deals.npz"
    write_made(path, MakingSettings(deals=300, seed=3, per_game=6))
    return path


def settings_for(file, **changes):
    small = {"net": "42-24-36", "network": "SL_42_1", "trump_network": "SL_37_1_relu_adam_cc", "epochs": 2}
    return SupervisedSettings(data=[str(file)], **{**small, "trump_epochs": 2, "batch": 128, **changes})


@pytest.mark.parametrize("name", WEIGHTS)
def test_networks_of_the_thesis_have_their_weights(name):
    layers = units({**CARD_NETWORKS, **TRUMP_NETWORKS}[name].layers)
    assert weights_in(layers) == WEIGHTS[name]


def test_names_stand_for_the_training_of_the_thesis():
    plan = card_plan(SupervisedSettings(network="SL_186_3_1Mio_adam_cc"))
    assert (plan.optimizer, plan.loss, plan.output, plan.rate) == ("adam", "cross-entropy", "softmax", 0.005)
    assert (plan.batch_norm, plan.l2, plan.batch, plan.encoding) == (True, 0.01, 32, "jass-186")
    assert trump_plan(SupervisedSettings(network="SL_186_3_1Mio_adam_cc")).name == "SL_37_1_relu_adam_cc"
    changed = card_plan(SupervisedSettings(network="SL_150_2", net="150-20-36", rate=0.1, batch_norm="off", loss="cc"))
    assert (changed.layers, changed.rate, changed.batch_norm) == ((150, 20, 36), 0.1, False)
    assert (changed.loss, changed.output, changed.optimizer) == ("cross-entropy", "softmax", "sgd")
    assert card_plan(SupervisedSettings()).encoding == "sight"
    assert card_plan(SupervisedSettings(network="modern")).encoding == "full"
    assert card_plan(SupervisedSettings(net="186-20-36")).symmetry == "sort"
    for wrong, words in (("186-x-36", "written"), ("186-40-35", "36 outputs"), ("187-40-36", "187 inputs")):
        with pytest.raises(ValueError, match=words):
            card_plan(SupervisedSettings(net=wrong))


def test_an_untrained_network_knows_nothing():
    deals = Deals.joined(make_deals(MakingSettings(deals=40, seed=1)))
    samples = CardSamples(deals, "jass-186")
    module = DenseModule([186, 50, 36])
    with torch.no_grad():
        module.linear[-1].weight.mul_(0.01)
        module.linear[-1].bias.zero_()
    found = measure(module.to_network("jass-186", False, "softmax"), samples, np.arange(len(samples)))
    assert found["loss"] == pytest.approx(math.log(36), abs=0.05)
    assert found["mse"] == pytest.approx(0.0270, abs=2e-4)
    assert found["random_legal"] == pytest.approx(0.476, abs=0.03)


@pytest.mark.parametrize("activation", ["relu", "leaky"])
def test_batch_normalisation_becomes_part_of_the_weights(activation):
    torch.manual_seed(0)
    module = DenseModule([42, 30, 20, 36], activation, batch_norm=True, dropout=0.3)
    for _ in range(20):
        module(torch.randint(0, 2, (64, 42)).float())
    with torch.no_grad():
        for norm in module.norms:
            norm.weight.uniform_(-2, 2)
            norm.bias.uniform_(-2, 2)
    module.eval()
    rows = np.random.default_rng(0).integers(0, 2, (100, 42)).astype(np.int8)
    wanted = module(torch.from_numpy(rows.astype(np.float32))).detach().numpy()
    assert np.allclose(module.to_network("jass-42", False, "softmax").scores(rows), wanted, atol=1e-4)
    again = DenseModule.from_network(module.to_network("jass-42", False, "softmax")).eval()
    assert np.allclose(again(torch.from_numpy(rows.astype(np.float32))).detach().numpy(), wanted, atol=1e-4)


def check_board(folder):
    """Everything that the thesis looked at is there, for training and for test."""
    reader = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    found = reader.EventAccumulator(str(folder)).Reload().Tags()
    for name in ("train_loss", "train_mse", "train_accuracy", "loss", "mse", "accuracy", "card_accuracy"):
        assert {f"card/{name}", f"trump/{name}"} <= set(found["scalars"])
    assert "card/steps/card_accuracy" in found["scalars"]
    assert {"card/linear.0.weight", "card/linear.0.weight/gradient"} <= set(found["histograms"])


def test_from_deals_to_a_player(file, tmp_path):
    learner = learner_named("supervised")
    out, done = tmp_path / "net.safetensors", []
    settings = settings_for(file, epochs=3, eval_games=4, tensorboard=str(tmp_path / "board"))
    facts = learner.train(settings, out, show=lambda work, *_: done.append(work))
    assert sum(done) == 3
    json.dumps(facts, allow_nan=False)
    card = facts["reports"]["card"]
    assert card["masked"] > card["random_legal"]
    assert card["masked"] >= card["accuracy"]
    assert 0 <= card["illegal"] <= 1
    assert set(card["by_mode"]) <= {"hearts", "diamonds", "clubs", "spades", "obeabe", "undeufe"}
    assert facts["match"]["games"] == 4
    assert [point["step"] for point in facts["curve"]] == [1, 2, 3]
    check_board(tmp_path / "board")
    agent = stammtisch.load_agent(learner.agent.format(out=out), "jass-schieber")
    assert agent.networks.trump is not None
    stored = JassNetworks.load(out).facts
    assert stored["data"][0]["teacher"] == "heuristic"
    assert stored["data"][0]["synthetic"]


def weights(path):
    return np.concatenate([network.params for network in JassNetworks.load(path).parts().values()])


@pytest.mark.parametrize(
    "changes", [{}, {"dropout": 0.2, "symmetry": "augment"}, {"network": "modern", "net": "378-16-16-36"}]
)
def test_the_same_seed_gives_the_same_weights_also_after_stops(file, tmp_path, changes):
    settings = settings_for(file, **changes, checkpoint_s=0)
    run_supervised(settings, tmp_path / "whole.safetensors")
    calls = 0

    def stop_now_and_then(*_):
        nonlocal calls
        calls += 1
        return calls % 2 == 0

    out = tmp_path / "net.safetensors"
    facts = run_supervised(settings, out, False, stop_now_and_then)
    stops = 0
    while facts["stopped"]:
        stops += 1
        facts = run_supervised(settings, out, True, stop_now_and_then)
    assert stops
    assert np.array_equal(weights(out), weights(tmp_path / "whole.safetensors"))
    other = settings_for(file, **changes, seed=1)
    run_supervised(other, tmp_path / "other.safetensors")
    assert not np.array_equal(weights(out), weights(tmp_path / "other.safetensors"))


def test_a_softened_teacher_is_followed_in_all_it_said(tmp_path):
    settings = MakingSettings(teacher="pimc:worlds=2", deals=6, seed=1, per_game=1)
    deals = Deals.joined(make_deals(settings))
    plan = card_plan(SupervisedSettings(net="378-8-36", soften=4.0))
    course = Course(plan, CardSamples(deals, "full"), 0)
    x, targets = course._batch(np.arange(len(course.samples)))
    assert np.allclose(targets.sum(axis=1), 1)
    assert ((targets > 0).sum(axis=1) > 1).any()
    held = x[:, :36] == 1
    assert not (targets[~held] > 0).any()  # only cards of the turned hand have a share


def test_what_cannot_be_done_is_said_in_one_line(file, tmp_path):
    out = tmp_path / "net.safetensors"
    with pytest.raises(ValueError, match="needs deals"):
        run_supervised(SupervisedSettings(), out)
    with pytest.raises(ValueError, match="Schieber"):
        run_supervised(settings_for(file, game="reversi-8x8"), out)
    with pytest.raises(ValueError, match="does not go with residual"):
        run_supervised(settings_for(file, batch_norm="on", residual="on"), out)
    few = tmp_path / "few.npz"
    write_deals(few, Deals.joined(make_deals(MakingSettings(deals=2, seed=1, per_game=5))))
    with pytest.raises(ValueError, match=r"bring more games|nothing to learn"):
        run_supervised(settings_for(few), out)
    run_supervised(settings_for(file, epochs=1, trump_epochs=0), out)
    with pytest.raises(ValueError, match="add --resume"):
        run_supervised(settings_for(file), out)
    with pytest.raises(ValueError, match="resumed with its own settings"):
        run_supervised(settings_for(file, rate=0.5), out, True)


def test_predictions(file, tmp_path):
    out = tmp_path / "net.safetensors"
    run_supervised(settings_for(file, epochs=1, network="modern", net="378-16-36"), out)
    hand = "H6 H8 H9 HJ HA D9 D10 S8 S10"
    found = predict(out, hand)
    assert found["kind"] == "mode"
    assert len(found["rows"]) == 7
    assert sum(row["legal_probability"] for row in found["rows"]) == pytest.approx(1)
    found = predict(out, hand, passed=True)
    assert [row["name"] for row in found["rows"] if row["legal_probability"] is None] == ["schieben"]
    found = predict(out, hand, table="DA", mode="hearts")
    assert {row["name"] for row in found["rows"] if row["legal_probability"] is None} == {"S8", "S10"}
    draw_bars(found, tmp_path / "bars.png")
    assert (tmp_path / "bars.png").stat().st_size > 1000
    found = predict(out, "H6 H8 H9 HJ HA D9 D10 S8", table="DA", played="C6 C7 C8 S10", mode="obe")
    assert sum(row["legal_probability"] or 0 for row in found["rows"]) == pytest.approx(1)
    for changes, words in (
        ({"hand": "H6 H6"}, "twice"),
        ({"hand": "X1"}, "no card"),
        ({"hand": "H6", "mode": "hearts"}, "holds 9 cards"),
        ({"hand": hand, "mode": "herzblatt"}, "no mode"),
        ({"hand": "H6"}, "nine cards"),
    ):
        with pytest.raises(ValueError, match=words):
            predict(out, **changes)


def test_sights_are_the_same_samples_without_names_of_suits():
    deals = Deals.joined(make_deals(MakingSettings(teacher="pimc:worlds=2", deals=6, seed=1, per_game=1)))
    named, seen = CardSamples(deals, "full"), CardSamples(deals, "sight")
    every = np.arange(len(named))
    x, legal, played = named.batch(every)
    sight, allowed, card = seen.batch(every)
    assert np.array_equal(x[:, :36].sum(1), sight[:, :36].sum(1))
    assert np.array_equal(legal.sum(1), allowed.sum(1))
    assert allowed[every, card].all()
    assert np.array_equal(played % 9, card % 9)
    said, there = named.values(every, legal), seen.values(every, allowed)
    assert np.isfinite(said).any()
    assert np.array_equal(said[every, played], there[every, card], equal_nan=True)
    for ranks in (slice(0, 9), slice(9, 18)):  # every suit keeps what was said of its cards
        turned = {tuple(np.nan_to_num(row, nan=9)) for row in there[:, ranks]}
        suits = {tuple(np.nan_to_num(row, nan=9)) for part in np.split(said, 4, axis=1) for row in part}
        assert turned <= suits


def test_a_sighted_network_plays_searches_and_learns_on_by_playing(file, tmp_path):
    out = tmp_path / "net.safetensors"
    small = {"network": "sighted", "net": "537-16-36", "trump_network": "sighted-trump", "trump_net": "37-8-7"}
    facts = run_supervised(settings_for(file, **small), out)
    assert facts["reports"]["card"]["masked"] > facts["reports"]["card"]["random_legal"]
    networks = JassNetworks.load(out)
    assert (networks.card.encoding, networks.trump.encoding) == ("sight", "sight-trump")
    game = stammtisch.load_game("jass-schieber")
    state = game.new_state(seed=1)
    state.sample_chance(np.random.default_rng(1))
    players = [stammtisch.load_agent(f"{name}:{out}", game, 0) for name in ("supervised", "rl-jass")]
    search = stammtisch.load_agent(f"pimc:worlds=2,file={out},beliefs=on", game, 0)
    while state.player >= 0:
        view = state.view(state.player)
        chosen = [player.act(view) for player in players]
        assert chosen[0] == chosen[1]
        assert search.act(view) in state.legal_actions()
        state.apply(chosen[0])
    learner = learner_named("rl-jass")
    sizes = {"layers": [16], "trump_layers": [8], "critic_layers": [8], "lanes": 8, "batch": 16, "validate_deals": 4}
    for method in ("gradient", "expert"):
        changes = {**sizes, "method": method, "anchor": 0.1, "start": str(out), "deals": 16, "critic_first": 8}
        settings = learner.settings_class.for_game("jass-schieber", changes)
        told = learner.train(settings, tmp_path / f"{method}.safetensors")
        assert told["points"][0]["deals"] == 0
    again = run_supervised(settings_for(file, **small, start=str(out), epochs=1), tmp_path / "again.safetensors")
    assert again["networks"]["trump"]["encoding"] == "trump-37"


def test_networks_that_learned_by_playing_are_asked_too():
    hand = "H6 H8 H9 HJ HA D9 D10 S8 S10"
    found = predict(shipped_file(), hand)
    assert found["rows"][0]["name"] == "hearts"
    assert found["rows"][0]["points"] == 0
    assert sum(row["legal_probability"] for row in found["rows"]) == pytest.approx(1)
    found = predict(shipped_file(), hand, table="DA", mode="hearts")
    assert [row["name"] for row in found["rows"] if "points" not in row] == ["S10", "S8"]


def test_the_mode_can_be_chosen_by_another_file(file, tmp_path):
    out, bare = tmp_path / "net.safetensors", tmp_path / "bare.safetensors"
    run_supervised(settings_for(file, epochs=1), out)
    run_supervised(settings_for(file, epochs=1, trump_epochs=0, seed=3), bare)
    game = stammtisch.load_game("jass-schieber")
    state = game.new_state(seed=1)
    state.sample_chance(np.random.default_rng(1))
    view = state.view(state.player)
    wanted = stammtisch.load_agent(f"supervised:{out}", game, 0).act(view)
    assert stammtisch.load_agent(f"supervised:{bare},trump={out}", game, 0).act(view) == wanted
    with pytest.raises(ValueError, match="no network for the mode"):
        stammtisch.load_agent(f"supervised:{out},trump={bare}", game, 0)
