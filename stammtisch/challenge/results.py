"""Finished games of the server, filed in the arena's store so that they are rated and reported like any match.

The bot that joined first always has seats 0 and 2, so only the games with even numbers of a match are filled: those in
which the first agent sits there. A game that a team lost by its own fault ends with the event ``forfeit(team)``.
"""

import logging
import pathlib
from collections.abc import Mapping

from stammtisch.arena.plan import GameRecord, MatchPlan, forfeit
from stammtisch.arena.store import Store
from stammtisch.challenge.table import Table

_SEATING = (0, 1, 0, 1)
_GROUP = 2
_log = logging.getLogger(__name__)


class Results:
    """Files games in a results file, or only counts them.

    Attributes:
        games: games filed so far.
        forfeits: those of them that a team lost by its own fault.
        slowest_s: the longest that anybody took for an answer.
        matches_before: matches that the file held already.

    Args:
        path: the file, None to keep nothing.
    """

    def __init__(self, path: pathlib.Path | None = None):
        self._store = Store(path) if path is not None else None
        self.matches_before = len(self._store.plans()) if self._store is not None else 0
        self.games = 0
        self.forfeits = 0
        self.slowest_s = 0.0

    def add(self, plan: MatchPlan, number: int, table: Table) -> None:
        """File a game that was played at a table."""
        self.slowest_s = max(self.slowest_s, table.slowest_s)
        events = list(table.events)
        if table.forfeited is not None:
            events.append(forfeit(table.forfeited))
        self._file(plan, number, events, table.moves, table.returns(), tuple(table.seconds))

    def add_unplayed(self, plan: MatchPlan, number: int, loser: int) -> None:
        """File a game that a team lost before it began."""
        returns = tuple(-1.0 if seat % 2 == loser else 1.0 for seat in range(4))
        self._file(plan, number, [forfeit(loser)], 0, returns, (0.0, 0.0))

    def _file(
        self,
        plan: MatchPlan,
        number: int,
        events: list[int],
        moves: int,
        returns: tuple[float, ...],
        seconds: tuple[float, ...],
    ) -> None:
        self.games += 1
        self.forfeits += events[-1] < 0
        if self._store is None:
            return
        record = GameRecord(number, number // _GROUP, _SEATING, returns, tuple(events), moves, seconds)
        try:
            self._store.add(plan, [record])
        except ValueError as error:
            _log.error("a game is lost: %s", error)

    def close(self) -> None:
        """Close the file."""
        if self._store is not None:
            self._store.close()


def number_of(game: int) -> int:
    """Return the number in its match of the game-th game of a pair."""
    return _GROUP * game


def team_label(names: Mapping[int, str], team: int) -> str:
    """Return the name of a team: that of its players, or both of them."""
    first, second = names[team], names[team + 2]
    return first if first == second else f"{first} + {second}"
