"""Work done by several threads: in order, with its errors, and only where that pays."""

import os
import threading

import gymnasium as gym
import numpy as np
import pytest

from stammtisch.envs.core import threads
from stammtisch.envs.core.threads import Splitter, together


def test_results_come_in_the_order_of_the_tasks():
    assert together([lambda k=k: (k, threading.get_ident()) for k in range(1)])[0] == (0, threading.get_ident())
    found = together([lambda k=k: (k, threading.get_ident()) for k in range(4)])
    assert [k for k, _ in found] == [0, 1, 2, 3]
    assert found[0][1] == threading.get_ident()
    assert len({who for _, who in found}) == 4


def test_a_part_goes_to_the_same_worker_again():
    first, second = (together([threading.get_ident] * 3) for _ in range(2))
    assert first == second


def test_an_error_is_raised_after_everybody_is_done():
    done = []

    def fails():
        raise KeyError("lost")

    for tasks in ([fails, lambda: done.append(1)], [lambda: done.append(2), fails]):
        with pytest.raises(KeyError, match="lost"):
            together(tasks)
    assert sorted(done) == [1, 2]
    assert together([lambda: 1, lambda: 2]) == [1, 2]


def test_several_python_threads_ask_at_the_same_time():
    found = {}

    def ask(k):
        found[k] = [together([lambda i=i: (k, i) for i in range(3)]) for _ in range(50)]

    askers = [threading.Thread(target=ask, args=(k,)) for k in range(4)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join(60)
    assert found == {k: [[(k, i) for i in range(3)]] * 50 for k in range(4)}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_has_workers_of_its_own():
    together([lambda: 0, lambda: 1])
    child = os.fork()
    if child == 0:
        os._exit(0 if together([lambda: 0, lambda: 1, lambda: 2]) == [0, 1, 2] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


class Clock:
    """Goes on by what the work says it takes with so many threads."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.mark.parametrize(("two", "pays"), [(0.5, 2), (0.96, 2), (0.99, 1), (2.0, 1)])
def test_as_many_threads_are_taken_as_pay(monkeypatch, two, pays):
    clock = Clock()
    covered, parts = np.zeros(1024, np.int64), []

    def work(lo, hi):
        covered[lo:hi] += 1
        if lo == 0:
            parts.append(round(1024 / hi))
            clock.now += 1.0 if hi == 1024 else two

    monkeypatch.setattr(threads, "_TRUST", 20)
    splitter = Splitter(2, clock)
    for _ in range(60):
        splitter.over(work, 1024)
    assert covered.tolist() == [60] * 1024
    assert parts[0] == 1  # which may compile
    assert sorted(parts[1:7]) == [1, 1, 1, 2, 2, 2]
    assert parts[7:27] == [pays] * 20
    assert sorted(parts[27:33]) == [1, 1, 1, 2, 2, 2]  # looks again


def test_few_lanes_stay_with_one_thread():
    whole = []
    splitter = Splitter(8)
    for _ in range(20):
        splitter.over(lambda lo, hi: whole.append((lo, hi)), 200)
    assert whole == [(0, 200)] * 20


def test_any_number_of_threads_plays_the_same_games():
    seen = []
    for number in (1, 2, 3):
        env = gym.make_vec("stammtisch/EinStein3x3-v0", num_envs=500, threads=number)
        _, info = env.reset(seed=7)
        trace = []
        for _ in range(30):
            obs, rewards, ended, _, info = env.step(info["action_mask"].argmax(axis=1))
            trace += [obs.sum(), rewards.tolist(), ended.tolist()]
        seen.append(trace)
    assert seen[0] == seen[1] == seen[2]
