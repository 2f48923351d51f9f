"""Forms made from tables of settings, which are the only place where a setting is told."""

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from stammtisch.envs import game_class
from stammtisch.envs.core.options import OptionTable
from stammtisch.studio.jobs.orders import SuiteSettings, ValidationSettings, suite_names
from stammtisch.training.learners import LEARNERS, learner_named


def fields_of(table: OptionTable, values: Mapping[str, Any], hidden: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return the fields of a form: the JSON schema of each option with the value that is there before anyone types."""
    return [
        {**entry.schema(), "name": name, "names": entry.names, "value": values[name]}
        for name, entry in table.items()
        if name not in hidden
    ]


@functools.lru_cache(maxsize=256)
def _training_fields(learner: str, game: str) -> tuple[dict[str, Any], ...]:
    found = learner_named(learner)
    settings = found.settings_class.for_game(game)
    return tuple(fields_of(found.table, settings.to_dict(), ("game", "options")))


def training_form(learner: str, game: str) -> dict[str, Any]:
    """Return the form of a training: its fields with what suits the game, and those of the game's options."""
    found = learner_named(learner)
    rules = game_class(game)
    options = {name: entry.default for name, entry in rules.OPTIONS.items()}
    return {
        "learner": learner,
        "game": game,
        "work": found.work,
        "help": found.help,
        "fields": list(_training_fields(learner, game)),
        "options": fields_of(rules.OPTIONS, options),
    }


def learners() -> list[dict[str, Any]]:
    """Return the learners there are, with the games of those that do not learn all."""
    return [
        {"name": name, "help": learner.help, "work": learner.work, "games": list(learner.games)}
        for name, learner in LEARNERS.items()
    ]


def validation_form() -> dict[str, Any]:
    """Return the form of a validation, without the game and its options."""
    values = ValidationSettings().to_dict()
    return {"fields": fields_of(ValidationSettings.table(), values, ("game", "options"))}


@functools.cache
def suite_form() -> dict[str, Any]:
    """Return the form of a suite, and the suites there are."""
    from stammtisch.benchmarks.suites.suite import load_suite

    suites = []
    for name in suite_names():
        try:
            suite = load_suite(name)
        except ValueError as error:  # of a plug-in
            suites.append({"name": name, "title": name, "about": str(error), "games": 0, "trainings": 0})
            continue
        games = sum(plan.games for plan in suite.plans())
        trainings = sum(training.seeds for training in suite.trainings)
        suites.append(
            {"name": name, "title": suite.title, "about": suite.about, "games": games, "trainings": trainings}
        )
    fields = fields_of(SuiteSettings.table(), SuiteSettings().to_dict(), ("suite",))
    return {"fields": fields, "suites": suites}
