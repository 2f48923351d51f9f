"""Deals written in the format of jass-kit, for whoever works with it."""

import json
import pathlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from stammtisch.envs.jass.family.names import CARDS
from stammtisch.files import make_folder, written_whole
from stammtisch.training.jass.deals import ALL_SEATS, N_CARDS, Deals, deal_chunks
from stammtisch.training.jass.logs.drafts import points_of, winner_of
from stammtisch.training.jass.logs.lines import DATE_FORMAT, KIT_MODES, KIT_VERSION, our_seat

MOST_LINES = 100_000  # per file, as jass-kit writes them
_KIT_MODE = {ours: theirs for theirs, ours in enumerate(KIT_MODES)}
# Where nothing is known of the day, the second tells the game, so that the deals of a game stay together.
_NO_DAY, _SECONDS = datetime(2000, 1, 1, tzinfo=UTC), 300_000_000


def export_deals(
    path: str | pathlib.Path, base: str | pathlib.Path, show: Callable[[int], object] | None = None
) -> dict[str, Any]:
    """Write the complete deals of a file as ``<base>0001.txt`` and so on; return what there is to say.

    Args:
        path: a file of deals.
        base: beginning of the names of the new files.
        show: told how many deals were looked at.
    """
    base = pathlib.Path(base)
    make_folder(base.parent)
    written, left_out, files = 0, 0, list[str]()
    waiting: list[str] = []
    for deals in deal_chunks(path):
        for place in range(len(deals)):
            if deals.views[place] != ALL_SEATS or deals.played[place] != N_CARDS or deals.first[place]:
                left_out += 1
                continue
            waiting.append(json.dumps(kit_entry(deals, place), separators=(",", ":")))
            if len(waiting) == MOST_LINES:
                files.append(_write(base, len(files), waiting))
                written, waiting = written + MOST_LINES, []
        if show is not None:
            show(len(deals))
    if waiting:
        files.append(_write(base, len(files), waiting))
        written += len(waiting)
    return {"deals": written, "left_out": left_out, "files": files}


def _write(base: pathlib.Path, number: int, entries: list[str]) -> str:
    target = base.with_name(f"{base.name}{number + 1:04d}.txt")
    with written_whole(target) as file:
        for entry in entries:
            file.write(entry.encode() + b"\n")
    return str(target)


def kit_entry(deals: Deals, place: int) -> dict[str, Any]:
    """Return a complete deal as jass-kit logs it."""
    mode, forehand = int(deals.mode[place]), int(deals.forehand[place])
    date = int(deals.date[place])
    players = [0] * 4
    for seat in range(4):
        players[our_seat(seat)] = int(deals.players[place, seat])
    return {
        "game": {
            "version": KIT_VERSION,
            "trump": _KIT_MODE[mode],
            "dealer": our_seat((forehand - 1) % 4),
            "currentPlayer": -1,
            "forehand": 0 if deals.passed[place] else 1,
            "tricks": list(_tricks(deals.cards[place].tolist(), forehand, mode)),
            "player": [{"hand": []} for _ in range(4)],
            "jassTyp": "SCHIEBER",
        },
        "date": (datetime.fromtimestamp(date, UTC) if date >= 0 else _day_of(deals, place)).strftime(DATE_FORMAT),
        "player_ids": players,
    }


def _day_of(deals: Deals, place: int) -> datetime:
    """Return a made-up date, one for each game."""
    return _NO_DAY + timedelta(seconds=int(deals.game[place]) % _SECONDS)


def _tricks(cards: list[int], leader: int, mode: int) -> Iterator[dict[str, Any]]:
    for place in range(9):
        four = cards[4 * place : 4 * place + 4]
        winner = winner_of(four, leader, mode)
        yield {
            "cards": [CARDS[card] for card in four],
            "points": points_of(four, mode, place == 8),
            "win": our_seat(winner),
            "first": our_seat(leader),
        }
        leader = winner
