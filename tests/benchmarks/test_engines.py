"""Engines give the same games; Ray on a local cluster of two workers."""

import pytest

from stammtisch.benchmarks import play_match
from stammtisch.benchmarks.engines import ENGINES, engine


def test_processes_and_ray_play_the_same_games_as_one_process(monkeypatch):
    import ray

    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    results = {
        name: play_match("einstein-3x3", ["heuristic", "random"], games=60, seed=9, workers=2, engine_name=name)
        for name in ENGINES
    }
    ray.shutdown()
    assert results["serial"].records == results["process"].records == results["ray"].records
    assert results["serial"].ci95 == results["ray"].ci95


def test_unknown_engines_are_named():
    with pytest.raises(ValueError, match='no engine "thread"'):
        engine("thread", 2)


def test_a_missing_ray_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(ValueError, match="pip install"):
        play_match("einstein-3x3", ["random", "random"], games=2, engine_name="ray")
