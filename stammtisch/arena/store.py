"""Results that last: every game of every match in one SQLite file, written chunk by chunk in transactions."""

import json
import pathlib
import platform
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from stammtisch.arena.plan import GameRecord, MatchPlan
from stammtisch.version import __version__

_FORMAT = 1
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


class Store:
    """A results file. A match is known by game, options, agents, seed and opening; its games by their number.

    Args:
        path: the file; made if it does not exist.
    """

    def __init__(self, path: str | pathlib.Path):
        self.path = pathlib.Path(path)
        if not self.path.parent.is_dir():
            raise ValueError(f"no folder {self.path.parent} to keep results in")
        with self._translated():
            self._db = sqlite3.connect(self.path, isolation_level=None)
            tables = {name for (name,) in self._db.execute("SELECT name FROM sqlite_master WHERE type='table'")}
            if not tables:
                self._db.executescript("BEGIN;" + _SCHEMA + f"INSERT INTO about VALUES ('format', '{_FORMAT}');COMMIT;")
            elif not {"about", "matches", "games"} <= tables:
                raise ValueError(f"{self.path} is a database, but not one of stammtisch's results")
            (found,) = self._db.execute("SELECT value FROM about WHERE key='format'").fetchone()
            if found != str(_FORMAT):
                raise ValueError(f"{self.path} has format {found}; this version reads format {_FORMAT}")
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")

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
        """Return the stored games of a match with numbers below the plan's number of games."""
        with self._translated():
            rows = self._db.execute(
                "SELECT number, grp, seating, returns, moves, seconds, events FROM games JOIN matches ON match = id "
                "WHERE game=? AND options=? AND agents=? AND seed=? AND opening=? AND number<? ORDER BY number",
                (*_key(plan), plan.games),
            ).fetchall()
            return [_record(row) for row in rows]

    def plans(self) -> list[MatchPlan]:
        """Return the matches in the file, with as many games as are stored."""
        with self._translated():
            rows = self._db.execute(
                "SELECT game, agents, max(number) + 1, seed, opening, options FROM matches JOIN games ON match = id "
                "GROUP BY id ORDER BY id"
            ).fetchall()
        return [
            MatchPlan(game, tuple(json.loads(agents)), games, seed, opening, json.loads(options))
            for game, agents, games, seed, opening, options in rows
        ]

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _match(self, plan: MatchPlan) -> int:
        self._db.execute(
            "INSERT OR IGNORE INTO matches (game, options, agents, seed, opening, versions) VALUES (?, ?, ?, ?, ?, ?)",
            (*_key(plan), json.dumps(versions())),
        )
        query = "SELECT id FROM matches WHERE game=? AND options=? AND agents=? AND seed=? AND opening=?"
        return self._db.execute(query, _key(plan)).fetchone()[0]

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._translated():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Say what is wrong with the file in one line; what was stored before stays."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise ValueError(f"cannot use results file {self.path}: {error}") from error
        except (zlib.error, json.JSONDecodeError) as error:
            raise ValueError(f"a game in results file {self.path} is damaged: {error}") from error


def versions() -> dict[str, str]:
    """Return the versions that a result depends on."""
    import numba

    return {
        "stammtisch": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
    }


def _key(plan: MatchPlan) -> tuple[Any, ...]:
    options = json.dumps(plan.options, sort_keys=True)
    return plan.game, options, json.dumps(plan.agents), plan.seed, plan.opening


def _record(row: Sequence[Any]) -> GameRecord:
    number, group, seating, returns, moves, seconds, events = row
    played = np.frombuffer(zlib.decompress(events), "<i8").tolist()
    return GameRecord(
        number,
        group,
        tuple(json.loads(seating)),
        tuple(json.loads(returns)),
        tuple(played),
        moves,
        tuple(json.loads(seconds)),
    )
