"""A deep-Q training that was interrupted, even killed, goes on as if nothing had happened."""

import json

import pytest

from stammtisch.baselines.learned.tensor_files import read_tensors, write_tensors
from stammtisch.training.checkpoints import checkpoint_path
from stammtisch.training.dqn.checkpoint import KIND
from stammtisch.training.dqn.learner import DQNTraining
from stammtisch.training.dqn.settings import DQNSettings
from tests.dying import run_and_die
from tests.test_cli import call
from tests.training.resuming import assert_same_arrays

SMALL = {
    "games": 60,
    "parallel": 4,
    "layers": [16],
    "least_memory": 20,
    "memory": 200,
    "batch": 16,
    "target_every": 5,
    "validate_every": 20,
    "validate_games": 4,
    "checkpoint_every": 8,
}


def small(game="einstein-3x3", **changes):
    return DQNSettings.for_game(game, SMALL, changes)


class Interrupted(Exception):
    pass


def interrupted(settings, out, games, monkeypatch):
    """Train until so many games are over, and leave what is on disk."""
    step = DQNTraining._step

    def until(training):
        if training.games >= games:
            raise Interrupted
        step(training)

    with monkeypatch.context() as patched:
        patched.setattr(DQNTraining, "_step", until)
        with pytest.raises(Interrupted):
            DQNTraining(settings, out).run()


@pytest.mark.parametrize("game", ["einstein-3x3", "morris-3"])
def test_a_resumed_training_gives_the_same_curve(tmp_path, monkeypatch, game):
    settings = small(game, n_step=2)
    whole, parts = tmp_path / "whole.safetensors", tmp_path / "parts.safetensors"
    undisturbed = DQNTraining(settings, whole).run()
    interrupted(settings, parts, 45, monkeypatch)
    resumed = DQNTraining(settings, parts, resume=True)
    assert 0 < resumed.games < 60
    assert len(resumed.curve) == 2
    resumed.run()
    assert resumed.curve == undisturbed.curve
    assert resumed.updates == undisturbed.updates > 0
    assert_same_arrays(whole, parts)
    assert_same_arrays(checkpoint_path(whole), checkpoint_path(parts))


def test_a_finished_training_can_be_lengthened(tmp_path):
    out = tmp_path / "m.safetensors"
    first = DQNTraining(small(games=30), out).run()
    longer = DQNTraining(small(games=60), out, resume=True)
    assert longer.games == first.games
    assert longer.run().games >= 60
    assert [point.step for point in longer.curve] == sorted({point.step for point in longer.curve})


def test_a_killed_training_goes_on_as_if_nothing_had_happened(tmp_path):
    killed, whole = tmp_path / "killed.safetensors", tmp_path / "whole.safetensors"
    changes = {**SMALL, "games": 400, "checkpoint_every": 20, "validate_every": 100}
    words = ["train", "dqn", "einstein-3x3", *[f"--set={key}={json.dumps(value)}" for key, value in changes.items()]]
    run_and_die([*words, "--out", killed], after="stammtisch.training.dqn.learner:save_dqn_checkpoint", calls=2)
    _, header = read_tensors(checkpoint_path(killed), KIND)
    assert 0 < header["counts"]["games"] <= 400
    resumed = json.loads(call(*words, "--out", str(killed), "--resume", "--json"))
    undisturbed = json.loads(call(*words, "--out", str(whole), "--plot", str(tmp_path / "curve.png"), "--json"))
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert resumed["curve"] == undisturbed["curve"]
    assert_same_arrays(whole, killed)


def test_what_cannot_go_on_is_refused(tmp_path):
    out = tmp_path / "m.safetensors"
    DQNTraining(small(), out).run()
    checkpoint = checkpoint_path(out)
    with pytest.raises(ValueError, match="holds a training; add --resume"):
        DQNTraining(small(), out)
    with pytest.raises(ValueError, match=r"changed: gamma 0\.99 -> 0\.5"):
        DQNTraining(small(gamma=0.5), out, resume=True)
    arrays, header = read_tensors(checkpoint, KIND)
    whole = checkpoint.read_bytes()
    for content in (whole[: len(whole) // 2], b"hello", b""):
        checkpoint.write_bytes(content)
        with pytest.raises(ValueError, match="damaged"):
            DQNTraining(small(), out, resume=True)
    checkpoint.write_bytes(out.read_bytes())
    with pytest.raises(ValueError, match="holds 'dqn model', not 'dqn checkpoint'"):
        DQNTraining(small(), out, resume=True)
    write_tensors(checkpoint, {name: array for name, array in arrays.items() if name != "by_lot"}, header)
    with pytest.raises(ValueError, match="cannot read dqn checkpoint"):
        DQNTraining(small(), out, resume=True)
