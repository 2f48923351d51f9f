"""``RoteTable``: positions that searches have valued, kept for good, in memory and on disk.

A file is an ``.npz`` archive without pickled objects: a header in JSON, the keys in ascending order as differences,
then value, depth, kind of bound and number of uses of each; and the decisions, each with its position, what it leads
to, value, depth and nodes. It appears under its name only when it is complete.
"""

import json
import os
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stammtisch.baselines.kernels import tables
from stammtisch.baselines.kernels.tables import SearchArrays
from stammtisch.envs.core import loader
from stammtisch.envs.core.game import Game
from stammtisch.files import written_whole

EVICTIONS = ("depth", "use")
_FORMAT = "stammtisch rote table 2"
_FEWEST_PLACES = 1 << 16
_DECIDED = {
    "decided": np.int64,
    "decided_after": np.int64,
    "decided_values": np.float64,
    "decided_depths": np.uint8,
    "decided_nodes": np.int64,
}
_BAD_ARCHIVE = (zipfile.BadZipFile, zlib.error)
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
        added = self._kernels.learn_search(*self.arrays, work.table, work.values, least_depth)
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
        added = self._kernels.learn(*self.arrays, keys, values, info)
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

    # Files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table; a file of that name is replaced at once, or not at all if this fails."""
        keys, values, info = self.entries()
        header = {"format": _FORMAT, **_identity(self.game), "facts": self.facts}
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
            ValueError: the file does not exist, is not a whole rote table, or belongs to another game.
        """
        try:
            with np.load(path, allow_pickle=False) as archive:
                header = json.loads(str(archive["header"]))
                identity = {key: header[key] for key in ("game", "options")}
                is_known = header["format"] == _FORMAT
                keys = np.cumsum(archive["keys"].astype(np.int64))
                values = archive["values"].astype(np.float32)
                info = archive["depths"].astype(np.int32)
                info |= archive["kinds"].astype(np.int32) << tables.KIND_SHIFT
                info |= archive["uses"].astype(np.int32) << tables.USES_SHIFT
                columns = [archive[name].tolist() for name in _DECIDED]
                decisions = {key: Decision(*rest) for key, *rest in zip(*columns, strict=True)}
        except FileNotFoundError:
            raise ValueError(f'there is no rote table "{path}"') from None
        except (OSError, ValueError, LookupError, TypeError, AttributeError, EOFError, *_BAD_ARCHIVE) as error:
            raise ValueError(f'"{path}" is not a rote table, or a damaged one ({error})') from None
        if not is_known or not len(keys) == len(values) == len(info):
            raise ValueError(f'"{path}" is not a rote table that this version can read')
        if identity != _identity(game):
            raise ValueError(f'"{path}" was learned for {_said(identity)}, not for {_said(_identity(game))}')
        table = cls(game, max_size, eviction)
        table.facts = header["facts"]
        table.decisions = decisions
        table._take(keys, values, info)
        table._evict()
        return table


def _identity(game: Game) -> dict[str, Any]:
    return {"game": game.id, "options": game.changed_options()}


def _said(identity: Mapping[str, Any]) -> str:
    options = "".join(f", {key}={value!r}" for key, value in identity["options"].items())
    return f"{identity['game']}{options}"
