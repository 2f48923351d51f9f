"""``train rl-jass``: Schieber Jass by reinforcement."""

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
    learn,
    settings_from,
    show_settings,
)
from stammtisch.cli.train import train_app


@train_app.command("rl-jass")
def rl_jass(
    game: GameArgument = "jass-schieber",
    out_file: Annotated[pathlib.Path | None, typer.Option("--out", help="File of the player.")] = None,
    deals: Annotated[int | None, typer.Option(min=1, help="Deals of self-play in all.")] = None,
    minutes: Annotated[float | None, typer.Option(min=0, help="Stop after so many minutes of processor time.")] = None,
    experiment: Annotated[
        int | None, typer.Option(min=1, max=3, help="An experiment of the JassBot thesis instead, with its networks.")
    ] = None,
    start: Annotated[pathlib.Path | None, typer.Option(help="File of networks to begin with.")] = None,
    seed: TrainSeedOption = None,
    config: ConfigOption = None,
    change: SetOption = None,
    option: GameOption = None,
    resume: ResumeFlag = False,
    plot: PlotOption = None,
    show: ShowFlag = False,
    json_: JsonFlag = False,
) -> None:
    """Learn Schieber by self-play, cards and choice of the mode; the result plays as `rl-jass:FILE`.

    It begins with nothing but the rules. A critic that sees all four hands values positions in training; the networks
    that play see what their player sees. A checkpoint lies beside the player: with `--resume`, a training that was
    interrupted goes on as if it had not been.

    `--experiment 1`, `2` or `3` learns as the JassBot thesis (HSR, 2017) did: values of cards with replay, networks on
    42, 150 or 186 inputs, rewards per trick. These play as `supervised:FILE`.

    Example: `stammtisch train rl-jass jass-schieber --deals 100000 --out jass.safetensors`
    """
    from stammtisch.training.rl_jass.settings import EXPERIMENT_DEFAULTS

    named = {"deals": deals, "minutes": minutes, "seed": seed, "start": None if start is None else str(start)}
    given: dict[str, object] = {name: value for name, value in named.items() if value is not None}
    if experiment is not None:
        given = {"experiment": experiment, **EXPERIMENT_DEFAULTS, **given}
    settings = settings_from("rl-jass", game, config, given, change, option)
    if show:
        show_settings(settings, json_)
        return
    if out_file is None:
        raise ValueError("a training needs a file for its player: --out FILE")
    if out_file.is_file() and not resume:
        raise ValueError(f"{out_file} exists; add --resume to go on with its training, or choose another file")
    facts = learn("rl-jass", settings, out_file, resume, plot)
    if json_:
        print_json(facts)
        return
    points, margin = facts["points_per_deal"], 1.96 * facts["points_error"]
    out.print(
        f"{facts['deals']:,} deals and {facts['updates']:,} gradient steps in {facts['cpu_seconds']:.0f} s of "
        f"processor time; {points:+z.1f} ± {margin:.1f} points per deal against {facts['curve'][-1]['opponent']}"
    )
    out.print(f"play with {'supervised' if experiment else 'rl-jass'}:{out_file}")
