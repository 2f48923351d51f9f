"""``train alphazero``: self-play by tree search, and a network that learns from it."""

import pathlib
from typing import Annotated

import typer

from stammtisch.cli.console import GameOption, JsonFlag, PlotOption, RayOption, out, print_json, use_ray
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
from stammtisch.cli.train import train_app


@train_app.command("alphazero")
def alphazero(
    game: GameArgument = "reversi-6x6",
    out_folder: Annotated[
        pathlib.Path | None, typer.Option("--out", help="Folder for network, checkpoint, positions and curve.")
    ] = None,
    minutes: Annotated[float | None, typer.Option(min=0, help="Length of the training.")] = None,
    positions: Annotated[int | None, typer.Option(min=1, help="Positions of self-play instead of minutes.")] = None,
    preset: Annotated[
        str, typer.Option(help="laptop, large or alphago-zero: settings that belong together.")
    ] = "laptop",
    workers: Annotated[int | None, typer.Option(min=1, help="Processes of self-play beside the learner.")] = None,
    engine: Annotated[
        str | None, typer.Option(help="Where they play: here, process or ray; by default here if there is one.")
    ] = None,
    ray_address: RayOption = None,
    seed: TrainSeedOption = None,
    config: ConfigOption = None,
    change: SetOption = None,
    option: GameOption = None,
    resume: ResumeFlag = False,
    plot: PlotOption = None,
    show: ShowFlag = False,
    json_: JsonFlag = False,
) -> None:
    """Learn by self-play with tree search (AlphaZero); the network plays as `alphazero:FOLDER/network.safetensors`.

    Games are searched by sequential halving (Gumbel AlphaZero) with 16 simulations a move, or by PUCT; where cards are
    hidden, over sampled deals. With one worker and `--positions`, a training that was interrupted goes on with
    `--resume` as if it had not been; otherwise it goes on safely.

    Example: `stammtisch train alphazero reversi-6x6 --minutes 30 --out runs/reversi-6x6`
    """
    from stammtisch.training.alphazero.settings import preset_named

    given = {
        **preset_named(preset),
        "minutes": minutes,
        "positions": positions,
        "workers": workers,
        "seed": seed,
        "engine": engine,
    }
    if positions is not None and minutes is None:
        given["minutes"] = 0.0
    use_ray(ray_address)
    settings = settings_from("alphazero", game, config, given, change, option)
    if show:
        show_settings(settings, json_)
        return
    if out_folder is None:
        raise ValueError("a training needs a folder: --out FOLDER")
    if (out_folder / "checkpoint.safetensors").is_file() and not resume:
        raise ValueError(f"{out_folder} holds a training; add --resume to go on with it, or choose another folder")
    facts = learn("alphazero", settings, out_folder, resume, plot)
    if json_:
        print_json(facts)
        return
    out.print(
        f"{facts['games']:,} games, {facts['positions']:,} positions and {facts['steps']:,} gradient steps of a "
        f"network {facts['network']} in {facts['seconds']:.0f} s"
    )
    last = {point.opponent: point for point in curve_of(facts)}
    for opponent, point in last.items():
        low, high = point.ci95
        out.print(f"  against {opponent}: {point.score:.1%} ({low:.1%} to {high:.1%}, {point.games} games)")
    out.print(f"play with alphazero:{facts['model']}")
