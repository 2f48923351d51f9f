"""The models of the studio: one folder each in the folder of models, with ``about.json`` beside the file that plays.

A page names a model, never a path; ``model:NAME`` stands for its agent spec. What is deleted lies in a bin for a while
and can be taken back.
"""

import json
import pathlib
import re
import shutil
import time
from dataclasses import dataclass, field
from typing import Any

from stammtisch.errors import unknown
from stammtisch.files import make_folder, write_text, writing_to
from stammtisch.files.documents import fits, read_json
from stammtisch.json_text import finite
from stammtisch.training.learners import LEARNERS, learner_named

ABOUT = "about.json"
PREFIX = "model:"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,47}")
_MOST_MODELS = 1000
_BIN = ".bin"
_KEPT_S = 7 * 86400.0  # what is deleted stays so long
_IN_SPECS = re.compile(r"[,=\[\]{}]")


@dataclass(frozen=True)
class Model:
    """One model.

    Attributes:
        name: by which pages call it.
        folder: where it lies.
        learner: how it was learned.
        game: id of its game.
        options: options of the game.
        created: seconds since 1970.
        facts: whatever else is known: the job that learns it, its settings, its last scores.
    """

    name: str
    folder: pathlib.Path
    learner: str
    game: str
    options: dict[str, Any] = field(default_factory=dict)
    created: float = 0.0
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def out(self) -> pathlib.Path:
        """What its learner writes: a file, or the folder itself."""
        learner = learner_named(self.learner)
        return self.folder if learner.has_folder else self.folder / f"model{learner.suffix}"

    @property
    def spec(self) -> str:
        """The agent spec that plays it."""
        return learner_named(self.learner).agent.format(out=self.out)

    @property
    def is_playable(self) -> bool:
        """Whether a file is there that plays; a training writes it with its first checkpoint."""
        path = self.spec.partition(":")[2].rpartition("=")[2]
        return pathlib.Path(path).is_file()

    def size(self) -> int:
        """Return the bytes that it takes."""
        return sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file())

    def to_json(self) -> dict[str, Any]:
        """Return what a page shows of it."""
        told: dict[str, Any] = finite(self._told())
        return told

    def _told(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "agent": f"{PREFIX}{self.name}",
            "learner": self.learner,
            "game": self.game,
            "options": self.options,
            "created": self.created,
            "playable": self.is_playable,
            "bytes": self.size(),
            "facts": self.facts,
        }


class Models:
    """All models in a folder.

    Raises:
        ValueError: agent specs cannot name a file in this folder.
    """

    def __init__(self, folder: pathlib.Path):
        self.folder = make_folder(folder).resolve()
        if _IN_SPECS.search(str(self.folder)):
            raise ValueError(f'agents cannot name files in "{self.folder}"; choose a folder without , = [ ] {{ }}')

    def listed(self) -> list[Model]:
        """Return the models, the newest first; a folder that is none is left out."""
        found = []
        for folder in self.folder.iterdir():
            if _NAME.fullmatch(folder.name) and (folder / ABOUT).is_file():
                try:
                    found.append(self._read(folder))
                except ValueError:
                    continue
        return sorted(found, key=lambda model: -model.created)

    def named(self, name: str) -> Model:
        """Return one model.

        Raises:
            ValueError: there is none of this name; the message says which there are.
        """
        if not isinstance(name, str) or not _NAME.fullmatch(name) or not (self.folder / name / ABOUT).is_file():
            raise unknown("model", name, (model.name for model in self.listed()))
        return self._read(self.folder / name)

    def free_name(self, wanted: str) -> str:
        """Return a name like this that no model has yet.

        Raises:
            ValueError: it is no name for a model.
        """
        self._checked(wanted)
        name, number = wanted, 1
        while (self.folder / name).exists():
            number += 1
            name = f"{wanted[:44]}-{number}"
        return name

    def create(self, name: str, learner: str, game: str, options: dict[str, Any], facts: dict[str, Any]) -> Model:
        """Make the folder of a model that is to be learned.

        Raises:
            ValueError: the name is taken or none, or there are too many models.
        """
        self._checked(name)
        if (self.folder / name).exists():
            raise ValueError(f'there is a model "{name}" already; choose another name')
        if sum(1 for _ in self.folder.iterdir()) >= _MOST_MODELS:
            raise ValueError(f"there are {_MOST_MODELS} models already; delete some first")
        model = Model(name, self.folder / name, learner, game, options, time.time(), facts)
        make_folder(model.folder)
        self._write(model)
        return model

    def note(self, name: str, **facts: Any) -> None:
        """Remember something about a model."""
        model = self.named(name)
        model.facts.update(facts)
        self._write(model)

    def save_as(self, name: str, target: str) -> Model:
        """Copy a model under another name, as it is now.

        Raises:
            ValueError: there is nothing to copy yet, or the name is taken or none.
        """
        model = self.named(name)
        if not model.is_playable:
            raise ValueError(f'"{name}" has nothing to copy yet; wait for its first checkpoint')
        facts = {key: value for key, value in model.facts.items() if key != "job"}
        copy = self.create(target, model.learner, model.game, model.options, {**facts, "copy_of": name})
        with writing_to(copy.folder):
            for path in model.folder.iterdir():
                if path.is_file() and path.name != ABOUT and not path.name.startswith("."):
                    shutil.copy2(path, copy.folder / path.name)
        return copy

    def delete(self, name: str) -> str:
        """Put a model into the bin; return the mark by which it can be taken back."""
        return move_to_bin(self.named(name).folder, self.folder / _BIN)

    def restore(self, mark: str) -> Model:
        """Take a model back out of the bin.

        Raises:
            ValueError: it is not there, or another one has its name by now.
        """
        return self.named(take_from_bin(mark, self.folder / _BIN, self.folder))

    def called(self, spec: str) -> str:
        """Return a spec as people read it: with ``model:NAME`` for a file of the studio's."""
        for part in re.findall(re.escape(f"{self.folder}/") + r"([A-Za-z0-9._-]+)(?:/[\w.-]+)?", spec):
            try:
                model = self.named(part)
            except ValueError:
                continue
            spec = spec.replace(model.spec, f"{PREFIX}{part}")
        return spec

    def _checked(self, name: str) -> None:
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise ValueError(
                f'a model cannot be called "{str(name)[:60]}"; take up to 48 letters, digits, ".", "_", "-"'
            )

    def _read(self, folder: pathlib.Path) -> Model:
        about = read_json(folder / ABOUT, "model", 1 << 20)
        kinds = {"learner": str, "game": str, "options": dict[str, Any], "created": float, "facts": dict[str, Any]}
        if not isinstance(about, dict) or not all(fits(about.get(key), kind) for key, kind in kinds.items()):
            raise ValueError(f'"{folder / ABOUT}" does not tell about a model')
        if about["learner"] not in LEARNERS:
            raise unknown("learner", about["learner"], LEARNERS)
        return Model(folder.name, folder, *(about[key] for key in kinds))

    def _write(self, model: Model) -> None:
        about = {key: getattr(model, key) for key in ("learner", "game", "options", "created", "facts")}
        write_text(model.folder / ABOUT, json.dumps(about, indent=1))


def move_to_bin(folder: pathlib.Path, waste: pathlib.Path) -> str:
    """Move a folder into a bin and empty the bin of what is old; return the mark of what was moved."""
    make_folder(waste)
    for old in waste.iterdir():
        stamp = old.name.partition("@")[0]
        if stamp.isdigit() and time.time() - int(stamp) / 1000 > _KEPT_S:
            shutil.rmtree(old, ignore_errors=True)
    mark = f"{time.time_ns() // 1_000_000}@{folder.name}"
    with writing_to(folder):
        folder.rename(waste / mark)
    return mark


def take_from_bin(mark: str, waste: pathlib.Path, home: pathlib.Path) -> str:
    """Move something back from a bin; return its name.

    Raises:
        ValueError: it is not in the bin, or its name is taken.
    """
    found = re.fullmatch(r"\d{1,20}@([A-Za-z0-9][A-Za-z0-9._-]{0,60})", mark) if isinstance(mark, str) else None
    if found is None or not (waste / mark).is_dir():
        raise ValueError("that is not in the bin any more")
    if (home / found[1]).exists():
        raise ValueError(f'there is another "{found[1]}" by now')
    with writing_to(home / found[1]):
        (waste / mark).rename(home / found[1])
    return found[1]
