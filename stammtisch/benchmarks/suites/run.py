"""Running a suite: its games, its studies, and what they showed."""

import pathlib
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field

from stammtisch.arena.grid import GridRun
from stammtisch.arena.match import MatchResult, Progress, groups_of, play_match
from stammtisch.arena.outcomes import SettingOutcome
from stammtisch.arena.plan import MatchPlan
from stammtisch.arena.ratings import Rating, fit_elo
from stammtisch.arena.store import Store
from stammtisch.benchmarks.regret.count import RegretResult
from stammtisch.benchmarks.regret.measure import build_tables, measure_regret
from stammtisch.benchmarks.regret.rows import RegretStore
from stammtisch.benchmarks.suites.entries import (
    Comparison,
    GridEntry,
    RegretEntry,
    SizeEntry,
    StudyEntry,
    TournamentEntry,
)
from stammtisch.benchmarks.suites.spent import Spent
from stammtisch.benchmarks.suites.suite import Suite, counted, is_built, settings_of
from stammtisch.benchmarks.suites.trainings import Tell
from stammtisch.envs import load_game
from stammtisch.training.ntuple.study import run_study, study_watch


@dataclass(frozen=True)
class StudyResult:
    """What a study showed, and the folder of its pictures."""

    study: StudyEntry
    outcomes: list[SettingOutcome]
    folder: pathlib.Path


@dataclass(frozen=True)
class GridResult:
    """What a grid showed, and the folder of its pictures."""

    grid: GridEntry
    outcomes: list[SettingOutcome]
    folder: pathlib.Path


@dataclass(frozen=True)
class SuiteResult:
    """What a suite showed.

    Attributes:
        tournaments: the matches and ratings of each.
        comparisons: the matches of each, one per seed; none if a player is missing.
        studies: the outcomes of each.
        regrets: what the agents of each lost.
        seconds: time spent on games and studies; with ``spent``, in all runs that went on with each other.
        grids: the outcomes of each.
        sizes: the number of each.
        spent: the time of every part, where it is kept.
    """

    suite: Suite
    tournaments: list[tuple[TournamentEntry, list[MatchResult], list[Rating]]]
    comparisons: list[tuple[Comparison, list[MatchResult]]]
    studies: list[StudyResult]
    seconds: float
    regrets: list[tuple[RegretEntry, list[RegretResult]]] = field(default_factory=list)
    grids: list[GridResult] = field(default_factory=list)
    sizes: list[tuple[SizeEntry, int]] = field(default_factory=list)
    spent: Spent | None = None

    def matches(self) -> list[MatchResult]:
        """Return every match that was played."""
        rated = [match for _, matches, _ in self.tournaments for match in matches]
        return rated + [match for _, matches in self.comparisons for match in matches]


def run_suite(
    suite: Suite,
    store: Store | None = None,
    workers: int = 1,
    engine_name: str | None = None,
    progress: Progress | None = None,
    tell: Tell | None = None,
    judged: RegretStore | None = None,
    spent: Spent | None = None,
) -> SuiteResult:
    """Play the games of a suite and run its studies; with a store, games that it already holds are not played again.

    Args:
        suite: what to play.
        store: keeps every game.
        workers: processes.
        engine_name: engine of the matches.
        progress: called with the number of games finished since the last call.
        tell: called with a line about what is being played.
        judged: keeps every judged decision of regret entries.
        spent: keeps the time of every part.
    """
    seconds = 0.0

    @contextmanager
    def clock(part: str) -> Iterator[None]:
        nonlocal seconds
        begun = time.perf_counter()
        with spent.on(part) if spent is not None else nullcontext():
            yield
        seconds += time.perf_counter() - begun

    def play(plan: MatchPlan) -> MatchResult:
        if tell is not None:
            tell(f"{plan.game}: {' - '.join(plan.agents)}")
        game = load_game(plan.game, **plan.options)
        return play_match(
            game,
            plan.agents,
            plan.games,
            plan.seed,
            workers,
            progress,
            opening=plan.opening,
            engine_name=engine_name,
            store=store,
        )

    tournaments = []
    for tournament in suite.tournaments:
        with clock(tournament.part):
            matches = [play(plan) for plan in suite.plans_of(tournament) if is_built(plan.agents)]
        anchor = suite.present([tournament.anchor], 0)[0] if tournament.anchor is not None else None
        ratings = fit_elo(groups_of(matches), anchor) if matches else []
        tournaments.append((tournament, matches, ratings))
    comparisons = []
    for comparison in suite.comparisons:
        plans = suite.plans_of(comparison)
        is_complete = all(is_built(plan.agents) for plan in plans)
        with clock(comparison.part):
            if comparison.build:
                game = load_game(comparison.game, **comparison.options)
                build_tables(game, comparison.build, str(suite.tables), workers, tell)
            comparisons.append((comparison, [play(plan) for plan in plans] if is_complete else []))
    studies, grids = [], []
    for number, grid in enumerate(suite.grids):
        with clock(grid.part):
            grids.append(_run_grid(suite, number, workers, engine_name, progress, tell))
    for number, study in enumerate(suite.studies):
        with clock(study.part):
            studies.append(_run_study(suite, number, workers, engine_name, tell))
    regrets = []
    for entry in suite.regrets:
        results = []
        if entry.build:
            build_tables(load_game(entry.game, **entry.options), entry.build, entry.tables, workers, tell)
        for measured in suite.judged_plans(entry):
            if tell is not None:
                tell(f"{measured.game}: regret of {measured.agent}")
            with clock(entry.part):
                results.append(measure_regret(measured, judged, workers, progress))
        if results:
            regrets.append((entry, results))
    sizes = [(size, counted(size)) for size in suite.sizes]
    in_all = seconds if spent is None else spent.total
    return SuiteResult(suite, tournaments, comparisons, studies, in_all, regrets, grids, sizes, spent)


def _called(kind: str, entries: Sequence[GridEntry | StudyEntry], number: int) -> str:
    """Return the folder of an entry by its name, which stays when other parts are run; two alike are counted."""

    def slug(entry: GridEntry | StudyEntry) -> str:
        return re.sub(r"[^a-z0-9]+", "-", f"{entry.name} {entry.game}".lower()).strip("-")[:80]

    name = slug(entries[number])
    same = sum(slug(earlier) == name for earlier in entries[:number])
    return f"{kind}-{name}" + (f"-{same + 1}" if same else "")


def _run_grid(
    suite: Suite,
    number: int,
    workers: int,
    engine_name: str | None,
    progress: Progress | None,
    tell: Tell | None,
) -> GridResult:
    entry = suite.grids[number]
    folder = suite.folder / _called("grid", suite.grids, number)

    def show(done: int, line: str) -> None:
        if progress is not None:
            progress(done * entry.games)
        if tell is not None:
            tell(f"{entry.game}: {line}")

    run = GridRun(suite.grid_of(entry), folder, workers, engine_name, show)
    return GridResult(entry, run.run(settings_of(entry)), folder)


def _run_study(suite: Suite, number: int, workers: int, engine_name: str | None, tell: Tell | None) -> StudyResult:
    study = suite.studies[number]
    game = load_game(study.game, **study.options)
    folder = suite.folder / _called("study", suite.studies, number)
    opponents = (study.opponent, *study.also)
    watch = study_watch(game, opponents, study.episodes, study.points, study.games, study.plies)

    def show(done: int, line: str) -> None:
        if tell is not None:
            tell(f"{study.game}: {line}")

    base = {**study.parameters, "episodes": study.episodes}
    outcomes = run_study(game, settings_of(study), base, study.seeds, watch, folder, show, workers, engine_name)
    return StudyResult(study, outcomes, folder)
