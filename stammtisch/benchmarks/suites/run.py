"""Running a suite: its games, its studies, and what they showed."""

import pathlib
from dataclasses import dataclass, field

from stammtisch.arena.match import MatchResult, Progress, groups_of, play_match
from stammtisch.arena.plan import MatchPlan
from stammtisch.arena.ratings import Rating, fit_elo
from stammtisch.arena.store import Store
from stammtisch.benchmarks.regret.count import RegretResult
from stammtisch.benchmarks.regret.measure import build_tables, measure_regret
from stammtisch.benchmarks.regret.rows import RegretStore
from stammtisch.benchmarks.suites.suite import Comparison, RegretEntry, StudyEntry, Suite, TournamentEntry, is_built
from stammtisch.benchmarks.suites.trainings import Tell
from stammtisch.envs import load_game
from stammtisch.training.ntuple.study import StudyOutcome, run_study, study_watch, variants


@dataclass(frozen=True)
class StudyResult:
    """What a study showed, and the folder of its pictures."""

    study: StudyEntry
    outcomes: list[StudyOutcome]
    folder: pathlib.Path


@dataclass(frozen=True)
class SuiteResult:
    """What a suite showed.

    Attributes:
        tournaments: the matches and ratings of each.
        comparisons: the matches of each, one per seed; none if a player is missing.
        studies: the outcomes of each.
        regrets: what the agents of each lost.
        seconds: time spent on games.
    """

    suite: Suite
    tournaments: list[tuple[TournamentEntry, list[MatchResult], list[Rating]]]
    comparisons: list[tuple[Comparison, list[MatchResult]]]
    studies: list[StudyResult]
    seconds: float
    regrets: list[tuple[RegretEntry, list[RegretResult]]] = field(default_factory=list)

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
    """
    spent = 0.0

    def play(plan: MatchPlan) -> MatchResult:
        nonlocal spent
        if tell is not None:
            tell(f"{plan.game}: {' - '.join(plan.agents)}")
        game = load_game(plan.game, **plan.options)
        result = play_match(
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
        spent += result.seconds
        return result

    tournaments = []
    for tournament in suite.tournaments:
        matches = [play(plan) for plan in suite.plans_of(tournament) if is_built(plan.agents)]
        anchor = suite.present([tournament.anchor], 0)[0] if tournament.anchor is not None else None
        ratings = fit_elo(groups_of(matches), anchor) if matches else []
        tournaments.append((tournament, matches, ratings))
    comparisons = []
    for comparison in suite.comparisons:
        plans = suite.plans_of(comparison)
        is_complete = all(is_built(plan.agents) for plan in plans)
        comparisons.append((comparison, [play(plan) for plan in plans] if is_complete else []))
    studies = [_run_study(suite, number, tell) for number in range(len(suite.studies))]
    regrets = []
    for entry in suite.regrets:
        results = []
        if entry.build:
            build_tables(load_game(entry.game, **entry.options), entry.build, entry.tables, workers, tell)
        for measured in suite.judged_plans(entry):
            if tell is not None:
                tell(f"{measured.game}: regret of {measured.agent}")
            results.append(measure_regret(measured, judged, workers, progress))
            spent += results[-1].seconds
        if results:
            regrets.append((entry, results))
    return SuiteResult(suite, tournaments, comparisons, studies, spent, regrets)


def _run_study(suite: Suite, number: int, tell: Tell | None) -> StudyResult:
    study = suite.studies[number]
    game = load_game(study.game)
    folder = suite.folder / f"study-{number + 1}-{study.game}"
    watch = study_watch(game, study.opponent, study.episodes, study.points, study.games, study.plies)

    def show(done: int, line: str) -> None:
        if tell is not None:
            tell(f"{study.game}: {line}")

    base = {**study.parameters, "episodes": study.episodes}
    settings = variants(study.study, list(study.vary.items()), study.grid)
    outcomes = run_study(game, settings, base, study.seeds, watch, folder, show)
    return StudyResult(study, outcomes, folder)
