"""The command line: thin, one function per command; ``--json`` prints one JSON object on stdout and nothing else."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

import stammtisch
from stammtisch.baselines import AGENTS, agent_class
from stammtisch.envs import GAMES, load_game

app = typer.Typer(
    help="Games of the regulars' table for reinforcement learning: EinStein, Reversi, Mühle, Jass.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)
out = Console(width=None if sys.stdout.isatty() else 120)
err = Console(stderr=True)

JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else on stdout.")]
SeedOption = Annotated[int, typer.Option(min=0, help="Decides everything that is drawn.")]
WorkersOption = Annotated[int, typer.Option(min=1, help="Processes; the result does not depend on it.")]
GameOption = Annotated[list[str] | None, typer.Option("--option", "-o", help="Option of the game, as key=value.")]


def main() -> None:
    """Run the command line; what a user can put right ends in one line and exit code 2."""
    try:
        app()
    except ValueError as error:
        err.print(f"error: {error}", style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(2)


def _version(wanted: bool) -> None:
    if wanted:
        print(stammtisch.__version__)
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Games of the regulars' table for reinforcement learning: EinStein, Reversi, Mühle, Jass."""


@app.command()
def games(json_: JsonFlag = False) -> None:
    """List the games.

    Example: `stammtisch games`
    """
    rows: list[dict[str, Any]] = []
    for game_id, entry in GAMES.items():
        game = load_game(game_id)
        info = game.info
        rows.append(
            {
                "id": game_id,
                "env": entry.env_id,
                "players": info.num_players,
                "teams": list(info.teams),
                "chance": info.chance,
                "hidden": info.hidden,
                "actions": info.num_actions,
                "observation": list(info.observation_shape),
                "options": {name: option.help for name, option in game.OPTIONS.items()},
            }
        )
    if json_:
        print(json.dumps({"games": rows}))
        return
    table = Table("id", "Gymnasium id", "players", "chance", "hidden", "actions", "observation")
    for row in rows:
        shape = "x".join(map(str, row["observation"]))
        hidden = "yes" if row["hidden"] else "no"
        table.add_row(row["id"], row["env"], str(row["players"]), row["chance"], hidden, str(row["actions"]), shape)
    out.print(table)


@app.command()
def agents(json_: JsonFlag = False) -> None:
    """List the agents and their options.

    Example: `stammtisch agents`
    """
    rows: list[dict[str, Any]] = []
    for name, player in AGENTS.items():
        options = {
            key: {"default": option.default, "help": option.help} for key, option in agent_class(name).OPTIONS.items()
        }
        rows.append({"name": name, "help": player.help, "options": options})
    if json_:
        print(json.dumps({"agents": rows}))
        return
    table = Table("agent", "what it does", "options (defaults)")
    for row in rows:
        shown = ", ".join(f"{key}={option['default']}" for key, option in row["options"].items())
        table.add_row(row["name"], row["help"], shown)
    out.print(table)


@app.command()
def match(
    game: Annotated[str, typer.Argument(help="Id of the game, see `stammtisch games`.")],
    agents: Annotated[list[str], typer.Argument(help="Two agents, or one per seat, as name:key=value,…")],
    games: Annotated[int, typer.Option(min=1, help="Number of games.")] = 100,
    seed: SeedOption = 0,
    workers: WorkersOption = 1,
    option: GameOption = None,
    json_: JsonFlag = False,
) -> None:
    """Play a match with the seats exchanged and count it for the first agent.

    Example: `stammtisch match einstein-5x5 heuristic random --games 1000 --workers 2`
    """
    from stammtisch.benchmarks import play_match

    loaded = load_game(game, **_game_options(option))
    with _progress("games", games) as advance:
        result = play_match(loaded, agents, games, seed, workers, advance)
    if json_:
        print(json.dumps(result.to_json()))
        return
    low, high = result.ci95
    table = Table("game", "agents", "games", "wins", "draws", "losses", "score", "95 % interval", "Elo")
    table.add_row(
        result.game,
        " - ".join(result.agents),
        str(result.games),
        str(result.wins),
        str(result.draws),
        str(result.losses),
        f"{result.score:.1%}",
        f"{low:.1%} to {high:.1%}",
        f"{result.elo:+.0f}",
    )
    out.print(table)
    out.print(f"{result.games} games in {result.seconds:.1f} s, {result.mean_moves:.1f} moves on average")


@app.command()
def bench(
    games: Annotated[int, typer.Option(min=2, help="Games per pair of agents.")] = 400,
    seed: SeedOption = 0,
    workers: WorkersOption = 2,
    json_: JsonFlag = False,
) -> None:
    """Run the quick benchmark: a round robin of the reference agents on every board of EinStein.

    Example: `stammtisch bench --games 1000`
    """
    from stammtisch.benchmarks.bench import PAIRS, run_bench

    with _progress("games", games * len(PAIRS)) as advance:
        results = run_bench(games, seed, workers, advance)
    if json_:
        print(json.dumps({"results": [result.to_json() for result in results]}))
        return
    table = Table("game", "first agent", "second agent", "games", "score", "95 % interval", "moves")
    for result in results:
        low, high = result.ci95
        score = f"{result.score:.1%}"
        interval = f"{low:.1%} to {high:.1%}"
        table.add_row(result.game, *result.agents, str(result.games), score, interval, f"{result.mean_moves:.1f}")
    out.print(table)


@app.command()
def speed(
    game: Annotated[list[str] | None, typer.Option("--game", "-g", help="Only these games.")] = None,
    face: Annotated[list[str] | None, typer.Option("--face", "-f", help="Only these faces.")] = None,
    seconds: Annotated[float, typer.Option(min=0.05, help="Time for each side of each comparison.")] = 1.0,
    seed: SeedOption = 0,
    json_: JsonFlag = False,
) -> None:
    """Measure steps per second of every game and face, beside OpenSpiel where it is installed.

    Example: `stammtisch speed --game einstein-5x5 --seconds 3`
    """
    from stammtisch.benchmarks.speed import FACES, measure
    from stammtisch.errors import unknown

    for name in face or ():
        if name not in FACES:
            raise unknown("face", name, FACES)
    chosen = [load_game(name).id for name in game or GAMES]
    faces = face or list(FACES)
    results = []
    with _progress("measurements", len(chosen) * len(faces)) as advance:
        for result in measure(chosen, faces, seconds, seed):
            results.append(result)
            advance(1)
    if json_:
        print(json.dumps({"speed": [result.to_json() for result in results]}))
        return
    table = Table("game", "face", "steps/s", "peer", "its steps/s", "ratio")
    for result in results:
        first = True
        for peer, theirs in (result.peers or {"": 0.0}).items():
            ours = f"{result.steps_per_s:,.0f}" if first else ""
            name = result.game if first else ""
            figures = (peer, f"{theirs:,.0f}", f"{result.steps_per_s / theirs:.1f}x") if peer else ("", "", "")
            table.add_row(name, result.face if first else "", ours, *figures)
            first = False
    out.print(table)


@app.command()
def warmup(
    game: Annotated[list[str] | None, typer.Option("--game", "-g", help="Only these games.")] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Delete the compiled kernels instead.")] = False,
) -> None:
    """Compile the kernels of the games into the disk cache, so that later starts are quick.

    Example: `stammtisch warmup --game einstein-5x5`
    """
    from stammtisch.envs.core.cache import clear_cache, compile_game

    if clear:
        out.print(f"deleted {clear_cache()} cache files")
        return
    chosen = [load_game(name) for name in game or GAMES]
    with _progress("games", len(chosen)) as advance:
        for loaded in chosen:
            compile_game(loaded)
            advance(1)


def _game_options(texts: list[str] | None) -> dict[str, Any]:
    """Read ``key=value`` pairs; true, false and integers are taken as such."""
    options: dict[str, Any] = {}
    for text in texts or ():
        key, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f'cannot read game option "{text}"; write key=value')
        word = value.lower()
        is_number = value.lstrip("-").isdigit()
        options[key] = word == "true" if word in ("true", "false") else int(value) if is_number else value
    return options


@contextmanager
def _progress(unit: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show a bar on stderr; yields the function that advances it."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=err, transient=True) as progress:
        task = progress.add_task(unit, total=total)
        yield lambda done: progress.advance(task, done)
