"""``tune`` as a user calls it: agents, trainings, samplers, and runs that share a folder."""

import json
import re
import subprocess
import sys

import pytest

from stammtisch.cli import main
from tests.dying import run_and_die
from tests.test_cli import call

NTUPLE = ("tune", "ntuple", "einstein-3x3", "--seeds", "2", "--points", "2", "--vary", "lam=0,0.5")


def settings_of(*words):
    return json.loads(call(*words, "--json"))["settings"]


def test_trainings_of_other_lengths_games_and_opponents_are_kept_apart(tmp_path):
    """All of it once went into one mean, or into curves of different lengths that could not be drawn."""
    base = (*NTUPLE, "--out", str(tmp_path))
    short = settings_of(*base, "--episodes", "100", "--games", "10")
    long = settings_of(*base, "--episodes", "300", "--games", "10")
    more = settings_of(*base, "--episodes", "100", "--games", "20")
    other = settings_of(*base, "--episodes", "100", "--games", "10", "--opponent", "heuristic")
    points = settings_of(*base, "--episodes", "100", "--games", "10", "--points", "4")
    options = settings_of(*base, "--episodes", "100", "--games", "10", "-o", "random_start=true")
    runs = (short, long, more, other, points, options)
    assert all(len(row["scores"]) == 2 for run in runs for row in run)
    assert [row["games"] for run in runs for row in run] == [20, 20, 20, 20, 40, 40, *[20] * 6]
    assert len(json.loads((tmp_path / "results.json").read_text())) == 24
    assert settings_of(*base, "--episodes", "100", "--games", "10") == short


def test_trainings_side_by_side_are_those_one_by_one(tmp_path):
    words = (*NTUPLE, "--episodes", "100", "--games", "10")
    found = [
        [row["scores"] for row in settings_of(*words, "--workers", workers, "--out", str(tmp_path / workers))]
        for workers in ("1", "2")
    ]
    assert found[0] == found[1]


def test_tune_an_agent_and_what_the_console_says(tmp_path):
    words = ("tune", "mc:depth=4", "einstein-3x3", "--vary", "iterations=1,10", "--vary", "cut=zero,evaluate")
    words += ("--games", "10", "--seeds", "2", "--out", str(tmp_path))
    found = settings_of(*words)
    assert [row["label"] for row in found] == [
        f"iterations={iterations}, cut={cut}" for iterations in (1, 10) for cut in ("zero", "evaluate")
    ]
    said = call(*words)
    for column in ("seeds", "games", "min – median – max", "sd", "seconds"):
        assert column in said
    assert (tmp_path / "heat.png").stat().st_size > 1000
    apart = settings_of(*words, "--one-by-one")
    assert [row["label"] for row in apart] == ["iterations=1", "iterations=10", "cut=zero", "cut=evaluate"]


def test_a_sampler_proposes_the_same_again_and_goes_on(tmp_path):
    pytest.importorskip("optuna")
    words = ("tune", "mc", "einstein-3x3", "--vary", "iterations=1..30", "--vary", "cut=zero,evaluate")
    words += ("--vary", "epsilon=0.0..0.5", "--games", "10", "--seeds", "1", "--sampler", "tpe", "--out", str(tmp_path))
    few = settings_of(*words, "--trials", "3")
    many = settings_of(*words, "--trials", "5")
    assert len(few) == 3
    assert many[:3] == few
    assert "measure it again" in call(*words, "--trials", "3")


def test_a_sampler_of_trainings(tmp_path):
    pytest.importorskip("optuna")
    words = (*NTUPLE[:-2], "--vary", "alpha=0.1..1.0", "--episodes", "60", "--games", "10", "--points", "1")
    found = settings_of(*words, "--sampler", "random", "--trials", "2", "--out", str(tmp_path))
    assert len(found) == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("mc", "einstein-3x3"), "nothing to try: give --vary"),
        (("mcc", "einstein-3x3", "--vary", "a=1"), 'did you mean "mc"'),
        (("mc", "einstein-3x3", "--vary", "iteratoins=1"), 'did you mean "iterations"'),
        (("mc", "einstein-3x3", "--vary", "iterations=x"), "iterations=.x. for agent mc is not allowed"),
        (("mc", "einstein-3x3", "--vary", "iterations=1", "--opponent", "nobody"), 'no agent "nobody"'),
        (("mc", "einstein-3x3", "--vary", "iterations=1", "--study", "replay"), 'are for "tune ntuple"'),
        (("mc", "einstein-3x3", "--vary", "iterations=1", "--sampler", "luck"), 'no sampler "luck"'),
        (("mc", "einstein-3x3", "--vary", "iterations=9..1", "--sampler", "tpe"), "a range is name=low..high"),
        (("mc", "einstein-3x3", "--vary", "iterations=1..9"), "iterations=.1..9. for agent mc is not allowed"),
        (("ntuple", "einstein-3x3", "--vary", "lam=0", "--race"), "--race is for agents"),
        (("ntuple", "einstein-3x3", "--study", "relpay"), 'did you mean "replay"'),
    ],
)
def test_what_cannot_be_tuned_is_said_in_one_line(words, message, tmp_path, monkeypatch, capsys):
    if "--sampler" in words:
        pytest.importorskip("optuna")
    said = refused(monkeypatch, capsys, "tune", *words, "--out", str(tmp_path / "out"))
    assert re.search(message, said)
    assert not (tmp_path / "out").exists()


def refused(monkeypatch, capsys, *words):
    monkeypatch.setattr("sys.argv", ["stammtisch", *words])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    return " ".join(capsys.readouterr().err.split())


def test_a_missing_package_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "optuna", None)
    words = ("tune", "mc", "einstein-3x3", "--vary", "iterations=1..9", "--sampler", "tpe", "--out", str(tmp_path))
    said = refused(monkeypatch, capsys, *words)
    assert 'needs more packages: pip install "stammtisch[optuna]"' in said


def test_ray_tune_proposes_the_same_again(tmp_path):
    pytest.importorskip("ray")
    try:
        import ray.tune  # noqa: F401
    except ImportError as error:
        pytest.skip(str(error))
    words = ("tune", "mc", "einstein-3x3", "--vary", "iterations=1..30", "--vary", "cut=zero,evaluate")
    words += ("--games", "10", "--seeds", "1", "--sampler", "ray", "--trials", "3")
    first, second = (settings_of(*words, "--out", str(tmp_path / name)) for name in ("a", "b"))
    assert [row["label"] for row in first] == [row["label"] for row in second]
    assert len(first) == 3


def test_ray_plays_the_same_grid_as_one_process(tmp_path, monkeypatch):
    """In a process of its own, because a cluster that dies takes its driver along."""
    pytest.importorskip("ray")
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    words = ("tune", "mc", "einstein-3x3", "--vary", "iterations=1,5", "--games", "10", "--seeds", "2", "--json")
    alone = settings_of(*words[:-1], "--out", str(tmp_path / "alone"))
    command = [sys.executable, "-m", "stammtisch.cli", *words, "--out", str(tmp_path / "ray")]
    done = subprocess.run([*command, "--workers", "2", "--engine", "ray"], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    together = json.loads(done.stdout)["settings"]
    assert [row["scores"] for row in together] == [row["scores"] for row in alone]


def test_a_killed_grid_goes_on_to_the_same_table(tmp_path):
    words = ("tune", "mc", "einstein-3x3", "--vary", "iterations=1,5", "--games", "10", "--seeds", "2")
    whole = settings_of(*words, "--out", str(tmp_path / "whole"))
    run_and_die([*words, "--out", str(tmp_path / "killed")], "stammtisch.arena.store:Store.add", calls=2)
    assert not (tmp_path / "killed" / "results.json").exists()
    again = settings_of(*words, "--out", str(tmp_path / "killed"))
    assert [row["scores"] for row in again] == [row["scores"] for row in whole]
