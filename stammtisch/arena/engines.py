"""Engines that play the games of a plan: in this process, in several, or on a Ray cluster; all give the same games."""

import multiprocessing
import os
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from typing import Any, TypeVar

from stammtisch.arena.plan import MatchPlan
from stammtisch.arena.play import MatchPlayer
from stammtisch.arena.records import Records
from stammtisch.arena.side_by_side import play_threads
from stammtisch.baselines import load_agent
from stammtisch.envs import load_game
from stammtisch.envs.core.games import GAMES, GameEntry, know_game
from stammtisch.errors import unknown

T = TypeVar("T")
Engine = Callable[[MatchPlan, Sequence[int], int], Generator[Records, None, None]]

_KERNEL_CHUNK, _THINKING_CHUNK = 512, 4  # games at a time of agents inside and outside the kernel
_MOST_IN_KERNEL, _MOMENT_S = 8192, 0.1
_CHUNKS_PER_WORKER = 12
_MOST_GAMES_PER_CHUNK = 500
_RAY_STORE_BYTES = 200 << 20
_ONE_THREAD = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "MKL_NUM_THREADS")


def play_serial(plan: MatchPlan, numbers: Sequence[int], workers: int) -> Generator[Records, None, None]:
    """Play in this process, a few games at a time."""
    yield from played_here(MatchPlayer(plan), numbers)


def played_here(player: MatchPlayer, numbers: Sequence[int]) -> Generator[Records, None, None]:
    """Let a player of this process play, a few games at a time; whole games of a kernel as many as take a moment."""
    size = _KERNEL_CHUNK if player.in_kernel else _THINKING_CHUNK * player.at_once
    lo = 0
    while lo < len(numbers):
        begun = time.perf_counter()
        yield player.play(numbers[lo : lo + size])
        lo += size
        if player.in_kernel and time.perf_counter() - begun < _MOMENT_S:
            size = min(4 * size, _MOST_IN_KERNEL)


def play_processes(plan: MatchPlan, numbers: Sequence[int], workers: int) -> Generator[Records, None, None]:
    """Play in ``workers`` spawned processes, one thread each; chunks come back in order."""
    first, rest = numbers[:1], numbers[1:]
    yield MatchPlayer(plan).play(first)  # compiles here, so that the workers find a warm cache
    yield from spread(_play_chunk, [(plan, chunk, GAMES[plan.game]) for chunk in chunks_of(rest, workers)], workers)


def spread(task: Callable[..., T], jobs: Sequence[tuple[Any, ...]], workers: int) -> Generator[T, None, None]:
    """Do a task with each of several arguments in ``workers`` spawned processes; what it returns comes in order."""
    waiting = [_pool(workers).submit(task, *job) for job in jobs]
    try:
        for job in waiting:
            yield job.result()
    finally:
        for job in waiting:
            job.cancel()


def do_jobs(
    task: Callable[..., T], jobs: Sequence[tuple[Any, ...]], workers: int, name: str | None = None
) -> Generator[T, None, None]:
    """Do a task with each of several arguments here, in processes or on a Ray cluster; results come in order.

    Args:
        task: a function that other processes can import.
        jobs: its arguments.
        workers: processes.
        name: ``serial``, ``process`` or ``ray``; by default processes when there are several workers.
    """
    if _engine_name(name, workers) == "serial":
        for job in jobs:
            yield task(*job)
    elif _engine_name(name, workers) in ("process", "thread"):  # a task may be Python all along
        yield from spread(task, jobs, workers)
    elif jobs:
        ray = join_ray(workers)
        remote = ray.remote(task)
        waiting = iter(jobs)
        running = deque(remote.remote(*job) for job in islice(waiting, 2 * workers))
        while running:
            done = ray.get(running.popleft())
            running.extend(remote.remote(*job) for job in islice(waiting, 1))
            yield done


_pools: dict[tuple[int, int], ProcessPoolExecutor] = {}


def _pool(workers: int) -> ProcessPoolExecutor:
    """Return this process's pool of workers, which serves all matches; a broken one is replaced."""
    key = (os.getpid(), workers)
    pool = _pools.get(key)
    if pool is None or getattr(pool, "_broken", False):
        context = multiprocessing.get_context("spawn")
        pool = _pools[key] = ProcessPoolExecutor(workers, context, initializer=_use_one_thread)
    return pool


def _use_one_thread() -> None:
    os.environ.update(dict.fromkeys(_ONE_THREAD, "1"))


def play_ray(plan: MatchPlan, numbers: Sequence[int], workers: int) -> Generator[Records, None, None]:
    """Play on a Ray cluster, see ``join_ray``."""
    ray = join_ray(workers)
    task, entry = ray.remote(_play_chunk), GAMES[plan.game]
    waiting = iter(chunks_of(numbers, workers))
    # Few at a time, so that a match that ends early leaves little behind: cancelling tasks can crash Ray's driver.
    running = deque(task.remote(plan, chunk, entry) for chunk in islice(waiting, 2 * workers))
    while running:
        played = ray.get(running.popleft())
        running.extend(task.remote(plan, chunk, entry) for chunk in islice(waiting, 1))
        yield played


def join_ray(workers: int) -> Any:
    """Join the Ray cluster of ``RAY_ADDRESS`` or of ``--ray-address``, else start a local one; return the package.

    Raises:
        ValueError: Ray is not installed.
    """
    try:
        import ray
    except ImportError:
        raise ValueError('the engine "ray" needs Ray: pip install "stammtisch[ray]"') from None
    if not ray.is_initialized():
        local: dict[str, Any] = {
            "num_cpus": workers,
            "include_dashboard": False,
            "_node_ip_address": "127.0.0.1",
            "object_store_memory": _RAY_STORE_BYTES,
        }
        ray.init(log_to_driver=False, **({} if os.environ.get("RAY_ADDRESS") else local))
    return ray


def chunks_of(numbers: Sequence[int], workers: int) -> list[Sequence[int]]:
    """Split games among workers, finely enough that all end at about the same time."""
    size = max(1, min(_MOST_GAMES_PER_CHUNK, -(-len(numbers) // (workers * _CHUNKS_PER_WORKER))))
    return [numbers[lo : lo + size] for lo in range(0, len(numbers), size)]


_players: dict[str, MatchPlayer] = {}


def _play_chunk(plan: MatchPlan, numbers: Sequence[int], entry: GameEntry) -> Records:
    """Play games in a worker; the match's agents are built once per process.

    The row of the game comes along: a script may have registered it where no other process looks.
    """
    know_game(plan.game, entry)
    key = repr(plan)
    if key not in _players:
        _players.clear()
        _players[key] = MatchPlayer(plan)
    return _players[key].play(numbers)


def _play_apart(plan: MatchPlan, numbers: Sequence[int], workers: int) -> Generator[Records, None, None]:
    """Play in threads where all agents think in kernels, else in processes, which take a second to start."""
    game = load_game(plan.game, **plan.options)
    in_threads = all(load_agent(agent, game).thinks_apart for agent in set(plan.agents))
    yield from (play_threads if in_threads else play_processes)(plan, numbers, workers)


ENGINES: dict[str, Engine] = {
    "serial": play_serial,
    "thread": play_threads,
    "process": play_processes,
    "ray": play_ray,
}


def engine(name: str | None, workers: int) -> Engine:
    """Return an engine by name; by default, for several workers, threads or processes as suits the agents."""
    if name is None and workers > 1:
        return _play_apart
    return ENGINES[_engine_name(name, workers)]


def _engine_name(name: str | None, workers: int) -> str:
    if workers < 1:
        raise ValueError(f"a match needs at least one worker, not {workers}")
    chosen = name or ("process" if workers > 1 else "serial")
    if chosen not in ENGINES:
        raise unknown("engine", chosen, ENGINES)
    return chosen
