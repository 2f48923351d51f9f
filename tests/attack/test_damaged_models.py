"""Models and checkpoints in safetensors, damaged in thousands of ways: one line, or a player that plays."""

import random

import numpy as np
import pytest

import stammtisch
from stammtisch.baselines.learned.tensor_files import read_tensors, write_tensors
from tests.attack.damage import FEW, MANY, attack_file, changed, scratched
from tests.playing import random_state

pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

from stammtisch.training.checkpoints import checkpoint_path
from stammtisch.training.dqn.learner import DQNTraining
from stammtisch.training.dqn.settings import DQNSettings
from stammtisch.training.sb3.learner import CHECKPOINT, MODEL, SETTINGS_FILE, SB3Training
from stammtisch.training.sb3.settings import SB3Settings

COUNTS = [pytest.param(FEW, id="few"), pytest.param(MANY, id="many", marks=pytest.mark.slow)]
GAME = "morris-3"
DQN = {"games": 8, "parallel": 4, "layers": [8], "memory": 64, "least_memory": 8, "batch": 8}
DQN |= {"validate_games": 2, "validate_every": 8, "threads": 1}
SB3 = {
    "steps": 64,
    "envs": 4,
    "rollout": 8,
    "batch": 16,
    "layers": [8],
    "eval_games": 2,
    "eval_every": 64,
    "threads": 1,
}


def tensor_mutants(path, kind, count):
    """Return damaged bytes, and files with right checksums whose header or arrays are changed."""
    rng = random.Random(count)
    data = path.read_bytes()
    arrays, header = read_tensors(path, kind)
    made = path.with_name("made.safetensors")
    left = count
    while left:
        kind = rng.randrange(3)
        if kind == 0:
            left -= 1
            yield scratched(data, rng)
            continue
        found, told = dict(arrays), header
        if kind == 1:
            told = changed(header, rng)
            if rng.random() < 0.05:
                told["deep"] = nested(rng.choice((40, 300)))
        else:
            name = rng.choice(list(found))
            array = found.pop(name)
            choices = [array.ravel()[:0], array.astype(np.float64), array[None], np.int8(3), np.repeat(array, 5)]
            if array.dtype.kind == "f":
                choices.append(np.full_like(array, np.nan))
            if rng.random() < 0.8:
                found[name] = np.asarray(rng.choice(choices))
        try:
            write_tensors(made, found, told)
        except (ValueError, TypeError):  # what JSON cannot say
            continue
        left -= 1
        yield made.read_bytes()


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


def plays(spec, game):
    state = random_state(game, 1, 3)
    view = state.view(state.player)
    assert stammtisch.load_agent(spec, game).act(view) in view.legal_actions()


@pytest.fixture(scope="module")
def dqn(tmp_path_factory):
    out = tmp_path_factory.mktemp("dqn") / "model.safetensors"
    DQNTraining(DQNSettings.for_game(GAME, DQN), out).run()
    return out


@pytest.fixture(scope="module")
def sb3(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sb3")
    SB3Training(SB3Settings.for_game(GAME, SB3), folder).run()
    return folder


@pytest.mark.parametrize("count", COUNTS)
def test_dqn_models(dqn, tmp_path, count):
    game = stammtisch.load_game(GAME)
    mutants = tensor_mutants(dqn, "dqn model", count)
    outcome = attack_file(
        lambda path: plays(f"dqn:{path}", game), dqn.read_bytes(), mutants, tmp_path / "model.safetensors"
    )
    assert outcome.tried == count
    assert outcome.refused > count // 3


@pytest.mark.parametrize("count", COUNTS)
def test_sb3_models(sb3, tmp_path, count):
    game = stammtisch.load_game(GAME)
    mutants = tensor_mutants(sb3 / MODEL, "sb3 model", count)
    outcome = attack_file(
        lambda path: plays(f"sb3:{path}", game), (sb3 / MODEL).read_bytes(), mutants, tmp_path / "model.safetensors"
    )
    assert outcome.tried == count
    assert outcome.refused > count // 3


@pytest.mark.parametrize("count", COUNTS)
def test_dqn_checkpoints(dqn, tmp_path, count):
    settings = DQNSettings.for_game(GAME, DQN)
    out = tmp_path / "model.safetensors"
    mutants = tensor_mutants(checkpoint_path(dqn), "dqn checkpoint", count)
    whole = checkpoint_path(dqn).read_bytes()
    outcome = attack_file(lambda path: DQNTraining(settings, out, resume=True), whole, mutants, checkpoint_path(out))
    assert outcome.tried == count
    assert outcome.refused > count // 3


@pytest.mark.parametrize("count", COUNTS)
def test_sb3_checkpoints(sb3, tmp_path, count):
    settings = SB3Settings.for_game(GAME, SB3)
    (tmp_path / SETTINGS_FILE).write_bytes((sb3 / SETTINGS_FILE).read_bytes())
    mutants = tensor_mutants(sb3 / CHECKPOINT, "sb3 checkpoint", count)
    whole = (sb3 / CHECKPOINT).read_bytes()
    outcome = attack_file(
        lambda path: SB3Training(settings, tmp_path, resume=True), whole, mutants, tmp_path / CHECKPOINT
    )
    assert outcome.tried == count
    assert outcome.refused > count // 3


def test_layers_that_the_file_does_not_hold_are_refused_before_they_are_built(dqn, sb3, tmp_path):
    huge = [200_000, 200_000]
    arrays, header = read_tensors(dqn, "dqn model")
    for change in ({"layers": huge}, {"layers": [True]}, {"layers": []}, {"phases": []}, {"phases": "all"}):
        write_tensors(tmp_path / "m.safetensors", arrays, {**header, **change})
        with pytest.raises(stammtisch.errors.BadFile, match=r"^cannot read dqn model .*: it has (layers|networks)"):
            stammtisch.load_agent(f"dqn:{tmp_path / 'm.safetensors'}", GAME)
    arrays, header = read_tensors(sb3 / MODEL, "sb3 model")
    write_tensors(tmp_path / "m.safetensors", arrays, {**header, "network": {**header["network"], "layers": huge}})
    with pytest.raises(stammtisch.errors.BadFile, match="but not their weights"):
        stammtisch.load_agent(f"sb3:{tmp_path / 'm.safetensors'}", GAME)
