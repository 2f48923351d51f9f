"""Results that last: every game of every match in one SQLite file, written chunk by chunk in transactions."""

import json
import os
import pathlib
import platform
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from stammtisch.arena.plan import GameRecord, MatchPlan
from stammtisch.errors import unreadable, unwritable
from stammtisch.files.documents import fits, parse_json
from stammtisch.files.locks import FileLock
from stammtisch.files.reading import BAD_VALUES
from stammtisch.version import __version__

_FORMAT = 1
_MOST_GAMES = 1 << 40
_MOST_EVENTS = 1 << 20  # of one game
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

    Whoever opens a file to write keeps all other writers away until it is closed or the process ends; readers may come
    and go meanwhile.

    Args:
        path: the file; made if it does not exist, unless it is only read.
        read_only: whether nothing is to be changed; then the file may lie on a disk that cannot be written.

    Raises:
        BadFile: the file is damaged, something else, cannot be opened, or is being written by another process.
    """

    def __init__(self, path: str | pathlib.Path, read_only: bool = False):
        self.path = pathlib.Path(path)
        self._lock = None if read_only else self._locked()
        try:
            with self._reading():
                self._db = self._opened(read_only)
                self._check_format(read_only)
                if not read_only:
                    self._db.execute("PRAGMA journal_mode=WAL")
                    self._db.execute("PRAGMA synchronous=NORMAL")
        except BaseException:
            self.close()
            raise

    def _locked(self) -> FileLock:
        if not self.path.parent.is_dir():
            raise unwritable(self.path, f"there is no folder {self.path.parent}")
        if self.path.is_dir():
            raise unwritable(self.path, "it is a folder")
        return FileLock(self.path)

    def _opened(self, read_only: bool) -> sqlite3.Connection:
        if not read_only:
            return sqlite3.connect(self.path, isolation_level=None)
        if not self.path.is_file():
            raise ValueError("it is not a file" if self.path.exists() else "there is no such file")
        # A reader that may not write could not tidy up after itself, where others can.
        address = f"{self.path.absolute().as_uri()}?mode=rw"
        db = sqlite3.connect(address, isolation_level=None, uri=True)
        try:
            db.execute("PRAGMA query_only=ON")
            db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.OperationalError:
            # SQLite reads files of its journal mode only where it can write beside them, or if they cannot change.
            db.close()
            journal = self.path.with_name(f"{self.path.name}-wal")
            if os.access(self.path.parent, os.W_OK) or (journal.exists() and journal.stat().st_size):
                raise
            db = sqlite3.connect(f"{address}&immutable=1", isolation_level=None, uri=True)
        return db

    def _check_format(self, read_only: bool) -> None:
        """Make the tables of an empty file; refuse a file that is not one of ours."""
        tables = {name for (name,) in self._db.execute("SELECT name FROM sqlite_master WHERE type='table'")}
        if not tables and not read_only:
            self._db.executescript("BEGIN;" + _SCHEMA + f"INSERT INTO about VALUES ('format', '{_FORMAT}');COMMIT;")
        elif not {"about", "matches", "games"} <= tables:
            raise ValueError("it is a database, but not one of stammtisch's results")
        found = self._db.execute("SELECT value FROM about WHERE key='format'").fetchone()
        if found is None or found[0] != str(_FORMAT):
            raise ValueError(f"it has format {found and found[0]!r}; this version reads format {_FORMAT}")

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
        with self._reading():
            rows = self._db.execute(
                "SELECT number, grp, seating, returns, moves, seconds, events FROM games JOIN matches ON match = id "
                "WHERE game=? AND options=? AND agents=? AND seed=? AND opening=? AND number<? ORDER BY number",
                (*_key(plan), plan.games),
            ).fetchall()
            return [_record(row) for row in rows]

    def plans(self) -> list[MatchPlan]:
        """Return the matches in the file, with as many games as are stored."""
        with self._reading():
            rows = self._db.execute(
                "SELECT game, agents, max(number) + 1, seed, opening, options FROM matches JOIN games ON match = id "
                "GROUP BY id ORDER BY id"
            ).fetchall()
            return [_plan(row) for row in rows]

    def close(self) -> None:
        """Close the file."""
        if hasattr(self, "_db"):
            self._db.close()
        if self._lock is not None:
            self._lock.release()

    def _match(self, plan: MatchPlan) -> int:
        self._db.execute(
            "INSERT OR IGNORE INTO matches (game, options, agents, seed, opening, versions) VALUES (?, ?, ?, ?, ?, ?)",
            (*_key(plan), json.dumps(versions())),
        )
        query = "SELECT id FROM matches WHERE game=? AND options=? AND agents=? AND seed=? AND opening=?"
        count: int = self._db.execute(query, _key(plan)).fetchone()[0]
        return count

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        try:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            raise unwritable(self.path, error) from error

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Say what is wrong with the file in one line; what was stored before stays."""
        try:
            yield
        except (sqlite3.Error, sqlite3.Warning, zlib.error, *BAD_VALUES) as error:
            raise unreadable("results file", self.path, error) from error


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
