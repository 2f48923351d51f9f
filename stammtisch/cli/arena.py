"""Commands that play, and what becomes of it: ``match``, ``bench``, ``replay``, ``report``."""

import itertools
import json
import pathlib
from contextlib import closing, nullcontext
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from stammtisch.cli.console import (
    PROGRAM,
    EngineOption,
    GameOption,
    JsonFlag,
    RayOption,
    SeedOption,
    WorkersOption,
    app,
    err,
    game_options,
    out,
    print_json,
    progress_bar,
    use_ray,
)
from stammtisch.cli.regret import JUDGED, show_regret
from stammtisch.cli.tune import study_table
from stammtisch.envs import load_game
from stammtisch.files import make_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from stammtisch.arena.match import MatchResult
    from stammtisch.benchmarks.suites.run import SuiteResult
    from stammtisch.benchmarks.suites.spent import Spent
    from stammtisch.benchmarks.suites.suite import Suite

RESULTS = "results.sqlite"  # of a folder that holds a suite or what a server played


@app.command()
def match(
    game: Annotated[str, typer.Argument(help="Id of the game, see `stammtisch games`.")],
    agents: Annotated[list[str], typer.Argument(help="Two agents, or one per seat, as name:key=value,…")],
    games: Annotated[int, typer.Option(min=1, help="Number of games.")] = 100,
    seed: SeedOption = 0,
    workers: WorkersOption = 1,
    opening: Annotated[int, typer.Option(min=0, help="First moves of each pair drawn at random.")] = 0,
    sprt: Annotated[str | None, typer.Option(help="Sequential test, e.g. elo0=0,elo1=20; stops early.")] = None,
    engine: EngineOption = None,
    ray_address: RayOption = None,
    out_file: Annotated[pathlib.Path | None, typer.Option("--out", help="Keep the games in this SQLite file.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the games in --out.")] = False,
    option: GameOption = None,
    trust: Annotated[bool, typer.Option("--trust", help="Open zips of Stable-Baselines3, which run programs.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Show one game with what the agents thought.")] = False,
    json_: JsonFlag = False,
) -> None:
    """Play a match with the seats exchanged and count it for the first agent.

    Example: `stammtisch match einstein-5x5 heuristic random --games 1000 --workers 2`
    """
    from stammtisch.arena.match import cheaters
    from stammtisch.arena.narrate import narrate
    from stammtisch.arena.sprt import Sprt
    from stammtisch.arena.store import Store
    from stammtisch.benchmarks import play_match

    loaded = load_game(game, **game_options(game, option))
    if trust:
        agents = [f"{agent},trust=1" if agent.startswith("sb3:") else agent for agent in agents]
    test = Sprt.parse(sprt) if sprt is not None else None
    use_ray(ray_address)
    if out_file is not None and out_file.exists() and not resume:
        raise ValueError(f"{out_file} exists; add --resume to go on with it, or choose another file")
    store = Store(out_file) if out_file is not None else None
    with progress_bar("games", games) as advance:
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
        print_json(result.to_json())
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
        f"{result.elo:+z.0f}",
    )
    out.print(table)
    out.print(
        f"{result.games} games in {result.seconds:.1f} s, {result.mean_moves:.1f} moves on average; "
        f"mean return {result.mean_return:+z.3f}{_points(result)}; repeated games {result.duplicates:.1%}"
    )
    timed = zip(result.agents, result.seconds_per_move, strict=True)
    if shown := [f"{name} {1000 * seconds:.2g} ms" for name, seconds in timed if seconds is not None]:
        out.print("thinking time per move: " + ", ".join(shown))
    if result.strengths:
        ranked = sorted(result.strengths.items(), key=lambda item: -item[1])
        out.print("strength by the ranking in each game: " + ", ".join(f"{name} {elo:+z.0f}" for name, elo in ranked))
    for name in cheaters(result.agents):
        out.print(f"{name} sees all cards: an upper limit, not a fair opponent", markup=False)
    if result.forfeits:
        out.print(f"lost by a fault: {result.forfeits} games")
    if result.stopped:
        out.print(result.stopped)


def _points(result: "MatchResult") -> str:
    """Return the mean return in points of the game, where there are any."""
    per_unit = load_game(result.game, **result.options).info.points_per_unit
    if per_unit is None:
        return ""
    low, high = (per_unit * end for end in result.return_ci95)
    return f" ({per_unit * result.mean_return:+z.1f} points, {low:+z.1f} to {high:+z.1f})"


@app.command()
def bench(
    suite: Annotated[str, typer.Argument(help="A shipped suite (see --list) or a TOML file.")] = "quick",
    games: Annotated[int | None, typer.Option(min=1, help="Games per match instead of the suite's.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed instead of the suite's.")] = None,
    scale: Annotated[str | None, typer.Option(help="Size of a suite that has several, such as quick, thesis.")] = None,
    part: Annotated[list[str] | None, typer.Option(help="Only this part of the suite; repeatable.")] = None,
    workers: WorkersOption = 2,
    engine: EngineOption = None,
    ray_address: RayOption = None,
    out_folder: Annotated[pathlib.Path | None, typer.Option("--out", help="Folder of results and report.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the results in the folder.")] = False,
    train: Annotated[bool, typer.Option(help="First train the players that the suite asks for.")] = True,
    full: Annotated[bool, typer.Option("--full", help="Short for --scale thesis; takes hours.")] = False,
    list_: Annotated[bool, typer.Option("--list", help="List the shipped suites and stop.")] = False,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON schema of suite files and stop.")] = False,
    json_: JsonFlag = False,
) -> None:
    """Run a benchmark suite and write results and a report.

    Some suites train players first, which can take hours, as many side by side as there are workers; it goes on with
    `--resume`. With `--no-train` their rows say "not built" unless the players are there already.

    Suites that reproduce a work have parts and scales: what each part takes is told beforehand, `--part` runs one, and
    `--scale thesis` plays as many games as the work did.

    Example: `stammtisch bench`, `stammtisch bench einstein-thesis --scale quick --part "table 14" --resume`
    """
    from stammtisch.arena.store import Store
    from stammtisch.benchmarks.regret.rows import RegretStore
    from stammtisch.benchmarks.reports.report import comparison_row, games_of, size_row, to_json, write_report
    from stammtisch.benchmarks.suites.run import run_suite
    from stammtisch.benchmarks.suites.spent import SPENT, Spent
    from stammtisch.benchmarks.suites.suite import load_suite, shipped, suite_schema
    from stammtisch.benchmarks.suites.trainings import missing_trainings, run_trainings

    if schema:
        print(json.dumps(suite_schema(), indent=1, ensure_ascii=False))
        return
    if list_:
        table = Table("suite", "what it plays")
        for name in shipped():
            table.add_row(name, load_suite(name).about)
        out.print(table)
        return
    if full and scale not in (None, "thesis"):
        raise ValueError(f"--full is short for --scale thesis, and --scale {scale} is another size; give one of them")
    scale = "thesis" if full else scale
    folder = result_folder(load_suite(suite, games, seed, None, scale, part or ()).name, out_folder, resume)
    loaded = load_suite(suite, games, seed, folder, scale, part or ())
    spent = Spent(folder / SPENT)
    if loaded.parts and not json_:
        err.print(_parts_table(loaded, spent))
    if trainings := missing_trainings(loaded) if train else []:
        side_by_side = min(workers, len(trainings))
        with progress_bar("trainings", len(trainings)) if side_by_side > 1 else nullcontext() as advance:
            for name, group in itertools.groupby(trainings, lambda training: training.part):
                with spent.on(name):
                    run_trainings(list(group), PROGRAM, side_by_side, _say, advance)
    use_ray(ray_address)
    with (
        closing(Store(folder / RESULTS)) as store,
        closing(RegretStore(folder / JUDGED)) if loaded.regrets else nullcontext() as judged,
        progress_bar("games", loaded.games()) as advance,
    ):
        result = run_suite(loaded, store, workers, engine, advance, lambda line: advance(0, line), judged, spent)
    page = write_report(result, folder)
    if json_:
        print_json({**to_json(result), "report": str(page)})
        return
    _show_ratings(result)
    if result.comparisons:
        table = Table("comparison", "paper", "as score", "ours", "95 % interval", "", "seeds", "games")
        for pair in result.comparisons:
            row = comparison_row(*pair)
            paper, score = ("" if row[key] is None else f"{row[key]:.3f}" for key in ("paper", "paper_score"))
            interval = "" if row["low"] is None else f"{row['low']:.3f} to {row['high']:.3f}"
            figures = (str(row["ours"]), interval, row["verdict"], str(row["seeds"]), str(row["games"]))
            table.add_row(row["name"], paper, score, *figures)
        out.print(table)
    if result.sizes:
        table = Table("number", "paper", "ours", "")
        for size in result.sizes:
            row = size_row(*size)
            paper = "" if row["paper"] is None else f"{row['paper']:,.0f}"
            table.add_row(row["name"], paper, f"{row['ours']:,}", row["verdict"])
        out.print(table)
    for grid in result.grids:
        cell = grid.grid
        title = cell.name or cell.agent
        out.print(study_table(grid.outcomes, cell.opponent, title, cell.paper, cell.printed))
    for study in result.studies:
        entry = study.study
        title = entry.name or entry.game
        out.print(study_table(study.outcomes, entry.opponent, title, entry.paper, entry.printed))
    for _, measured in result.regrets:
        show_regret(measured)
    out.print(f"{games_of(result)} games in {result.seconds:.0f} s; report: {page}")


def _say(line: str) -> None:
    err.print(line, markup=False, highlight=False)


def _parts_table(suite: "Suite", spent: "Spent") -> Table:
    """Say what each part of a suite takes, before it begins."""
    table = Table("part", "what", "about minutes", "spent so far", title=f"{suite.name}, scale {suite.scale or '–'}")
    for part in suite.parts:
        minutes = part.minutes.get(suite.scale)
        done = spent.seconds.get(part.name, 0.0) / 60
        table.add_row(part.name, part.about, "?" if minutes is None else f"{minutes:g}", f"{done:.1f}" if done else "")
    known = [part.minutes.get(suite.scale, 0.0) for part in suite.parts]
    table.add_row("in all", "", f"{sum(known):g}", f"{spent.total / 60:.1f}" if spent.total else "")
    return table


@app.command()
def replay(
    results: Annotated[pathlib.Path, typer.Argument(help="A results.sqlite, or the folder that holds it.")],
    film: Annotated[pathlib.Path | None, typer.Option(help="Write one game as a film, .gif or .mp4, instead.")] = None,
    match: Annotated[int, typer.Option(min=1, help="The match of the film, as they stand in the file.")] = 1,
    game: Annotated[int, typer.Option(min=0, help="Number of the game of the film in its match.")] = 0,
    seat: Annotated[int | None, typer.Option(min=0, help="Show the film as this seat sees it; else all cards.")] = None,
    fps: Annotated[float, typer.Option(min=0.1, help="Pictures of the film per second.")] = 2.0,
    json_: JsonFlag = False,
) -> None:
    """Verify every stored game move by move: legal actions, the dice and deals of its seed, the same result.

    With `--film`, one game is written as a film instead; MP4 needs `pip install stammtisch[video]`.

    Example: `stammtisch replay stammtisch-results/quick`, `stammtisch replay games.sqlite --game 3 --film game.gif`
    """
    from stammtisch.arena.replay import verify
    from stammtisch.arena.store import Store

    path = results / RESULTS if results.is_dir() else results
    if film is not None:
        _write_film(path, match, game, seat, film, fps, json_)
        return
    checked = 0
    faults: list[str] = []
    with closing(Store(path, read_only=True)) as store:
        plans = store.plans()
        with progress_bar("games", sum(plan.games for plan in plans)) as advance:
            for plan in plans:
                done, wrong = verify(plan, store.games_of(plan))
                checked += done
                faults += [f"{plan.game}, {' - '.join(plan.agents)}: {fault}" for fault in wrong]
                advance(done)
    if json_:
        print_json({"games": checked, "faults": faults})
    else:
        for fault in faults:
            out.print(fault, markup=False)
        out.print(f"{checked} games replayed, {len(faults)} faults")
    if faults:
        raise typer.Exit(1)


def _write_film(
    path: pathlib.Path, match: int, number: int, seat: int | None, film: pathlib.Path, fps: float, json_: bool
) -> None:
    """Write one stored game as a film."""
    from stammtisch.arena.film import frames_of
    from stammtisch.arena.store import Store
    from stammtisch.video import check_video, write_video

    check_video(film)
    with closing(Store(path, read_only=True)) as store:
        plans = store.plans()
        if match > len(plans):
            raise ValueError(f"no match {match} in {path}; there are {len(plans)}")
        plan = plans[match - 1]
        stored = {record.number: record for record in store.games_of(plan)}
    if number not in stored:
        raise ValueError(f"no game {number} in match {match} of {path}; there are {len(stored)}, from {min(stored)} on")
    record = stored[number]
    with progress_bar("pictures", len(record.events) + 1) as advance:

        def shown() -> "Iterator[NDArray[np.uint8]]":
            for frame in frames_of(plan, record, seat):
                advance(1)
                yield frame

        write_video(shown(), film, fps)
    if json_:
        print_json({"film": str(film), "game": plan.game, "agents": plan.agents, "number": number})
    else:
        out.print(f"{film}: {plan.game}, {' - '.join(plan.agents)}, game {number}", markup=False, highlight=False)


@app.command()
def report(
    results: Annotated[pathlib.Path, typer.Argument(help="A results file, or the folder of a results.sqlite.")],
    out_folder: Annotated[
        pathlib.Path | None,
        typer.Option("--out", help="Folder of the report; by default that of a results.sqlite, else FILE-report."),
    ] = None,
    json_: JsonFlag = False,
) -> None:
    """Rate everybody in a results file, outside players too, and write the report.

    What `bench` and `jass-server` left gets its report beside it; that of another file, such as one of `match --out`,
    goes into a folder of its own.

    Example: `stammtisch report stammtisch-results/jass-server-1`, `stammtisch report games.sqlite --out report`
    """
    from stammtisch.arena.store import Store
    from stammtisch.benchmarks.reports.report import to_json, write_report
    from stammtisch.benchmarks.suites.stored import stored_suite

    path = results / RESULTS if results.is_dir() else results
    with closing(Store(path, read_only=True)) as store:
        plans = store.plans()
        with progress_bar("games", sum(plan.games for plan in plans)) as advance:
            result = stored_suite(store, path.absolute().parent.name if path.name == RESULTS else path.stem, advance)
    with err.status("drawing") as status:
        page = write_report(result, make_folder(out_folder or _report_folder(path)), habits=False, tell=status.update)
    if json_:
        print_json({**to_json(result), "report": str(page)})
        return
    _show_ratings(result)
    out.print(f"{sum(match.games for match in result.matches())} games; report: {page}")


def _report_folder(path: pathlib.Path) -> pathlib.Path:
    """Return where the report of a results file goes: beside one that has a folder of its own."""
    return path.parent if path.name == RESULTS else path.with_name(f"{path.stem}-report")


def _show_ratings(result: "SuiteResult") -> None:
    for tournament, _, ratings in result.tournaments:
        table = Table("agent", "Elo", "95 % interval", "score", "games", title=tournament.game, title_justify="left")
        for rating in ratings:
            figures = (f"{rating.elo:+z.0f}", rating.interval_text(), f"{rating.score:.1%}", str(rating.games))
            table.add_row(rating.name, *figures)
        out.print(table)


def result_folder(name: str, wanted: pathlib.Path | None, resume: bool) -> pathlib.Path:
    """Return the folder for a suite's results; a new one unless they are to be resumed."""
    return make_folder(free_folder(name, wanted, resume))


def free_folder(name: str, wanted: pathlib.Path | None, resume: bool) -> pathlib.Path:
    """Return where the results go, without making the folder yet."""
    if wanted is not None:
        if (wanted / RESULTS).exists() and not resume:
            raise ValueError(f"{wanted} holds results; add --resume to go on with them, or choose another folder")
        return wanted
    base = pathlib.Path("stammtisch-results")
    number = 1
    while (base / f"{name}-{number}").exists():
        number += 1
    return base / f"{name}-{max(1, number - 1) if resume else number}"
