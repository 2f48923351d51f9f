"""Engines give the same games; Ray on a local cluster of two workers."""

import subprocess
import sys
import threading

import pytest

from stammtisch import Agent
from stammtisch.arena import engines
from stammtisch.arena.engines import engine
from stammtisch.arena.sprt import Sprt
from stammtisch.benchmarks import play_match

MATCH = {"game": "einstein-3x3", "agents": ["heuristic", "random"], "games": 60, "seed": 9}


def test_processes_play_the_same_games_as_one_process():
    serial, several = (play_match(**MATCH, workers=workers) for workers in (1, 2))
    assert serial.records == several.records
    assert serial.ci95 == several.ci95


@pytest.mark.parametrize(
    ("game", "agents", "games"),
    [
        ("einstein-3x3", ["heuristic", "random"], 60),
        ("reversi-4x4", ["mcts:iterations=20", "minimax:depth=2"], 25),
        ("jass-schieber", ["pimc:worlds=2,exact=2", "heuristic"], 5),
    ],
)
def test_threads_play_the_same_games_as_one_thread(game, agents, games):
    serial = play_match(game, agents, games, seed=3)
    for workers in (2, 3):
        threads = play_match(game, agents, games, seed=3, workers=workers, engine_name="thread")
        assert serial.records == threads.records


def test_players_in_kernels_take_threads_by_themselves(monkeypatch):
    def refuse(*_):
        raise AssertionError("processes were started")

    monkeypatch.setattr(engines, "_pool", refuse)
    play_match("reversi-4x4", ["mcts:iterations=5", "heuristic"], games=4, workers=2)
    with pytest.raises(AssertionError, match="processes"):
        play_match("reversi-4x4", ["perfect", "heuristic"], games=4, workers=2)


def threads_of_matches():
    return [thread for thread in threading.enumerate() if thread.name == "stammtisch-match"]


def test_a_test_that_ends_a_match_ends_its_threads():
    sprt = Sprt.parse("elo0=0,elo1=400")
    results = [
        play_match("reversi-4x4", ["minimax:depth=3", "random"], 4000, 1, workers, sprt=sprt, opening=2)
        for workers in (1, 2)
    ]
    assert results[0].records == results[1].records
    assert results[1].games < 4000
    assert not threads_of_matches()


def test_what_goes_wrong_in_a_thread_is_told():
    agents = ["stammtisch.baselines.search.mc:FlatMonteCarlo,iterations=5", "tests.arena.test_engines:Failing"]
    with pytest.raises(ZeroDivisionError):
        play_match("reversi-4x4", agents, games=40, workers=2, engine_name="thread")
    assert not threads_of_matches()


class Failing(Agent):
    def act(self, view):
        return 1 // 0


def test_an_interrupt_ends_a_match_in_threads_before_its_game_is_over():
    def interrupt(done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_match("reversi-8x8", ["mcts:iterations=20000", "random"], 60, workers=2, progress=interrupt)
    assert not threads_of_matches()


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
    with pytest.raises(ValueError, match='no engine "fibre"'):
        engine("fibre", 2)


def test_a_missing_ray_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(ValueError, match="pip install"):
        play_match("einstein-3x3", ["random", "random"], games=2, engine_name="ray")
