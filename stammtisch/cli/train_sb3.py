"""``train sb3``: self-play with Stable-Baselines3."""

import pathlib
from typing import Annotated

import typer
from rich.table import Table

from stammtisch.cli.console import GameOption, JsonFlag, PlotOption, out, print_json
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


@train_app.command("sb3")
def sb3(
    game: GameArgument,
    out_folder: Annotated[pathlib.Path | None, typer.Option("--out", help="Folder of the model and all else.")] = None,
    algo: Annotated[str | None, typer.Option(help="maskable-ppo, ppo, a2c, dqn or qr-dqn.")] = None,
    steps: Annotated[int | None, typer.Option(min=1, help="Actions of the learner in all.")] = None,
    minutes: Annotated[float | None, typer.Option(min=0, help="Stop after so many minutes.")] = None,
    seed: TrainSeedOption = None,
    config: ConfigOption = None,
    change: SetOption = None,
    option: GameOption = None,
    resume: ResumeFlag = False,
    plot: PlotOption = None,
    show: ShowFlag = False,
    json_: JsonFlag = False,
) -> None:
    """Train a network by self-play; the result plays as `sb3:FOLDER/model.safetensors`.

    What `--set` and the other options leave out comes from `--config`, then from the defaults for the game.

    Example: `stammtisch train sb3 einstein-5x5 --algo maskable-ppo --minutes 15 --out runs/einstein`
    """
    given = {"algo": algo, "steps": steps, "minutes": minutes, "seed": seed}
    settings = settings_from("sb3", game, config, given, change, option)
    if show:
        show_settings(settings, json_)
        return
    if out_folder is None:
        raise ValueError("a training needs a folder for its model: --out FOLDER")
    facts = learn("sb3", settings, out_folder, resume, plot)
    if json_:
        print_json(facts)
        return
    table = Table("opponent", "score", "95 % interval", "games")
    for point in curve_of(facts)[-len(facts["scores"]) :]:
        low, high = point.ci95
        table.add_row(point.opponent, f"{point.score:.1%}", f"{low:.1%} to {high:.1%}", str(point.games))
    out.print(table)
    out.print(
        f"{facts['steps']:,} steps in {facts['seconds']:.0f} s ({facts['cpu_seconds']:.0f} s of one processor); "
        f"play with sb3:{facts['model']}"
    )
