"""``train supervised``: networks of Schieber Jass from deals."""

import pathlib
from typing import Annotated, Any

import typer
from rich.table import Table

from stammtisch.cli.console import out
from stammtisch.cli.train import train_command


def _tell(facts: dict[str, Any], file: pathlib.Path) -> None:
    table = Table(
        "network", "layers", "test samples", "all outputs", "legal", "legal, unforced", "illegal favourite", "loss"
    )
    for name, report in facts["reports"].items():
        layers = "-".join(map(str, facts["networks"][name]["layers"]))
        shares = [report[key] for key in ("accuracy", "masked", "unforced", "illegal")]
        cells = ["–" if share is None else f"{share:.1%}" for share in shares]
        table.add_row(name, layers, f"{report['samples']:,}", *cells, f"{report['loss']:.3f}")
    out.print(table)
    if "match" in facts:
        match = facts["match"]
        low, high = match["points_interval"]
        out.print(
            f"{match['points']:+z.1f} points a deal against {match['opponent']} in {match['games']} games, "
            f"95 % interval {low:+z.1f} to {high:+z.1f}"
        )
    out.print(f"{facts['samples_per_cpu_second']:,.0f} samples a second; play with supervised:{file}", markup=False)


@train_command("supervised", _tell, "File of the networks.", game="jass-schieber")
def supervised(
    data: Annotated[
        list[pathlib.Path] | None,
        typer.Option("--data", help="File of deals, see jass-data and jass-import; repeatable."),
    ] = None,
    network: Annotated[
        str | None, typer.Option(help="Network for the cards, by its name; --settings lists them.")
    ] = None,
    net: Annotated[str | None, typer.Option(help="Its layers, such as 186-560-1680-180-36.")] = None,
    trump_network: Annotated[str | None, typer.Option(help="Network for the mode, by its name.")] = None,
    epochs: Annotated[int | None, typer.Option(min=1, help="Times that all cards are seen.")] = None,
    loss: Annotated[str | None, typer.Option(help="cross-entropy (cc) or mse.")] = None,
    optimizer: Annotated[str | None, typer.Option(help="adam or sgd.")] = None,
    rate: Annotated[float | None, typer.Option(min=0, help="Step size at the start.")] = None,
    batch: Annotated[int | None, typer.Option(min=1, help="Samples per step.")] = None,
    activation: Annotated[str | None, typer.Option(help="relu or leaky.")] = None,
    batch_norm: Annotated[bool | None, typer.Option("--batch-norm/--no-batch-norm", help="Normalise batches.")] = None,
    l2: Annotated[float | None, typer.Option(min=0, help="L2 penalty on the last layer.")] = None,
    dropout: Annotated[float | None, typer.Option(min=0, max=0.95, help="Share of hidden units left out.")] = None,
    passes: Annotated[str | None, typer.Option(help="Passes learned from: all, half or two-thirds.")] = None,
    start: Annotated[pathlib.Path | None, typer.Option(help="File of networks to begin with.")] = None,
    eval_games: Annotated[
        int | None, typer.Option("--games", min=0, help="Games against heuristic at the end.")
    ] = None,
    tensorboard: Annotated[pathlib.Path | None, typer.Option(help="Folder for TensorBoard.")] = None,
) -> None:
    """Learn to play Schieber Jass from deals of others: a network for the cards and one for the mode.

    Networks of the JassBot thesis go by their names (SL_186_3_1Mio_adam_cc and so on), trained as they were there;
    the default is a modern one. Games, not cards, are split into training and test. Without `--out` nothing is learned.

    Example: `stammtisch train supervised jass-schieber --data deals.npz --out jass.safetensors`
    """
