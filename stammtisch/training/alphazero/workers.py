"""Workers of self-play: in this process, in processes of their own, or as actors of a Ray cluster.

All are asked for the next portion and get the newest weights when they begin one. A worker outside this process has two
portions under way, so that it never waits; one that is lost is started anew with other games, and costs only those that
it was playing.
"""

import multiprocessing
import os
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol

from stammtisch.baselines.learned.alphazero.shape import Weights
from stammtisch.envs.core.games import GAMES, GameEntry, know_game
from stammtisch.training.alphazero.selfplay import Portion, SelfPlay
from stammtisch.training.alphazero.settings import AlphaZeroSettings

_AHEAD = 2  # portions under way per worker
_ONE_THREAD = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
_MOST_LOSSES = 5  # in a row, before it is said that something is wrong


class SelfPlayWorkers(Protocol):
    """Who plays."""

    def publish(self, weights: Weights, version: int, resign: float) -> None:
        """Let portions that are begun from now on be played with these weights."""

    def next_portion(self) -> Portion:
        """Return a portion; wait for one if there is none yet."""

    def close(self) -> None:
        """End all processes."""


def start_workers(settings: AlphaZeroSettings, incarnation: int) -> SelfPlayWorkers:
    """Return the workers that the settings ask for; ``incarnation`` tells apart the starts of one training."""
    if settings.engine == "ray":
        from stammtisch.training.alphazero.ray_workers import WorkerActors

        return WorkerActors(settings, incarnation)
    if settings.engine == "process" or (settings.engine == "auto" and settings.workers > 1):
        return WorkerProcesses(settings, incarnation)
    return WorkerHere(settings)


class WorkerHere:
    """One worker in this process, which plays whenever it is asked: the same games every time."""

    def __init__(self, settings: AlphaZeroSettings):
        self._settings = settings
        self.self_play = SelfPlay(settings)
        self._resign = settings.resign

    def publish(self, weights: Weights, version: int, resign: float) -> None:
        self._resign = resign
        self.self_play.use(weights, version)

    def next_portion(self) -> Portion:
        return self.self_play.play(self._settings.portion, self._resign)

    def close(self) -> None:
        """Nothing is left behind."""


class WorkerProcesses:
    """Workers in processes of their own, one thread each."""

    def __init__(self, settings: AlphaZeroSettings, incarnation: int = 0):
        self._settings = settings
        self._context = multiprocessing.get_context("spawn")
        self._incarnations = [incarnation] * settings.workers
        self._order: tuple[Weights, int, float] | None = None
        self._ends: list[Connection | None] = [None] * settings.workers
        self._processes: list[Any] = [None] * settings.workers
        self._sent = [-1] * settings.workers  # version that each worker has
        self._losses = 0

    def publish(self, weights: Weights, version: int, resign: float) -> None:
        self._order = weights, version, resign
        for worker in range(self._settings.workers):
            if self._ends[worker] is None:
                self._start(worker)

    def next_portion(self) -> Portion:
        while True:
            ends: list[Any] = [end for end in self._ends if end is not None]
            end: Any = wait(ends)[0]
            worker = self._ends.index(end)
            try:
                portion: Portion = end.recv()
                self._ask(worker)
            except (EOFError, OSError):
                self._lose(worker)
                continue
            self._losses = 0
            return portion

    def close(self) -> None:
        for worker, process in enumerate(self._processes):
            end = self._ends[worker]
            if end is not None:
                end.close()
            if process is not None:
                process.terminate()
                process.join(10)
        self._ends = [None] * self._settings.workers

    def _start(self, worker: int) -> None:
        mine, theirs = self._context.Pipe()
        names = {name: os.environ.get(name) for name in _ONE_THREAD}
        os.environ.update(dict.fromkeys(_ONE_THREAD, "1"))  # a spawned process inherits them
        try:
            process = self._context.Process(
                target=_work,
                args=(theirs, self._settings, worker, self._incarnations[worker], GAMES[self._settings.game]),
                daemon=True,
            )
            process.start()
        finally:
            for name, value in names.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value
        theirs.close()
        self._ends[worker], self._processes[worker], self._sent[worker] = mine, process, -1
        try:
            for _ in range(_AHEAD):
                self._ask(worker)
        except OSError:
            self._lose(worker)

    def _ask(self, worker: int) -> None:
        assert self._order is not None
        weights, version, resign = self._order
        end = self._ends[worker]
        assert end is not None
        end.send((weights if self._sent[worker] != version else None, version, resign))
        self._sent[worker] = version

    def _lose(self, worker: int) -> None:
        """Start a lost worker anew."""
        end = self._ends[worker]
        if end is not None:
            end.close()
        self._losses += 1
        if self._losses > _MOST_LOSSES:
            raise ValueError(
                f"{self._losses} processes of self-play ended one after the other; is there enough memory?"
            )
        self._incarnations[worker] += 1
        self._start(worker)


def _work(end: Connection, settings: AlphaZeroSettings, worker: int, incarnation: int, entry: GameEntry) -> None:
    """Play portions as long as somebody asks."""
    know_game(settings.game, entry)
    self_play = SelfPlay(settings, worker, incarnation)
    try:
        while True:
            weights, version, resign = end.recv()
            if weights is not None:
                self_play.use(weights, version)
            end.send(self_play.play(settings.portion, resign))
    except (EOFError, OSError, KeyboardInterrupt):
        return  # nobody asks any more
