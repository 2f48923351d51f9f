"""What the settings of all learners share: defaults by game, and YAML, TOML or JSON files of them."""

import json
import pathlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from stammtisch.envs import game_class
from stammtisch.envs.core.options import BaseSettings, option, read_values


@dataclass(frozen=True)
class LearnerSettings(BaseSettings):
    """Base of the settings of a learner: which game, and what decides all that is drawn."""

    LEARNER: ClassVar[str]  # name of the learner

    game: str = option("", "id of the game")
    options: dict[str, Any] = option({}, "options of the game")
    seed: int = option(0, "decides everything that is drawn", minimum=0)

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.OWNER = f"train {cls.LEARNER}"

    @classmethod
    def for_game(cls, game: str, *changes: Mapping[str, Any]) -> Self:
        """Return what suits a game: the general defaults, those of its family, those of the game, then changes in turn.

        Options of the game that a change leaves out stay as they are.

        Raises:
            ValueError: there is no such game, setting or option, or it cannot have this value.
        """
        rules = game_class(game)
        values: dict[str, Any] = {"game": game}
        for change in (rules.training_defaults(cls.LEARNER, game), *changes):
            given = read_values(cls.table(), change, cls.NOUN, cls.OWNER)
            if given.setdefault("game", game) != game:
                raise ValueError(f"settings of a training of {given['game']} do not fit {game}")
            if "options" in given:
                checked = read_values(rules.OPTIONS, given["options"], owner=game)
                given["options"] = {**values.get("options", {}), **checked}
            values |= given
        return cls.read(values)


def check_same_settings(before: Mapping[str, Any], now: Mapping[str, Any], free: Sequence[str]) -> None:
    """Refuse to go on with a training whose settings have changed, except for those that are free to change."""
    changed = [name for name in now if name not in free and now[name] != before.get(name)]
    if changed:
        told = ", ".join(f"{name} {before.get(name)!r} -> {now[name]!r}" for name in changed)
        raise ValueError(f"a training is resumed with its own settings; changed: {told}")


def read_settings(path: pathlib.Path) -> dict[str, Any]:
    """Read settings from a YAML, TOML or JSON file; what it leaves out keeps its default."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ValueError(f'cannot read settings "{path}": {error.strerror}') from None
    try:
        if path.suffix == ".toml":
            found = tomllib.loads(text)
        elif path.suffix in (".yaml", ".yml"):
            found = _read_yaml(text) or {}
        elif path.suffix == ".json":
            found = json.loads(text)
        else:
            raise ValueError("its name ends neither in .yaml nor in .toml nor in .json")
    except Exception as error:
        raise ValueError(f'cannot read settings "{path}": {error}') from None
    if not isinstance(found, dict):
        raise ValueError(f'settings "{path}" are a table of names and values, not {type(found).__name__}')
    return found


def _read_yaml(text: str) -> Any:
    """Read YAML; unlike version 1.1 of it, take ``1e-3`` for a number."""
    import yaml

    class Loader(yaml.SafeLoader):
        pass

    Loader.add_implicit_resolver(
        "tag:yaml.org,2002:float", re.compile(r"^[-+]?\d+(\.\d*)?[eE][-+]?\d+$"), list("-+0123456789")
    )
    return yaml.load(text, Loader)
