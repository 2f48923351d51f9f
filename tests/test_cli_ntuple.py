"""Training and tuning n-tuple networks, as a user calls them, and what a killed training leaves behind."""

import json
import re

import numpy as np
import pytest

from stammtisch.benchmarks.suites.suite import load_suite
from stammtisch.benchmarks.suites.trainings import missing_trainings, run_trainings
from stammtisch.cli import main
from stammtisch.cli.console import PROGRAM
from tests.dying import run_and_die
from tests.test_cli import call


def test_help_and_parameters():
    assert "Example" in call("train", "ntuple", "--help")
    assert "Example" in call("tune", "--help")
    assert "Example" in call("tune", "ntuple", "--help")
    listed = call("train", "ntuple", "einstein-3x3", "--list", "-p", "lam=0.25")
    row = next(line for line in listed.splitlines() if line.startswith("│ lam "))
    assert [cell.strip() for cell in row.split("│")[1:5]] == ["lam", "0.25", "0.0", "0..1"]
    assert json.loads(call("train", "ntuple", "einstein-3x3", "--settings", "--json"))["gamma"] == 1.0


def test_train_measure_and_play(tmp_path):
    net, picture, events = tmp_path / "net.npz", tmp_path / "curve.png", tmp_path / "events"
    words = ("train", "ntuple", "einstein-3x3", "--episodes", "2000", "--every", "1000", "--games", "20")
    facts = json.loads(call(*words, "--out", str(net), "--plot", str(picture), "--tensorboard", str(events), "--json"))
    assert [point["step"] for point in facts["curve"]] == [1000, 2000]
    assert picture.stat().st_size > 1000
    assert list(events.iterdir())
    assert "2,000 games learned" in call(*words, "--out", str(net), "--resume")
    data = json.loads(call("match", "einstein-3x3", f"ntuple:file={net}", "random", "--games", "100", "--json"))
    assert data["score"] > 0.6


def test_tune_compares_settings_and_goes_on(tmp_path):
    words = ("tune", "ntuple", "einstein-3x3", "--episodes", "200", "--seeds", "2", "--points", "2", "--games", "10")
    words += ("--vary", "lam=0,0.5", "--vary", "alpha=0.1", "--out", str(tmp_path), "--one-by-one", "--json")
    found = json.loads(call(*words))["settings"]
    assert [row["label"] for row in found] == ["lam=0.0", "lam=0.5", "alpha=0.1"]
    assert all(len(row["scores"]) == 2 for row in found)
    pictures = {"curves.png", "curves-dark.png", "boxes.png", "boxes-dark.png"}
    assert {"results.json", *pictures} == {path.name for path in tmp_path.iterdir()}
    assert json.loads(call(*words))["settings"] == found  # with the same seconds: nothing was trained again
    assert len(json.loads((tmp_path / "results.json").read_text())) == 6
    one_seed = json.loads(call(*words, "--seeds", "1"))["settings"]
    assert all(0 <= row["ci95"][0] <= row["mean"] <= row["ci95"][1] <= 1 for row in one_seed)
    grid = json.loads(call(*words[:-1], "--grid", "--json"))["settings"]
    assert [row["label"] for row in grid] == ["lam=0.0, alpha=0.1", "lam=0.5, alpha=0.1"]


SUITE = """
about = "A suite that trains its players first."

[[training]]
out = "small-{seed}.npz"
command = "train ntuple einstein-3x3 --episodes 300 --games 10 -p tuple_seed={seed}"
seeds = 2

[[comparison]]
name = "two networks"
game = "einstein-3x3"
agents = ["ntuple:file=small-{seed}.npz", "random"]
games = 20
seeds = 2
paper = 0.5

[[study]]
game = "einstein-3x3"
episodes = 50
vary = { lam = [0.0, 0.5] }
seeds = 2
points = 1
games = 10
paper = { "lam=0.5" = 0.25 }
"""


def test_a_suite_trains_players_measures_several_seeds_and_studies_settings(tmp_path):
    (tmp_path / "learning.toml").write_text(SUITE)
    words = ("bench", str(tmp_path / "learning.toml"), "--out", str(tmp_path / "out"), "--workers", "1")
    data = json.loads(call(*words, "--no-train", "--json"))
    assert data["comparisons"][0]["ours"] == "not built"
    begun = tmp_path / "out" / "models" / "unfinished-small-1.npz"
    begun.mkdir(parents=True)
    train = (
        "train",
        "ntuple",
        "einstein-3x3",
        "--episodes",
        "300",
        "--games",
        "10",
        "-p",
        "tuple_seed=1",
        "--seed",
        "1",
    )
    call(*train, "--out", str(begun / "small-1.npz"))
    data = json.loads(call(*words, "--resume", "--json"))
    trained = {"small-0.npz", "small-0.npz.json", "small-1.npz", "small-1.npz.json"}
    assert {path.name for path in (tmp_path / "out" / "models").iterdir()} == trained
    (learned,) = data["trainings"]
    assert (learned["seeds"], learned["minutes"], learned["unit"]) == (2, None, "episodes")
    steps, means, least, most = learned["curves"]["random"]
    assert steps == [30 * i for i in range(1, 11)]
    assert all(low <= mean <= high for mean, low, high in zip(means, least, most, strict=True))
    assert learned["scores"] == {"random": means[-1]}
    (row,) = data["comparisons"]
    assert (row["seeds"], row["games"], row["agents"]) == (2, 40, "ntuple:file=small-{seed}.npz - random")
    scores = [match["score"] for match in data["matches"]]
    assert row["ours"] == pytest.approx(sum(scores) / 2)
    assert [match["seed"] for match in data["matches"]] == [0, 1]
    assert row["low"] <= row["ours"] <= row["high"]
    (study,) = data["studies"]
    assert [setting["label"] for setting in study["settings"]] == ["lam=0.0", "lam=0.5"]
    page = (tmp_path / "out" / "report.html").read_text()
    assert "lam=0.5" in page
    assert "0.250" in page
    assert "learning curves of stammtisch train ntuple einstein-3x3" in page
    assert "lam=0.5" in call(*words, "--resume")


def test_players_trained_side_by_side_are_those_trained_one_by_one(tmp_path):
    (tmp_path / "learning.toml").write_text(SUITE)
    learned, said = {}, []
    for workers in (1, 2):
        suite = load_suite(str(tmp_path / "learning.toml"), folder=tmp_path / str(workers))
        run_trainings(missing_trainings(suite), PROGRAM, workers, said.append)
        assert missing_trainings(suite) == []
        for path in sorted(suite.models.glob("*.npz")):
            with np.load(path, allow_pickle=False) as archive:
                learned[workers, path.name] = {name: archive[name].tobytes() for name in archive.files}
    assert len(said) == len(learned) == 4
    for seed in range(2):
        assert learned[1, f"small-{seed}.npz"] == learned[2, f"small-{seed}.npz"]


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("--episodes 300", "--episodes none", "training failed: stammtisch train ntuple einstein-3x3 --episodes none"),
        ("small-{seed}.npz", "small.npz", 'out = "small.npz" needs {seed}'),
        ('command = "train', 'command = "match', 'a training is a command "train …"'),
        ("train ntuple", "train ntupel", 'suite bad, [[training]]: no learner "ntupel"; did you mean "ntuple"'),
        (
            "seeds = 2",
            "seeds = 0",
            "key seeds=0 for suite bad, [[comparison]] is not allowed; give an integer",
        ),
    ],
)
def test_a_training_that_fails_or_cannot_be_read_is_named(tmp_path, before, after, message):
    path = tmp_path / "bad.toml"
    path.write_text(SUITE.replace(before, after))
    with pytest.raises(ValueError, match=re.escape(message)):
        run_trainings(missing_trainings(load_suite(str(path), folder=tmp_path)), PROGRAM, workers=2)


def test_a_killed_training_goes_on_as_if_nothing_had_happened(tmp_path):
    killed, whole = tmp_path / "killed.npz", tmp_path / "whole.npz"
    words = ["train", "ntuple", "einstein-3x3", "--episodes", "3000", "--every", "1000", "--games", "10"]
    words += ["--checkpoint", "0.1", "-p", "lam=0.4", "-p", "replay=prioritized", "-p", "batch=2", "-p", "every=8"]
    run_and_die(
        [*words, "--out", killed],
        after="stammtisch.training.ntuple.learner:NTupleTraining.save",
        calls=3,
        clock_of="stammtisch.training.ntuple.run",
    )
    with np.load(killed, allow_pickle=False) as archive:
        assert 0 < archive["counts"][0] < 3000
    call(*words, "--out", str(killed), "--resume")
    call(*words, "--out", str(whole))
    with np.load(killed, allow_pickle=False) as first, np.load(whole, allow_pickle=False) as second:
        assert sorted(first.files) == sorted(second.files)
        for name in first.files:
            assert np.array_equal(first[name], second[name]), name


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["train", "ntuple", "einstein-3x3"], "give --out"),
        (["train", "ntuple", "einstein-3x3", "-p", "lam", "--out", "x.npz"], "write key=value"),
        (["train", "ntuple", "einstein-3x3", "-p", "lmbda=1", "--out", "x.npz"], 'no setting for train ntuple "lmbda"'),
        (["train", "ntuple", "jass-schieber", "--out", "x.npz"], "cards are hidden"),
        (["tune", "ntuple", "einstein-3x3", "--out", "x"], "nothing to try"),
        (["tune", "ntuple", "einstein-3x3", "--study", "relpay", "--out", "x"], 'did you mean "replay"'),
    ],
)
def test_bad_input_is_named(words, message, monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["stammtisch", *words])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    assert message in " ".join(capsys.readouterr().err.split())
    assert not list(tmp_path.iterdir())
