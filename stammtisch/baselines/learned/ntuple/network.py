"""``Network``: an n-tuple value function of one game, in memory and on disk.

A file is an uncompressed ``.npz`` archive without pickled objects: a header in JSON, the weights, and what a training
needs to go on. Arrays begin at multiples of 64 bytes, so that the weights are mapped into memory instead of read.
It appears under its name only when it is complete.
"""

import functools
import json
import os
import pathlib
import struct
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.baselines.kernels.ntuple_net import Net
from stammtisch.baselines.learned.ntuple.tuples import SHARINGS, Tuples, taps_of, tuple_set
from stammtisch.envs.core import loader
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.options import BaseSettings, option
from stammtisch.files import written_whole

_FORMAT = "stammtisch n-tuple network 1"
_ALIGNMENT = 64
_PADDING_FIELD = 0x5453  # our mark in the extra field of an archive's member
_MOST_WEIGHTS = 1 << 30


@dataclass(frozen=True)
class Layout(BaseSettings):
    """What a network looks at."""

    OWNER = "train ntuple"

    tuples: str = option("fixed", "tuple set: fixed, wide, small, random-walk, random-point, a list or a JSON file")
    count: int = option(25, "number of random tuples", minimum=1)
    length: int = option(4, "length of random tuples", minimum=1)
    tuple_seed: int = option(0, "decides random tuples", minimum=0)
    coding: int = option(0, "position values, 0, 1 or 2 as far as the game has them", minimum=0)
    stages: int = option(1, "parts of the game with tables of their own", minimum=1)
    sharing: str = option(
        "orders", "taps that share a table: all orders of symmetric cells, one per set of cells, none", SHARINGS
    )


class Network:
    """A value function of afterstates.

    Args:
        game: the game.
        layout: what it looks at.
        tuples: the tuples themselves; by default those that ``layout`` names.
        weights: float32[n]; zeros by default.
        coherent: whether to keep sums of steps for temporal coherence.
    """

    def __init__(
        self,
        game: Game,
        layout: Layout,
        tuples: Tuples | None = None,
        weights: NDArray[np.float32] | None = None,
        coherent: bool = False,
    ):
        self.game, self.layout = game, layout
        features = self.features = game.features(layout.coding)
        if not 1 <= layout.stages <= features.PHASES:
            raise ValueError(f"{game.id} has 1..{features.PHASES} stages, not {layout.stages}")
        if tuples is None:
            tuples = tuple_set(game, features, layout.tuples, layout.count, layout.length, layout.tuple_seed)
        self.tuples = tuples
        taps, tables = taps_of(tuples, features.SYMMETRIES, layout.sharing)
        lengths = dict(zip(tables, map(len, taps), strict=True))
        starts = np.cumsum([0, *(features.VALUES ** lengths[table] for table in range(len(lengths)))])
        self.block = int(starts[-1])
        size = self.block * layout.stages * features.SETS
        if size > _MOST_WEIGHTS:
            raise ValueError(f"{size:,} weights are too many; take shorter tuples, a smaller coding or fewer stages")
        if weights is not None and len(weights) != size:
            raise ValueError(f"{size:,} weights were expected, not {len(weights):,}")
        first, reads, powers = _reads(taps, features.CELLS, features.VALUES)
        stage_of = np.arange(features.PHASES) * layout.stages // features.PHASES
        kept = size if coherent else 0
        self.net = Net(
            weights=np.zeros(size, np.float32) if weights is None else weights,
            sums=np.zeros(kept, np.float32),
            norms=np.zeros(kept, np.float32),
            first=first,
            taps=reads,
            powers=powers,
            offsets=starts[tables].astype(np.int64),
            blocks=(np.arange(features.SETS)[:, None] * layout.stages + stage_of) * self.block,
        )
        self.facts: dict[str, Any] = {}

    @property
    def taps(self) -> int:
        """How many weights make up a value."""
        return len(self.net.offsets)

    def kernels(self, family: str) -> loader.KernelModule:
        """Return a kernel family on this game's rules and what the network sees of it."""
        value = loader.load(
            "stammtisch.baselines.kernels.ntuple_value", self.game.id, RULES=self.game.rules, FEATURES=self.features
        )
        return loader.load(f"stammtisch.baselines.kernels.{family}", self.game.id, RULES=self.game.rules, VALUE=value)

    # Files

    def save(self, path: str | os.PathLike[str], arrays: Mapping[str, NDArray[Any]] | None = None) -> None:
        """Write the network; a file of that name is replaced at once, or not at all if this fails.

        Args:
            path: the file.
            arrays: what else to keep, such as the state of a training.
        """
        header = {
            "format": _FORMAT,
            **_identity(self.game),
            "layout": asdict(self.layout),
            "tuples": self.tuples,
            "facts": self.facts,
        }
        with written_whole(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
            _write(archive, "header", np.array(json.dumps(header)))
            _write(archive, "weights", self.net.weights)
            for name, array in (arrays or {}).items():
                _write(archive, name, array)

    @classmethod
    def load(cls, path: str | os.PathLike[str], game: Game) -> "Network":
        """Map a network into memory that was learned for this game.

        Raises:
            ValueError: the file does not exist, is not a whole network, or belongs to another game.
        """
        try:
            with zipfile.ZipFile(path) as archive:
                header = json.loads(str(_read(archive, path, "header")))
                is_known = header["format"] == _FORMAT
                identity = {key: header[key] for key in ("game", "options")}
                weights = _read(archive, path, "weights", mapped=True)
                layout = Layout(**header["layout"])
                tuples = [tuple(cells) for cells in header["tuples"]]
                facts = dict(header["facts"])
        except FileNotFoundError:
            raise ValueError(f'there is no n-tuple network "{path}"') from None
        except (OSError, ValueError, LookupError, TypeError, AttributeError, EOFError, zipfile.BadZipFile) as error:
            raise ValueError(f'"{path}" is not an n-tuple network, or a damaged one ({error})') from None
        if not is_known or weights.dtype != np.float32 or weights.ndim != 1:
            raise ValueError(f'"{path}" is not an n-tuple network that this version can read')
        if identity != _identity(game):
            raise ValueError(f'"{path}" was learned for {_said(identity)}, not for {_said(_identity(game))}')
        try:
            network = cls(game, layout, tuples, weights)
        except ValueError as error:
            raise ValueError(f'"{path}" does not fit {game.id}: {error}') from None
        network.facts = facts
        return network


def read_network(file: str, game: Game) -> Network:
    """Map a network into memory for playing; all agents of a process share it."""
    stamp = pathlib.Path(file).stat().st_mtime_ns if os.path.exists(file) else 0
    return _read_once(file, stamp, game)


@functools.lru_cache(maxsize=8)
def _read_once(file: str, stamp: int, game: Game) -> Network:
    return Network.load(file, game)


def load_arrays(path: str | os.PathLike[str]) -> dict[str, NDArray[Any]]:
    """Read everything that a network's file keeps besides header and weights."""
    with np.load(path, allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files if name not in ("header", "weights")}


def _reads(taps: Tuples, cells: int, values: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return, cell by cell, which taps read it and what it adds to their index."""
    found: list[list[tuple[int, int]]] = [[] for _ in range(cells)]
    for tap, tuple_cells in enumerate(taps):
        for digit, cell in enumerate(tuple_cells):
            found[cell].append((tap, values**digit))
    first = np.cumsum([0, *map(len, found)]).astype(np.int64)
    flat = np.array([pair for pairs in found for pair in pairs], np.int64).reshape(-1, 2)
    return first, flat[:, 0].copy(), flat[:, 1].copy()


def _write(archive: zipfile.ZipFile, name: str, array: NDArray[Any]) -> None:
    """Add an array whose data begin at a multiple of 64 bytes of the file."""
    info = zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0))
    begin = archive.fp.tell() + 30 + len(info.filename) + 20  # type: ignore[union-attr]
    padding = (-begin - 4) % _ALIGNMENT
    info.extra = struct.pack("<HH", _PADDING_FIELD, padding) + bytes(padding)
    with archive.open(info, "w", force_zip64=True) as member:
        np.lib.format.write_array(member, np.asarray(array, order="C"), allow_pickle=False)


def _read(archive: zipfile.ZipFile, path: str | os.PathLike[str], name: str, mapped: bool = False) -> NDArray[Any]:
    """Read an array, or map it into memory; what is written to a mapped array stays in memory."""
    with archive.open(f"{name}.npy") as member:
        if not mapped:
            return np.lib.format.read_array(member, allow_pickle=False)
        np.lib.format.read_magic(member)
        shape, _, dtype = np.lib.format.read_array_header_1_0(member)
        skipped = member.tell()
    info = archive.getinfo(f"{name}.npy")
    if info.compress_type != zipfile.ZIP_STORED:
        raise ValueError(f"{name} is compressed")
    with open(path, "rb") as file:
        file.seek(info.header_offset)
        begin = info.header_offset + 30 + sum(struct.unpack("<26xHH", file.read(30)))
    return np.asarray(np.memmap(path, dtype, "c", begin + skipped, shape))


def _identity(game: Game) -> dict[str, Any]:
    return {"game": game.id, "options": game.changed_options()}


def _said(identity: Mapping[str, Any]) -> str:
    options = "".join(f", {key}={value!r}" for key, value in identity["options"].items())
    return f"{identity['game']}{options}"
