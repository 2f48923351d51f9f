"""Threads for kernels that release the GIL: workers of a process, and how many of them pay.

A part of the work goes to the same worker again, and the first one to the caller: what a worker wrote last time may
then still be in the cache of its core.

Workers are made when they are first needed. A forked child starts without any; several Python threads may ask at the
same time and get workers of their own.

A worker that is woken must not come to the core of the thread that wakes it, where the two would take turns; in virtual
machines that was seen often, perhaps because cores that sleep count as busy there. It is told to stay away.
"""

import atexit
import contextlib
import ctypes
import functools
import math
import os
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from stammtisch.envs.core import loader
from stammtisch.envs.core.direct import Direct

Result = TypeVar("Result")

MOST_THREADS = 64
_LEAST_LANES = 128  # per thread; fewer are not worth handing over
_TRIALS = 3  # calls that each number of threads is tried for
_TRUST = 300  # calls until it is tried again
_DOUBT = 4  # calls in a row that took longer than one thread would, until it is tried again
_MARGIN = 0.97  # of the time of one thread, that several must stay below
_PATIENCE = 200e-6, 2e-3  # seconds that a worker looks for the next task before it parks: as long as the last one took
_NAP = 20e-6  # seconds between two looks for a worker that takes longer

_idle: list["_Worker"] = []
_sent: set["_Worker"] = set()  # on errands
_forks = 0  # how often this process was forked from another that had used this module


def _begin_child() -> None:
    global _forks
    _idle.clear()
    _sent.clear()
    _forks += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_child)


@atexit.register
def _call_back() -> None:
    """Wait until nobody looks for tasks: compiled code must not vanish under it."""
    ends = time.monotonic() + 1.0
    while _sent and time.monotonic() < ends:
        time.sleep(_NAP)


class _Worker:
    """A thread that waits for one task after the other."""

    def __init__(self) -> None:
        self._go, self._done = threading.Lock(), threading.Lock()
        self._go.acquire()
        self._done.acquire()
        self._task: Callable[[], Any] = lambda: None
        self._is_errand = False
        self._result: Any = None
        self._error: BaseException | None = None
        self._cores: set[int] = set()
        self._thread = threading.Thread(target=self._work, name="stammtisch-worker", daemon=True)
        self._thread.start()

    def begin(self, task: Callable[[], Any]) -> None:
        """Start a task; ``finish`` waits for it."""
        self._task = task
        self._keep_away()
        self._go.release()

    def finish(self) -> tuple[Any, BaseException | None]:
        """Wait for the task; return its result, or what it raised."""
        self._done.acquire()
        found = self._result, self._error
        self._result = self._error = None
        return found

    def send(self, errand: Callable[[], None]) -> None:
        """Start a task that nobody waits for; the worker is idle again after it."""
        self._is_errand = True
        _sent.add(self)
        self.begin(errand)

    def _keep_away(self) -> None:
        """Leave the core on which the caller runs to it."""
        if _core is None or self._thread.native_id is None:
            return
        with contextlib.suppress(OSError):  # a core was taken from us in this moment
            others = os.sched_getaffinity(0) - {_core()}
            if others and others != self._cores:
                os.sched_setaffinity(self._thread.native_id, others)
                self._cores = others

    def _work(self) -> None:
        while True:
            self._go.acquire()
            task, self._task = self._task, lambda: None
            if self._is_errand:
                task()
                del task
                self._is_errand = False
                _sent.discard(self)
                _idle.append(self)
                continue
            try:
                self._result = task()
            except BaseException as error:
                self._error = error
            del task
            self._done.release()


def _core_function() -> Callable[[], int] | None:
    """Return what tells the number of the core on which the caller runs, where there is such a thing."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    try:
        function: Callable[[], int] = ctypes.CDLL(None).sched_getcpu
    except (OSError, AttributeError):
        return None
    return function


_core = _core_function()


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


@functools.cache
def _compiled() -> tuple[Any, int]:
    """Return the kernels of a crew, and how many looks a second has."""
    crew: Any = Direct(loader.load("stammtisch.envs.kernels.crew", "crew"))
    crew.rest(1)
    times = []
    for _ in range(5):
        begun = time.perf_counter()
        crew.rest(1000)
        times.append(time.perf_counter() - begun)
    return crew, int(1000 / min(times))


class Crew:
    """Workers that do parts of a batch again and again, handed over without Python (``kernels/crew.py``)."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._boxes = np.zeros((0, 1), np.int64)
        self._forks = _forks
        self._is_busy = False
        self._took = 0.0  # seconds of the last call

    def over(self, function: int, book: int, n: int, parts: int) -> bool:
        """Call the kernel at the address ``function`` with ``book, lo, hi`` for ``parts`` parts of ``0..n``.

        Returns:
            False if another thread uses this crew at this moment: nothing was done then.
        """
        if self._forks != _forks:  # a child has none of its parent's workers
            self.__init__()  # type: ignore[misc]
        if not self._lock.acquire(blocking=False):
            return False
        try:
            self._over(function, book, n, parts)
        finally:
            self._lock.release()
        return True

    def _over(self, function: int, book: int, n: int, parts: int) -> None:
        crew, looks_per_second = _compiled()
        if self._is_busy:  # since an interrupt
            self._wait()
        if len(self._boxes) != parts:
            self._boxes = np.zeros((parts, crew.BOX_SIZE), np.int64)
        begun = time.perf_counter()
        least, most = _PATIENCE
        patience = int(looks_per_second * max(least, min(most, self._took)))
        self._is_busy = True
        parked, is_done = crew.hand_out(self._boxes, function, book, n, patience)
        if parked:
            try:
                for k in range(1, parts):
                    if parked >> k & 1:
                        _hire().send(functools.partial(crew.serve, self._boxes, k))
                        parked ^= 1 << k
            finally:
                for k in range(1, parts):
                    if parked >> k & 1:  # nobody came, after an interrupt
                        self._boxes[k, crew.STATE] = crew.PARKED
                is_done = crew.work_along(self._boxes, patience)
        if not is_done:
            self._wait()
        self._is_busy = False
        self._took = time.perf_counter() - begun

    def _wait(self) -> None:
        """Wait for workers that take longer than the caller."""
        crew, looks_per_second = _compiled()
        interrupt: BaseException | None = None
        while not crew.wait(self._boxes, int(looks_per_second * _PATIENCE[0])):
            try:
                time.sleep(_NAP)
            except BaseException as error:  # the workers still write into arrays that must not go
                interrupt = error
        self._is_busy = False
        if interrupt is not None:
            raise interrupt


class Splitter:
    """Finds out by the clock how many threads pay for work that is done again and again.

    The middle one of the times of several calls counts: the first one may compile, and another program may have had one
    of the cores. When several threads turn out slower than one was, it looks again.

    Args:
        threads: as many at most.
        clock: what counts as time.
    """

    def __init__(self, threads: int, clock: Callable[[], float] = time.perf_counter):
        self.threads = threads
        self._clock = clock
        self._used = 0  # calls since the last trial
        self._slow = 0  # the last of them that one thread would have done faster
        self._alone = math.inf  # what one thread took
        self._times: dict[int, list[float]] = {}
        self.parts = 0  # threads that pay; 0 while they are tried

    def over(self, work: Callable[[int], None], n: int) -> None:
        """Call ``work(parts)``, which does ``0..n`` with so many threads."""
        most = max(1, min(self.threads, n // _LEAST_LANES))
        if most == 1:
            work(1)
            return
        parts = self.parts or self._next_trial(most)
        begun = self._clock()
        work(parts)
        self._learn(parts, self._clock() - begun)

    def _next_trial(self, most: int) -> int:
        """Return the next number of threads to try among one, two, four … and all: each several times in a row.

        Workers go to sleep while fewer are tried, and only the first call with more of them has to wake them.
        """
        wanted = sorted({1, most, *(1 << k for k in range(most.bit_length()) if 1 << k < most)})
        for parts in wanted:
            self._times.setdefault(parts, [])
        return next((parts for parts in wanted if len(self._times[parts]) < _TRIALS), most)

    def _learn(self, parts: int, seconds: float) -> None:
        if self.parts:
            self._used += 1
            self._slow = self._slow + 1 if self.parts > 1 and seconds > self._alone else 0
            if self._used == _TRUST or self._slow == _DOUBT:
                self.parts, self._times = 0, {}
            return
        self._times[parts].append(seconds)
        if all(len(times) >= _TRIALS for times in self._times.values()):
            usual = {parts: sorted(times)[len(times) // 2] for parts, times in self._times.items()}
            self._alone = usual[1]
            usual[1] *= _MARGIN
            self.parts, self._used, self._slow = min(usual, key=lambda parts: usual[parts]), 0, 0
