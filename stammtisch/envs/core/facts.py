"""``Fact``: what a game's positions tell by name, ``state.die``, for people and programs that do not read rows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Fact:
    """One accessor of a game's states and views.

    Attributes:
        kind: type of the value as Python writes it.
        help: what it tells, without a full stop.
        read: works it out from a state; in a view from what that player may know.
    """

    kind: str
    help: str
    read: Callable[[Any], Any]


FactTable = Mapping[str, Fact]


def facts_text(table: FactTable) -> str:
    """Return the accessors as a section of a manual page."""
    rows = [f"| `{name}` | `{fact.kind.replace('|', chr(92) + '|')}` | {fact.help} |" for name, fact in table.items()]
    about = "What a position holds, as `state.NAME` and `view.NAME`; `state.facts()` returns all of it."
    return "\n".join(["## Accessors", about, "", "| Name | Type | Meaning |", "|---|---|---|", *rows])
