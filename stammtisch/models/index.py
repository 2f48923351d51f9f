"""The index of the frozen players: what ships, how it was made, how strong it is, and that it arrived undamaged."""

import functools
import hashlib
import pathlib
from dataclasses import dataclass
from typing import Any

from stammtisch.envs.core.options import BaseSettings, option
from stammtisch.errors import unreadable
from stammtisch.files.documents import read_table
from stammtisch.files.reading import reading

FOLDER = pathlib.Path(__file__).parent
FORMAT = 1
_PART_BYTES = 1 << 20


@dataclass(frozen=True)
class FrozenModel(BaseSettings):
    """One row of the index: a frozen player of one game."""

    NOUN = "key"

    name: str = option("", "what people call it")
    game: str = option("", "id of the game")
    agent: str = option("", "agent spec with the budget that was measured; the network comes from `file`")
    quick: str = option("", "agent spec for moves in less time than `quick_s`, on the same network; empty for none")
    quick_s: float = option(0.0, "seconds a move below which `quick` plays", minimum=0)
    about: str = option("", "a sentence for people")
    file: str = option("", "its network in this folder; empty for a search without one")
    sha256: str = option("", "checksum of the file")
    options: dict[str, Any] = option(
        {}, "options of the game that it was made for, where they differ from the defaults"
    )
    command: str = option("", "command of the training")
    seed: int = option(0, "seed of the training", minimum=0)
    minutes: float = option(0.0, "minutes of the training on one core", minimum=0)
    versions: dict[str, str] = option({}, "versions that it was trained with")
    elo: float | None = option(None, "rating on the ladder of its game")
    ci95: list[float] = option([], "95 % interval of the rating")
    games: int = option(0, "games behind the rating", minimum=0)


def models_of(game_id: str, folder: pathlib.Path = FOLDER) -> list[FrozenModel]:
    """Return the frozen players of a game, the strongest first."""
    return [model for model in read_index(folder) if model.game == game_id]


@functools.cache
def read_index(folder: pathlib.Path = FOLDER) -> tuple[FrozenModel, ...]:
    """Read the index of a folder of models.

    Raises:
        BadFile: it cannot be read, or a row of it is wrong.
    """
    path = folder / "index.toml"
    with reading(path, "index of models"):
        table = read_table(path, "index of models")
        if table.get("format") != FORMAT:
            raise ValueError(f"this version reads format {FORMAT}, not {table.get('format')!r}")
        return tuple(FrozenModel.read(row, owner=f"model {place + 1}") for place, row in enumerate(table["model"]))


def model_file(model: FrozenModel, folder: pathlib.Path = FOLDER) -> pathlib.Path:
    """Return the file of a model, whose checksum has been compared.

    Raises:
        BadFile: there is no such file, or it is not the one that the index describes.
    """
    path = folder / model.file
    with reading(path, "model"):
        stamp = path.stat()
        found = _checksum(path, stamp.st_mtime_ns, stamp.st_size)
    if found != model.sha256:
        raise unreadable(
            "model", path, f"its checksum begins with {found[:12]}, not {model.sha256[:12]}; install stammtisch again"
        )
    return path


@functools.lru_cache(maxsize=64)
def _checksum(path: pathlib.Path, stamp: int, size: int) -> str:
    """Return the SHA-256 of a file; one that has not changed is read once per process."""
    found = hashlib.sha256()
    with path.open("rb") as file:
        while part := file.read(_PART_BYTES):
            found.update(part)
    return found.hexdigest()
