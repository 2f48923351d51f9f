"""Work done by several threads: in order, with its errors, and only where that pays."""

import copy
import os
import pickle
import subprocess
import sys
import threading
import time

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
    taken = []

    def work(parts):
        taken.append(parts)
        clock.now += 1.0 if parts == 1 else two

    monkeypatch.setattr(threads, "_TRUST", 20)
    splitter = Splitter(2, clock)
    for _ in range(60):
        splitter.over(work, 1024)
    assert taken[:6] == [1, 1, 1, 2, 2, 2]
    assert taken[6:26] == [pays] * 20
    assert taken[26:32] == [1, 1, 1, 2, 2, 2]  # looks again


def test_threads_that_have_become_slower_than_one_are_tried_again():
    now, two, taken = 0.0, 0.6, []

    def work(parts):
        nonlocal now
        taken.append(parts)
        now += 1.0 if parts == 1 else two

    splitter = Splitter(2, lambda: now)
    for _ in range(10):
        splitter.over(work, 1024)
    two = 1.3  # another program has come
    for _ in range(20):
        splitter.over(work, 1024)
    doubt = 10 + threads._DOUBT
    assert taken[6:doubt] == [2] * (4 + threads._DOUBT)
    assert taken[doubt : doubt + 6] == [1, 1, 1, 2, 2, 2]
    assert taken[doubt + 6 :] == [1] * (20 - threads._DOUBT - 6)


def test_few_lanes_stay_with_one_thread():
    taken = []
    splitter = Splitter(8)
    for _ in range(20):
        splitter.over(taken.append, 200)
    assert taken == [1] * 20


def games(threads, parts, num_envs=500):
    """Return an environment that takes so many parts, whatever the clock says."""
    env = gym.make_vec("stammtisch/EinStein3x3-v0", num_envs=num_envs, threads=threads)
    env.lanes._splitter.parts = parts
    return env


def trace(env, steps=30, rest=0.0):
    _, info = env.reset(seed=7)
    found = []
    for _ in range(steps):
        obs, rewards, ended, _, info = env.step(info["action_mask"].argmax(axis=1))
        found.append((obs.tobytes(), rewards.tolist(), ended.tolist(), info["player"].tolist()))
        time.sleep(rest)
    return found


@pytest.mark.parametrize("parts", [2, 3, 7])
def test_parts_of_a_batch_come_to_the_same(parts):
    assert trace(games(parts, parts)) == trace(games(1, 1))


def test_workers_that_have_parked_are_woken():
    assert trace(games(3, 3), rest=4 * threads._PATIENCE[0]) == trace(games(1, 1))


def test_a_crew_in_use_refuses_another_thread():
    env = games(2, 2)
    with env.lanes._crew._lock:
        assert trace(env) == trace(games(1, 1))


def test_batches_in_several_python_threads():
    expected, found = trace(games(1, 1)), {}

    def play(k):
        found[k] = trace(games(2, 2))

    players = [threading.Thread(target=play, args=(k,)) for k in range(4)]
    for player in players:
        player.start()
    for player in players:
        player.join(60)
    assert [found[k] == expected for k in range(4)] == [True] * 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_steps_a_batch_with_workers_of_its_own():
    env = games(2, 2)
    expected = trace(env)
    child = os.fork()  # while a worker looks for the next task
    if child == 0:
        os._exit(0 if trace(env) == expected else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert trace(env) == expected


def test_an_interrupt_waits_for_the_workers(monkeypatch):
    env = games(2, 2)
    expected = trace(games(1, 1))
    trace(env)
    crew, patience = threads._compiled()
    looks = iter([False, False])

    class Slow:
        def __getattr__(self, name):
            return getattr(crew, name)

        def hand_out(self, *arguments):
            return crew.hand_out(*arguments)[0], False

        def work_along(self, *arguments):
            crew.work_along(*arguments)
            return False

        def wait(self, *arguments):
            return next(looks, True) and crew.wait(*arguments)

    def interrupt(seconds):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(threads, "_compiled", lambda: (Slow(), patience))
        patched.setattr(threads.time, "sleep", interrupt)
        with pytest.raises(KeyboardInterrupt):
            env.step(np.zeros(500, np.int64))
        assert next(looks, None) is None
    assert not env.lanes._crew._is_busy
    assert trace(env) == expected


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="cores cannot be chosen here")
def test_a_worker_leaves_the_core_of_its_caller_alone():
    cores = os.sched_getaffinity(0)
    _, there = together([lambda: None, lambda: os.sched_getaffinity(0)])
    if len(cores) > 1:
        assert there < cores
        assert len(there) == len(cores) - 1


def test_a_process_ends_while_workers_look_for_tasks():
    code = (
        "import gymnasium as gym, stammtisch\n"
        "env = gym.make_vec('stammtisch/EinStein3x3-v0', num_envs=500, threads=2)\n"
        "env.lanes._splitter.parts = 2\n"
        "env.reset(seed=1)\n"
    )
    for _ in range(3):
        assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


@pytest.mark.parametrize(
    "copy_of", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"]
)
def test_a_copy_of_a_batch_goes_its_own_way(copy_of):
    env = games(2, 2)
    _, info = env.reset(seed=3)
    before = env.lanes.rows.copy()
    other = copy_of(env)
    for _ in range(3):
        _, _, _, _, info = other.step(info["action_mask"].argmax(axis=1))
    assert (env.lanes.rows == before).all()
    assert not (other.lanes.rows == before).all()


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
