"""``train ntuple``: values of positions from tuples of cells, by self-play."""

import pathlib
from typing import Annotated, Any

import typer

from stammtisch.cli.console import out
from stammtisch.cli.learning import curve_of
from stammtisch.cli.train import train_command


def _tell(facts: dict[str, Any], file: pathlib.Path) -> None:
    out.print(facts["network"], markup=False, highlight=False)
    curve = curve_of(facts)
    for point in [point for point in curve if point.step == curve[-1].step]:
        low, high = point.ci95
        out.print(
            f"{point.score:.1%} against {point.opponent} in {point.games} games, 95 % interval {low:.1%} to {high:.1%}"
        )
    out.print(f"{facts['episodes']:,} games learned; play with ntuple:file={file}", markup=False, highlight=False)


@train_command("ntuple", _tell, "File of the network.")
def ntuple(
    goal: Annotated[
        str | None, typer.Option(help="quick (default), or strength: the settings that made the champions.")
    ] = None,
    minutes: Annotated[
        float | None, typer.Option(min=0.01, help="Minutes of one core, instead of a number of episodes.")
    ] = None,
    episodes: Annotated[int | None, typer.Option(min=1, help="Games of self-play; by default what suits.")] = None,
    opponents: Annotated[
        list[str] | None, typer.Option("--opponent", help="Measure the win rate against this agent; by default random.")
    ] = None,
    eval_every: Annotated[
        int | None, typer.Option("--every", min=0, help="Episodes between two measurements; 0: only at the end.")
    ] = None,
    eval_games: Annotated[int | None, typer.Option("--games", min=2, help="Games per measurement.")] = None,
    eval_opening: Annotated[
        int | None, typer.Option("--opening", min=0, help="First moves of these games drawn at random.")
    ] = None,
    eval_plies: Annotated[
        int | None, typer.Option("--plies", min=0, max=3, help="Plies of search in these games.")
    ] = None,
    tensorboard: Annotated[pathlib.Path | None, typer.Option(help="Folder for TensorBoard's scalars.")] = None,
    checkpoint_s: Annotated[
        float | None, typer.Option("--checkpoint", min=0.1, help="Seconds between two checkpoints.")
    ] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, help="Games at the same time; only with one does a seed decide all.")
    ] = None,
    compact: Annotated[
        pathlib.Path | None, typer.Option(help="Also write the network alone to this small file, to play with.")
    ] = None,
) -> None:
    """Learn an n-tuple network for the agent `ntuple` by self-play.

    Without settings it learns with what suits the game. With four players, `--opponent` also plays the partner.

    Example: `stammtisch train ntuple einstein-5x5 --episodes 1000000 --seed 1 --out einstein-5x5.npz --plot curve.png`
    """
