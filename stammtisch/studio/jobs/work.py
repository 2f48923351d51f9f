"""What the processes of jobs do: train, play the games of a validation, run a suite."""

import pathlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stammtisch.arena.match import play_match
from stammtisch.arena.plan import GameRecord, MatchPlan
from stammtisch.arena.records import Records
from stammtisch.arena.store import Store
from stammtisch.envs import load_game
from stammtisch.studio.jobs.orders import SuiteSettings
from stammtisch.studio.jobs.progress import ProgressLog
from stammtisch.studio.jobs.worker import PROGRAM, RESULTS
from stammtisch.studio.models import Models
from stammtisch.training.learners import Learner, learner_named


class Stopped(Exception):
    """Somebody asked a job to stop; what it has done is kept."""


@dataclass
class Work:
    """What a process has to do and where; see ``run_job``."""

    folder: pathlib.Path
    plan: dict[str, Any]
    models: Models
    log: ProgressLog
    facts: dict[str, Any] = field(default_factory=dict)


def run_training(work: Work) -> None:
    """Train, or go on training."""
    plan = work.plan
    learner: Learner = learner_named(plan["learner"])
    model = work.models.named(plan["model"])
    settings, done = learner.remaining(learner.settings_class.read(plan["settings"]), model.out)
    work.log.done = done
    points: dict[str, dict[str, Any]] = {}

    def show(
        done: int, line: str | None = None, figures: Mapping[str, float] | None = None, fresh: Sequence[Any] = (), /
    ) -> bool:
        for point in fresh:
            points[point.opponent] = {"score": point.score, "games": point.games, "step": point.step}
        return work.log(done, line, figures, fresh)

    if done < work.log.total:
        learner.train(settings, model.out, True, show)
    work.models.note(model.name, scores=points, done=work.log.done, unit=learner.work)
    work.facts = {"scores": points}
    if work.log.stop_wanted and work.log.done < work.log.total:
        raise Stopped


class _TallyStore(Store):
    """A store that counts the games of its match as they come in."""

    def __init__(self, path: pathlib.Path, log: ProgressLog):
        super().__init__(path)
        self._log = log
        self.tally = [0, 0, 0]

    def games_of(self, plan: MatchPlan) -> list[GameRecord]:
        known = super().games_of(plan)
        if known:
            self._count(Records.of(known))
        return known

    def add(self, plan: MatchPlan, records: Sequence[GameRecord]) -> None:
        super().add(plan, records)
        self._count(Records.of(records))

    def _count(self, records: Records) -> None:
        scores = records.scores()
        for place, score in enumerate((1.0, 0.5, 0.0)):
            self.tally[place] += int((scores == score).sum())
        if self._log(len(records), wdl=list(self.tally)):
            raise Stopped


def run_validation(work: Work) -> None:
    """Play the games of a validation that are not in its store yet."""
    plan = work.plan
    game = load_game(plan["game"], **plan["options"])
    store = _TallyStore(work.folder / RESULTS, work.log)
    try:
        result = play_match(
            game,
            plan["agents"],
            plan["games"],
            plan["seed"],
            plan["workers"],
            opening=plan["opening"],
            store=store,
        )
    finally:
        store.close()
    work.facts = result.to_json()
    low, high = result.ci95
    print(
        f"{result.wins} won, {result.draws} drawn, {result.losses} lost: {result.score:.1%} ({low:.1%} to {high:.1%})"
    )


def run_suite_job(work: Work) -> None:
    """Train and play what a suite asks for, and write its report."""
    from stammtisch.benchmarks.reports.report import to_json, write_report
    from stammtisch.benchmarks.suites.run import run_suite
    from stammtisch.benchmarks.suites.spent import SPENT, Spent
    from stammtisch.benchmarks.suites.suite import load_suite
    from stammtisch.benchmarks.suites.trainings import missing_trainings, run_trainings

    settings = SuiteSettings.read(work.plan)
    suite = load_suite(settings.suite, settings.games, settings.seed, work.folder)

    def say(line: str) -> None:
        print(line)
        work.log(0, line)

    if settings.train and (trainings := missing_trainings(suite)):
        for training in trainings:
            run_trainings([training], PROGRAM, 1, say)
            if work.log(0):
                raise Stopped
    work.log.total = max(1, suite.games())

    def advance(games: int) -> None:
        if work.log(games):
            raise Stopped

    store = Store(work.folder / RESULTS)
    try:
        spent = Spent(work.folder / SPENT)
        result = run_suite(suite, store, settings.workers, None, advance, say, spent=spent)
    finally:
        store.close()
    command = ["stammtisch", "bench", settings.suite]
    write_report(result, work.folder, command, tell=say)
    work.facts = {"ratings": to_json(result)["ratings"]}


RUNS: dict[str, Callable[[Work], None]] = {
    "training": run_training,
    "validation": run_validation,
    "suite": run_suite_job,
}
