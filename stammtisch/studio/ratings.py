"""The ladder of this machine: everybody who played a stored match, rated together with all others of the same game."""

import json
import os
import pathlib
from collections.abc import Iterable
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from typing import Any

from stammtisch.arena.match import count, groups_of
from stammtisch.arena.ratings import Group, fit_elo
from stammtisch.arena.store import Store
from stammtisch.json_text import finite
from stammtisch.studio.models import Models

_MOST_FILES = 400
_MOST_BYTES = 256 << 20  # of one file
_BOOTSTRAP = 100


@dataclass(frozen=True)
class _Counted:
    """What was counted in a file: the groups of games of each game and its options."""

    stamp: tuple[int, int]
    groups: dict[str, list[Group]]


class Standings:
    """Rates what lies in results files; a file is counted again only when it has changed.

    Args:
        models: whose names stand for their files.
    """

    def __init__(self, models: Models):
        self._models = models
        self._known: dict[pathlib.Path, _Counted] = {}

    def tables(self, files: Iterable[pathlib.Path]) -> list[dict[str, Any]]:
        """Return a table of ratings for each game, best first; files that cannot be read are left out."""
        by_game: dict[str, list[Group]] = {}
        for path in sorted(files, key=_modified, reverse=True)[:_MOST_FILES]:
            with suppress(ValueError, OSError):
                for key, groups in self._counted(path).groups.items():
                    by_game.setdefault(key, []).extend(groups)
        tables = [self._table(key, groups) for key, groups in by_game.items()]
        return sorted(tables, key=lambda table: (-table["games"], table["game"]))

    def _counted(self, path: pathlib.Path) -> _Counted:
        facts = path.stat()
        journal = path.with_name(f"{path.name}-wal")
        stamp = facts.st_mtime_ns, facts.st_size + (journal.stat().st_size if journal.exists() else 0)
        known = self._known.get(path)
        if known is None or known.stamp != stamp:
            if facts.st_size > _MOST_BYTES:
                raise ValueError("too large to be counted while somebody waits")
            known = self._known[path] = _Counted(stamp, self._read(path))
        return known

    def _read(self, path: pathlib.Path) -> dict[str, list[Group]]:
        found: dict[str, list[Group]] = {}
        with closing(Store(path, read_only=True)) as store:
            for plan in store.plans():
                if len(plan.agents) != 2 or len(set(plan.agents)) != 2:
                    continue
                if records := store.games_of(plan):
                    match = count(replace(plan, games=len(records)), records, 0.0)
                    names = [self._models.called(agent) for agent in plan.agents]
                    key = json.dumps([plan.game, plan.options], sort_keys=True)
                    groups = groups_of([replace(match, agents=names)])
                    found.setdefault(key, []).extend(groups)
        return found

    def _table(self, key: str, groups: list[Group]) -> dict[str, Any]:
        game, options = json.loads(key)
        names = {name for group in groups for name in (group.first, group.second)}
        anchor = "random" if "random" in names else None
        rows = [
            {
                "agent": rating.name,
                "elo": rating.elo,
                "low": rating.ci95[0],
                "high": rating.ci95[1],
                "interval": rating.interval_text(),
                "games": rating.games,
                "score": rating.score,
            }
            for rating in fit_elo(groups, anchor, bootstrap=_BOOTSTRAP)
        ]
        table = {"game": game, "options": options, "games": sum(group.games for group in groups), "rows": rows}
        told: dict[str, Any] = finite(table)
        return told


def _modified(path: pathlib.Path) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0
