"""The few exceptions a caller may want to catch; all of them are ``ValueError``."""

import difflib
from collections.abc import Iterable


class IllegalAction(ValueError):
    """An action that the rules do not allow in this position."""


class UnknownName(ValueError):
    """A game, agent or option that does not exist."""


class BadText(ValueError):
    """A text record, board or move that cannot be read."""


def unknown(kind: str, given: object, available: Iterable[str]) -> UnknownName:
    """Build the error for a name that does not exist, with the nearest names that do.

    Example:
        >>> unknown("agent", "rnadom", ["heuristic", "random"])
        UnknownName('no agent "rnadom"; did you mean "random"? available: heuristic, random')
    """
    names = sorted(available)
    near = difflib.get_close_matches(str(given), names, n=1)
    hint = f'did you mean "{near[0]}"? ' if near else ""
    return UnknownName(f'no {kind} "{given}"; {hint}available: {", ".join(names) or "none"}')
