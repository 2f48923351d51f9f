"""The few exceptions a caller may want to catch; all of them are ``ValueError``."""

import difflib
import os
from collections.abc import Iterable

from stammtisch.text import printable

_LONGEST_REASON = 300  # letters


class IllegalAction(ValueError):
    """An action that the rules do not allow in this position."""


class UnknownName(ValueError):
    """A game, agent or option that does not exist."""


class BadText(ValueError):
    """A text record, board or move that cannot be read."""


class Forfeit(ValueError):
    """A player that cannot go on, such as an outside engine that hangs; in a match it loses this game."""


class BadFile(ValueError):
    """A file that cannot be read or written: damaged, of another kind, in use, or on a full disk."""


def unknown(kind: str, given: object, available: Iterable[str]) -> UnknownName:
    """Build the error for a name that does not exist, with the nearest names that do.

    Example:
        >>> unknown("agent", "rnadom", ["heuristic", "random"])
        UnknownName('no agent "rnadom"; did you mean "random"? available: heuristic, random')
    """
    names = sorted(available)
    said = _in_one_line(given) if str(given) else ""
    near = difflib.get_close_matches(said, names, n=1)
    hint = f'did you mean "{near[0]}"? ' if near else ""
    return UnknownName(f'no {kind} "{said}"; {hint}available: {", ".join(names) or "none"}')


def unreadable(kind: str, path: str | os.PathLike[str], reason: object) -> BadFile:
    """Build the error for a file that cannot be read.

    Example:
        >>> unreadable("rote table", "a.npz", "it is cut off")
        BadFile('cannot read rote table "a.npz": it is cut off')
    """
    return BadFile(f'cannot read {kind} "{printable(os.fspath(path))}": {_in_one_line(reason)}')


def unwritable(path: str | os.PathLike[str], reason: object) -> BadFile:
    """Build the error for a file that cannot be written."""
    return BadFile(f'cannot write "{printable(os.fspath(path))}": {_in_one_line(reason)}')


def _in_one_line(reason: object) -> str:
    """Return a reason as printable text in one line, cut where it is too long."""
    text = (reason.strerror or str(reason)) if isinstance(reason, OSError) else str(reason)
    line = printable(" ".join(text.split())) or type(reason).__name__
    return line if len(line) <= _LONGEST_REASON else f"{line[:_LONGEST_REASON]} …"
