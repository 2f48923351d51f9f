"""Finished games of the server, filed in the arena's store so that they are rated and reported like any match.

The bot that joined first always has seats 0 and 2, so only the games with even numbers of a match are filled: those in
which the first agent sits there. A game that a team lost by its own fault ends with the event ``forfeit(team)``.
"""

import pathlib
import sqlite3
from collections import deque
from collections.abc import Mapping, Sequence

from stammtisch.arena.plan import GameRecord, MatchPlan, forfeit
from stammtisch.arena.store import Store
from stammtisch.challenge.clerk import Clerk
from stammtisch.challenge.table import Table

_SEATING = (0, 1, 0, 1)
_GROUP = 2
_MOST_UNFILED = 20_000


class Results:
    """Files games in a results file, or only counts them.

    Attributes:
        games: games filed so far.
        forfeits: those of them that a team lost by its own fault.
        slowest_s: the longest that anybody took for an answer.
        matches_before: matches that the file held already.

    Args:
        path: the file, None to keep nothing.
        clerk: writes to it; games do not wait for that.
    """

    def __init__(self, path: pathlib.Path | None = None, clerk: Clerk | None = None):
        self.games = 0
        self.forfeits = 0
        self.slowest_s = 0.0
        self.matches_before = 0
        self._clerk = clerk if clerk is not None else Clerk()
        self._store: Store | None = None
        self._unfiled: deque[tuple[MatchPlan, list[GameRecord]]] = deque()
        self._is_called = False  # whether the clerk is about to file
        if path is not None:
            self._store, self.matches_before = self._clerk.ask(lambda: _open(path))

    def add(self, plan: MatchPlan, number: int, table: Table) -> None:
        """File a game that was played at a table."""
        self.slowest_s = max(self.slowest_s, table.slowest_s)
        events = list(table.events)
        if table.forfeited is not None:
            events.append(forfeit(table.forfeited))
        self._file(plan, [_record(number, events, table.moves, table.returns(), tuple(table.seconds))])

    def add_unplayed(self, plan: MatchPlan, numbers: Sequence[int], loser: int) -> None:
        """File games of a match that a team lost before they began."""
        returns = tuple(-1.0 if seat % 2 == loser else 1.0 for seat in range(4))
        self._file(plan, [_record(number, [forfeit(loser)], 0, returns, (0.0, 0.0)) for number in numbers])

    def _file(self, plan: MatchPlan, records: list[GameRecord]) -> None:
        self.games += len(records)
        self.forfeits += sum(record.events[-1] < 0 for record in records)
        if self._store is None:
            return
        if len(self._unfiled) >= _MOST_UNFILED:
            self._clerk.faults.note("a game is lost", f"{_MOST_UNFILED} others could not be filed yet")
            return
        self._unfiled.append((plan, records))
        if not self._is_called:
            self._is_called = self._clerk.do("filing games", self._write)

    def _write(self) -> None:
        """File all that waits, in the clerk's thread; what a busy or full disk refuses now is tried again later."""
        self._is_called = False
        while self._store is not None and self._unfiled:
            try:
                self._store.add(*self._unfiled[0])
            except ValueError as error:
                if isinstance(error.__cause__, sqlite3.OperationalError):
                    raise
                self._clerk.faults.note("a game is lost", error)
            self._unfiled.popleft()

    def close(self) -> None:
        """File what still waits and close the file."""
        store = self._store
        if store is not None:
            self._clerk.do("filing the last games", self._write)
            self._clerk.do("closing the results", store.close)
        self._clerk.close()
        lost = sum(len(records) for _, records in self._unfiled)
        if lost:
            self._clerk.faults.note("games are lost", f"{lost} could not be filed")
        self._store = None


def _open(path: pathlib.Path) -> tuple[Store, int]:
    store = Store(path)
    return store, len(store.plans())


def _record(
    number: int, events: list[int], moves: int, returns: tuple[float, ...], seconds: tuple[float, ...]
) -> GameRecord:
    return GameRecord(number, number // _GROUP, _SEATING, returns, tuple(events), moves, seconds)


def number_of(game: int) -> int:
    """Return the number in its match of the game-th game of a pair."""
    return _GROUP * game


def team_label(names: Mapping[int, str], team: int) -> str:
    """Return the name of a team: that of its players, or both of them."""
    first, second = names[team], names[team + 2]
    return first if first == second else f"{first} + {second}"
