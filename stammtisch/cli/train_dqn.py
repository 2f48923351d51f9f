"""``train dqn``: the deep-Q learner of Mühle."""

import pathlib
from typing import Annotated, Any

import typer

from stammtisch.cli.console import out
from stammtisch.cli.learning import curve_of
from stammtisch.cli.train import train_command


def _tell(facts: dict[str, Any], file: pathlib.Path) -> None:
    last = curve_of(facts)[-1]
    out.print(
        f"{facts['games']:,} games and {facts['updates']:,} gradient steps in {facts['seconds']:.0f} s; best score "
        f"against {last.opponent} in {last.games} games {facts['best_validation']:.1%}"
    )
    out.print(f"play with dqn:{file}")


@train_command("dqn", _tell, "File of the model.", game="muehle")
def dqn(
    games: Annotated[int | None, typer.Option(min=1, help="Games of self-play in all.")] = None,
    minutes: Annotated[float | None, typer.Option(min=0, help="Stop after so many minutes.")] = None,
) -> None:
    """Learn Q-values by self-play; the best model in validation plays as `dqn:FILE`.

    Mühle has a network each for placing, moving and flying; other games have one. A checkpoint lies beside the model:
    with `--resume`, a training that was interrupted goes on as if it had not been.

    Example: `stammtisch train dqn muehle --minutes 30 --out muehle-dqn.safetensors`
    """
