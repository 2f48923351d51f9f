"""Threads for kernels that release the GIL: a crew of workers per process, and how many of them pay.

A part of the work is always done by the same worker, and the first one by the caller: what a worker wrote last time
may then still be in the cache of its core.

Workers are made when they are first needed. A forked child starts without any; several Python threads may ask at the
same time and get workers of their own.
"""

import itertools
import os
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

Result = TypeVar("Result")

_LEAST_LANES = 128  # per thread; fewer are not worth waking anybody
_TRIALS = 3  # calls that each number of threads is tried for
_TRUST = 1000  # calls until it is tried again
_MARGIN = 0.97  # of the time of one thread, that several must stay below

_idle: list["_Worker"] = []
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)


class _Worker:
    """A thread that waits for one task after the other."""

    def __init__(self) -> None:
        self._go, self._done = threading.Lock(), threading.Lock()
        self._go.acquire()
        self._done.acquire()
        self._task: Callable[[], Any] = lambda: None
        self._result: Any = None
        self._error: BaseException | None = None
        threading.Thread(target=self._work, name="stammtisch-worker", daemon=True).start()

    def begin(self, task: Callable[[], Any]) -> None:
        """Start a task."""
        self._task = task
        self._go.release()

    def finish(self) -> tuple[Any, BaseException | None]:
        """Wait for the task; return its result, or what it raised."""
        self._done.acquire()
        found = self._result, self._error
        self._result = self._error = None
        return found

    def _work(self) -> None:
        while True:
            self._go.acquire()
            try:
                self._result = self._task()
            except BaseException as error:
                self._error = error
            self._done.release()


def together(tasks: Sequence[Callable[[], Result]]) -> list[Result]:
    """Do tasks at the same time, the first one here and the others by workers; return their results in order."""
    workers = [_hire() for _ in tasks[1:]]
    for worker, task in zip(workers, tasks[1:], strict=True):
        worker.begin(task)
    errors: list[BaseException] = []
    results: list[Any] = [None]
    try:
        results[0] = tasks[0]()
    except BaseException as error:
        errors.append(error)
    for worker in workers:
        result, failed = worker.finish()
        results.append(result)
        errors += [failed] if failed is not None else []
    _idle.extend(reversed(workers))  # the first of them is hired first again
    if errors:
        raise errors[0]
    return results


def _hire() -> _Worker:
    try:
        return _idle.pop()
    except IndexError:
        return _Worker()


class Splitter:
    """Splits a range among threads again and again, and finds out by the clock how many of them pay.

    Results cannot depend on it: every part of a range is worked on alone.

    Args:
        threads: as many at most.
        clock: what counts as time.
    """

    def __init__(self, threads: int, clock: Callable[[], float] = time.perf_counter):
        self.threads = threads
        self._clock = clock
        self._is_first = True
        self._used = 0  # calls since the last trial
        self._times: dict[int, list[float]] = {}
        self.parts = 0  # threads that pay; 0 while they are tried

    def over(self, work: Callable[[int, int], None], n: int) -> None:
        """Call ``work(lo, hi)`` over ``0..n``."""
        most = max(1, min(self.threads, n // _LEAST_LANES))
        if most == 1 or self._is_first:  # the first call may compile
            self._is_first = False
            work(0, n)
            return
        parts = self.parts or self._next_trial(most)
        begun = self._clock()
        bounds = [n * i // parts for i in range(parts + 1)]
        if parts == 1:
            work(0, n)
        else:
            together([_part(work, lo, hi) for lo, hi in itertools.pairwise(bounds)])
        self._learn(parts, self._clock() - begun)

    def _next_trial(self, most: int) -> int:
        """Return the number of threads that was tried least often among one, two, four … and all."""
        wanted = sorted({1, most, *(1 << k for k in range(most.bit_length()) if 1 << k < most)})
        for parts in wanted:
            self._times.setdefault(parts, [])
        return min(wanted, key=lambda parts: len(self._times[parts]))

    def _learn(self, parts: int, seconds: float) -> None:
        if self.parts:
            self._used += 1
            if self._used == _TRUST:
                self.parts, self._times = 0, {}
            return
        self._times[parts].append(seconds)
        if all(len(times) >= _TRIALS for times in self._times.values()):
            best = {parts: min(times) * (1.0 if parts == 1 else 1 / _MARGIN) for parts, times in self._times.items()}
            self.parts, self._used = min(best, key=lambda parts: best[parts]), 0


def _part(work: Callable[[int, int], None], lo: int, hi: int) -> Callable[[], None]:
    return lambda: work(lo, hi)
