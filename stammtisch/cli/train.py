"""Commands that learn: ``train rote``, ``train ntuple``."""

import pathlib
from typing import Annotated

import typer

from stammtisch.cli.console import GameOption, JsonFlag, PlotOption, app, out, print_json
from stammtisch.cli.learning import (
    ConfigOption,
    GameArgument,
    ResumeFlag,
    SetOption,
    ShowFlag,
    TrainSeedOption,
    curve_of,
    learn,
    settings_from,
    show_settings,
)

train_app = typer.Typer(no_args_is_help=True, rich_markup_mode="markdown")
app.add_typer(train_app, name="train")


@train_app.callback()
def _train() -> None:
    """Train a player and save it.

    Example: `stammtisch train rote muehle --games 100 --plies 18 --out muehle-rote.npz`
    """


@train_app.command()
def rote(
    game: GameArgument,
    out_file: Annotated[pathlib.Path | None, typer.Option("--out", help="File of the table.")] = None,
    games: Annotated[int | None, typer.Option(min=1, help="Games of self-play.")] = None,
    plies: Annotated[int | None, typer.Option(min=1, help="Turns after which a game is broken off.")] = None,
    seed: TrainSeedOption = None,
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
    config: ConfigOption = None,
    change: SetOption = None,
    option: GameOption = None,
    resume: ResumeFlag = False,
    show: ShowFlag = False,
    json_: JsonFlag = False,
) -> None:
    """Learn a table for the agent `rote` by self-play.

    Example: `stammtisch train rote muehle --games 100 --plies 18 --out muehle-rote.npz`
    """
    given = {
        "games": games,
        "plies": plies,
        "seed": seed,
        "depth": depth,
        "nodes": nodes,
        "searches": searches,
        "answers": answers,
        "opening": opening,
        "least_depth": least_depth,
        "max_size": max_size,
        "eviction": eviction,
        "mode": mode,
        "snapshots": snapshots,
    }
    settings = settings_from("rote", game, config, given, change, option)
    if show:
        show_settings(settings, json_)
        return
    if out_file is None:
        raise ValueError("give --out, the file of the table")
    if out_file.is_file() and not resume:
        raise ValueError(f"{out_file} exists; add --resume to go on with it, or choose another file")
    facts = learn("rote", settings, out_file, resume)
    if json_:
        print_json(facts)
        return
    out.print(
        f"{facts['decisions']:,} decisions and {facts['entries']:,} values in {out_file}, "
        f"at most {facts['peak_mb']:,} MB taken; play with rote:table={out_file}"
    )
    if facts.get("forgotten"):
        out.print(f"{facts['forgotten']:,} values forgotten in {facts['evictions']} evictions")
    for point in facts["growth"]:
        figures = f"{point['wins']} won, {point['draws']} drawn, {point['losses']} lost against an empty table"
        out.print(f"after {point['games']} games {point['entries']:,} values: {figures}, score {point['score']:.1%}")


@train_app.command()
def ntuple(
    game: GameArgument,
    out_file: Annotated[pathlib.Path | None, typer.Option("--out", help="File of the network.")] = None,
    goal: Annotated[
        str | None, typer.Option(help="quick (default), or strength: the settings that made the champions.")
    ] = None,
    minutes: Annotated[
        float | None, typer.Option(min=0.01, help="Minutes of one core, instead of a number of episodes.")
    ] = None,
    episodes: Annotated[int | None, typer.Option(min=1, help="Games of self-play; by default what suits.")] = None,
    seed: TrainSeedOption = None,
    opponent: Annotated[
        list[str] | None, typer.Option("--opponent", help="Measure the win rate against this agent; by default random.")
    ] = None,
    every: Annotated[
        int | None, typer.Option(min=0, help="Episodes between two measurements; 0: only at the end.")
    ] = None,
    games: Annotated[int | None, typer.Option(min=2, help="Games per measurement.")] = None,
    opening: Annotated[int | None, typer.Option(min=0, help="First moves of these games drawn at random.")] = None,
    plies: Annotated[int | None, typer.Option(min=0, max=3, help="Plies of search in these games.")] = None,
    tensorboard: Annotated[pathlib.Path | None, typer.Option(help="Folder for TensorBoard's scalars.")] = None,
    plot: PlotOption = None,
    checkpoint: Annotated[float | None, typer.Option(min=0.1, help="Seconds between two checkpoints.")] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, help="Games at the same time; only with one does a seed decide all.")
    ] = None,
    compact: Annotated[
        pathlib.Path | None, typer.Option(help="Also write the network alone to this small file, to play with.")
    ] = None,
    config: ConfigOption = None,
    change: SetOption = None,
    option: GameOption = None,
    resume: ResumeFlag = False,
    show: ShowFlag = False,
    json_: JsonFlag = False,
) -> None:
    """Learn an n-tuple network for the agent `ntuple` by self-play.

    Without settings it learns with what suits the game. With four players, `--opponent` also plays the partner.

    Example: `stammtisch train ntuple einstein-5x5 --episodes 1000000 --seed 1 --out einstein-5x5.npz --plot curve.png`
    """
    given = {
        "goal": goal,
        "minutes": minutes,
        "episodes": episodes,
        "seed": seed,
        "opponents": opponent or None,
        "eval_every": every,
        "eval_games": games,
        "eval_opening": opening,
        "eval_plies": plies,
        "tensorboard": None if tensorboard is None else str(tensorboard),
        "checkpoint_s": checkpoint,
        "threads": threads,
        "compact": None if compact is None else str(compact),
    }
    settings = settings_from("ntuple", game, config, given, change, option)
    if show:
        show_settings(settings, json_)
        return
    if out_file is None:
        raise ValueError("give --out, the file of the network")
    if out_file.is_file() and not resume:
        raise ValueError(f"{out_file} exists; add --resume to go on with it, or choose another file")
    facts = learn("ntuple", settings, out_file, resume, plot)
    if json_:
        print_json(facts)
        return
    out.print(facts["network"], markup=False, highlight=False)
    curve = curve_of(facts)
    for point in [point for point in curve if point.step == curve[-1].step]:
        low, high = point.ci95
        out.print(
            f"{point.score:.1%} against {point.opponent} in {point.games} games, 95 % interval {low:.1%} to {high:.1%}"
        )
    out.print(f"{facts['episodes']:,} games learned; play with ntuple:file={out_file}", markup=False, highlight=False)
