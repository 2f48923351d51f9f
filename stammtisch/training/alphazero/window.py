"""``ReplayWindow``: the positions that are learned from, the newest of all that were played; on disk in pieces."""

import pathlib
import re
from collections.abc import Sequence

import numpy as np

from stammtisch.baselines.kernels.puct_records import Batch, SearchRecords, new_batch, new_records
from stammtisch.baselines.learned.tensor_files import read_tensors, write_tensors
from stammtisch.envs.core import loader
from stammtisch.envs.core.game import Game
from stammtisch.errors import unreadable
from stammtisch.files.reading import reading
from stammtisch.training.alphazero.checks import check_records
from stammtisch.training.alphazero.settings import AlphaZeroSettings

_MOST_BYTES = 1 << 30
_KIND = "positions of self-play"
_SUFFIX = ".safetensors"
_PIECE = re.compile(r"\d{12,20}\.safetensors")


class ReplayWindow:
    """The newest positions of a training.

    Args:
        game: the game.
        settings: say how many are kept.
        folder: where the pieces lie, one file for every portion of self-play.
    """

    def __init__(self, game: Game, settings: AlphaZeroSettings, folder: pathlib.Path):
        self._game, self._settings, self._folder = game, settings, folder
        rules = game.rules
        self._with_last = settings.future_weight > 0
        per_row: int = sum(array.nbytes for array in new_records(rules, 1, with_last=self._with_last))
        self._capacity = max(1, min(settings.window + 4 * settings.portion, _MOST_BYTES // per_row))
        self._records = new_records(rules, self._capacity, with_last=self._with_last)
        self.pieces: list[tuple[str, int]] = []  # name and length, oldest first
        self.added = 0
        self._kernels = loader.load("stammtisch.baselines.kernels.puct_samples", game.id, RULES=rules)
        symmetries = game.symmetries if settings.symmetry else game.symmetries[:1]
        self._cells = np.stack([each.observation for each in symmetries]).astype(np.int64)
        self._moves = np.stack([each.action for each in symmetries]).astype(np.int64)
        self._batch = new_batch(rules, settings.batch, self._with_last)

    def __len__(self) -> int:
        wanted = max(self._settings.least_window, int(self.added * self._settings.window_share))
        return min(wanted, self._settings.window, self._capacity, self.added)

    def add(self, records: SearchRecords, keep: bool = True) -> None:
        """Take in a portion; with ``keep`` write it down as well, and delete pieces that are no longer needed."""
        if keep:
            name = f"{self.added:012d}{_SUFFIX}"
            write_tensors(self._folder / name, records._asdict(), {"kind": _KIND, "game": self._game.id})
            self.pieces.append((name, len(records.facts)))
        records = SearchRecords(*(array[-self._capacity :] for array in records))
        n = len(records.facts)
        places = (self.added + np.arange(n)) % self._capacity
        for mine, theirs in zip(self._records, records, strict=True):
            mine[places] = theirs
        self.added += n

    def forget_old(self) -> None:
        """Leave out the pieces that nothing is learned from any more; their files stay for the last checkpoint."""
        total = sum(n for _, n in self.pieces)
        while self.pieces and total - self.pieces[0][1] >= self._capacity:
            total -= self.pieces.pop(0)[1]

    def delete_old(self) -> None:
        """Delete the files of the pieces that the newest checkpoint does not name."""
        known = {name for name, _ in self.pieces}
        for file in self._folder.glob(f"*{_SUFFIX}"):
            if file.name not in known:
                file.unlink(missing_ok=True)

    def restore(self, pieces: Sequence[tuple[str, int]], added: int) -> None:
        """Read the pieces that a checkpoint names.

        Raises:
            BadFile: one is missing, damaged, or of another game.
        """
        if any(not isinstance(name, str) or not _PIECE.fullmatch(name) or type(n) is not int for name, n in pieces):
            raise ValueError("it names positions that no training writes")
        self.added = added - sum(n for _, n in pieces)
        if self.added < 0 or any(n < 1 for _, n in pieces):
            raise ValueError(f"it says {added} positions, which is not what its pieces allow")
        like = new_records(self._game.rules, 0, with_last=self._with_last)
        for name, n in pieces:
            path = self._folder / name
            arrays, _ = read_tensors(path, _KIND)
            for key, array in like._asdict().items():
                if key not in arrays or arrays[key].shape != (n, *array.shape[1:]) or arrays[key].dtype != array.dtype:
                    raise unreadable(_KIND, path, f"it does not hold {n} positions of {self._game.id}")
            records = SearchRecords(**{key: arrays[key] for key in like._fields})
            with reading(path, _KIND):
                check_records(self._game.rules, records)
            self.pieces.append((name, n))
            self.add(records, keep=False)

    def draw(self, rng: np.random.Generator) -> Batch:
        """Return a batch of samples; its arrays are filled anew by the next call."""
        n = len(self)
        places = (self.added - 1 - rng.integers(n, size=self._settings.batch)) % self._capacity
        turns = rng.integers(len(self._cells), size=self._settings.batch)
        self._kernels.fill(
            self._records, places, turns, self._cells, self._moves, self._settings.value_mix, self._batch
        )
        return self._batch
