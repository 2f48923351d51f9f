"""``Network``: an n-tuple value function of one game, in memory and on disk.

A file is an uncompressed ``.npz`` archive without pickled objects: a header in JSON, the weights, and what a training
needs to go on. Arrays begin at multiples of 64 bytes, so that the weights are mapped into memory instead of read.
It appears under its name only when it is complete. A compact file (``compact``) holds the learned weights only, rounded
and compressed.
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

from stammtisch.baselines.identity import check_identity, identity_of
from stammtisch.baselines.kernels.ntuple_net import UNITS, Net, SearchNet
from stammtisch.baselines.learned.ntuple.compact import STEPS, pack, unpack
from stammtisch.baselines.learned.ntuple.tuples import SHARINGS, Tuples, checked, taps_of, tuple_set
from stammtisch.envs.core import loader
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.options import BaseSettings, option
from stammtisch.files import written_whole
from stammtisch.files.archives import opened_archive

_FORMAT = "stammtisch n-tuple network 1"
_COMPACT_FORMAT = "stammtisch n-tuple network, compact 1"
_ALIGNMENT = 64
_PADDING_FIELD = 0x5453  # our mark in the extra field of an archive's member
_MOST_WEIGHTS = 1 << 30
_MOST_STEPS = 1 << 15
_PART = 1 << 24  # weights looked at together


@dataclass(frozen=True)
class Layout(BaseSettings):
    """What a network looks at."""

    OWNER = "train ntuple"

    tuples: str = option(
        "fixed", "tuple set: fixed, wide, small, random-walk, random-point, a list or a JSON file", names="file"
    )
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
        starts = _starts(taps, tables, features.VALUES)
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

    @functools.cached_property
    def net_of_searches(self) -> SearchNet:
        """The same with whole numbers as weights; to be asked for when they do not change any more."""
        whole = np.zeros(len(self.net.weights), np.int32)  # takes no memory where nothing was learned
        most = float(np.iinfo(np.int32).max)
        for start in range(0, len(whole), _PART):
            part = self.net.weights[start : start + _PART]
            learned = np.flatnonzero(part)
            whole[start + learned] = np.clip(np.rint(part[learned].astype(np.float64) * UNITS), -most, most)
        net = self.net
        return SearchNet(whole, net.first, net.taps, net.powers, net.offsets, net.blocks)

    def kernels(self, family: str, **bindings: Any) -> loader.KernelModule:
        """Return a kernel family on this game's rules and what the network sees of it, with further bindings."""
        value = loader.load(
            "stammtisch.baselines.kernels.ntuple_value", self.game.id, RULES=self.game.rules, FEATURES=self.features
        )
        source = f"stammtisch.baselines.kernels.{family}"
        return loader.load(source, self.game.id, RULES=self.game.rules, VALUE=value, **bindings)

    # Files

    def save(self, path: str | os.PathLike[str], arrays: Mapping[str, NDArray[Any]] | None = None) -> None:
        """Write the network; a file of that name is replaced at once, or not at all if this fails.

        Args:
            path: the file.
            arrays: what else to keep, such as the state of a training.
        """
        with written_whole(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
            _write(archive, "header", np.array(json.dumps(self._header(_FORMAT))))
            _write(archive, "weights", self.net.weights)
            for name, array in (arrays or {}).items():
                _write(archive, name, array)

    def save_compact(self, path: str | os.PathLike[str], steps: int = STEPS) -> None:
        """Write the network in little room, to be played but not trained further: rounded, without unused weights.

        Args:
            path: the file.
            steps: into how many a unit of weight is divided; few make a smaller file.
        """
        gaps, values = pack(self.net.weights, steps)
        with written_whole(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            _write(archive, "header", np.array(json.dumps(self._header(_COMPACT_FORMAT) | {"steps": steps})))
            _write(archive, "gaps", gaps)
            _write(archive, "values", values)

    def _header(self, form: str) -> dict[str, Any]:
        return {
            "format": form,
            **identity_of(self.game),
            "layout": asdict(self.layout),
            "tuples": self.tuples,
            "facts": self.facts,
        }

    @classmethod
    def load(cls, path: str | os.PathLike[str], game: Game) -> "Network":
        """Map a network into memory that was learned for this game.

        Raises:
            BadFile: the file does not exist, is not a whole network, or belongs to another game.
        """
        with opened_archive(path, "n-tuple network") as archive:
            header = archive.header()
            if header.get("format") not in (_FORMAT, _COMPACT_FORMAT):
                raise ValueError(f"this version reads {_FORMAT!r} and {_COMPACT_FORMAT!r}")
            check_identity(header, game, game.NEUTRAL_OPTIONS)
            layout = Layout.read(header["layout"])
            tuples = checked(game, game.features(layout.coding), header["tuples"])
            facts = _checked_facts(header)
            if header["format"] == _COMPACT_FORMAT:
                network = cls(game, layout, tuples)
                packed = archive.array("gaps", np.uint8), archive.array("values", np.int16)
                steps = header.get("steps", STEPS)
                if not isinstance(steps, int) or not 1 <= steps <= _MOST_STEPS:
                    raise ValueError(f"a unit of weight has 1..{_MOST_STEPS} steps, not {steps!r}")
                network.net = network.net._replace(weights=unpack(*packed, len(network.net.weights), steps))
            else:
                weights = archive.mapped("weights", np.float32)
                if not all(np.isfinite(part).all() for part in np.array_split(weights, 1 + len(weights) // _PART)):
                    raise ValueError("weights are not finite everywhere")
                network = cls(game, layout, tuples, weights)
        network.facts = facts
        return network


def read_network(file: str, game: Game) -> Network:
    """Map a network into memory for playing; all agents of a process share it."""
    stamp = pathlib.Path(file).stat().st_mtime_ns if os.path.exists(file) else 0
    return _read_once(file, stamp, game)


@functools.lru_cache(maxsize=8)
def _read_once(file: str, stamp: int, game: Game) -> Network:
    return Network.load(file, game)


def weights_of(game: Game, layout: Layout) -> int:
    """Return how many weights one set of tables has, for one stage and one set of seats; nothing is allocated."""
    features = game.features(layout.coding)
    tuples = tuple_set(game, features, layout.tuples, layout.count, layout.length, layout.tuple_seed)
    return int(_starts(*taps_of(tuples, features.SYMMETRIES, layout.sharing), features.VALUES)[-1])


def _starts(taps: Tuples, tables: list[int], values: int) -> NDArray[np.int64]:
    """Return where the table of each tuple begins, and behind them the number of all weights."""
    lengths = dict(zip(tables, map(len, taps), strict=True))
    return np.cumsum([0, *(values ** lengths[table] for table in range(len(lengths)))])


def _checked_facts(header: Mapping[str, Any]) -> dict[str, Any]:
    facts = header["facts"]
    if not isinstance(facts, dict) or not isinstance(facts.get("settings", {}), dict):
        raise ValueError("its header does not tell how it was trained")
    return facts


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
    info.compress_type = archive.compression
    with archive.open(info, "w", force_zip64=True) as member:
        np.lib.format.write_array(member, np.asarray(array, order="C"), allow_pickle=False)
