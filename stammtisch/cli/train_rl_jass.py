"""``train rl-jass``: Schieber Jass by reinforcement."""

import pathlib
from typing import Annotated, Any

import typer

from stammtisch.cli.console import out
from stammtisch.cli.train import train_command


def _tell(facts: dict[str, Any], file: pathlib.Path) -> None:
    points, margin = facts["points_per_deal"], 1.96 * facts["points_error"]
    out.print(
        f"{facts['deals']:,} deals and {facts['updates']:,} gradient steps in {facts['cpu_seconds']:.0f} s of "
        f"processor time; {points:+z.1f} ± {margin:.1f} points per deal against {facts['curve'][-1]['opponent']}"
    )
    out.print(f"play with {facts['agent']}:{file}")


@train_command("rl-jass", _tell, "File of the player.", game="jass-schieber")
def rl_jass(
    deals: Annotated[int | None, typer.Option(min=1, help="Deals of self-play in all.")] = None,
    minutes: Annotated[float | None, typer.Option(min=0, help="Stop after so many minutes of processor time.")] = None,
    experiment: Annotated[
        int | None, typer.Option(min=1, max=3, help="An experiment of the JassBot thesis instead, with its networks.")
    ] = None,
    start: Annotated[pathlib.Path | None, typer.Option(help="File of networks to begin with.")] = None,
) -> dict[str, Any]:
    """Learn Schieber by self-play, cards and choice of the mode; the result plays as `rl-jass:FILE`.

    It begins with nothing but the rules. A critic that sees all four hands values positions in training; the networks
    that play see what their player sees. A checkpoint lies beside the player: with `--resume`, a training that was
    interrupted goes on as if it had not been.

    `--experiment 1`, `2` or `3` learns as the JassBot thesis (HSR, 2017) did: values of cards with replay, networks on
    42, 150 or 186 inputs, rewards per trick. These play as `supervised:FILE`.

    Example: `stammtisch train rl-jass jass-schieber --deals 100000 --out jass.safetensors`
    """
    from stammtisch.training.rl_jass.settings import EXPERIMENT_DEFAULTS

    named = {"deals": deals, "minutes": minutes, "start": start}
    given: dict[str, Any] = {name: value for name, value in named.items() if value is not None}
    return given if experiment is None else {"experiment": experiment, **EXPERIMENT_DEFAULTS, **given}
