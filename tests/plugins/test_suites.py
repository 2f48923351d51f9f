"""Suites of other packages, with their games and agents; trainings of their games."""

import pytest

from tests.plugins.conftest import ROOT

SUITE = """
title = "Fours"
about = "A suite beside one."

[[tournament]]
game = "connect-four"
agents = ["random", "connect_four.players:Careful,attention=0.5", "heuristic"]
games = 10

[[comparison]]
game = "connect-four"
agents = ["ntuple:file=four.npz", "random"]
games = 10

[[training]]
out = "four.npz"
command = "train ntuple connect-four --episodes 200 --games 4"
"""


@pytest.mark.parametrize("engine", [("--workers", "2"), ("--workers", "2", "--engine", "ray")])
def test_an_installed_suite_is_run_by_its_name(plugged, tmp_path, engine):
    told = plugged.json("bench", "connect-four", "--games", "4", "--out", tmp_path / "results", *engine)
    assert told["suite"] == "connect-four"
    names = {agent for match in told["matches"] for agent in match["agents"]}
    assert names == {"random", "connect-four-careful", "heuristic", "mcts:iterations=200"}
    assert (tmp_path / "results" / "results.sqlite").exists()
    assert "0 faults" in plugged.call("replay", tmp_path / "results")


def test_installed_suites_are_listed(plugged):
    assert "Connect Four: random, careful" in plugged.call("bench", "--list")


def test_a_suite_beside_one_trains_and_plays_plug_ins(plugged, tmp_path):
    (tmp_path / "fours.toml").write_text(SUITE)
    told = plugged.json("bench", tmp_path / "fours.toml", "--out", tmp_path / "results")
    assert told["comparisons"][0]["games"] == 10
    assert (tmp_path / "results" / "report.html").exists()


def test_a_suite_that_is_not_there_is_left_out(plugged, tmp_path):
    metadata = tmp_path / "no_suites-1.0.dist-info"
    metadata.mkdir()
    (metadata / "entry_points.txt").write_text(
        "[stammtisch.suites]\nnothing = no_suites:nothing.toml\nquick = connect_four.suites:ladder.toml\n"
    )
    code = (
        "import warnings; warnings.simplefilter('always')\n"
        "from stammtisch.benchmarks.suites.suite import shipped\n"
        "with warnings.catch_warnings(record=True) as caught: found = shipped()\n"
        "print('nothing' in found, 'connect_four' in str(found['quick']), len(caught), caught[0].message)"
    )
    said = plugged.run("-c", code, PYTHONPATH=f"{tmp_path}:{ROOT}")
    assert said.split()[:3] == ["False", "False", "2"]
    assert "no_suites/nothing.toml" in said


def test_n_tuples_learn_an_installed_game(plugged):
    told = plugged.json("train", "ntuple", "connect-four", "--episodes", "5000", "--out", "four.npz", "--games", "100")
    assert plugged.json("match", "connect-four", "ntuple:file=four.npz", "random", "--games", "40")["score"] > 0.6, told
