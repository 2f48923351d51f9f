"""``regret``: what a player loses against perfect play."""

import pathlib
from contextlib import closing, nullcontext
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from stammtisch.cli.console import (
    GameOption,
    JsonFlag,
    SeedOption,
    WorkersOption,
    app,
    err,
    game_options,
    out,
    print_json,
    progress_bar,
)
from stammtisch.envs import load_game

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stammtisch.benchmarks.regret.count import RegretResult

JUDGED = "regret.sqlite"  # of a folder that holds judged decisions


@app.command()
def regret(
    agent: Annotated[str, typer.Argument(help="Whose moves are judged, as name:key=value,…")],
    game: Annotated[str, typer.Argument(help="Id of a game that has an oracle.")],
    games: Annotated[int, typer.Option(min=1, help="Number of games.")] = 100,
    opponent: Annotated[str, typer.Option(help="Who sits opposite; by default the reference bot, else random.")] = "",
    seed: SeedOption = 0,
    workers: WorkersOption = 1,
    reach: Annotated[int, typer.Option(min=0, help="Empty cells or tricks that the oracle solves; 0: quick.")] = 0,
    worlds: Annotated[int, typer.Option(min=-1, help="Deals per decision with hidden cards; -1: the default.")] = -1,
    moves: Annotated[int, typer.Option(min=1, help="Most moves of a game from its start on.")] = 60,
    tables: Annotated[str, typer.Option(help="Folder of endgame tables.")] = "",
    build: Annotated[int, typer.Option(min=0, help="Begin in tables of this size, built first: men in Mühle.")] = 0,
    out_folder: Annotated[
        pathlib.Path | None, typer.Option("--out", help="Folder of judged decisions, pictures and report.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the decisions in --out.")] = False,
    option: GameOption = None,
    json_: JsonFlag = False,
) -> None:
    """Measure what a player loses against perfect play: per move and per game, blunders, by part of the game.

    Games begin at positions that the oracle of the game covers: the start where all is solved, positions of endgame
    tables, or positions reached by play. In Jass the loss is split into what the player could have known and what not.

    Example: `stammtisch regret heuristic reversi-6x6 --games 50 --workers 2 --out regret`
    """
    from stammtisch.benchmarks.regret.measure import build_tables, measure_regret
    from stammtisch.benchmarks.regret.plan import RegretPlan
    from stammtisch.benchmarks.regret.rows import RegretStore
    from stammtisch.files import make_folder

    options = game_options(game, option)
    if build:
        with err.status("building tables") as status:
            build_tables(load_game(game, **options), build, tables, workers, status.update)
    plan = RegretPlan(game, agent, opponent, games, seed, reach, worlds, moves, tables, options, build).checked()
    if out_folder is not None:
        if (out_folder / JUDGED).exists() and not resume:
            raise ValueError(f"{out_folder} holds judged decisions; add --resume to go on, or choose another folder")
        make_folder(out_folder)
    with (
        closing(RegretStore(out_folder / JUDGED)) if out_folder is not None else nullcontext() as store,
        progress_bar("games", games) as advance,
    ):
        result = measure_regret(plan, store, workers, advance)
    page = None
    if out_folder is not None:
        with err.status("drawing"):
            page = _write(result, out_folder)
    if json_:
        print_json({**result.to_json(), **({} if page is None else {"report": str(page)})})
        return
    show_regret([result])
    _show_stages(result)
    _show_worst(result)
    if page is not None:
        out.print(f"report: {page}", markup=False)


def show_regret(results: "Sequence[RegretResult]") -> None:
    """Print the table of measurements on one game."""
    from stammtisch.benchmarks.regret.tables import figure_text, unit_of

    plan = results[0].plan
    scale, unit = unit_of(plan)
    digits = 3 if unit == "value" else 1
    table = Table(
        "agent", "decisions", "lost per move", "lost per game", "blunders", "best moves", title=f"{plan.game}, {unit}"
    )
    if plan.worlds:
        table.add_column("could be known")
        table.add_column("could not")
    for result in sorted(results, key=lambda result: result.per_game.mean):
        whole = result.whole
        row = [
            str(whole.decisions),
            figure_text(whole.loss, scale, digits),
            figure_text(result.per_game, scale, digits),
            f"{whole.blunders.mean:.1%} ({whole.thrown} won, {whole.lost} drawn)",
            f"{whole.best:.1%}",
        ]
        if plan.worlds:
            row += [figure_text(whole.known, scale, digits), figure_text(whole.hidden, scale, digits)]
        table.add_row(result.plan.agent, *row)
    out.print(table)
    for result in results:
        counts = f"{result.games} games against {result.plan.opponent}, seed {result.plan.seed}"
        aside = f"{result.forced} moves without a choice, {result.uncovered} outside of what the oracle covers"
        out.print(f"{result.plan.agent}: {counts}; {aside}; {result.seconds:.1f} s", markup=False, highlight=False)


def _show_stages(result: "RegretResult") -> None:
    from stammtisch.benchmarks.regret.tables import figure_text, unit_of

    scale, unit = unit_of(result.plan)
    digits = 3 if unit == "value" else 1
    table = Table("part of the game", "decisions", "lost per move", "blunders", "best moves")
    for stage in result.stages:
        lost = figure_text(stage.loss, scale, digits)
        table.add_row(stage.stage, str(stage.decisions), lost, f"{stage.blunders.mean:.1%}", f"{stage.best:.1%}")
    out.print(table)


def _show_worst(result: "RegretResult") -> None:
    from stammtisch.benchmarks.regret.pictures import moment_text

    game = result.plan.loaded()
    for decision in result.worst[:3]:
        out.print(str(game.from_text(decision.position)), markup=False, highlight=False)
        where = f"game {decision.number}, move {decision.ply + 1}"
        out.print(f"{where}: {moment_text(result.plan, decision)}", markup=False, highlight=False)


def _write(result: "RegretResult", folder: pathlib.Path) -> pathlib.Path:
    """Write the pictures of the worst moments and the report."""
    from stammtisch.benchmarks.regret.pictures import moment_picture
    from stammtisch.benchmarks.reports.report import write_report
    from stammtisch.benchmarks.suites.entries import RegretEntry
    from stammtisch.benchmarks.suites.run import SuiteResult
    from stammtisch.benchmarks.suites.suite import Suite
    from stammtisch.files import write_text

    plan = result.plan
    for place, decision in enumerate(result.worst, 1):
        write_text(folder / f"worst-{place}.svg", moment_picture(plan, decision).to_svg())
    entry = RegretEntry(plan.game, (plan.agent,), plan.games)
    title = f"Regret of {plan.agent} in {plan.game}"
    suite = Suite("regret", title, "What it loses against perfect play.", plan.seed, regrets=(entry,))
    return write_report(SuiteResult(suite, [], [], [], result.seconds, [(entry, [result])]), folder)
