"""Deals, networks and checkpoints of Jass, and imports under way, damaged: one line, or something that can be used."""

import random
import shutil

import numpy as np
import pytest

import stammtisch
from stammtisch.baselines.learned.jass import network as networks
from stammtisch.training.jass.counting import Counts
from stammtisch.training.jass.deals import CHUNK, deal_chunks, read_deals, read_header, write_deals
from stammtisch.training.jass.deals import KIND as DEALS_KIND
from stammtisch.training.jass.logs import reading as imports
from stammtisch.training.jass.logs.writing import export_deals
from stammtisch.training.jass.making import MakingSettings, write_made
from stammtisch.training.jass.predicting import predict
from stammtisch.training.jass.samples import CardSamples, TrumpSamples
from tests.attack.damage import FEW, MANY, as_json, attack_file, changed, scratched, scribbled
from tests.attack.test_damaged_files import npz_mutants
from tests.playing import random_state
from tests.training.jass.logs import session, swisslos_deal

pytest.importorskip("torch")
tensors = pytest.importorskip("tests.attack.test_damaged_models")

from stammtisch.training.checkpoints import checkpoint_path  # noqa: E402
from stammtisch.training.rl_jass import checkpoint as rl_checkpoint  # noqa: E402
from stammtisch.training.rl_jass.learner import RLJassTraining  # noqa: E402
from stammtisch.training.rl_jass.settings import RLJassSettings  # noqa: E402
from stammtisch.training.supervised import training as supervised  # noqa: E402
from stammtisch.training.supervised.settings import SupervisedSettings  # noqa: E402

COUNTS = [pytest.param(FEW, id="few"), pytest.param(MANY, id="many", marks=pytest.mark.slow)]
FEWER = [pytest.param(40, id="few"), pytest.param(MANY, id="many", marks=pytest.mark.slow)]  # each costs a step of work
GAME = "jass-schieber"
HAND = "H6 H8 H9 HJ HA D9 D10 S8 S10"
RL = {"deals": 24, "lanes": 8, "layers": [8], "trump_layers": [8], "critic_layers": [8], "batch": 16}
RL |= {"validate_deals": 4, "validate_every": 16, "checkpoint_every": 16, "seed": 5}


@pytest.fixture(scope="module")
def deals(tmp_path_factory):
    path = tmp_path_factory.mktemp("deals") / "deals.npz"
    write_made(path, MakingSettings(deals=60, seed=3, per_game=3))
    return path


@pytest.fixture(scope="module")
def learned(tmp_path_factory, deals):
    """A supervised training that was stopped in its second epoch: networks, and a checkpoint beside them."""
    out = tmp_path_factory.mktemp("supervised") / "jass.safetensors"
    epochs = 0

    def stop(done, *_):
        nonlocal epochs
        epochs += done
        return epochs > 0

    supervised.run_supervised(small(deals), out, show=stop)
    return out


def small(deals):
    values = {"net": "42-12-36", "network": "SL_42_1", "trump_network": "SL_37_1_relu_adam_cc", "epochs": 2}
    values |= {"trump_epochs": 1, "batch": 512, "eval_games": 2, "most_tests": 50}
    return SupervisedSettings(data=[str(deals)], **values)


@pytest.fixture(scope="module")
def reinforced(tmp_path_factory):
    out = tmp_path_factory.mktemp("rl") / "jass.safetensors"
    RLJassTraining(RLJassSettings.for_game(GAME, RL), out).run()
    return out


# Deals


@pytest.mark.parametrize("count", COUNTS)
def test_deals(deals, tmp_path, count):
    def use(path):
        read_header(path)
        counts = Counts()
        for chunk in deal_chunks(path):
            counts.add(chunk)
            for samples in (CardSamples(chunk, "jass-42"), TrumpSamples(chunk)):
                if len(samples):
                    samples.batch(np.arange(min(len(samples), 8)))
        counts.told()
        export_deals(path, tmp_path / "kit" / "deals")
        supervised.joined_files([str(path), str(deals)])

    outcome = attack_file(use, deals.read_bytes(), npz_mutants(deals.read_bytes(), count), tmp_path / "made.npz")
    assert outcome.tried == count
    assert outcome.refused > count // 3


def test_games_are_told_apart_whatever_their_numbers_are(deals, tmp_path):
    """The last number that there is, in a file that another one follows."""
    made = read_deals(deals)
    made.game[:] = np.iinfo(np.int64).max
    write_deals(tmp_path / "last.npz", made)
    joined = supervised.joined_files([str(tmp_path / "last.npz"), str(deals)])
    both = len(np.unique(read_deals(deals).game)) + 1
    assert len(np.unique(joined.game)) == both


def test_a_chunk_that_says_more_deals_than_a_chunk_has_costs_no_memory(deals, tmp_path):
    made = read_deals(deals)
    many = made[np.zeros(CHUNK + 1, np.int64)]
    write_deals(tmp_path / "two.npz", many)  # two chunks
    assert len(read_deals(tmp_path / "two.npz")) == CHUNK + 1
    with pytest.raises(stammtisch.errors.BadFile, match=f'cannot read {DEALS_KIND} "'):
        read_deals(tmp_path)


# Networks


def plays(spec):
    game = stammtisch.load_game(GAME)
    agent = stammtisch.load_agent(spec, game, seed=0)
    for plies in (1, 8, 30):
        state = random_state(game, 2, plies)
        view = state.view(state.player)
        assert agent.act(view) in view.legal_actions()


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("learner", ["supervised", "rl-jass"])
def test_networks(request, tmp_path, learner, count):
    whole = request.getfixturevalue("learned" if learner == "supervised" else "reinforced")

    def use(path):
        plays(f"{learner}:{path}")
        if learner == "supervised":
            predict(path, HAND, mode="hearts")

    def use_networks(path):
        networks.JassNetworks.load(path)
        use(path)

    mutants = tensors.tensor_mutants(whole, networks.KIND, count)
    outcome = attack_file(use_networks, whole.read_bytes(), mutants, tmp_path / "network.safetensors")
    assert outcome.tried == count
    assert outcome.refused > count // 3


# Checkpoints: what is believed is gone on with


@pytest.mark.parametrize("count", FEWER)
def test_supervised_checkpoints(deals, learned, tmp_path, count):
    out = tmp_path / "jass.safetensors"
    steps = 0

    def stop(*_):
        nonlocal steps
        steps += 1
        return steps > 1

    def use(path):
        nonlocal steps
        steps = 0
        supervised.run_supervised(small(deals), out, resume=True, show=stop)

    victim = checkpoint_path(learned)
    mutants = tensors.tensor_mutants(victim, supervised.KIND, count)
    outcome = attack_file(use, victim.read_bytes(), mutants, checkpoint_path(out), most_mb=512)
    assert outcome.tried == count
    assert outcome.refused > count // 3


@pytest.mark.parametrize("count", FEWER)
def test_rl_jass_checkpoints(reinforced, tmp_path, count):
    settings = RLJassSettings.for_game(GAME, RL)
    out = tmp_path / "jass.safetensors"

    def use(path):
        training = RLJassTraining(settings, out, resume=True)
        training.out = None  # nothing is written
        training.tell()
        training.play_round()
        training.validate()

    victim = checkpoint_path(reinforced)
    mutants = tensors.tensor_mutants(victim, rl_checkpoint.KIND, count)
    outcome = attack_file(use, victim.read_bytes(), mutants, checkpoint_path(out), most_mb=512)
    assert outcome.tried == count
    assert outcome.refused > count // 3


# Imports under way


@pytest.mark.parametrize("count", COUNTS)
def test_imports_that_were_interrupted(deals, tmp_path, monkeypatch, count):
    made = read_deals(deals)
    logs = []
    for number in range(2):
        logs.append(tmp_path / f"log-{number}.txt")
        logs[-1].write_text(session(*(swisslos_deal(made, 3 * number + each) for each in range(3))) + "\n")
    out = tmp_path / "imported.npz"
    monkeypatch.setattr(imports.shutil, "rmtree", lambda folder: None)  # as if killed before the last step
    imports.import_logs(logs, out)
    folder = tmp_path / "imported.npz.parts"
    state = (folder / "state.json").read_text()
    kept = tmp_path / "kept"
    shutil.copytree(folder, kept)
    rng = random.Random(count)
    part = (folder / "000000.npz").read_bytes()

    def mutant():
        if rng.random() < 0.3:
            return scratched(part, rng)
        if rng.random() < 0.5:
            return scribbled(state, rng).encode("utf-8", "replace")
        return as_json(changed(imports.json.loads(state), rng), rng).encode("utf-8", "surrogatepass")

    def use(path):
        data = path.read_bytes()
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(kept, folder)
        (folder / ("000000.npz" if data[:2] == b"PK" else "state.json")).write_bytes(data)
        imports.import_logs(logs, out, resume=True)

    monkeypatch.setattr(imports.shutil, "rmtree", REMOVE)
    outcome = attack_file(use, state.encode(), (mutant() for _ in range(count)), tmp_path / "victim")
    assert outcome.tried == count
    assert outcome.read
    assert outcome.refused > count // 4


REMOVE = shutil.rmtree
