"""Tables of solved positions on disk: one file per part, with its facts and a checksum, mapped into memory to be read.

A file is ``MAGIC``, the length of its header as eight bytes, the header as JSON, zeros up to a whole page, and then the
entries as they are.
"""

import hashlib
import json
import os
import pathlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core.game import Game
from stammtisch.errors import unknown, unreadable
from stammtisch.files import make_folder, writing_to, written_whole
from stammtisch.files.documents import fits, parse_json
from stammtisch.files.reading import reading

MAGIC = b"STAMTAB1"
KIND = "table"
SUFFIX = ".table"
FOLDER_VARIABLE = "STAMMTISCH_TABLES"
_PAGE = 4096
_MOST_HEADER_BYTES = 1 << 20
_COUNTS = ("positions", "won", "drawn", "lost", "longest")  # that headers may tell
_DTYPES = ("uint8", "float32")
_PIECE = 1 << 24

Tell = Callable[[str], None]  # takes a line on how far a long work is


def tables_folder(chosen: str | os.PathLike[str] | None = None) -> pathlib.Path:
    """Return where tables are: the chosen folder, that of ``$STAMMTISCH_TABLES``, or one among the user's data."""
    if chosen:
        return pathlib.Path(chosen)
    if named := os.environ.get(FOLDER_VARIABLE):
        return pathlib.Path(named)
    if os.name == "nt":
        data = os.environ.get("LOCALAPPDATA") or pathlib.Path.home() / "AppData" / "Local"
    else:
        data = os.environ.get("XDG_DATA_HOME") or pathlib.Path.home() / ".local" / "share"
    return pathlib.Path(data) / "stammtisch" / "tables"


@dataclass(frozen=True)
class TableFile:
    """An opened table.

    Attributes:
        path: where it is.
        header: its facts: ``name`` and ``part``, ``dtype`` and ``entries``, ``sha256`` of the entries, and more.
        entries: uint8[n] or float32[n], mapped; what is written to it stays in memory.
    """

    path: pathlib.Path
    header: Mapping[str, Any]
    entries: NDArray[Any]

    def check_sum(self) -> None:
        """Compare the entries with the checksum.

        Raises:
            BadFile: they differ.
        """
        if _digest(self.entries) != self.header["sha256"]:
            raise unreadable(
                KIND, self.path, "its entries do not have the checksum that it says; delete it and build it anew"
            )


def write_table(path: pathlib.Path, entries: NDArray[Any], facts: Mapping[str, Any]) -> None:
    """Write a table whole, or not at all."""
    header = {**facts, "dtype": str(entries.dtype), "entries": len(entries), "sha256": _digest(entries)}
    text = json.dumps(header).encode()
    begin = len(MAGIC) + 8 + len(text)
    with written_whole(path) as file:
        file.write(MAGIC + len(text).to_bytes(8, "little") + text + bytes(-begin % _PAGE))
        file.write(_bytes(entries))


def open_table(path: pathlib.Path) -> TableFile:
    """Open a table; its entries are read when they are looked at.

    Raises:
        BadFile: there is no such file, or it is damaged or something else.
    """
    with reading(path, KIND):
        size = os.path.getsize(path)
        with path.open("rb") as file:
            start = file.read(len(MAGIC) + 8)
            if start[: len(MAGIC)] != MAGIC or len(start) < len(MAGIC) + 8:
                raise ValueError("it does not begin as tables do")
            length = int.from_bytes(start[len(MAGIC) :], "little")
            if length > min(_MOST_HEADER_BYTES, size):
                raise ValueError("its header is longer than the file")
            header = parse_json(file.read(length))
        texts = ("name", "part", "dtype", "sha256")
        if not isinstance(header, dict) or not all(isinstance(header.get(key), str) for key in texts):
            raise ValueError("its header lacks name, part, type or checksum")
        if header["dtype"] not in _DTYPES or not fits(header.get("entries"), int):
            raise ValueError("its entries are of no kind that we know")
        if any(key in header and not (fits(header[key], int) and header[key] >= 0) for key in _COUNTS):
            raise ValueError(f"one of {', '.join(_COUNTS)} in its header is no number")
        dtype = np.dtype(header["dtype"])
        begin = len(MAGIC) + 8 + length
        begin += -begin % _PAGE
        if header["entries"] < 1 or begin + header["entries"] * dtype.itemsize != size:
            raise ValueError(f"it says {header['entries']} entries, which is not what its size allows")
        entries = np.asarray(np.memmap(path, dtype, "c", begin, (header["entries"],)))
    return TableFile(path, header, entries)


def _bytes(entries: NDArray[Any]) -> memoryview:
    return np.ascontiguousarray(entries).view(np.uint8).data


def _digest(entries: NDArray[Any]) -> str:
    digest = hashlib.sha256()
    data = _bytes(entries)
    for at in range(0, len(data), _PIECE):
        digest.update(data[at : at + _PIECE])
    return digest.hexdigest()


@dataclass(frozen=True)
class Part:
    """A piece of a table set that is built at once.

    Attributes:
        name: what the command line calls it.
        files: the files that it becomes.
        entries: how many entries they have together.
    """

    name: str
    files: tuple[str, ...]
    entries: int


class TableSet(ABC):
    """The tables of one game with one set of rules, in a folder of their own.

    A subclass names the set, lists its parts in the order in which they can be built, and builds and checks one.
    """

    DEFAULT_SIZE: ClassVar[int] = 0  # what ``parts`` takes if nothing is said
    SIZE_MEANS: ClassVar[str] = ""  # what a size is, for people

    def __init__(self, game: Game, folder: str | os.PathLike[str] | None = None):
        self.game = game
        self.folder = tables_folder(folder) / self.name
        self._sound: set[str] = set()  # parts whose checksums were found right

    @property
    @abstractmethod
    def name(self) -> str:
        """The game and every rule that the values depend on."""

    @abstractmethod
    def parts(self, size: int = 0) -> list[Part]:
        """Return the parts up to a size, 0 for the default, each after those that it needs."""

    @abstractmethod
    def make(self, part: Part, threads: int, tell: Tell) -> dict[str, tuple[NDArray[Any], dict[str, Any]]]:
        """Work out a part: for each of its files the entries and what the header is to say about them."""

    @abstractmethod
    def find_fault(self, part: Part, threads: int, tell: Tell) -> str | None:
        """Compare every position with its successors; return a line about the first that disagrees, None if none."""

    def for_searches(self) -> tuple[Any, Any, Any]:
        """Return kernels that searches bind as ``TABLES``, what these look up, and the same with nothing in it.

        Raises:
            ValueError: searches cannot use these tables.
        """
        raise ValueError(f"searches of {self.game.id} do not use its tables; the player perfect does")

    def build(self, part: Part, threads: int = 2, tell: Tell = lambda line: None) -> bool:
        """Build a part unless it is there; return whether that was to be done.

        Raises:
            BadFile: a part that it needs is damaged.
        """
        if self.has(part):
            return False
        for needed in self.needed_for(part):
            if self.has(needed) and needed.name not in self._sound:
                tell(f"{part.name}: checksums of {needed.name}")
                self.check_sums(needed)
                self._sound.add(needed.name)
        make_folder(self.folder)
        for file, (entries, facts) in self.make(part, threads, tell).items():
            write_table(self.folder / file, entries, {"name": self.name, "part": part.name, **facts})
        return True

    def has(self, part: Part) -> bool:
        """Tell whether all files of a part are there."""
        return all((self.folder / file).is_file() for file in part.files)

    def check_sums(self, part: Part) -> None:
        """Compare the files of a part with their checksums.

        Raises:
            BadFile: one is not there, is damaged, or belongs to other rules.
        """
        for file in part.files:
            self.open(file).check_sum()

    def open(self, file: str) -> TableFile:
        """Open one of the files.

        Raises:
            BadFile: it is not there, is damaged, or belongs to other rules.
        """
        table = open_table(self.folder / file)
        if table.header["name"] != self.name:
            raise unreadable(KIND, table.path, f'it is of "{table.header["name"]}", not of "{self.name}"')
        return table

    def remove(self, part: Part) -> int:
        """Delete the files of a part; return how many bytes that frees."""
        freed = 0
        for file in part.files:
            path = self.folder / file
            with writing_to(path):
                if path.is_file():
                    freed += path.stat().st_size
                    path.unlink()
        with suppress(OSError):  # not empty, or not there
            self.folder.rmdir()
        return freed

    def part(self, name: str) -> Part:
        """Return a part by its name.

        Raises:
            UnknownName: there is none.
        """
        known = {part.name: part for part in self.all_parts()}
        if name not in known:
            raise unknown(f"part of the tables of {self.game.id}", name, known)
        return known[name]

    def needed_for(self, part: Part) -> list[Part]:
        """Return the parts that have to be there before this one can be used, in their order, and itself."""
        return [part]

    def all_parts(self) -> list[Part]:
        """Return every part that there could be."""
        return self.parts()
