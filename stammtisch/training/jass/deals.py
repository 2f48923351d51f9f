"""Deals of Schieber as arrays, and their file: chunks in one ``.npz``, so that millions of deals need little memory."""

import io
import os
import pathlib
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, fields
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from stammtisch.files import make_folder, written_whole
from stammtisch.files.archives import Archive, opened_archive
from stammtisch.json_text import json_text

KIND = "jass deals"
VERSION = 1
CHUNK = 65_536  # deals per chunk
NO_CARD, NO_MODE, NO_DATE, NO_VALUE = 255, -1, -1, -32_768
SERVER_RULE, KIT_RULE = 0, 1
ALL_SEATS = 15
N_CARDS, N_MODES = 36, 6
MOST_LEGAL = 9
_DECK = (1 << N_CARDS) - 1
# Every array of a deal: type, and shape beyond the number of deals.
FORMS: dict[str, tuple[Any, tuple[int, ...]]] = {
    "hands": (np.int64, (4,)),
    "views": (np.uint8, ()),
    "cards": (np.uint8, (N_CARDS,)),
    "played": (np.uint8, ()),
    "first": (np.uint8, ()),
    "drawn": (np.int64, ()),
    "forehand": (np.uint8, ()),
    "mode": (np.int8, ()),
    "passed": (np.uint8, ()),
    "choice": (np.uint8, ()),
    "rule": (np.uint8, ()),
    "game": (np.int64, ()),
    "number": (np.int32, ()),
    "date": (np.int64, ()),
    "players": (np.int64, (4,)),
    "source": (np.uint8, ()),
}
VALUES = ("values", (np.int16, (N_CARDS, MOST_LEGAL)))
MODE_VALUES = ("mode_values", (np.int16, (2, N_MODES + 1)))


@dataclass(frozen=True, eq=False)
class Deals:
    """Deals side by side; seats, cards and modes are numbered as everywhere in this package.

    Attributes:
        hands: int64[n, 4], cards dealt to each seat as a set; of a seat that is not in ``views`` only those it played.
        views: uint8[n], a bit for each seat whose hand is known; only these give samples.
        cards: uint8[n, 36], cards in playing order, 255 after the last.
        played: uint8[n], how many were played; 36 in a complete deal.
        first: uint8[n], cards before this one are no samples.
        drawn: int64[n], a bit for each card that was drawn at random: no samples either.
        forehand: uint8[n], seat that begins.
        mode: int8[n], 0..5, -1 when none was chosen.
        passed: uint8[n], whether forehand passed the choice on.
        choice: uint8[n], whether the choice of the mode is a sample; 0 where it was drawn by lot.
        rule: uint8[n], the rule under which all cards were legal: 0 the server's, 1 only jass-kit's.
        game: int64[n], number of the game (session) in this file.
        number: int32[n], number of the deal in its game.
        date: int64[n], seconds since 1970, -1 if unknown.
        players: int64[n, 4], ids of the players by seat, 0 if unknown.
        source: uint8[n], index into the file's list of sources.
        values: int16[n, 36, 9] or None: what the teacher thought of each legal card, ascending, in tenths of a point
            below the best; -32768 where it did not say.
        mode_values: int16[n, 2, 7] or None: the same for the modes, by forehand and by its partner.
    """

    hands: NDArray[np.int64]
    views: NDArray[np.uint8]
    cards: NDArray[np.uint8]
    played: NDArray[np.uint8]
    first: NDArray[np.uint8]
    drawn: NDArray[np.int64]
    forehand: NDArray[np.uint8]
    mode: NDArray[np.int8]
    passed: NDArray[np.uint8]
    choice: NDArray[np.uint8]
    rule: NDArray[np.uint8]
    game: NDArray[np.int64]
    number: NDArray[np.int32]
    date: NDArray[np.int64]
    players: NDArray[np.int64]
    source: NDArray[np.uint8]
    values: NDArray[np.int16] | None = None
    mode_values: NDArray[np.int16] | None = None

    def __len__(self) -> int:
        return len(self.mode)

    def __getitem__(self, places: Any) -> "Deals":
        """Return some of the deals, by a slice, a mask or indices."""
        found = {name: array[places] for name, array in self.arrays().items()}
        return Deals(**found)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays by name, those that are there."""
        named = {item.name: getattr(self, item.name) for item in fields(self)}
        return {name: array for name, array in named.items() if array is not None}

    @classmethod
    def empty(cls, n: int, has_values: bool = False) -> "Deals":
        """Return ``n`` deals to be filled: nothing is played, no mode is chosen."""
        forms = {**FORMS, **dict([VALUES, MODE_VALUES])} if has_values else FORMS
        made = {name: np.zeros((n, *shape), dtype) for name, (dtype, shape) in forms.items()}
        made["cards"][:] = NO_CARD
        made["mode"][:] = NO_MODE
        made["date"][:] = NO_DATE
        made["views"][:] = ALL_SEATS
        if has_values:
            made["values"][:] = NO_VALUE
            made["mode_values"][:] = NO_VALUE
        return cls(**made)

    @classmethod
    def joined(cls, parts: Iterable["Deals"]) -> "Deals":
        """Join deals; what a teacher thought is kept if any of the parts has it."""
        found = list(parts)
        if not found:
            return cls.empty(0)
        has_values = any(part.values is not None for part in found)
        whole = [part.with_values() if has_values else part for part in found]
        return cls(**{name: np.concatenate([p.arrays()[name] for p in whole]) for name in whole[0].arrays()})

    def with_values(self) -> "Deals":
        """Return the deals with room for what a teacher thought, empty if nothing is known."""
        if self.values is not None and self.mode_values is not None:
            return self
        blank = Deals.empty(len(self), True)
        return Deals(**{**blank.arrays(), **self.arrays()})

    def check(self) -> None:
        """Refuse arrays that no deal can have; what the rules say is left to whoever plays them.

        Raises:
            ValueError: says which.
        """
        limits = {"views": 15, "played": 36, "first": 36, "forehand": 3, "passed": 1, "choice": 1, "rule": 1}
        for name, most in limits.items():
            if len(self) and int(getattr(self, name).max()) > most:
                raise ValueError(f"{name} goes beyond {most}")
        if len(self) and not (self.mode.min() >= NO_MODE and self.mode.max() < N_MODES):
            raise ValueError("a mode is none of the six")
        if ((self.mode == NO_MODE) & (self.played > 0)).any():
            raise ValueError("cards are played without a mode")
        places = np.arange(N_CARDS)
        there = places < self.played[:, None]
        if ((self.cards < N_CARDS) != there).any():
            raise ValueError("cards are not as many as were played")
        hands = self.hands
        if ((hands < 0) | (hands > _DECK)).any() or _overlap(hands):
            raise ValueError("two hands share a card")
        bits = np.where(there, np.int64(1) << np.minimum(self.cards, 63).astype(np.int64), 0)
        if (np.bitwise_count(np.bitwise_or.reduce(bits, axis=1, initial=0)) != self.played).any():
            raise ValueError("a card is played twice")
        dealt = np.bitwise_or.reduce(hands, axis=1)
        if (np.bitwise_or.reduce(bits, axis=1, initial=0) & ~dealt).any():
            raise ValueError("a card is played that nobody holds")
        known = (self.views[:, None] >> np.arange(4)) & 1 == 1
        if (np.bitwise_count(hands)[known] != 9).any():
            raise ValueError("a hand does not have nine cards")


def _overlap(hands: NDArray[np.int64]) -> bool:
    seen = np.zeros(len(hands), np.int64)
    for seat in range(4):
        if (seen & hands[:, seat]).any():
            return True
        seen |= hands[:, seat]
    return False


class DealWriter:
    """Writes a file of deals, chunk after chunk; it appears when the block ends, or not at all.

    Args:
        path: the file.
        facts: what else its header says: sources, teacher, seed, counts …; may be changed until the block ends.
    """

    def __init__(self, path: str | os.PathLike[str], facts: dict[str, Any] | None = None):
        self._path = pathlib.Path(path)
        self.facts = facts if facts is not None else {}
        self.count = self._chunks = 0
        self._waiting: list[Deals] = []
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        make_folder(self._path.parent)
        file = self._stack.enter_context(written_whole(self._path))
        self._archive = self._stack.enter_context(zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            try:
                self._flush(0)
                header = {"kind": KIND, "version": VERSION, **self.facts, "deals": self.count, "chunks": self._chunks}
                self._put("header", np.array(json_text(header)))
            except BaseException as broken:
                self._stack.__exit__(type(broken), broken, broken.__traceback__)
                raise
        self._stack.__exit__(kind, error, trace)

    def add(self, deals: Deals) -> None:
        """Take deals."""
        if len(deals):
            self._waiting.append(deals)
            self._flush(CHUNK)

    def _flush(self, least: int) -> None:
        """Write chunks as long as more deals than ``least`` are waiting."""
        while (waiting := sum(map(len, self._waiting))) > least:
            joined = Deals.joined(self._waiting)
            for name, array in joined[:CHUNK].arrays().items():
                self._put(f"{self._chunks:06d}/{name}", array)
            self._chunks += 1
            self.count += min(waiting, CHUNK)
            self._waiting = [joined[CHUNK:]] if waiting > CHUNK else []

    def _put(self, name: str, array: NDArray[Any]) -> None:
        room = io.BytesIO()
        np.lib.format.write_array(room, np.ascontiguousarray(array) if array.ndim else array, (1, 0), False)
        # One date for all: the same deals give the same bytes.
        self._archive.writestr(zipfile.ZipInfo(f"{name}.npy"), room.getvalue(), zipfile.ZIP_DEFLATED)


def write_deals(path: str | os.PathLike[str], deals: Deals, facts: Mapping[str, Any] | None = None) -> None:
    """Write deals that are in memory."""
    with DealWriter(path, dict(facts or {})) as writer:
        writer.add(deals)


def read_header(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read what a file says about its deals.

    Raises:
        BadFile: it is damaged or something else.
    """
    with opened_archive(path, KIND) as archive:
        return _header(archive)


def deal_chunks(path: str | os.PathLike[str]) -> Iterator[Deals]:
    """Yield the deals of a file, chunk after chunk, checked.

    Raises:
        BadFile: it is damaged or something else.
    """
    with opened_archive(path, KIND) as archive:
        header = _header(archive)
        names = set(archive.names)
        found = 0
        for chunk in range(header["chunks"]):
            deals = _chunk(archive, chunk, names)
            found += len(deals)
            yield deals
        if found != header["deals"]:
            raise ValueError(f"it says that it has {header['deals']:,} deals, not {found:,}")


def read_deals(path: str | os.PathLike[str]) -> Deals:
    """Read all deals of a file.

    Raises:
        BadFile: it is damaged or something else.
    """
    return Deals.joined(deal_chunks(path))


def _header(archive: Archive) -> dict[str, Any]:
    header = archive.header()
    if header.get("kind") != KIND:
        raise ValueError(f"it holds {header.get('kind')!r}, not {KIND!r}")
    if header.get("version") != VERSION:
        raise ValueError(f"it has version {header.get('version')!r}, not {VERSION}")
    if any(type(header.get(name)) is not int or header[name] < 0 for name in ("deals", "chunks")):
        raise ValueError("its header does not say how many deals there are")
    return header


def _chunk(archive: Archive, number: int, names: set[str]) -> Deals:
    """Read one chunk; all sizes are compared before anything is made."""
    prefix = f"{number:06d}/"
    forms = dict(FORMS)
    forms |= {name: form for name, form in (VALUES, MODE_VALUES) if f"{prefix}{name}" in names}
    lengths = set()
    for name, (dtype, shape) in forms.items():
        found = archive.shape(f"{prefix}{name}", dtype, 1 + len(shape))
        if found[1:] != shape or found[0] > CHUNK:
            raise ValueError(f"{name} has the shape {found}")
        lengths.add(found[0])
    if len(lengths) != 1:
        raise ValueError("its arrays have different lengths")
    deals = Deals(
        **{name: archive.array(f"{prefix}{name}", dtype, 1 + len(shape)) for name, (dtype, shape) in forms.items()}
    )
    deals.check()
    return deals


def split_games(deals: Deals, test: float = 0.1, seed: int = 0) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return which deals are for training and which for the test: games are split, so that none is in both.

    The same games fall on the same side whatever else is in the file, by a hash of their number and the seed.

    Args:
        deals: the deals.
        test: share of games for the test.
        seed: draws another split.
    """
    mixed = deals.game.astype(np.uint64) + np.uint64(seed * 0x9E3779B97F4A7C15 % 2**64)
    for factor in (0xBF58476D1CE4E5B9, 0x94D049BB133111EB):
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(factor)
    is_test = (mixed >> np.uint64(11)).astype(np.float64) * 2.0**-53 < test
    return np.flatnonzero(~is_test), np.flatnonzero(is_test)
