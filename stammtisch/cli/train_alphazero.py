"""``train alphazero``: self-play by tree search, and a network that learns from it."""

import pathlib
from typing import Annotated, Any

import typer

from stammtisch.cli.console import RayOption, out, use_ray
from stammtisch.cli.learning import curve_of
from stammtisch.cli.train import train_command


def _tell(facts: dict[str, Any], folder: pathlib.Path) -> None:
    out.print(
        f"{facts['games']:,} games, {facts['positions']:,} positions and {facts['steps']:,} gradient steps of a "
        f"network {facts['network']} in {facts['seconds']:.0f} s"
    )
    last = {point.opponent: point for point in curve_of(facts)}
    for opponent, point in last.items():
        low, high = point.ci95
        out.print(f"  against {opponent}: {point.score:.1%} ({low:.1%} to {high:.1%}, {point.games} games)")
    out.print(f"play with alphazero:{facts['model']}")


@train_command("alphazero", _tell, "Folder for network, checkpoint, positions and curve.", game="reversi-6x6")
def alphazero(
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
) -> dict[str, Any]:
    """Learn by self-play with tree search (AlphaZero); the network plays as `alphazero:FOLDER/network.safetensors`.

    Games are searched by sequential halving (Gumbel AlphaZero) with 16 simulations a move, or by PUCT; where cards are
    hidden, over sampled deals. With one worker and `--positions`, a training that was interrupted goes on with
    `--resume` as if it had not been; otherwise it goes on safely.

    Example: `stammtisch train alphazero reversi-6x6 --minutes 30 --out runs/reversi-6x6`
    """
    from stammtisch.training.alphazero.settings import preset_named

    use_ray(ray_address)
    if positions is not None and minutes is None:
        minutes = 0.0
    named = {"minutes": minutes, "positions": positions, "workers": workers, "engine": engine}
    return {**preset_named(preset), **named}
