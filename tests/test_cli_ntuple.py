"""Training and tuning n-tuple networks, as a user calls them, and what a killed training leaves behind."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from stammtisch.cli import main
from tests.test_cli import call


def test_help_and_parameters():
    assert "Example" in call("train", "ntuple", "--help")
    assert "Example" in call("tune", "--help")
    assert "Example" in call("tune", "ntuple", "--help")
    listed = call("train", "ntuple", "einstein-3x3", "--list", "-p", "lam=0.25")
    assert "lam=0.25" in listed
    assert "gamma=" in listed


def test_train_measure_and_play(tmp_path):
    net, picture, events = tmp_path / "net.npz", tmp_path / "curve.png", tmp_path / "events"
    words = ("train", "ntuple", "einstein-3x3", "--episodes", "2000", "--every", "1000", "--games", "20")
    facts = json.loads(call(*words, "--out", str(net), "--plot", str(picture), "--tensorboard", str(events), "--json"))
    assert [point["episodes"] for point in facts["curve"]] == [1000, 2000]
    assert picture.stat().st_size > 1000
    assert list(events.iterdir())
    assert "2,000 games learned" in call(*words, "--out", str(net), "--resume")
    data = json.loads(call("match", "einstein-3x3", f"ntuple:file={net}", "random", "--games", "100", "--json"))
    assert data["score"] > 0.6


def test_tune_compares_settings_and_goes_on(tmp_path):
    words = ("tune", "ntuple", "einstein-3x3", "--episodes", "200", "--seeds", "2", "--points", "2", "--games", "10")
    words += ("--vary", "lam=0,0.5", "--vary", "alpha=0.1", "--out", str(tmp_path), "--json")
    found = json.loads(call(*words))["settings"]
    assert [row["label"] for row in found] == ["lam=0.0", "lam=0.5", "alpha=0.1"]
    assert all(len(row["scores"]) == 2 for row in found)
    assert {"results.json", "curves.png", "boxes.png"} == {path.name for path in tmp_path.iterdir()}
    assert json.loads(call(*words))["settings"] == found  # with the same seconds: nothing was trained again
    assert len(json.loads((tmp_path / "results.json").read_text())) == 6
    grid = json.loads(call(*words[:-1], "--grid", "--json"))["settings"]
    assert [row["label"] for row in grid] == ["lam=0.0, alpha=0.1", "lam=0.5, alpha=0.1"]


def test_a_killed_training_goes_on_as_if_nothing_had_happened(tmp_path):
    killed, whole = tmp_path / "killed.npz", tmp_path / "whole.npz"
    words = ["train", "ntuple", "einstein-3x3", "--episodes", "150000", "--every", "50000", "--games", "10"]
    words += ["--checkpoint", "0.1", "-p", "lam=0.4", "-p", "replay=prioritized", "-p", "batch=2", "-p", "every=8"]
    root = pathlib.Path(__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    command = [sys.executable, "-m", "stammtisch.cli", *words, "--out", str(killed)]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    while not killed.exists() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    with np.load(killed, allow_pickle=False) as archive:
        assert 0 < archive["counts"][0] <= 150_000
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
        (["train", "ntuple", "einstein-3x3", "-p", "lmbda=1", "--out", "x.npz"], "no parameter"),
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
