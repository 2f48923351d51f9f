"""One way to set things: options of games and agents, settings of trainings, entries of suites.

An ``Option`` says what one keyword may be and what it means. A table of them is what a game or an agent declares as
``OPTIONS``; the type of a value follows from its default:

    OPTIONS = {
        "depth": Option(3, "player actions to look ahead", minimum=1),
        "rollout": Option("random", "who plays the simulated games", ("random", "heuristic")),
        "reuse": Option(True, "keep what the last move found out"),
    }

Where many settings travel together they are a record, a frozen dataclass on ``BaseSettings`` whose fields are made by
``option``; it checks itself when it is made, and ``Record.table()`` is such a table again:

    @dataclass(frozen=True)
    class Search(BaseSettings):
        depth: int = option(3, "player actions to look ahead", minimum=1)
        layers: list[int] = option([256, 256], "units of the layers", minimum=1)

``read_values`` takes what comes from Python, TOML, YAML or JSON, ``read_pairs`` what people write as ``key=value``.
Everything that is wrong is a ``ValueError`` of one line: what was given, and what would be right.
"""

import dataclasses
import difflib
import json
import math
import numbers
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass
from typing import Any, ClassVar, Self

import numpy as np

from stammtisch.errors import UnknownName, unknown

OptionTable = Mapping[str, "Option"]

_WORDS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
_JSON_NAMES = {bool: "boolean", int: "integer", float: "number", str: "string", types.NoneType: "null"}
_TOO_LARGE = 1 << 63  # kernels count in 64 bits
_SHOWN = 60  # characters of a value in a message
_TABLES: dict[type[Any], dict[str, "Option"]] = {}


class _Refused(Exception):
    """A value that an option does not take."""


@dataclass(frozen=True)
class Option:
    """One keyword: its default, what it may be, and a sentence for people.

    Attributes:
        default: the value where none is given, which also fixes the type; ``dataclasses.MISSING`` if one must be given.
        help: what it means, in a sentence without a full stop.
        choices: the values that are allowed; of a list, those of its items.
        minimum: least number; of a list, of its items.
        maximum: greatest number, likewise.
        kind: the type, where the default does not tell it: a basic type, ``list[int]``, ``dict[str, float]``,
            ``int | None``, ``Any``.
        finite: refuse infinite numbers; what is not a number is always refused.
        names: what texts in it name, so that forms can offer it and servers look at it: ``"agent"`` (an agent spec),
            ``"file"`` or ``"folder"``; "" for plain words.
    """

    default: Any
    help: str
    choices: tuple[Any, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    kind: Any = None
    finite: bool = True
    names: str = ""

    def __post_init__(self) -> None:
        if self.kind is None:
            object.__setattr__(self, "kind", Any if self.default is MISSING else type(self.default))

    @property
    def is_required(self) -> bool:
        """Whether there is no default."""
        return self.default is MISSING

    def read(self, name: str, value: Any, noun: str = "option", owner: str = "") -> Any:
        """Return a value as this option has it: ``1e6`` as an integer, an integer as a float, tuples as lists.

        Args:
            name: the keyword, for messages.
            value: from Python, TOML, YAML or JSON.
            noun: what a message calls the keyword, such as ``"option"``.
            owner: whose it is, such as ``"agent mcts"``.

        Raises:
            ValueError: it is not allowed; the message says what would be.
        """
        try:
            return self._value(self.kind, value)
        except _Refused:
            whose = f" for {owner}" if owner else ""
            raise ValueError(f"{noun} {name}={_shown(value)}{whose} is not allowed; {self._right(value)}") from None

    def parse(self, name: str, text: str, noun: str = "option", owner: str = "") -> Any:
        """Return the value that a text stands for; see ``read``.

        Flags are ``true`` or ``false``, also yes, no, on, off, 1 and 0. Lists are written ``1,2``, tables ``a=1,b=2``,
        or both as JSON. Where there may be nothing, write ``none``.
        """
        try:
            value = _from_text(self.kind, text)
        except _Refused:
            value = text
        return self.read(name, value, noun, owner)

    def allowed(self) -> str:
        """Say in a few words what is allowed: ``>= 1``, ``0..1``, ``random | heuristic``."""
        if self.choices:
            return " | ".join(map(option_text, self.choices))
        kinds = [kind for kind in _members(self.kind) if kind is not types.NoneType]
        if kinds == [bool]:
            return "true | false"
        low, high = self.minimum, self.maximum
        if low is not None and high is not None:
            return f"{low:g}..{high:g}"
        return f">= {low:g}" if low is not None else f"<= {high:g}" if high is not None else ""

    def type_name(self) -> str:
        """Name the type as Python writes it."""
        return self.kind.__name__ if isinstance(self.kind, type) else str(self.kind).replace("typing.", "")

    def to_json(self) -> dict[str, Any]:
        """Return all facts as plain values, for programs and for forms."""
        facts: dict[str, Any] = {"type": self.type_name()}
        if not self.is_required:
            facts["default"] = self.default
        if self.choices:
            facts["choices"] = list(self.choices)
        facts |= {name: value for name in ("minimum", "maximum") if (value := getattr(self, name)) is not None}
        if self.names:
            facts["names"] = self.names
        return {**facts, "help": self.help}

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of a value."""
        found = {**self._schema(self.kind), "description": self.help}
        if not self.is_required and self.default is not None:
            found["default"] = list(self.default) if isinstance(self.default, tuple) else self.default
        return found

    def _value(self, kind: Any, value: Any) -> Any:
        """Return ``value`` as ``kind``, or refuse it."""
        parts = typing.get_args(kind)
        base = typing.get_origin(kind) or kind
        if base is Any:
            return value
        if base in (types.UnionType, typing.Union):
            for part in parts:
                try:
                    return self._value(part, value)
                except _Refused:
                    continue
            raise _Refused
        if base in (list, tuple):
            if isinstance(value, str | bytes) or not isinstance(value, Sequence):
                raise _Refused
            return base(self._value(parts[0] if parts else Any, item) for item in value)
        if base is dict:
            if not isinstance(value, Mapping):
                raise _Refused
            keys, values = parts or (Any, Any)
            return {self._value(keys, key): self._value(values, item) for key, item in value.items()}
        found = _basic(base, value)
        if self.choices and found not in self.choices:
            raise _Refused
        if base in (int, float):
            self._check_number(found)
        return found

    def _check_number(self, value: float) -> None:
        if (
            math.isnan(value)
            or (self.finite and math.isinf(value))
            or (self.minimum is not None and value < self.minimum)
            or (self.maximum is not None and value > self.maximum)
        ):
            raise _Refused

    def _right(self, given: Any) -> str:
        """Say what would be right, with the near miss if there is one."""
        if self.choices:
            names = list(map(option_text, self.choices))
            near = difflib.get_close_matches(str(given), names, n=1)
            hint = f'did you mean "{near[0]}"? ' if near else ""
            several = "" if _is_basic(self.kind) else " or more"
            return f"{hint}choose one{several} of {', '.join(names)}"
        limit = ""
        if _is_number(given) and self.maximum is None and not abs(given) < _TOO_LARGE:
            limit = " below 2^63" if int in _members(self.kind) else " that is finite"
        example = f", such as {_shown(self.default)}" if isinstance(self.default, list | dict) and self.default else ""
        return f"give {' or '.join(self._described(kind) for kind in _members(self.kind))}{limit}{example}"

    def _described(self, kind: Any, many: bool = False) -> str:
        parts, base = typing.get_args(kind), typing.get_origin(kind) or kind
        if base in (list, tuple):
            return f"a list of {self._described(parts[0], True)}" if parts else "a list"
        if base is dict:
            return f"a table of names and {self._described(parts[1], True)}" if parts else "a table"
        if base in (int, float):
            words = ("integers", "an integer") if base is int else ("numbers", "a number")
            return f"{words[0] if many else words[1]}{self._bounds()}"
        plain = {bool: "true or false", str: "texts" if many else "text", types.NoneType: "nothing"}
        return plain.get(base, "values" if many else "a value")

    def _bounds(self) -> str:
        low, high = self.minimum, self.maximum
        if low is not None and high is not None:
            return f" from {low:g} to {high:g}"
        return f" of at least {low:g}" if low is not None else f" of at most {high:g}" if high is not None else ""

    def _schema(self, kind: Any) -> dict[str, Any]:
        parts, base = typing.get_args(kind), typing.get_origin(kind) or kind
        if base is Any:
            return {}
        if base in (types.UnionType, typing.Union):
            return {"anyOf": [self._schema(part) for part in parts]}
        if base in (list, tuple):
            return {"type": "array", "items": self._schema(parts[0] if parts else Any)}
        if base is dict:
            return {"type": "object", "additionalProperties": self._schema(parts[1] if parts else Any)}
        found: dict[str, Any] = {"type": _JSON_NAMES[base]}
        if self.choices and base is not types.NoneType:
            found["enum"] = list(self.choices)
        if base in (int, float):
            found |= {name: value for name in ("minimum", "maximum") if (value := getattr(self, name)) is not None}
        return found


def option(
    default: Any,
    help: str,
    choices: tuple[Any, ...] = (),
    minimum: float | None = None,
    maximum: float | None = None,
    *,
    finite: bool = True,
    names: str = "",
) -> Any:
    """Return the field of a record of settings; its type is the annotation. See ``Option``."""
    made = Option(default, help, choices, minimum, maximum, finite=finite, names=names)
    if isinstance(default, list | dict):
        return dataclasses.field(default_factory=lambda: type(default)(default), metadata={"option": made})
    return dataclasses.field(default=default, metadata={"option": made})


def table_of(record: type[Any]) -> dict[str, Option]:
    """Return the options of a dataclass whose fields were made by ``option``, in their order."""
    if record not in _TABLES:
        kinds = typing.get_type_hints(record)
        _TABLES[record] = {
            item.name: dataclasses.replace(item.metadata["option"], kind=kinds[item.name])
            for item in dataclasses.fields(record)
            if "option" in item.metadata
        }
    return _TABLES[record]


@dataclass(frozen=True)
class BaseSettings:
    """Base of records of settings, which check and convert every field when they are made."""

    NOUN: ClassVar[str] = "setting"  # what messages call a field
    OWNER: ClassVar[str] = ""  # whose settings they are, in messages

    def __post_init__(self) -> None:
        for name, entry in table_of(type(self)).items():
            value = entry.read(name, getattr(self, name), self.NOUN, self.OWNER)
            object.__setattr__(self, name, value)

    @classmethod
    def table(cls) -> dict[str, Option]:
        """Return what each setting may be."""
        return table_of(cls)

    @classmethod
    def read(cls, *changes: Mapping[str, Any], owner: str = "") -> Self:
        """Return the defaults with changes applied in turn, which come from Python, TOML, YAML or JSON.

        Args:
            *changes: values by name.
            owner: whose settings they are, in messages, if not ``OWNER``.
        """
        owner = owner or cls.OWNER
        values: dict[str, Any] = {}
        for change in changes:
            values |= read_values(cls.table(), change, cls.NOUN, owner)
        missing = [name for name, entry in cls.table().items() if entry.is_required and name not in values]
        if missing:
            raise ValueError(f"{owner or cls.__name__} lacks {', '.join(missing)}")
        return cls(**values)

    @classmethod
    def changes(cls, texts: Iterable[str]) -> dict[str, Any]:
        """Return the values that ``key=value`` texts stand for, to be given to ``read``."""
        return read_pairs(cls.table(), texts, cls.NOUN, cls.OWNER)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain values."""
        return dataclasses.asdict(self)


def read_values(table: OptionTable, values: Mapping[str, Any], noun: str = "option", owner: str = "") -> dict[str, Any]:
    """Return values that a table allows, converted; what is left out stays out.

    Raises:
        ValueError: there is no such name, or a value is not allowed.
    """
    return {name: _named(table, name, noun, owner).read(name, value, noun, owner) for name, value in values.items()}


def read_all(table: OptionTable, values: Mapping[str, Any], noun: str = "option", owner: str = "") -> dict[str, Any]:
    """Return a value for every name of a table, given or its default; see ``read_values``."""
    given = read_values(table, values, noun, owner)
    return {name: given.get(name, entry.default) for name, entry in table.items()}


def read_pairs(
    table: OptionTable, texts: Iterable[str], noun: str = "option", owner: str = "", main: str | None = None
) -> dict[str, Any]:
    """Return the values of ``key=value`` texts.

    Args:
        table: what there is.
        texts: one pair each; of a name that comes twice, the last one counts.
        noun: what a message calls a name.
        owner: whose it is.
        main: the name that the first text may leave out.
    """
    found = {}
    for place, text in enumerate(texts):
        name, equals, value = text.partition("=")
        if not equals and not place and main is not None:
            name, value = main, text
        elif not equals:
            whose = f" for {owner}" if owner else ""
            raise UnknownName(f'cannot read "{text}" as {noun}{whose}; write key=value')
        found[name] = _named(table, name, noun, owner).parse(name, value, noun, owner)
    return found


def read_series(table: OptionTable, text: str, noun: str = "option", owner: str = "") -> tuple[str, list[Any]]:
    """Return a name and its values from ``name=value,value,…``; see ``read_pairs``."""
    name, _, values = text.partition("=")
    return name, [read_pairs(table, [f"{name}={value}"], noun, owner)[name] for value in split_pairs(values) or [""]]


def split_pairs(text: str) -> list[str]:
    """Split ``a=1,b=[2,3]`` at the commas outside brackets.

    Example:
        >>> split_pairs("a=1,b=[2,3],c=x")
        ['a=1', 'b=[2,3]', 'c=x']
    """
    parts, depth = [""], 0
    for sign in text:
        depth += (sign in "[{") - (sign in "]}")
        if sign == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [part for part in parts if part]


def option_rows(table: OptionTable, values: Mapping[str, Any] | None = None) -> list[tuple[str, str, str, str, str]]:
    """Return name, value, default, what is allowed and meaning of every option, as texts for a table."""
    rows = []
    for name, entry in table.items():
        default = "" if entry.is_required else option_text(entry.default)
        value = default if values is None else option_text(values[name])
        rows.append((name, value, default, entry.allowed(), entry.help))
    return rows


def object_schema(table: OptionTable) -> dict[str, Any]:
    """Return the JSON schema of a table of values."""
    found = {
        "type": "object",
        "properties": {name: entry.schema() for name, entry in table.items()},
        "additionalProperties": False,
    }
    required = [name for name, entry in table.items() if entry.is_required]
    return {**found, "required": required} if required else found


def _named(table: OptionTable, name: str, noun: str, owner: str) -> Option:
    if name not in table:
        raise unknown(f"{noun} for {owner}" if owner else noun, name, table)
    return table[name]


def _members(kind: Any) -> list[Any]:
    """Return the types of a union, or the type itself."""
    return list(typing.get_args(kind)) if typing.get_origin(kind) in (types.UnionType, typing.Union) else [kind]


def _is_basic(kind: Any) -> bool:
    return all(member in _JSON_NAMES for member in _members(kind))


def _basic(kind: type, value: Any) -> Any:
    """Return ``value`` as bool, int, float, str or None, where that loses nothing."""
    if kind is types.NoneType and value is None:
        return None
    if kind is str and isinstance(value, str):
        return str(value)
    is_number = _is_number(value)
    if kind is bool and (isinstance(value, bool | np.bool_) or (is_number and value in (0, 1))):
        return bool(value)
    if is_number:
        if kind is int and abs(value) < _TOO_LARGE and value == int(value):
            return int(value)
        if kind is float and not (isinstance(value, int) and abs(value) >= _TOO_LARGE):
            return float(value)
    raise _Refused


def _is_number(value: Any) -> bool:
    """Tell numbers of Python and NumPy from flags."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)


def _from_text(kind: Any, text: str) -> Any:
    """Return what a text stands for, not yet checked."""
    members = _members(kind)
    if types.NoneType in members and text.lower() == "none":
        return None
    kind = next(member for member in members if member is not types.NoneType)
    base = typing.get_origin(kind) or kind
    try:
        if base is bool:
            return _WORDS[text.strip().lower()]
        if base in (int, float):
            try:
                return int(text)
            except ValueError:
                return float(text)
        if base in (list, tuple):
            if text.lstrip().startswith("["):
                return json.loads(text)
            return [_from_text((typing.get_args(kind) or (Any,))[0], part) for part in split_pairs(text)]
        if base is dict:
            if text.lstrip().startswith("{"):
                return json.loads(text)
            inner = (typing.get_args(kind) or (str, Any))[1]
            pairs = [part.rpartition("=") for part in split_pairs(text)]
            return {key: _from_text(inner, part) for key, _, part in pairs}
    except (ValueError, KeyError, RecursionError):
        raise _Refused from None
    if base is Any:
        try:
            return json.loads(text)
        except ValueError:
            return text
    return text


def option_text(value: Any) -> str:
    """Write a value as a person would give it."""
    return value if isinstance(value, str) else "none" if value is None else json.dumps(value, default=str)


def _shown(value: Any) -> str:
    """Write a value for a message."""
    text = f'"{value}"' if isinstance(value, str) else repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
