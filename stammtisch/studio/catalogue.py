"""Which games and agents there are, for the lobby: worked out once for every state of the package and then kept.

Working it out loads every game and with them numba, which takes longer than everything else before the first page.
"""

import hashlib
import os
import pathlib
import zlib
from collections.abc import Iterator
from typing import Any

from stammtisch.baselines import AGENTS, agent_class
from stammtisch.envs import GAMES, load_game
from stammtisch.errors import BadFile
from stammtisch.files import write_text
from stammtisch.files.documents import read_json
from stammtisch.json_text import json_text
from stammtisch.studio import showing
from stammtisch.studio.levels import levels, middle_level
from stammtisch.studio.setup import symbols

_PACKAGE = pathlib.Path(__file__).parents[1]


def catalogue(folder: pathlib.Path) -> dict[str, Any]:
    """Return games and agents; ``folder`` keeps them unless plug-ins, which may change at any time, are among them."""
    if not _is_ours():
        return worked_out()
    place, stamp = folder / "catalogue.json", _stamp()
    try:
        kept = read_json(place, "catalogue")
    except BadFile:
        kept = None
    if isinstance(kept, dict) and isinstance(kept.get("catalogue"), dict):
        told: dict[str, Any] = kept["catalogue"]
        if kept.get("stamp") == stamp and kept.get("sum") == _sum(told):
            return told
    found = worked_out()
    write_text(place, json_text({"stamp": stamp, "sum": _sum(found), "catalogue": found}))
    return found


def worked_out() -> dict[str, Any]:
    """Load all games and agents and return what the lobby shows of them."""
    games = []
    for game_id in GAMES:
        try:
            game = load_game(game_id)
        except Exception:  # a plug-in that fails is left out
            continue
        games.append(
            {**showing.facts(game), "levels": levels(game), "usual": middle_level(game), "symbols": list(symbols(game))}
        )
    agents = {}
    for name, entry in AGENTS.items():
        try:
            table = agent_class(name).OPTIONS
        except Exception:  # likewise
            continue
        agents[name] = {"help": entry.help, "options": {key: option.to_json() for key, option in table.items()}}
    return {"games": games, "agents": agents}


def _is_ours() -> bool:
    house = f"{_PACKAGE.name}."
    return all(entry.game.startswith(house) for entry in GAMES.values()) and all(
        entry.agent.startswith(house) for entry in AGENTS.values()
    )


def _sum(told: dict[str, Any]) -> int:
    """Return a number that changes with whatever is damaged."""
    return zlib.crc32(json_text(told).encode())


def _stamp() -> str:
    """Return a text that changes with every file of the package that may decide what is shown."""
    digest = hashlib.sha256()
    for path, stat in sorted(_files(_PACKAGE)):
        digest.update(f"{path}\0{stat.st_size}\0{stat.st_mtime_ns}\0".encode())
    return digest.hexdigest()


def _files(folder: str | os.PathLike[str]) -> Iterator[tuple[str, os.stat_result]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name != "__pycache__":
                    yield from _files(entry.path)
            elif entry.name.endswith((".py", ".toml")):
                yield entry.path, entry.stat()
