"""What the settings of all trainings share: fields with a meaning, checks, and YAML, TOML or JSON files of them."""

import dataclasses
import json
import pathlib
import tomllib
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from stammtisch.errors import unknown


def setting(default: Any, text: str) -> Any:
    """Return the field of a setting with its meaning."""
    return field(default=default, metadata={"help": text})


def checked_fields(settings: Any) -> None:
    """Check the type of every field of a frozen dataclass of settings; integers are taken as floats where needed."""
    for item in dataclasses.fields(settings):
        object.__setattr__(settings, item.name, _checked(item, getattr(settings, item.name)))


def _checked(item: "dataclasses.Field[Any]", value: Any) -> Any:
    """Return ``value`` as the type of its setting, or say what would be right."""
    kind = item.type if isinstance(item.type, type | types.GenericAlias) else typing.Any
    origin = typing.get_origin(kind) or kind
    if origin is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, tuple) and origin is list:
        return list(value)
    if not isinstance(value, typing.cast(type, origin)) or (origin is int and isinstance(value, bool)):
        raise ValueError(f"setting {item.name}={value!r} is not allowed; give a {origin.__name__}")
    return value


def merged(cls: type[Any], values: Mapping[str, Any], changes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return settings with changes applied in turn, or say which name does not exist.

    Options of the game that a change leaves out stay as they are.
    """
    names = [item.name for item in dataclasses.fields(cls)]
    result = dict(values)
    for change in changes:
        for name, value in change.items():
            if name not in names:
                raise unknown("setting", name, names)
            is_part = name == "options" and isinstance(value, dict)
            result[name] = {**result.get(name, {}), **value} if is_part else value
    return result


def check_same_settings(before: Mapping[str, Any], now: Mapping[str, Any], free: Sequence[str]) -> None:
    """Refuse to go on with a training whose settings have changed, except for those that are free to change."""
    changed = [name for name in now if name not in free and now[name] != before.get(name)]
    if changed:
        told = ", ".join(f"{name} {before.get(name)!r} -> {now[name]!r}" for name in changed)
        raise ValueError(f"a training is resumed with its own settings; changed: {told}")


def explained(settings: Any) -> list[tuple[str, Any, str]]:
    """Return name, value and meaning of every setting."""
    return [(item.name, getattr(settings, item.name), item.metadata["help"]) for item in dataclasses.fields(settings)]


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
            import yaml

            found = yaml.safe_load(text) or {}
        elif path.suffix == ".json":
            found = json.loads(text)
        else:
            raise ValueError("its name ends neither in .yaml nor in .toml nor in .json")
    except Exception as error:
        raise ValueError(f'cannot read settings "{path}": {error}') from None
    if not isinstance(found, dict):
        raise ValueError(f'settings "{path}" are a table of names and values, not {type(found).__name__}')
    return found


def parse_setting(text: str) -> dict[str, Any]:
    """Read ``key=value`` from the command line; the value is JSON, or plain text."""
    key, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f'cannot read setting "{text}"; write key=value')
    try:
        return {key: json.loads(value)}
    except json.JSONDecodeError:
        return {key: value}
