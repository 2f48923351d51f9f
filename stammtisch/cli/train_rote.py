"""``train rote``: a table of positions by self-play."""

import pathlib
from typing import Annotated, Any

import typer

from stammtisch.cli.console import out
from stammtisch.cli.train import train_command


def _tell(facts: dict[str, Any], file: pathlib.Path) -> None:
    out.print(
        f"{facts['decisions']:,} decisions and {facts['entries']:,} values in {file}, "
        f"at most {facts['peak_mb']:,} MB taken; play with rote:table={file}"
    )
    if facts.get("forgotten"):
        out.print(f"{facts['forgotten']:,} values forgotten in {facts['evictions']} evictions")
    for point in facts["growth"]:
        figures = f"{point['wins']} won, {point['draws']} drawn, {point['losses']} lost against an empty table"
        out.print(f"after {point['games']} games {point['entries']:,} values: {figures}, score {point['score']:.1%}")


@train_command("rote", _tell, "File of the table.", has_plot=False)
def rote(
    games: Annotated[int | None, typer.Option(min=1, help="Games of self-play.")] = None,
    plies: Annotated[int | None, typer.Option(min=1, help="Turns after which a game is broken off.")] = None,
    depth: Annotated[int | None, typer.Option(min=1, help="Actions that each search looks ahead.")] = None,
    nodes: Annotated[int | None, typer.Option(min=0, help="Positions that each search looks at; 0: no limit.")] = None,
    searches: Annotated[int | None, typer.Option(min=1, help="Searches per game, for likely variations.")] = None,
    answers: Annotated[int | None, typer.Option(min=1, help="Positions that the opponent looks at.")] = None,
    opening: Annotated[int | None, typer.Option(min=0, help="So many first turns are drawn at random.")] = None,
    least_depth: Annotated[int | None, typer.Option(min=1, help="Depth from which on values are kept.")] = None,
    max_size: Annotated[int | None, typer.Option(min=1, help="Most entries of the table.")] = None,
    eviction: Annotated[str | None, typer.Option(help="What to forget when it is full: depth or use.")] = None,
    mode: Annotated[str | None, typer.Option(help="variations, or self-play as in the work on rote learning.")] = None,
    snapshots: Annotated[int | None, typer.Option(min=0, help="Games between numbered copies of the table.")] = None,
) -> None:
    """Learn a table for the agent `rote` by self-play.

    Example: `stammtisch train rote muehle --games 100 --plies 18 --out muehle-rote.npz`
    """
