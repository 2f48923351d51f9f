"""The command line: thin, one function per command; ``--json`` prints one JSON object on stdout and nothing else."""

import os
import sys
from typing import Annotated

import typer

from stammtisch.cli.console import app, err
from stammtisch.version import __version__

__all__ = ["app", "main"]


def main() -> None:
    """Run the command line; what a user can put right ends in one line and exit code 2."""
    try:
        if (here := os.getcwd()) not in sys.path:
            sys.path.append(here)  # one's own agents and games are often beside one; last, so that they hide nothing
        app()
    except ValueError as error:
        err.print(f"error: {error}", style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()  # whoever read the output has gone
        sys.exit(1)
    except OSError as error:
        where = f" {error.filename}" if error.filename is not None else ""
        err.print(
            f"error: cannot read or write{where}: {error.strerror or error}",
            style="red",
            markup=False,
            highlight=False,
            soft_wrap=True,
        )
        sys.exit(2)


def _version(wanted: bool) -> None:
    if wanted:
        print(__version__)
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Games of the regulars' table for reinforcement learning: EinStein, Reversi, Mühle, Jass, ReversiXT."""
