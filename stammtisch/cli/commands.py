"""The commands: where each is found, and what ``--help`` says of it. Its module is imported when it is called."""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from typer.core import TyperCommand, TyperGroup

from stammtisch.text import printable

_LEARNERS = ("alphazero", "dqn", "ntuple", "rl_jass", "rote", "sb3", "supervised")

INDEX: dict[str, tuple[str, str]] = {  # name of a command: module in this package, first sentence of its manual
    "studio": ("studio", "Open the studio, a web page on this machine: play, watch, analyse, train and validate."),
    "play": ("play", "Play in the terminal: the board as text, moves as people say them."),
    "games": ("catalogue", "List the games, or the options of one."),
    "agents": ("catalogue", "List the agents, or the options of one."),
    "match": ("arena", "Play a match with the seats exchanged and count it for the first agent."),
    "bench": ("arena", "Run a benchmark suite and write results and a report."),
    "report": ("arena", "Rate everybody in a results file, outside players too, and write the report."),
    "replay": (
        "arena",
        "Verify every stored game move by move: legal actions, the dice and deals of its seed, the same result.",
    ),
    "rate": ("rating", "Place an agent on the frozen ladder of a game: Elo with an interval, the lowest rung has 0."),
    "ladder": ("rating", "Show the frozen ladder of a game: fixed players by rating, `ladder-1` the weakest."),
    "train": ("train", "Train a player and save it."),
    "tune": ("tune", "Compare parameters: options of any agent, or settings of n-tuple training."),
    "solve": (
        "solve",
        "Solve a position exactly: its score with perfect play, the best moves, and how long the win takes.",
    ),
    "regret": (
        "regret",
        "Measure what a player loses against perfect play: per move and per game, blunders, by part of the game.",
    ),
    "tables": ("tables", "Tables of solved positions: build, list, verify, remove."),
    "engine": (
        "engine",
        "Play as an engine: read commands from stdin, answer on stdout, until `quit` or the end of the input.",
    ),
    "jass-server": (
        "challenge",
        "Run a Jass challenge server for single games and tournaments, for our agents and anybody's.",
    ),
    "jass-client": ("challenge", "Seat an agent at a Jass challenge server, in a single game or in a tournament."),
    "jass-stats": (
        "jass",
        "Count the habits of a Jass player: how often it wastes trumps, gives points away, fails its partner.",
    ),
    "jass-modes": (
        "jass",
        "Measure the choice of the mode apart from the play: the same cards, other modes, the same players.",
    ),
    "jass-data": (
        "jass_learning",
        "Let a player of ours play deals of Schieber, for networks to learn from: synthetic data.",
    ),
    "jass-import": (
        "jass_learning",
        "Read logs of Schieber into a file of deals; every card is checked, what fails is dropped and counted.",
    ),
    "jass-export": ("jass_learning", "Write complete deals as jass-kit logs them, at most 100,000 in a file."),
    "jass-predict": ("jass_learning", "Ask networks about one situation: how likely is each card, or each mode?"),
    "reversixt-map": (
        "reversixt",
        "Make a fair map for ReversiXT, check one, or list those that come with the package.",
    ),
    "reversixt-server": (
        "reversixt",
        "Referee ReversiXT over the course protocol, for our agents and anybody's clients.",
    ),
    "reversixt-client": (
        "reversixt",
        "Seat an agent at a ReversiXT server for one game; limits of time and depth are those of the server.",
    ),
    "speed": (
        "catalogue",
        "Measure steps per second of every game and face, beside OpenSpiel, Shimmy and Pgx where they are installed.",
    ),
    "warmup": ("catalogue", "Compile the kernels of the games into the disk cache, so that later starts are quick."),
}


class Commands(TyperGroup):
    """The commands of the index; one whose module is not imported yet has no options until it is called."""

    def __init__(self, **keywords: Any):
        super().__init__(**keywords)
        imported = self.commands
        self.commands = {
            name: imported.get(name) or TyperCommand(name, help=sentence) for name, (_, sentence) in INDEX.items()
        }

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the words begin with, imported, and the words that are left."""
        if args[0] in INDEX:
            self.commands[args[0]] = imported_command(args[0])
        return super().resolve_command(ctx, args)

    def make_context(self, *arguments: Any, **keywords: Any) -> Any:
        with _printable_errors():
            return super().make_context(*arguments, **keywords)

    def invoke(self, ctx: Any) -> Any:
        with _printable_errors():
            return super().invoke(ctx)


@contextmanager
def _printable_errors() -> Iterator[None]:
    """Write out what a terminal would obey in words that typer refuses and repeats."""
    try:
        yield
    except Exception as refused:
        error: Any = refused
        if hasattr(error, "format_message") and isinstance(getattr(error, "message", None), str):
            error.message = printable(error.message)
        raise


def imported_command(name: str) -> Any:
    """Return a command with all its options."""
    from typer.main import get_group

    from stammtisch.cli.console import app

    module, _ = INDEX[name]
    importlib.import_module(f"stammtisch.cli.{module}")
    if name == "train":
        for learner in _LEARNERS:
            importlib.import_module(f"stammtisch.cli.train_{learner}")
    return get_group(app).commands[name]
