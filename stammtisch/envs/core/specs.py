"""How agents are called: the table of names, filled by this package and by others, and what a spec consists of.

A spec is ``"name"`` or ``"name:key=value,key=value"``; a class that has no name in the table is called by its place,
``"package.module:Class"`` or ``"package.module:Class,key=value"``. Players that are numbered may have their number in
the name: ``"ladder-3"`` is ``"ladder:3"``.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stammtisch.envs.core.plugins import AGENTS_GROUP, offers, warn_of

_CLASS = re.compile(
    r"(?P<place>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(?:,(?P<rest>.*))?", re.S
)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_NUMBERED = re.compile(r"(?P<name>[A-Za-z0-9_]+)-(?P<number>\d{1,4})")


@dataclass(frozen=True)
class AgentEntry:
    """One row of the table: where the agent is, a sentence for people, and arguments beside its options.

    A numbered agent may be called by its name and its number, the main option.
    """

    agent: str
    help: str
    fixed: Mapping[str, Any] = field(default_factory=dict)
    is_numbered: bool = False


AGENTS: dict[str, AgentEntry] = {}


def split_spec(spec: str) -> tuple[str, str]:
    """Split an agent spec into its name, or the place of its class, and its options.

    Example:
        >>> split_spec("my_pkg.players:Careful,risk=0.2")
        ('my_pkg.players:Careful', 'risk=0.2')
    """
    name, _, rest = spec.partition(":")
    if name not in AGENTS and (match := _CLASS.fullmatch(spec)):
        return match["place"], match["rest"] or ""
    if name not in AGENTS and (numbered := _NUMBERED.fullmatch(name)):
        base = AGENTS.get(numbered["name"])
        if base is not None and base.is_numbered:
            return numbered["name"], f"{numbered['number']},{rest}".rstrip(",")
    return name, rest


def is_place(name: str) -> bool:
    """Whether what a spec begins with is the place of a class."""
    return ":" in name


def add_offered_agents() -> None:
    """Add the agents that other installed packages offer; one that cannot be added is left out with a warning."""
    for offer in offers(AGENTS_GROUP):
        try:
            if not _NAME.fullmatch(offer.name):
                raise ValueError(f'"{offer.name}" cannot be the name of an agent; take letters, digits, "-" and "_"')
            if not _CLASS.fullmatch(offer.target):
                raise ValueError(f'cannot read "{offer.target}"; write package.module:Class')
            if offer.name in AGENTS:
                raise ValueError(f'the name "{offer.name}" is taken by {AGENTS[offer.name].agent}')
        except ValueError as error:
            warn_of(offer, error)
        else:
            AGENTS[offer.name] = AgentEntry(offer.target, f"of the package {offer.package}")
