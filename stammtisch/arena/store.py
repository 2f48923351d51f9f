"""Results that last: every game of every match in one SQLite file, written chunk by chunk in transactions."""

import json
import platform
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from stammtisch.arena.database import Database
from stammtisch.arena.plan import GameRecord, MatchPlan
from stammtisch.envs.core.games import GAMES
from stammtisch.files.documents import fits, parse_json
from stammtisch.version import __version__

_MOST_GAMES = 1 << 40
_MOST_EVENTS = 1 << 20  # of one game
_NO_EVENTS = zlib.compress(b"")
_SCHEMA = """
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE matches (
    id INTEGER PRIMARY KEY, game TEXT NOT NULL, options TEXT NOT NULL, agents TEXT NOT NULL, seed INTEGER NOT NULL,
    opening INTEGER NOT NULL, versions TEXT NOT NULL, UNIQUE (game, options, agents, seed, opening)
);
CREATE TABLE games (
    match INTEGER NOT NULL REFERENCES matches, number INTEGER NOT NULL, grp INTEGER NOT NULL, seating TEXT NOT NULL,
    returns TEXT NOT NULL, moves INTEGER NOT NULL, seconds TEXT NOT NULL, events BLOB NOT NULL,
    PRIMARY KEY (match, number)
) WITHOUT ROWID;
"""


class Store(Database):
    """A results file. A match is known by game, options, agents, seed and opening; its games by their number."""

    NOUN = "results file"
    HOLDS = "results"
    FORMAT = 1
    TABLES = frozenset({"about", "matches", "games"})
    SCHEMA = _SCHEMA

    def add(self, plan: MatchPlan, records: Sequence[GameRecord]) -> None:
        """Store finished games of a match, all or none."""
        with self._transaction():
            match = self._match(plan)
            self._db.executemany(
                "INSERT INTO games VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        match,
                        record.number,
                        record.group,
                        json.dumps(record.seating),
                        json.dumps(record.returns),
                        record.moves,
                        json.dumps([round(s, 6) for s in record.seconds]),
                        zlib.compress(np.array(record.events, "<i8").tobytes(), 1),
                    )
                    for record in records
                ],
            )

    def games_of(self, plan: MatchPlan) -> list[GameRecord]:
        """Return the stored games of a match with numbers below the plan's number of games.

        Raises:
            BadFile: they were played by another version of the rules.
        """
        with self._reading():
            self._check_rules(plan)
            rows = self._db.execute(
                "SELECT number, grp, seating, returns, moves, seconds, events FROM games JOIN matches ON match = id "
                "WHERE game=? AND options=? AND agents=? AND seed=? AND opening=? AND number<? ORDER BY number",
                (*_key(plan), plan.games),
            ).fetchall()
            return [_record(row) for row in rows]

    def outcomes_of(self, plan: MatchPlan, first: int = 0) -> list[GameRecord]:
        """Return who sat where and what it brought, from a game of a match on: its records without their events."""
        with self._reading():
            rows = self._db.execute(
                "SELECT number, grp, seating, returns, moves, seconds FROM games JOIN matches ON match = id "
                "WHERE game=? AND options=? AND agents=? AND seed=? AND opening=? AND number>=? ORDER BY number",
                (*_key(plan), first),
            ).fetchall()
            return [_record((*row, _NO_EVENTS)) for row in rows]

    def plans(self) -> list[MatchPlan]:
        """Return the matches in the file, with as many games as are stored."""
        with self._reading():
            rows = self._db.execute(
                "SELECT game, agents, max(number) + 1, seed, opening, options FROM matches JOIN games ON match = id "
                "GROUP BY id ORDER BY id"
            ).fetchall()
            return [_plan(row) for row in rows]

    def _check_rules(self, plan: MatchPlan) -> None:
        query = "SELECT versions FROM matches WHERE game=? AND options=? AND agents=? AND seed=? AND opening=?"
        for (text,) in self._db.execute(query, _key(plan)):
            stored = parse_json(text)
            found = stored.get("rules") if isinstance(stored, dict) else None
            if found is not None and found != _rules(plan):
                raise ValueError(f"games of {plan.game} in it follow the rules of {found}, not of {_rules(plan)}")

    def _match(self, plan: MatchPlan) -> int:
        self._db.execute(
            "INSERT OR IGNORE INTO matches (game, options, agents, seed, opening, versions) VALUES (?, ?, ?, ?, ?, ?)",
            (*_key(plan), json.dumps({**versions(), "rules": _rules(plan)})),
        )
        query = "SELECT id FROM matches WHERE game=? AND options=? AND agents=? AND seed=? AND opening=?"
        count: int = self._db.execute(query, _key(plan)).fetchone()[0]
        return count


def versions() -> dict[str, str]:
    """Return the versions that a result depends on."""
    import numba

    return {
        "stammtisch": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
    }


def _rules(plan: MatchPlan) -> str | None:
    """Return the name and version of the rules, which changes whenever they do; None of a game that is not here."""
    return GAMES[plan.game].env_id if plan.game in GAMES else None


def _key(plan: MatchPlan) -> tuple[Any, ...]:
    options = json.dumps(plan.options, sort_keys=True)
    return plan.game, options, json.dumps(plan.agents), plan.seed, plan.opening


def _plan(row: Sequence[Any]) -> MatchPlan:
    """Return the match of a row, whose values may be anything that SQLite can hold."""
    game, agents, games, seed, opening, options = row
    parsed = parse_json(agents), parse_json(options)
    right = (str, list[str], int, int, int, dict[str, Any])
    values = (game, parsed[0], games, seed, opening, parsed[1])
    if not all(map(fits, values, right)) or not parsed[0] or min(games, seed, opening) < 0 or games > _MOST_GAMES:
        raise ValueError(f"a match has game, agents, games, seed, opening and options {values!r}")
    return MatchPlan(game, tuple(parsed[0]), games, seed, opening, parsed[1])


def _record(row: Sequence[Any]) -> GameRecord:
    """Return the game of a row, whose values may be anything that SQLite can hold."""
    number, group, seating, returns, moves, seconds, events = row
    seats, paid, spent = (parse_json(text) for text in (seating, returns, seconds))
    numbers = (number, group, moves)
    if not all(map(fits, (numbers, seats, paid, spent), (tuple[int], list[int], list[float], list[float]))):
        raise ValueError(f"game {number!r} has seating, returns or times that are no numbers")
    if min(numbers) < 0 or not seats or len(seats) != len(paid) or not isinstance(events, bytes):
        raise ValueError(f"game {number!r} is damaged")
    unpacked = zlib.decompressobj()
    played = unpacked.decompress(events, 8 * _MOST_EVENTS)
    if not unpacked.eof or len(played) % 8:
        raise ValueError(f"the events of game {number} are damaged")
    return GameRecord(
        number, group, tuple(seats), tuple(paid), tuple(np.frombuffer(played, "<i8").tolist()), moves, tuple(spent)
    )
