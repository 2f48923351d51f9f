"""What the settings of all learners share: defaults by game, and YAML, TOML or JSON files of them."""

import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from stammtisch.envs import game_class
from stammtisch.envs.core.options import BaseSettings, option, read_values
from stammtisch.files.documents import read_table


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
        text = ", ".join(f"{name} {before.get(name)!r} -> {now[name]!r}" for name in changed)
        raise ValueError(f"a training is resumed with its own settings; changed: {text}")


def read_settings(path: pathlib.Path) -> dict[str, Any]:
    """Read settings from a YAML, TOML or JSON file; what it leaves out keeps its default."""
    return read_table(path, "settings")
