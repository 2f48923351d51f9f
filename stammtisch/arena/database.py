"""``Database``: an SQLite file of ours that is written in transactions by one process and read by any."""

import os
import pathlib
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

from stammtisch.errors import unreadable, unwritable
from stammtisch.files.locks import FileLock
from stammtisch.files.reading import BAD_VALUES


class Database:
    """A file with tables of its own; a subclass names them.

    Whoever opens a file to write keeps all other writers away until it is closed or the process ends; readers may come
    and go meanwhile.

    Args:
        path: the file; made if it does not exist, unless it is only read.
        read_only: whether nothing is to be changed; then the file may lie on a disk that cannot be written.

    Raises:
        BadFile: the file is damaged, something else, cannot be opened, or is being written by another process.
    """

    NOUN: ClassVar[str]  # what the file is called in messages
    HOLDS: ClassVar[str]  # and what it holds
    FORMAT: ClassVar[int]
    TABLES: ClassVar[frozenset[str]]
    SCHEMA: ClassVar[str]  # a table ``about`` of keys and values among them

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
            made = f"INSERT INTO about VALUES ('format', '{self.FORMAT}');"
            self._db.executescript(f"BEGIN;{self.SCHEMA}{made}COMMIT;")
        elif not tables >= self.TABLES:
            raise ValueError(f"it is a database, but not one of stammtisch's {self.HOLDS}")
        found = self._db.execute("SELECT value FROM about WHERE key='format'").fetchone()
        if found is None or found[0] != str(self.FORMAT):
            raise ValueError(f"it has format {found and found[0]!r}; this version reads format {self.FORMAT}")

    def close(self) -> None:
        """Close the file."""
        if hasattr(self, "_db"):
            self._db.close()
        if self._lock is not None:
            self._lock.release()

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
            raise unreadable(self.NOUN, self.path, error) from error
