"""What a page asks for, checked before anything is loaded: texts, numbers, agents, and options of games."""

import pathlib
from collections.abc import Mapping
from typing import Any

from stammtisch.envs import GAMES, game_class
from stammtisch.envs.core.options import Option, read_values
from stammtisch.errors import unknown
from stammtisch.studio.desk import Studio
from stammtisch.studio.models import Models
from stammtisch.studio.trust import Trust

_LONGEST_TEXT = 20_000


def checked_text(value: Any, what: str, longest: int = _LONGEST_TEXT) -> str:
    """Return a text of limited length.

    Raises:
        ValueError: it is none, or too long.
    """
    if not isinstance(value, str) or len(value) > longest:
        raise ValueError(f"{what} is a text of at most {longest} characters")
    return value


def checked_number(value: Any, what: str, least: float, most: float) -> float:
    """Return a number between bounds.

    Raises:
        ValueError: it is none, or lies outside.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise ValueError(f"{what} is a number from {least:g} to {most:g}")
    return value


def checked_game(studio: Studio, game_id: Any, options: Any) -> tuple[str, dict[str, Any]]:
    """Return a game and its options, if they exist and name no file outside the studio's folder of maps."""
    name = checked_text(game_id, "a game", 80)
    if name not in GAMES:
        raise unknown("game", name, GAMES)
    if not isinstance(options or {}, Mapping):
        raise ValueError("options of a game are a table of names and values")
    table = game_class(name).OPTIONS
    given = {key: value for key, value in (options or {}).items() if _is_free(table.get(key)) and value != ""}
    for key, value in given.items():
        _check_no_path(key, value)
    return name, read_values(table, options or {}, owner=name)


def _check_no_path(name: str, value: Any) -> None:
    """Refuse what a game could read as the name of a file."""
    text = checked_text(value, f"option {name}")
    if "\n" not in text.strip() and (any(sign in text for sign in "/\\.~") or pathlib.Path(text).exists()):
        raise ValueError(f'option {name}="{text[:60]}" is not allowed here; give a name or the text itself, no file')


def _is_free(option: Option | None) -> bool:
    """Whether an option is any text, which may be the name of a file."""
    return option is not None and option.kind is str and not option.choices


def trust_of(studio: Studio) -> Trust:
    """Return what pages of this studio may ask for."""
    return Trust(Models(studio.models), studio.trusted)


def checked_spec(studio: Studio, spec: Any) -> str:
    """Return the agent spec that a page means; see ``Trust``."""
    return trust_of(studio).spec(spec)
