"""Plug-ins: what other installed packages offer to this one by entry points, found without importing any of them.

``importlib.metadata`` would take ten times as long as looking for our groups in the files themselves, and every
``import stammtisch`` would pay for it.
"""

import functools
import importlib
import os
import re
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

GAMES_GROUP, AGENTS_GROUP, SUITES_GROUP = "stammtisch.games", "stammtisch.agents", "stammtisch.suites"
_said: dict[Any, int] = {}  # warnings are given once
_METADATA = (".dist-info", ".egg-info")


@dataclass(frozen=True)
class Offer:
    """One entry point: the package that has it, its name there, and what it points to, ``"pkg.mod:attribute"``."""

    group: str
    package: str
    name: str
    target: str

    def __str__(self) -> str:
        return f'{self.name} = "{self.target}" in {self.group} of the package {self.package}'


def offers(group: str) -> list[Offer]:
    """Return the entry points of a group, in the order of packages and names."""
    return [offer for offer in _all_offers() if offer.group == group]


def warn_of(offer: Offer, error: Exception) -> None:
    """Say in one line that a plug-in is left out, and why."""
    message = f"plug-in left out: {offer}: {one_line(error)}"
    # A place that has no source keeps Python from printing a second line.
    warnings.warn_explicit(message, UserWarning, "stammtisch", 1, registry=_said)


def one_line(error: BaseException) -> str:
    """Return what an error says, in one line; its kind too unless it is one of ours, which say enough."""
    said = " ".join(str(error).split())
    return said if said and isinstance(error, ValueError) else f"{type(error).__name__}: {said}"


def resolve(target: str, what: str) -> Any:
    """Import what ``"pkg.mod:attribute"`` names.

    Args:
        target: the name.
        what: what it is for, to begin the message of an error.

    Raises:
        ValueError: there is no such thing, or its module fails; in one line.
    """
    module, colon, attribute = target.partition(":")
    if not colon or not module or not attribute:
        raise ValueError(f'{what}: cannot read "{target}"; write package.module:Class')
    try:
        found: Any = importlib.import_module(module)
    except Exception as error:  # whatever an outside module may raise
        raise ValueError(f'{what}: cannot import "{module}": {one_line(error)}') from error
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise ValueError(f'{what}: "{module}" has no "{attribute}"')
        found = getattr(found, part)
    return found


@functools.cache
def _all_offers() -> tuple[Offer, ...]:
    found: list[Offer] = []
    packages: set[str] = set()
    for place in sys.path:
        for folder, package in _metadata_folders(place or os.curdir):
            if package not in packages:  # the first on the path counts, as for imports
                packages.add(package)
                found += _read(folder, package)
    return tuple(sorted(found, key=lambda offer: (offer.package, offer.name)))


def _metadata_folders(place: str) -> Iterator[tuple[str, str]]:
    try:
        with os.scandir(place) as entries:
            names = sorted(entry.name for entry in entries if entry.name.endswith(_METADATA))
    except OSError:  # an archive, or a place that is not there
        return
    for name in names:
        yield os.path.join(place, name), name.rpartition(".")[0].partition("-")[0].lower()


def _read(folder: str, package: str) -> Iterator[Offer]:
    try:
        with open(os.path.join(folder, "entry_points.txt"), encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError):
        return
    if "stammtisch." not in text:
        return
    group = ""
    for line in text.splitlines():
        if section := re.fullmatch(r"\s*\[(.+)\]\s*", line):
            group = section[1].strip()
        elif group in (GAMES_GROUP, AGENTS_GROUP, SUITES_GROUP):
            name, equals, target = line.partition("=")
            if equals and not name.lstrip().startswith(("#", ";")):
                yield Offer(group, package, name.strip(), target.partition("[")[0].strip())
