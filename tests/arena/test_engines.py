"""Engines give the same games; Ray on a local cluster of two workers."""

import subprocess
import sys

import pytest

from stammtisch.arena.engines import engine
from stammtisch.benchmarks import play_match

MATCH = {"game": "einstein-3x3", "agents": ["heuristic", "random"], "games": 60, "seed": 9}


def test_processes_play_the_same_games_as_one_process():
    serial, several = (play_match(**MATCH, workers=workers) for workers in (1, 2))
    assert serial.records == several.records
    assert serial.ci95 == several.ci95


def test_ray_plays_the_same_games_as_one_process(monkeypatch):
    """In a process of its own, because a cluster that dies takes its driver along."""
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    code = f"""
from stammtisch.benchmarks import play_match
if __name__ == "__main__":
    serial = play_match(**{MATCH!r})
    ray = play_match(**{MATCH!r}, workers=2, engine_name="ray")
    assert serial.records == ray.records
    assert serial.ci95 == ray.ci95
    print("alike")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert done.stdout.strip().endswith("alike"), done.stdout + done.stderr


def test_unknown_engines_are_named():
    with pytest.raises(ValueError, match='no engine "thread"'):
        engine("thread", 2)


def test_a_missing_ray_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(ValueError, match="pip install"):
        play_match("einstein-3x3", ["random", "random"], games=2, engine_name="ray")
