"""Measured figures of the pages: kept as JSON beside them, shown as tables, taken from what the commands print.

    stammtisch bench players --workers 2 --out players && python docs/tools/figures.py players players/results.json
    stammtisch speed -g einstein-5x5 -g reversi-8x8 --json > speed.json && python docs/tools/figures.py speed speed.json

The second also writes the short table of the README. Add ``--note`` to tell what else the machine was doing.
"""

import argparse
import json
import os
import pathlib
import platform
import re
from typing import Any

_ROOT = pathlib.Path(__file__).parents[2]
_FIGURES = _ROOT / "docs" / "figures"
_COMMANDS = {"players": "stammtisch bench players", "speed": "stammtisch speed"}


def strength_table(agents: list[str]) -> str:
    """Return what the suite ``players`` showed of some agents."""
    kept = _read("players")
    rows = ["| agent | game | against | result | 95 % interval | games | per move |", "|---|---|---|---|---|---|---|"]
    for row in kept["rows"]:
        if row["agent"] not in agents:
            continue
        if row["measure"] == "score":
            result, interval = f"{100 * row['ours']:.1f} %", f"{100 * row['low']:.1f} to {100 * row['high']:.1f}"
        else:
            result, interval = f"{row['ours']:+.2f} a deal", f"{row['low']:+.2f} to {row['high']:+.2f}"
        against = f"`{row['against']}`" + (f", {row['opening']} moves at random" if row["opening"] else "")
        cells = (
            f"`{row['agent']}`",
            row["game"],
            against,
            result,
            interval,
            f"{row['games']:,}",
            _time(row["seconds"]),
        )
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join([*rows, "", _source(kept)])


def speed_table() -> str:
    """Return steps per second of the faces that were measured, with the ratio to each peer."""
    kept = _read("speed")
    rows = ["| game | face | steps per second | beside others |", "|---|---|---|---|"]
    for row in kept["rows"]:
        steps = f"{row['steps_per_s']:,.0f}" if row["steps_per_s"] else "–"
        beside = ", ".join(f"{ratio:.1f}× {peer}" for peer, ratio in row["ratios"].items())
        rows.append(f"| {row['game']} | `{row['face']}` | {steps} | {beside or '–'} |")
    return "\n".join([*rows, "", _source(kept)])


def short_speed_table() -> str:
    """Return one row per game: the batched faces, and how many times faster than a peer the others are."""
    kept = _read("speed")
    games: dict[str, dict[str, Any]] = {}
    for row in kept["rows"]:
        games.setdefault(row["game"], {})[row["face"]] = row
    rows = ["| game | batched steps per second | random games, moves per second | beside others |", "|---|---|---|---|"]
    for game, faces in games.items():
        beside = [
            f"`{face}` {ratio:.1f}× {peer}" for face, row in faces.items() for peer, ratio in row["ratios"].items()
        ]
        batched, random = (f"{faces[face]['steps_per_s'] / 1e6:.1f} M" for face in ("vector", "playouts"))
        rows.append(f"| {game} | {batched} | {random} | {', '.join(beside)} |")
    return "\n".join([*rows, "", _source(kept)])


def take_players(results: dict[str, Any]) -> list[dict[str, Any]]:
    """Keep what pages show of the results of the suite ``players``."""
    matches = {(match["game"], *match["agents"]): match for match in results["matches"]}
    rows = []
    for row in results["comparisons"]:
        names = row["agents"].split(" - ")
        match = matches[(row["game"], *names)]
        rows.append(
            {
                "agent": names[0],
                "game": row["game"],
                "against": names[1],
                "measure": "return" if "mean return" in row["name"] else "score",
                **{key: row[key] for key in ("ours", "low", "high", "games")},
                "opening": match["opening"],
                "seconds": match["seconds_per_move"][0],
            }
        )
    return rows


def _time(seconds: float | None) -> str:
    """Say how long a move took; players inside a kernel are not timed."""
    if seconds is None:
        return "in the kernel"
    return f"{1000 * seconds:.2g} ms" if seconds < 0.1 else f"{seconds:.2g} s"


def _source(kept: dict[str, Any]) -> str:
    note = f"; {kept['note']}" if kept["note"] else ""
    return f"<small>`{kept['command']}` on {kept['machine']}{note}.</small>"


def _read(name: str) -> dict[str, Any]:
    return json.loads((_FIGURES / f"{name}.json").read_text("utf-8"))


def main() -> None:
    """Take new figures from a file that a command wrote."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=tuple(_COMMANDS))
    parser.add_argument("file", type=pathlib.Path, help="results.json of the suite, or what speed --json printed")
    parser.add_argument("--command", help="the command as it was typed, if it was another one")
    parser.add_argument("--note", default="", help="what else a reader must know")
    given = parser.parse_args()
    data = json.loads(given.file.read_text("utf-8"))
    kept = {
        "command": given.command or _COMMANDS[given.kind],
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}",
        "note": given.note,
        "rows": take_players(data) if given.kind == "players" else data["speed"],
    }
    _FIGURES.mkdir(exist_ok=True)
    (_FIGURES / f"{given.kind}.json").write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", "utf-8")
    if given.kind == "speed":
        readme = _ROOT / "README.md"
        table = f"<!-- speed -->\n{short_speed_table()}\n<!-- end of speed -->"
        text = re.sub(r"<!-- speed -->.*<!-- end of speed -->", table, readme.read_text("utf-8"), flags=re.DOTALL)
        readme.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
