"""Text from files, and JSON, TOML and YAML in it, with limits to size and depth, so that no file costs much."""

import functools
import json
import math
import os
import pathlib
import re
import tomllib
import types
import typing
from collections.abc import Callable
from typing import Any

from stammtisch.files.reading import reading

MOST_BYTES = 1 << 26
MOST_SETTINGS_BYTES = 1 << 17  # TOML and YAML are written by hand
_DEEPEST = 32
_LEAST_INT, _MOST_INT = -(1 << 63), (1 << 64) - 1
_MOST_VALUES = 1 << 20  # of TOML and YAML, whose aliases can stand for many times their size
# A key of very many parts costs the square of their number.
_LONG_KEY = re.compile(rf"""(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){{{_DEEPEST}}}""")


def read_text(path: str | os.PathLike[str], kind: str, most_bytes: int = MOST_BYTES) -> str:
    """Read a text file in UTF-8.

    Args:
        path: the file.
        kind: what it is to be, such as ``"suite"``, for the error.
        most_bytes: a longer file is refused before it is read.

    Raises:
        BadFile: there is no such file, it is too long, or not text.
    """
    with reading(path, kind):
        with open(path, "rb") as file:
            data = file.read(most_bytes + 1)
        if len(data) > most_bytes:
            raise ValueError(f"it has more than {most_bytes:,} bytes")
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"it is not text in UTF-8 ({error.reason} at byte {error.start})") from None


def read_json(path: str | os.PathLike[str], kind: str, most_bytes: int = MOST_BYTES) -> Any:
    """Read a file of one JSON value.

    Raises:
        BadFile: there is no such file, it is too long, or not JSON.
    """
    with reading(path, kind):
        return parse_json(read_text(path, kind, most_bytes))


def read_table(path: str | os.PathLike[str], kind: str) -> dict[str, Any]:
    """Read a table of names and values from a YAML, TOML or JSON file, told apart by the end of its name.

    Raises:
        BadFile: there is no such file, it is too long, or not a table of that language.
    """
    suffix = pathlib.Path(path).suffix.lower()
    with reading(path, kind):
        if suffix not in _PARSERS:
            raise ValueError("its name ends neither in .yaml nor in .toml nor in .json")
        found = _PARSERS[suffix](read_text(path, kind, MOST_SETTINGS_BYTES))
        if not isinstance(found, dict) or not all(isinstance(name, str) for name in found):
            raise ValueError("it is not a table of names and values")
    return found


def parse_json(text: str | bytes) -> Any:
    """Read JSON whose lists and tables are not nested too deep.

    Raises:
        ValueError: it is not JSON, or too deep.
    """
    try:
        found = json.loads(text)
    except RecursionError:
        raise ValueError(f"values are nested deeper than {_DEEPEST}") from None
    check_depth(found)
    return found


def parse_toml(text: str) -> dict[str, Any]:
    """Read TOML within limits.

    Raises:
        ValueError: it is not TOML, or too deep.
    """
    if _LONG_KEY.search(text):
        raise ValueError(f"a key has more than {_DEEPEST} parts")
    try:
        found = tomllib.loads(text)
    except RecursionError:
        raise ValueError(f"values are nested deeper than {_DEEPEST}") from None
    check_depth(found)
    return found


def parse_yaml(text: str) -> Any:
    """Read YAML without objects, within limits; nothing is an empty table.

    Raises:
        ValueError: it is not YAML, or too deep or too much.
    """
    import yaml

    try:
        found = yaml.load(text, _yaml_loader())
    except RecursionError:
        raise ValueError(f"values are nested deeper than {_DEEPEST}") from None
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None
    check_depth(found)
    return {} if found is None else found


@functools.cache
def _yaml_loader() -> Any:
    """Return a loader of YAML without objects that, unlike version 1.1 of it, takes ``1e-3`` for a number."""
    import yaml

    class Loader(yaml.SafeLoader):
        pass

    Loader.add_implicit_resolver(
        "tag:yaml.org,2002:float", re.compile(r"^[-+]?\d+(\.\d*)?[eE][-+]?\d+$"), list("-+0123456789")
    )
    return Loader


def check_depth(value: Any, deepest: int = _DEEPEST) -> None:
    """Refuse values that are nested too deep, or too many; those that stand in several places count each time.

    Raises:
        ValueError: they are.
    """
    level = [value]
    for _ in range(deepest + 1):
        inner: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                inner.extend(item.values())
            elif isinstance(item, (list, tuple, set)):
                inner.extend(item)
            if len(inner) > _MOST_VALUES:
                raise ValueError(f"there are more than {_MOST_VALUES:,} values")
        if not inner:
            return
        level = inner
    raise ValueError(f"values are nested deeper than {deepest}")


def fits(value: Any, kind: Any) -> bool:
    """Say whether a value that was read is of a type; integers are numbers too, lists are taken as tuples.

    Integers have 64 bits at most: others fit into no array, and many are no numbers any more.

    Example:
        >>> fits({"a": [1, 2]}, dict[str, list[int]]), fits(True, int), fits(1, float | None)
        (True, False, True)
    """
    if kind is Any:
        return True
    if kind is float:
        return math.isfinite(value) if type(value) is float else fits(value, int)
    if kind is int:
        return type(value) is int and _LEAST_INT <= value <= _MOST_INT
    if isinstance(kind, type):
        return type(value) is kind
    inner = typing.get_args(kind)
    origin = typing.get_origin(kind)
    if origin is types.UnionType:
        return any(fits(value, each) for each in inner)
    if origin in (list, tuple):
        return isinstance(value, (list, tuple)) and all(fits(each, inner[0]) for each in value)
    if origin is dict:
        return isinstance(value, dict) and all(fits(k, inner[0]) and fits(v, inner[1]) for k, v in value.items())
    return False


_PARSERS: dict[str, Callable[[str], Any]] = {
    ".toml": parse_toml,
    ".yaml": parse_yaml,
    ".yml": parse_yaml,
    ".json": parse_json,
}
