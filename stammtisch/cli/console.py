"""What the commands share: consoles, the progress bar, common options."""

import os
import pathlib
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any, Protocol

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.segment import Segment
from rich.status import Status
from rich.table import Table
from rich.text import Text

from stammtisch.cli.commands import Commands
from stammtisch.envs import game_class
from stammtisch.envs.core.options import OptionTable, option_rows, read_pairs
from stammtisch.json_text import json_text
from stammtisch.text import printable

app = typer.Typer(
    cls=Commands,
    help="Games of the regulars' table for reinforcement learning: EinStein, Reversi, Mühle, Jass, ReversiXT.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)


class SafeConsole(Console):
    """A console that shows escape sequences and the like in what it is given, but never sends them to the terminal.

    Square brackets are letters like others: names, paths and agents may have them.
    """

    def __init__(self, **keywords: Any):
        super().__init__(markup=False, **keywords)

    def status(self, status: RenderableType, **keywords: Any) -> Status:
        """Show a line while something is being done."""
        return _PlainStatus(status, console=self, **keywords)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        for segment in super().render(renderable, options):
            if segment.control or segment.text == "\n":
                yield segment
            else:
                yield Segment("\n".join(map(printable, segment.text.split("\n"))), segment.style)


class _PlainStatus(Status):
    """A line with a spinner; square brackets in it are letters."""

    def __init__(self, status: RenderableType, **keywords: Any):
        super().__init__(_plain(status), **keywords)

    def update(self, status: RenderableType | None = None, **keywords: Any) -> None:
        super().update(None if status is None else _plain(status), **keywords)


def _plain(line: RenderableType) -> RenderableType:
    return Text(line) if isinstance(line, str) else line


out = SafeConsole(width=None if sys.stdout.isatty() else 120)
err = SafeConsole(stderr=True)
PROGRAM = (sys.executable, "-m", "stammtisch.cli")  # this program, for commands that start others

JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else on stdout.")]
SeedOption = Annotated[int, typer.Option(min=0, help="Decides everything that is drawn.")]
WorkersOption = Annotated[int, typer.Option(min=1, help="Games at the same time; the result does not depend on it.")]
EngineOption = Annotated[str | None, typer.Option(help="serial, thread, process or ray; by default what suits.")]
RayOption = Annotated[str | None, typer.Option(help="Address of a Ray cluster for --engine ray.")]
PlotOption = Annotated[pathlib.Path | None, typer.Option(help="PNG file of the learning curve.")]
GameOption = Annotated[list[str] | None, typer.Option("--option", "-o", help="Option of the game, as key=value.")]


def game_options(game: str, texts: list[str] | None) -> dict[str, Any]:
    """Return the options of a game that ``key=value`` texts stand for."""
    return read_pairs(game_class(game).OPTIONS, texts or (), owner=game)


def options_table(table: OptionTable, values: Mapping[str, Any] | None = None) -> Table:
    """Return what can be set: name, value, default, what is allowed and what it means."""
    shown = Table("name")
    for column in (*(["value"] if values else []), "default", "allowed"):
        shown.add_column(column, max_width=18)
    shown.add_column("meaning")
    for name, value, *rest in option_rows(table, values):
        shown.add_row(name, *([value] if values else []), *rest)
    return shown


def print_json(data: Any) -> None:
    """Print the one JSON object of ``--json``; what is infinite becomes null."""
    print(json_text(data))


def use_ray(address: str | None) -> None:
    """Let the engine ``ray`` find a cluster by its address."""
    if address is not None:
        os.environ["RAY_ADDRESS"] = address


class Advance(Protocol):
    """Moves a progress bar."""

    def __call__(self, done: int, line: str | None = None, /) -> None:
        """Advance the bar, and change its text when a line is given."""


@contextmanager
def progress_bar(unit: str, total: int) -> Iterator[Advance]:
    """Show a bar on stderr; yields the function that advances it."""
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=err, transient=True) as progress:
        task = progress.add_task(unit, total=total)

        def advance(done: int, line: str | None = None, /) -> None:
            progress.update(task, advance=done, description=line)

        yield advance
