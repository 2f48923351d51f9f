"""Commands that learn: ``train rote``, ``train ntuple``."""

import json
import pathlib
from dataclasses import asdict
from typing import Annotated

import typer

from stammtisch.cli.console import GameOption, JsonFlag, PlotOption, SeedOption, app, game_options, out, progress_bar
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
    nodes: Annotated[int, typer.Option(min=0, help="Positions that each search looks at; 0: no limit.")] = 30_000,
    searches: Annotated[int, typer.Option(min=1, help="Searches per game, for the likeliest variations.")] = 60,
    answers: Annotated[int, typer.Option(min=1, help="Positions the opponent, without a table, looks at.")] = 2000,
    opening: Annotated[int, typer.Option(min=0, help="So many first turns are drawn by lot.")] = 2,
    least_depth: Annotated[int, typer.Option(min=1, help="Depth from which on values are kept.")] = 5,
    max_size: Annotated[int, typer.Option(min=1, help="Most entries of the table.")] = 20_000_000,
    eviction: Annotated[str, typer.Option(help="What to forget when it is full: depth or use.")] = "depth",
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the table in --out.")] = False,
    option: GameOption = None,
    json_: JsonFlag = False,
) -> None:
    """Learn a table for the agent `rote` by self-play.

    Example: `stammtisch train rote muehle --games 100 --plies 18 --out muehle-rote.npz`
    """
    from stammtisch.training.rote import process_mb, show_progress, train_rote

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
            searches=searches,
            answers=answers,
            opening=opening,
            least_depth=least_depth,
            max_size=max_size,
            eviction=eviction,
            resume=resume,
            progress=progress,
        )
    if json_:
        sizes = {"decisions": len(table.decisions), "entries": len(table), "bytes": table.nbytes}
        print(json.dumps({"file": str(out_file), **sizes, "peak_mb": round(process_mb()), **table.facts}))
    else:
        out.print(
            f"{len(table.decisions):,} decisions and {len(table):,} values in {out_file}, "
            f"at most {process_mb():,.0f} MB taken; play with rote:table={out_file}"
        )


ParameterOption = Annotated[
    list[str] | None,
    typer.Option("--parameter", "-p", help="Parameter of the learner, as key=value; --list shows them."),
]


def parameters(texts: list[str] | None) -> dict[str, str]:
    """Read ``key=value`` pairs."""
    found = {}
    for text in texts or ():
        key, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f'cannot read parameter "{text}"; write key=value')
        found[key] = value
    return found


@train_app.command()
def ntuple(
    game: Annotated[str, typer.Argument(help="Id of the game, see `stammtisch games`.")],
    out_file: Annotated[pathlib.Path | None, typer.Option("--out", help="File of the network.")] = None,
    episodes: Annotated[int | None, typer.Option(min=1, help="Games of self-play; by default what suits.")] = None,
    seed: SeedOption = 0,
    parameter: ParameterOption = None,
    opponent: Annotated[
        list[str] | None, typer.Option("--opponent", help="Measure the win rate against this agent; by default random.")
    ] = None,
    every: Annotated[
        int | None, typer.Option(min=0, help="Episodes between two measurements; 0: only at the end.")
    ] = None,
    games: Annotated[int, typer.Option(min=2, help="Games per measurement.")] = 200,
    opening: Annotated[int | None, typer.Option(min=0, help="First moves of these games by lot.")] = None,
    plies: Annotated[int, typer.Option(min=0, max=3, help="Plies of search in these games.")] = 0,
    tensorboard: Annotated[pathlib.Path | None, typer.Option(help="Folder for TensorBoard's scalars.")] = None,
    plot: PlotOption = None,
    checkpoint: Annotated[float, typer.Option(min=0.1, help="Seconds between two checkpoints.")] = 60.0,
    threads: Annotated[
        int,
        typer.Option(min=1, help="Games at the same time; only with one does a seed decide all."),
    ] = 1,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the training in --out.")] = False,
    list_: Annotated[bool, typer.Option("--list", help="List the parameters for this game and stop.")] = False,
    option: GameOption = None,
    json_: JsonFlag = False,
) -> None:
    """Learn an n-tuple network for the agent `ntuple` by self-play.

    Without parameters it learns with what suits the game. With four players, `--opponent` also plays the partner.

    Example: `stammtisch train ntuple einstein-5x5 --episodes 1000000 --seed 1 --out einstein-5x5.npz --plot curve.png`
    """
    from stammtisch.training.ntuple.learner import NTupleTraining, described
    from stammtisch.training.ntuple.run import Watch, curve_points, run_training
    from stammtisch.training.ntuple.settings import defaults, listed, parse

    loaded = load_game(game, **game_options(option))
    changes = parse(parameters(parameter)) | ({} if episodes is None else {"episodes": episodes})
    layout, settings = defaults(loaded, changes)
    if list_:
        for name, value, about in listed(layout, settings):
            out.print(f"{name}={value}  {about}", markup=False, highlight=False)
        return
    if out_file is None:
        raise ValueError("give --out, the file of the network")
    goes_on = resume and out_file.exists()
    if out_file.exists() and not resume:
        raise ValueError(f"{out_file} exists; add --resume to go on with it, or choose another file")
    if not out_file.absolute().parent.is_dir():
        raise ValueError(f"there is no folder {out_file.absolute().parent}")
    training = (
        NTupleTraining.resume(out_file, loaded, layout, settings, seed, threads)
        if goes_on
        else NTupleTraining(loaded, layout, settings, seed, threads)
    )
    watch = Watch(
        opponents=opponent or ["random"],
        every=settings.episodes // 10 if every is None else every,
        games=games,
        opening=(0 if loaded.info.chance != "none" else 4) if opening is None else opening,
        plies=plies,
        tensorboard=tensorboard,
        plot=plot,
    )
    with progress_bar("episodes", settings.episodes) as advance:
        advance(training.done)
        run_training(training, out_file, watch, advance, checkpoint)
    if json_:
        curve = [asdict(point) for point in curve_points(training, watch)]
        print(json.dumps({"file": str(out_file), **training.network.facts, "unit": "episodes", "curve": curve}))
        return
    out.print(described(training.network), markup=False, highlight=False)
    for point in training.curve[-len(watch.opponents) :]:
        out.print(
            f"{point['score']:.1%} against {point['opponent']} in {games} games, "
            f"95 % interval {point['low']:.1%} to {point['high']:.1%}"
        )
    out.print(f"{training.done:,} games learned; play with ntuple:file={out_file}", markup=False, highlight=False)
