"""``Count``: a results file counted while somebody writes it; only games that are new are read."""

import pathlib
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from stammtisch.arena.plan import MatchPlan
from stammtisch.arena.records import Records
from stammtisch.arena.store import Store
from stammtisch.files.locks import holder_of


@dataclass
class _Tally:
    """What the games of one match have brought so far.

    Attributes:
        games: how many were counted.
        next: number of the first game that was not.
        wdl: games won, drawn and lost by the first agent.
        points: of each agent: a win counts one, a draw half.
    """

    games: int = 0
    next: int = 0
    wdl: list[int] = field(default_factory=lambda: [0, 0, 0])
    points: list[float] = field(default_factory=list)

    def add(self, plan: MatchPlan, played: Records) -> None:
        """Count more games."""
        self.games += len(played)
        self.next = plan.games
        by_agent = [played.scores(agent) for agent in range(len(plan.agents))]
        self.points = [
            before + float(scores.sum())
            for before, scores in zip(self.points or [0.0] * len(by_agent), by_agent, strict=True)
        ]
        for place, score in enumerate((1.0, 0.5, 0.0)):
            self.wdl[place] += int((by_agent[0] == score).sum())


class Count:
    """A results file as it stands.

    Args:
        path: the file.
        called: how an agent is called in front of people.
    """

    def __init__(self, path: pathlib.Path, called: Callable[[str], str]):
        self._path, self._called = path, called
        self._lock = threading.Lock()  # several tabs may ask at once
        self._stamp: tuple[int, int] | None = None
        self._plans: list[MatchPlan] = []
        self._tallies: list[_Tally] = []
        self._latest = 0

    def look(self) -> dict[str, Any]:
        """Count what is new; return the matches, the one that grew last, the table, and whether it is still written.

        Raises:
            ValueError: the file cannot be read.
        """
        with self._lock:
            return self._looked()

    def _looked(self) -> dict[str, Any]:
        running = holder_of(self._path) is not None
        stamp = _stamp(self._path)
        if stamp != self._stamp:
            self._read()
            self._stamp = stamp
        matches = [
            {
                "match": number,
                "game": plan.game,
                "agents": [self._called(agent) for agent in plan.agents],
                "games": tally.games,
                "last": plan.games - 1,
                "wdl": list(tally.wdl),
            }
            for number, (plan, tally) in enumerate(zip(self._plans, self._tallies, strict=True))
        ]
        return {"running": running, "latest": self._latest, "matches": matches, "table": self._table()}

    def _read(self) -> None:
        with closing(Store(self._path, read_only=True)) as store:
            plans = store.plans()
            if [_key(plan) for plan in plans[: len(self._plans)]] != [_key(plan) for plan in self._plans]:
                self._tallies = []  # another file has taken its place
            self._plans = plans
            self._tallies += [_Tally() for _ in range(len(plans) - len(self._tallies))]
            for number, (plan, tally) in enumerate(zip(plans, self._tallies, strict=True)):
                if plan.games > tally.next:
                    tally.add(plan, Records.of(store.outcomes_of(plan, tally.next)))
                    self._latest = number

    def _table(self) -> list[dict[str, Any]]:
        """Return who has how many points in how many games, the best share first."""
        games: dict[str, int] = {}
        points: dict[str, float] = {}
        for plan, tally in zip(self._plans, self._tallies, strict=True):
            for spec, won in zip(plan.agents, tally.points, strict=False):
                agent = self._called(spec)
                games[agent] = games.get(agent, 0) + tally.games
                points[agent] = points.get(agent, 0.0) + won
        rows = [
            {"agent": name, "games": games[name], "points": points[name], "score": points[name] / games[name]}
            for name in games
            if games[name]
        ]
        return sorted(rows, key=lambda row: (-row["score"], row["agent"]))


def _key(plan: MatchPlan) -> tuple[Any, ...]:
    return plan.game, repr(plan.options), plan.agents, plan.seed, plan.opening


def _stamp(path: pathlib.Path) -> tuple[int, int]:
    journal = path.with_name(f"{path.name}-wal")
    facts = path.stat()
    return int(last_change(path) * 1000), facts.st_size + (journal.stat().st_size if journal.exists() else 0)


def last_change(path: pathlib.Path) -> float:
    """Return when a results file was written last, its journal counted with it; 0 where it has gone."""
    found = 0.0
    for each in (path, path.with_name(f"{path.name}-wal")):
        try:
            found = max(found, each.stat().st_mtime)
        except OSError:
            continue
    return found
