"""Commands that learn: ``train rote``."""

import json
import pathlib
from typing import Annotated

import typer

from stammtisch.cli.console import GameOption, JsonFlag, SeedOption, app, game_options, out
from stammtisch.envs import load_game

train_app = typer.Typer(no_args_is_help=True, rich_markup_mode="markdown")
app.add_typer(train_app, name="train")


@train_app.callback()
def _train() -> None:
    """Train a player and save it.

    Example: `stammtisch train rote muehle --games 100 --plies 18 --out muehle-rote.npz`
    """


@train_app.command()
def rote(
    game: Annotated[str, typer.Argument(help="Id of the game, see `stammtisch games`.")],
    out_file: Annotated[pathlib.Path, typer.Option("--out", help="File of the table.")],
    games: Annotated[int, typer.Option(min=1, help="Games of self-play.")] = 100,
    plies: Annotated[int, typer.Option(min=1, help="Turns after which a game is broken off.")] = 18,
    seed: SeedOption = 0,
    depth: Annotated[int | None, typer.Option(min=1, help="Actions that each search looks ahead.")] = None,
    nodes: Annotated[int, typer.Option(min=0, help="Positions that each search looks at; 0: no limit.")] = 150_000,
    opening: Annotated[int, typer.Option(min=0, help="So many first turns are drawn by lot.")] = 4,
    max_size: Annotated[int, typer.Option(min=1, help="Most entries of the table.")] = 20_000_000,
    eviction: Annotated[str, typer.Option(help="What to forget when it is full: depth or use.")] = "depth",
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the table in --out.")] = False,
    option: GameOption = None,
    json_: JsonFlag = False,
) -> None:
    """Learn a table for the agent `rote` by self-play.

    Example: `stammtisch train rote muehle --games 100 --plies 18 --out muehle-rote.npz`
    """
    from stammtisch.baselines.rote import show_progress, train_rote

    if out_file.exists() and not resume:
        raise ValueError(f"{out_file} exists; add --resume to go on with it, or choose another file")
    with show_progress(games) as progress:
        table = train_rote(
            load_game(game, **game_options(option)),
            games,
            plies,
            seed,
            out_file,
            depth=depth,
            nodes=nodes,
            opening=opening,
            max_size=max_size,
            eviction=eviction,
            resume=resume,
            progress=progress,
        )
    if json_:
        print(json.dumps({"file": str(out_file), "entries": len(table), "bytes": table.nbytes, **table.facts}))
    else:
        out.print(f"{len(table):,} positions in {out_file}; play with rote:table={out_file}")
