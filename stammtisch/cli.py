"""The command line: thin, one function per command; ``--json`` prints one JSON object on stdout and nothing else."""

import json
import os
import pathlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Protocol

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
EngineOption = Annotated[str | None, typer.Option(help="serial, process or ray; by default process with workers.")]
RayOption = Annotated[str | None, typer.Option(help="Address of a Ray cluster for --engine ray.")]
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
    opening: Annotated[int, typer.Option(min=0, help="First moves of each pair drawn by lot.")] = 0,
    sprt: Annotated[str | None, typer.Option(help="Sequential test, e.g. elo0=0,elo1=20; stops early.")] = None,
    engine: EngineOption = None,
    ray_address: RayOption = None,
    out_file: Annotated[pathlib.Path | None, typer.Option("--out", help="Keep the games in this SQLite file.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the games in --out.")] = False,
    option: GameOption = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="Show one game with what the agents thought.")] = False,
    json_: JsonFlag = False,
) -> None:
    """Play a match with the seats exchanged and count it for the first agent.

    Example: `stammtisch match einstein-5x5 heuristic random --games 1000 --workers 2`
    """
    from stammtisch.benchmarks import play_match
    from stammtisch.benchmarks.narrate import narrate
    from stammtisch.benchmarks.sprt import Sprt
    from stammtisch.benchmarks.store import Store

    loaded = load_game(game, **_game_options(option))
    test = Sprt.parse(sprt) if sprt is not None else None
    _use_ray(ray_address)
    if out_file is not None and out_file.exists() and not resume:
        raise ValueError(f"{out_file} exists; add --resume to go on with it, or choose another file")
    store = Store(out_file) if out_file is not None else None
    with _progress("games", games) as advance:
        result = play_match(
            loaded,
            agents,
            games,
            seed,
            workers,
            advance,
            opening=opening,
            sprt=test,
            engine_name=engine,
            store=store,
        )
    if store is not None:
        store.close()
    if verbose and not json_:
        for line in narrate(loaded, result):
            out.print(line, markup=False, highlight=False)
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
    out.print(
        f"{result.games} games in {result.seconds:.1f} s, {result.mean_moves:.1f} moves on average; "
        f"mean return {result.mean_return:+.3f}; repeated games {result.duplicates:.1%}"
    )
    timed = zip(result.agents, result.seconds_per_move, strict=True)
    if shown := [f"{name} {1000 * seconds:.2g} ms" for name, seconds in timed if seconds is not None]:
        out.print("thinking time per move: " + ", ".join(shown))
    if result.stopped:
        out.print(result.stopped)


@app.command()
def bench(
    suite: Annotated[str, typer.Argument(help="A shipped suite (see --list) or a TOML file.")] = "quick",
    games: Annotated[int | None, typer.Option(min=1, help="Games per match instead of the suite's.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed instead of the suite's.")] = None,
    workers: WorkersOption = 2,
    engine: EngineOption = None,
    ray_address: RayOption = None,
    out_folder: Annotated[pathlib.Path | None, typer.Option("--out", help="Folder of results and report.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the results in the folder.")] = False,
    list_: Annotated[bool, typer.Option("--list", help="List the shipped suites and stop.")] = False,
    json_: JsonFlag = False,
) -> None:
    """Run a benchmark suite and write results and a report.

    Example: `stammtisch bench`, `stammtisch bench einstein-thesis --workers 2 --resume`
    """
    from stammtisch.benchmarks.report import comparison_row, to_json, write_report
    from stammtisch.benchmarks.store import Store
    from stammtisch.benchmarks.suite import load_suite, run_suite, shipped

    if list_:
        table = Table("suite", "what it plays")
        for name in shipped():
            table.add_row(name, load_suite(name).about)
        out.print(table)
        return
    loaded = load_suite(suite, games, seed)
    folder = _result_folder(loaded.name, out_folder, resume)
    _use_ray(ray_address)
    store = Store(folder / "results.sqlite")
    try:
        with _progress("games", loaded.games()) as advance:
            result = run_suite(loaded, store, workers, engine, advance, lambda line: advance(0, line))
    finally:
        store.close()
    page = write_report(result, folder)
    if json_:
        print(json.dumps({**to_json(result), "report": str(page)}))
        return
    for tournament, _, ratings in result.tournaments:
        table = Table("agent", "Elo", "95 % interval", "score", "games", title=tournament.game, title_justify="left")
        for rating in ratings:
            low, high = rating.ci95
            figures = (f"{rating.elo:+.0f}", f"{low:+.0f} to {high:+.0f}", f"{rating.score:.1%}", str(rating.games))
            table.add_row(rating.name, *figures)
        out.print(table)
    if result.comparisons:
        table = Table("comparison", "paper", "ours", "95 % interval", "games")
        for pair in result.comparisons:
            row = comparison_row(*pair)
            paper = "" if row["paper"] is None else f"{row['paper']:.3f}"
            interval = "" if row["low"] is None else f"{row['low']:.3f} to {row['high']:.3f}"
            table.add_row(row["name"], paper, str(row["ours"]), interval, str(row["games"]))
        out.print(table)
    out.print(f"{sum(match.games for match in result.matches())} games in {result.seconds:.0f} s; report: {page}")


@app.command()
def replay(
    results: Annotated[pathlib.Path, typer.Argument(help="A results.sqlite, or the folder that holds it.")],
    json_: JsonFlag = False,
) -> None:
    """Verify every stored game move by move: legal actions, the dice and deals of its seed, the same result.

    Example: `stammtisch replay stammtisch-results/quick`
    """
    from stammtisch.benchmarks.replay import verify
    from stammtisch.benchmarks.store import Store

    path = results / "results.sqlite" if results.is_dir() else results
    if not path.is_file():
        raise ValueError(f"no results file {path}")
    store = Store(path)
    plans = store.plans()
    checked = 0
    faults: list[str] = []
    with _progress("games", sum(plan.games for plan in plans)) as advance:
        for plan in plans:
            done, wrong = verify(plan, store.games_of(plan))
            checked += done
            faults += [f"{plan.game}, {' - '.join(plan.agents)}: {fault}" for fault in wrong]
            advance(done)
    store.close()
    if json_:
        print(json.dumps({"games": checked, "faults": faults}))
    else:
        for fault in faults:
            out.print(fault, markup=False)
        out.print(f"{checked} games replayed, {len(faults)} faults")
    if faults:
        raise typer.Exit(1)


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


def _use_ray(address: str | None) -> None:
    if address is not None:
        os.environ["RAY_ADDRESS"] = address


def _result_folder(name: str, wanted: pathlib.Path | None, resume: bool) -> pathlib.Path:
    """Return the folder for a suite's results; a new one unless they are to be resumed."""
    if wanted is not None:
        if (wanted / "results.sqlite").exists() and not resume:
            raise ValueError(f"{wanted} holds results; add --resume to go on with them, or choose another folder")
        wanted.mkdir(parents=True, exist_ok=True)
        return wanted
    base = pathlib.Path("stammtisch-results")
    number = 1
    while (base / f"{name}-{number}").exists():
        number += 1
    folder = base / f"{name}-{max(1, number - 1) if resume else number}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


class _Advance(Protocol):
    def __call__(self, done: int, line: str | None = None, /) -> None:
        """Advance the bar, and change its text when a line is given."""


@contextmanager
def _progress(unit: str, total: int) -> Iterator[_Advance]:
    """Show a bar on stderr; yields the function that advances it."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=err, transient=True) as progress:
        task = progress.add_task(unit, total=total)

        def advance(done: int, line: str | None = None, /) -> None:
            progress.update(task, advance=done, description=line)

        yield advance


if __name__ == "__main__":
    main()
