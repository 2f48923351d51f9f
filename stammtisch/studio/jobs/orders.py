"""How jobs are asked for: what a page sent, read by the tables of settings, looked at for trust, and made a plan."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from stammtisch.arena.plan import lineup, seatings
from stammtisch.baselines import load_agent
from stammtisch.envs import game_class, load_game
from stammtisch.envs.core.options import BaseSettings, OptionTable, option, read_values
from stammtisch.errors import unknown
from stammtisch.files.documents import fits
from stammtisch.studio.trust import Trust
from stammtisch.training.learners import learner_named

_MOST_GAMES = 200_000
_MOST_WORKERS = 8


class FieldError(ValueError):
    """What is wrong with one field of a form."""

    def __init__(self, name: str, message: str):
        super().__init__(message)
        self.name = name


@dataclass(frozen=True)
class Order:
    """A job that can be started.

    Attributes:
        title: what it is called in lists.
        game: id of its game; "" for several.
        total: how much work there is.
        unit: what the work is counted in.
        plan: all that its process needs, as plain values.
        model: the model that it learns, if it does.
    """

    title: str
    game: str
    total: int
    unit: str
    plan: dict[str, Any]
    model: str = ""


@dataclass(frozen=True)
class ValidationSettings(BaseSettings):
    """A match of two players that shows how good the first one is."""

    OWNER = "a validation"

    game: str = option("", "id of the game")
    options: dict[str, Any] = option({}, "options of the game")
    agent: str = option("", "who is looked at", names="agent")
    opponent: str = option("random", "who plays all other sides", names="agent")
    games: int = option(200, "games; each side plays every seat equally often", minimum=2, maximum=_MOST_GAMES)
    opening: int = option(2, "first moves of each pair of games drawn at random", minimum=0, maximum=60)
    seed: int = option(0, "decides everything that is drawn", minimum=0)
    workers: int = option(1, "processes; the result does not depend on it", minimum=1, maximum=_MOST_WORKERS)


@dataclass(frozen=True)
class SuiteSettings(BaseSettings):
    """A suite of matches, and of trainings and studies, with a report at the end."""

    OWNER = "a suite"

    suite: str = option("quick", "which suite")
    games: int | None = option(
        None, "games per match instead of what the suite says; none: as it says", minimum=1, maximum=_MOST_GAMES
    )
    seed: int | None = option(None, "seed instead of what the suite says; none: as it says", minimum=0)
    workers: int = option(1, "processes; the result does not depend on it", minimum=1, maximum=_MOST_WORKERS)
    train: bool = option(True, "first train the players that the suite asks for")


def read_fields(table: OptionTable, values: Mapping[str, Any], noun: str, owner: str) -> dict[str, Any]:
    """Return values that a table allows; what is wrong is told with the name of its field."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        with _at(name):
            found |= read_values(table, {name: value}, noun, owner)
    return found


@contextmanager
def _at(name: str) -> Iterator[None]:
    try:
        yield
    except FieldError:
        raise
    except ValueError as error:
        raise FieldError(name, str(error)) from None


def _allowed(trust: Trust, table: OptionTable, values: Mapping[str, Any], owner: str) -> dict[str, Any]:
    """Return what a page gave as far as it may; what it may not is told with the name of its field."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        with _at(name):
            found |= trust.settings(table, {name: value}, owner)
    return found


def _known_game(trust: Trust, game: Any, options: Mapping[str, Any]) -> Any:
    with _at("game"):
        if not isinstance(game, str):
            raise ValueError("choose a game")
        rules = game_class(game)
    with _at("options"):
        allowed = _allowed(trust, rules.OPTIONS, options, game)
        return load_game(game, **read_fields(rules.OPTIONS, allowed, "option", game))


def order_training(request: Mapping[str, Any], trust: Trust) -> Order:
    """Read ``{"learner", "game", "options", "settings", "name"}``."""
    extra = set(request) - {"learner", "game", "options", "settings", "name"}
    if extra:
        raise ValueError(f'a training is not asked for with "{min(extra)[:40]}"')
    with _at("learner"):
        learner_name = str(request.get("learner"))
        learner = learner_named(learner_name)
    options = request.get("options") or {}
    given = request.get("settings") or {}
    if not fits(options, dict[str, Any]) or not fits(given, dict[str, Any]):
        raise ValueError("settings and options are tables")
    game = _known_game(trust, request.get("game"), options)
    with _at("game"):
        learner.check_game(game.id)
    cls = learner.settings_class
    for fixed in ("game", "options"):
        if fixed in given:
            raise FieldError(fixed, f"{fixed} stands beside the settings")
    allowed = _allowed(trust, learner.table, given, cls.OWNER)
    read = read_fields(learner.table, allowed, cls.NOUN, cls.OWNER)
    settings = cls.for_game(game.id, read, {"options": dict(options)} if options else {})
    for name, entry in learner.table.items():
        if entry.names == "agent" and name not in given:
            continue
        if entry.names == "agent":
            with _at(name):
                _try_agents(getattr(settings, name), game)
    with _at("name"):
        model = trust.models.free_name(str(request.get("name") or f"{game.id}-{learner_name}"))
    plan = {"learner": learner_name, "settings": settings.to_dict(), "model": model}
    total = max(1, getattr(settings, learner.work))
    return Order(f"{learner_name} · {model}", game.id, total, learner.work, plan, model)


def _try_agents(value: Any, game: Any) -> None:
    """Find out now, not in the middle of a training, that an agent cannot play this game."""
    for text in [value] if isinstance(value, str) else list(value):
        if ":" in text:
            load_agent(text, game)


def order_validation(request: Mapping[str, Any], trust: Trust) -> Order:
    """Read the fields of ``ValidationSettings``."""
    table = ValidationSettings.table()
    owner = ValidationSettings.OWNER
    for name in ("agent", "opponent"):
        if not request.get(name):
            raise FieldError(name, "choose an agent or a model")
    shown = [str(request["agent"]), str(request["opponent"])]
    given = {**request}
    for name in ("agent", "opponent"):
        with _at(name):
            given[name] = trust.spec(request[name])
    settings = ValidationSettings.read(read_fields(table, given, "field", owner))
    game = _known_game(trust, settings.game, settings.options)
    for name in ("agent", "opponent"):
        with _at(name):
            load_agent(getattr(settings, name), game)
    agents = [str(agent) for agent in lineup(game, settings.agent, settings.opponent)]
    size = len(seatings(game, len(agents)))
    if settings.games % size:
        near = -(-settings.games // size) * size
        raise FieldError("games", f"give a multiple of {size}, such as {near}: then everyone has every seat as often")
    plan = {"options": game.changed_options(), "agents": agents, "shown": shown}
    plan |= {name: getattr(settings, name) for name in ("game", "games", "seed", "opening", "workers")}
    return Order(" – ".join(shown), game.id, settings.games, "games", plan)


def order_suite(request: Mapping[str, Any], trust: Trust) -> Order:
    """Read the fields of ``SuiteSettings``; only suites that are installed, no files."""
    from stammtisch.benchmarks.suites.suite import load_suite

    settings = SuiteSettings.read(read_fields(SuiteSettings.table(), request, "field", SuiteSettings.OWNER))
    names = suite_names()
    if settings.suite not in names:
        raise FieldError("suite", str(unknown("suite", settings.suite, names)))
    suite = load_suite(settings.suite, settings.games, settings.seed)
    games = max(1, sum(plan.games for plan in suite.plans()))
    return Order(suite.title, "", games, "games", settings.to_dict())


def suite_names() -> list[str]:
    """Return the suites that are installed."""
    from stammtisch.benchmarks.suites.suite import shipped

    return sorted(shipped())
