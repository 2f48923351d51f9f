"""``train dqn``: the deep-Q learner of Mühle."""

import pathlib
from typing import Annotated

import typer

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


@train_app.command("dqn")
def dqn(
    game: GameArgument = "muehle",
    out_file: Annotated[pathlib.Path | None, typer.Option("--out", help="File of the model.")] = None,
    games: Annotated[int | None, typer.Option(min=1, help="Games of self-play in all.")] = None,
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
    """Learn Q-values by self-play; the best model in validation plays as `dqn:FILE`.

    Mühle has a network each for placing, moving and flying; other games have one. A checkpoint lies beside the model:
    with `--resume`, a training that was interrupted goes on as if it had not been.

    Example: `stammtisch train dqn muehle --minutes 30 --out muehle-dqn.safetensors`
    """
    given = {"games": games, "minutes": minutes, "seed": seed}
    settings = settings_from("dqn", game, config, given, change, option)
    if show:
        show_settings(settings, json_)
        return
    if out_file is None:
        raise ValueError("a training needs a file for its model: --out FILE")
    if out_file.is_file() and not resume:
        raise ValueError(
            f"{out_file} exists; add --resume to go on with its training, or choose another file, and "
            f"--set start={out_file} to begin with this model"
        )
    facts = learn("dqn", settings, out_file, resume, plot)
    if json_:
        print_json(facts)
        return
    last = curve_of(facts)[-1]
    out.print(
        f"{facts['games']:,} games and {facts['updates']:,} gradient steps in {facts['seconds']:.0f} s; best score "
        f"against {last.opponent} in {last.games} games {facts['best_validation']:.1%}"
    )
    out.print(f"play with dqn:{out_file}")
