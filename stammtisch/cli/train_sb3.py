"""``train sb3``: self-play with Stable-Baselines3."""

import pathlib
from typing import Annotated, Any

import typer
from rich.table import Table

from stammtisch.cli.console import out
from stammtisch.cli.learning import curve_of
from stammtisch.cli.train import train_command


def _tell(facts: dict[str, Any], folder: pathlib.Path) -> None:
    table = Table("opponent", "score", "95 % interval", "games")
    for point in curve_of(facts)[-len(facts["scores"]) :]:
        low, high = point.ci95
        table.add_row(point.opponent, f"{point.score:.1%}", f"{low:.1%} to {high:.1%}", str(point.games))
    out.print(table)
    out.print(
        f"{facts['steps']:,} steps in {facts['seconds']:.0f} s ({facts['cpu_seconds']:.0f} s of one processor); "
        f"play with sb3:{facts['model']}"
    )


@train_command("sb3", _tell, "Folder of the model and all else.")
def sb3(
    algo: Annotated[str | None, typer.Option(help="maskable-ppo, ppo, a2c, dqn or qr-dqn.")] = None,
    steps: Annotated[int | None, typer.Option(min=1, help="Actions of the learner in all.")] = None,
    minutes: Annotated[float | None, typer.Option(min=0, help="Stop after so many minutes.")] = None,
) -> None:
    """Train a network by self-play; the result plays as `sb3:FOLDER/model.safetensors`.

    What `--set` and the other options leave out comes from `--config`, then from the defaults for the game.

    Example: `stammtisch train sb3 einstein-5x5 --algo maskable-ppo --minutes 15 --out runs/einstein`
    """
