"""Workers of self-play as actors of a Ray cluster, on any number of machines.

Every actor has two portions under way. Weights are put into the cluster's store once per version, and every machine
fetches them once; portions come back compressed. A portion that is lost is lost; the actor is started anew as another
incarnation, which plays other games, so that nothing is ever counted twice.
"""

from typing import Any

from stammtisch.arena.engines import join_ray
from stammtisch.baselines.learned.alphazero.shape import Weights
from stammtisch.envs.core.games import GAMES, GameEntry, know_game
from stammtisch.training.alphazero.selfplay import Portion, SelfPlay, packed, unpacked
from stammtisch.training.alphazero.settings import AlphaZeroSettings

_AHEAD = 2  # portions under way per actor
_MOST_LOSSES = 20  # in a row, before it is said that something is wrong


class WorkerActors:
    """Actors that play; one core each."""

    def __init__(self, settings: AlphaZeroSettings, incarnation: int = 0):
        self._ray = join_ray(settings.workers)
        self._settings = settings
        self._incarnations = [incarnation << 16] * settings.workers
        self._actors: list[Any] = [None] * settings.workers
        self._running: dict[Any, int] = {}  # portion under way, and whose it is
        self._order: tuple[Any, int, float] | None = None
        self._losses = 0

    def publish(self, weights: Weights, version: int, resign: float) -> None:
        if self._order is None or self._order[1] != version:
            self._order = self._ray.put(weights), version, resign
        for worker, actor in enumerate(self._actors):
            if actor is None:
                self._start(worker)

    def next_portion(self) -> Portion:
        while True:
            ready, _ = self._ray.wait(list(self._running), num_returns=1)
            worker = self._running.pop(ready[0])
            try:
                portion = unpacked(self._ray.get(ready[0]))
            except self._ray.exceptions.RayError as error:
                self._lose(worker, error)
                continue
            self._losses = 0
            self._ask(worker)
            return portion

    def close(self) -> None:
        for actor in self._actors:
            if actor is not None:
                self._ray.kill(actor)
        self._actors = [None] * len(self._actors)
        self._running.clear()

    def _start(self, worker: int) -> None:
        actor = self._ray.remote(num_cpus=1, max_restarts=0)(_Player)
        entry = GAMES[self._settings.game]
        self._actors[worker] = actor.remote(self._settings, worker, self._incarnations[worker], entry)
        for _ in range(_AHEAD):
            self._ask(worker)

    def _ask(self, worker: int) -> None:
        assert self._order is not None
        self._running[self._actors[worker].play.remote(*self._order)] = worker

    def _lose(self, worker: int, error: Exception) -> None:
        """Start a lost actor anew; what it had under way is forgotten."""
        self._losses += 1
        if self._losses > _MOST_LOSSES:
            raise ValueError(f"{self._losses} actors of self-play were lost one after another: {error}")
        self._running = {portion: whose for portion, whose in self._running.items() if whose != worker}
        self._incarnations[worker] += 1
        self._start(worker)


class _Player:
    """One actor."""

    def __init__(self, settings: AlphaZeroSettings, worker: int, incarnation: int, entry: GameEntry):
        know_game(settings.game, entry)
        self._portion = settings.portion
        self._self_play = SelfPlay(settings, worker, incarnation)

    def play(self, weights: Weights, version: int, resign: float) -> bytes:
        """Play a portion with these weights."""
        self._self_play.use(weights, version)
        return packed(self._self_play.play(self._portion, resign))
