"""``RoteTable``: positions that searches have valued, kept for good, in memory and on disk.

A file is an ``.npz`` archive without pickled objects: a header in JSON, the keys in ascending order as differences,
then value, depth, kind of bound and number of uses of each; and the decisions, each with its position, what it leads
to, value, depth and nodes. It appears under its name only when it is complete.
"""

import json
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stammtisch.baselines.identity import check_identity, identity_of
from stammtisch.baselines.kernels import tables
from stammtisch.baselines.kernels.tables import SearchArrays
from stammtisch.envs.core import loader
from stammtisch.envs.core.game import Game
from stammtisch.files import written_whole
from stammtisch.files.archives import Archive, opened_archive

EVICTIONS = ("depth", "use")
_FORMAT = "stammtisch rote table 2"
_FEWEST_PLACES = 1 << 16
_COLUMNS: dict[str, np.dtype[Any]] = {
    "values": np.dtype(np.float32),
    "depths": np.dtype(np.uint8),
    "kinds": np.dtype(np.uint8),
    "uses": np.dtype(np.uint16),
}
_DECIDED: dict[str, np.dtype[Any]] = {
    "decided": np.dtype(np.int64),
    "decided_after": np.dtype(np.int64),
    "decided_values": np.dtype(np.float64),
    "decided_depths": np.dtype(np.uint8),
    "decided_nodes": np.dtype(np.int64),
}
_MOST_DECISIONS = 1 << 22
_FULL = 0.6  # share of used places from which on a table grows
_KEPT = 0.9  # share of the greatest size that an eviction leaves


class Decision(NamedTuple):
    """What a search chose in a position.

    Attributes:
        after: key of the position that the choice leads to.
        value: what the search expected of it, for the side that chose.
        depth: depth that the search reached.
        nodes: positions that it was allowed to look at; those that it did look at if there was no limit.
    """

    after: int
    value: float
    depth: int
    nodes: int

    def is_better(self, other: "Decision") -> bool:
        """Whether it came from more thinking."""
        return (self.nodes, self.depth) > (other.nodes, other.depth)


class RoteTable:
    """A hash table from positions to values for the side to move, each with the depth of the search it came from.

    Beside it stand the decisions: what to play in the positions from which a search was begun.

    Args:
        game: the game it belongs to.
        max_size: greatest number of entries; decisions, which are few, do not count and are never forgotten.
        eviction: which entries go when it is full: those of the least ``depth``, the least used first among equals; or
            those of least ``use``, the least deep first, as Samuel's checkers player forgot. Uses count half after
            every eviction, so that what was useful long ago goes in the end.

    Attributes:
        decisions: what was decided, by the key of the position.
        facts: what the header of the file tells besides game and options, such as the number of games learned from.
        evictions: how often entries were forgotten because the table was full.
        forgotten: how many in all.
    """

    def __init__(self, game: Game, max_size: int = 20_000_000, eviction: str = "depth"):
        if max_size < 1:
            raise ValueError(f"a rote table needs room for at least one entry, not {max_size}")
        if eviction not in EVICTIONS:
            raise ValueError(f'eviction "{eviction}" is not known; choose one of {", ".join(EVICTIONS)}')
        self.game = game
        self.max_size = max_size
        self.eviction = eviction
        self.decisions: dict[int, Decision] = {}
        self.facts: dict[str, Any] = {}
        self.evictions = 0
        self.forgotten = 0
        self._kernels = loader.load("stammtisch.baselines.kernels.rote", "rote")
        self._allocate(_FEWEST_PLACES)

    def _allocate(self, places: int) -> None:
        self.keys = np.zeros(places, np.int64)
        self.values = np.zeros(places, np.float32)
        self.info = np.zeros(places, np.int32)
        self._size = 0

    @property
    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.int32]]:
        """Keys, values and info, as search kernels read them."""
        return self.keys, self.values, self.info

    @property
    def nbytes(self) -> int:
        """Memory taken by the table."""
        return sum(array.nbytes for array in self.arrays)

    def __len__(self) -> int:
        return self._size

    def entries(self) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.int32]]:
        """Return the used places only, in ascending order of their keys."""
        used = np.flatnonzero(self.keys)
        used = used[np.argsort(self.keys[used])]
        return self.keys[used], self.values[used], self.info[used]

    # Learning

    def learn(self, work: SearchArrays, least_depth: int = 1) -> int:
        """Take in what a search left in its transposition table, and empty that; return how many positions were new."""
        self._make_room(int(np.count_nonzero(work.table[:, 0])))
        added: int = self._kernels.learn_search(*self.arrays, work.table, work.values, least_depth)
        self._size += added
        self._evict()
        return added

    def decide(self, key: int, decision: Decision) -> None:
        """Remember a decision, unless a better one is known for the position."""
        known = self.decisions.get(key)
        if known is None or decision.is_better(known):
            self.decisions[key] = decision

    def merge(self, other: "RoteTable") -> int:
        """Take in another table of the same game; of two entries the deeper one stays, and uses add up."""
        if other.game != self.game:
            raise ValueError(f"cannot merge what was learned for {other.game!r} into a table for {self.game!r}")
        added = self._take(*other.entries())
        self._evict()
        for key, decision in other.decisions.items():
            self.decide(key, decision)
        return added

    def _take(self, keys: NDArray[np.int64], values: NDArray[np.float32], info: NDArray[np.int32]) -> int:
        self._make_room(len(keys))
        added: int = self._kernels.learn(*self.arrays, keys, values, info)
        self._size += added
        return added

    def _make_room(self, entries: int) -> None:
        places = len(self.keys)
        while (self._size + entries) > _FULL * places:
            places *= 2
        if places != len(self.keys):
            self._rebuild(places, *self.arrays)

    def _rebuild(
        self, places: int, keys: NDArray[np.int64], values: NDArray[np.float32], info: NDArray[np.int32]
    ) -> None:
        self._allocate(places)
        self._size = self._kernels.learn(*self.arrays, keys, values, info)

    def _evict(self) -> None:
        """Forget what is worth least, if there is too much."""
        if self._size <= self.max_size:
            return
        keys, values, info = self.entries()
        depth, uses = info & tables.DEPTH_MASK, info >> tables.USES_SHIFT
        worth = depth << 16 | uses if self.eviction == "depth" else uses << 8 | depth
        kept = np.sort(np.argsort(worth, kind="stable")[-max(1, int(_KEPT * self.max_size)) :])
        info = info[kept] & ((1 << tables.USES_SHIFT) - 1) | (uses[kept] // 2) << tables.USES_SHIFT
        self._rebuild(len(self.keys), keys[kept], values[kept], info.astype(np.int32))
        self.evictions += 1
        self.forgotten += len(keys) - len(kept)

    # Files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table; a file of that name is replaced at once, or not at all if this fails."""
        keys, values, info = self.entries()
        header = {"format": _FORMAT, **identity_of(self.game), "facts": self.facts}
        decided = [(key, *self.decisions[key]) for key in sorted(self.decisions)]
        columns: dict[str, Any] = {
            name: np.array([row[i] for row in decided], dtype) for i, (name, dtype) in enumerate(_DECIDED.items())
        }
        with written_whole(path) as file:
            np.savez_compressed(
                file,
                header=np.array(json.dumps(header)),
                keys=np.diff(keys, prepend=np.int64(0)),
                values=values,
                depths=(info & tables.DEPTH_MASK).astype(np.uint8),
                kinds=(info >> tables.KIND_SHIFT & tables.KIND_MASK).astype(np.uint8),
                uses=(info >> tables.USES_SHIFT).astype(np.uint16),
                **columns,
            )

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], game: Game, max_size: int = 20_000_000, eviction: str = "depth"
    ) -> "RoteTable":
        """Read a table that was written for this game.

        Raises:
            BadFile: the file does not exist, is not a whole rote table, or belongs to another game.
        """
        with opened_archive(path, "rote table") as archive:
            header = archive.header()
            if header.get("format") != _FORMAT:
                raise ValueError(f"this version reads {_FORMAT!r}")
            check_identity(header, game)
            facts = _checked_facts(header)
            keys, values, info = _read_entries(archive)
            decisions = _read_decisions(archive)
        table = cls(game, max_size, eviction)
        table.facts = facts
        table.decisions = decisions
        table._take(keys, values, info)
        table._evict()
        return table


def _checked_facts(header: Mapping[str, Any]) -> dict[str, Any]:
    facts = header.get("facts")
    games = facts.get("games", 0) if isinstance(facts, dict) else None
    if not isinstance(facts, dict) or type(games) is not int or games < 0:
        raise ValueError("its header does not tell how many games it was learned from")
    return facts


def _read_entries(archive: Archive) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.int32]]:
    """Return keys, values and packed info of a file; nothing is read unless all columns are equally long."""
    _check_lengths(archive, {"keys": np.dtype(np.int64), **_COLUMNS})
    keys = archive.ascending("keys", differences=True)
    values, depths, kinds, uses = (archive.array(name, dtype) for name, dtype in _COLUMNS.items())
    if not np.isfinite(values).all() or (kinds > tables.KIND_MASK).any() or (uses > tables.MOST_USES).any():
        raise ValueError("values, kinds or uses are out of range")
    info = depths.astype(np.int32)
    info |= kinds.astype(np.int32) << tables.KIND_SHIFT
    info |= uses.astype(np.int32) << tables.USES_SHIFT
    return keys, values, info


def _read_decisions(archive: Archive) -> dict[int, Decision]:
    if (length := _check_lengths(archive, _DECIDED)) > _MOST_DECISIONS:
        raise ValueError(f"{length:,} decisions are too many")
    keys = archive.ascending("decided", differences=False).tolist()
    after, values, depths, nodes = (archive.array(name, dtype) for name, dtype in list(_DECIDED.items())[1:])
    if not np.isfinite(values).all() or (nodes < 0).any():
        raise ValueError("decisions are out of range")
    columns = zip(keys, after.tolist(), values.tolist(), depths.tolist(), nodes.tolist(), strict=True)
    return {key: Decision(*rest) for key, *rest in columns}


def _check_lengths(archive: Archive, columns: Mapping[str, np.dtype[Any]]) -> int:
    """Return how long all these columns are."""
    lengths = {archive.shape(name, dtype)[0] for name, dtype in columns.items()}
    if len(lengths) > 1:
        raise ValueError("its columns are not equally long")
    return lengths.pop()
