"""Suites: readable TOML files that say which matches to play, and what a paper printed for them.

```toml
title = "Quick benchmark"
about = "One sentence."
seed = 0

[[tournament]]                       # everyone against everyone, rated together
game = "einstein-5x5"
agents = ["random", "heuristic"]
games = 200                          # per pair
opening = 2                          # first moves drawn by lot
kind = "round-robin"                 # or "gauntlet": the first agent against each other one
anchor = "random"                    # its rating is 0

[[comparison]]                       # one match beside a printed figure
name = "table 16, MCTSE against Random"
game = "einstein-5x5"
agents = ["mctse", "random"]
games = 400
paper = 0.96
measure = "score"                    # or "return": mean utility of the first agent
```

Both kinds take `options`, a table of options of the game.
"""

import importlib.resources
import itertools
import pathlib
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from stammtisch.baselines import AGENTS
from stammtisch.benchmarks.match import MatchResult, Progress, play_match, score_of
from stammtisch.benchmarks.plan import MatchPlan
from stammtisch.benchmarks.ratings import Group, Rating, fit_elo
from stammtisch.benchmarks.store import Store
from stammtisch.envs import load_game
from stammtisch.errors import unknown

NOT_BUILT = "not built"
_MEASURES = ("score", "return")
_KINDS = ("round-robin", "gauntlet")


@dataclass(frozen=True)
class Tournament:
    """Several agents rated together on one game."""

    game: str
    agents: tuple[str, ...]
    games: int
    opening: int = 0
    kind: str = "round-robin"
    anchor: str | None = None
    options: dict[str, Any] = field(default_factory=dict)

    def pairs(self) -> list[tuple[str, str]]:
        """Return who meets whom."""
        if self.kind == "gauntlet":
            return [(self.agents[0], other) for other in self.agents[1:]]
        return list(itertools.combinations(self.agents, 2))


@dataclass(frozen=True)
class Comparison:
    """One match beside a printed figure."""

    name: str
    game: str
    agents: tuple[str, ...]
    games: int
    paper: float | None = None
    measure: str = "score"
    opening: int = 0
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Suite:
    """What a suite file says."""

    name: str
    title: str
    about: str
    seed: int
    tournaments: tuple[Tournament, ...]
    comparisons: tuple[Comparison, ...]

    def games(self) -> int:
        """Return how many games the suite asks for, not counting agents that are not built."""
        return sum(plan.games for plan in self.plans() if is_built(plan.agents))

    def plans(self) -> Iterator[MatchPlan]:
        """Yield every match."""
        for tournament in self.tournaments:
            for pair in tournament.pairs():
                yield _plan(tournament, pair, self.seed)
        for comparison in self.comparisons:
            yield _plan(comparison, comparison.agents, self.seed)


@dataclass(frozen=True)
class SuiteResult:
    """What a suite showed: the matches and ratings of each tournament, and a result or None for each comparison."""

    suite: Suite
    tournaments: list[tuple[Tournament, list[MatchResult], list[Rating]]]
    comparisons: list[tuple[Comparison, MatchResult | None]]
    seconds: float

    def matches(self) -> list[MatchResult]:
        """Return every match that was played."""
        rated = [match for _, matches, _ in self.tournaments for match in matches]
        return rated + [match for _, match in self.comparisons if match is not None]


def is_built(agents: Sequence[str]) -> bool:
    """Say whether all agents exist by name; saved players must exist as files."""
    for spec in agents:
        name, _, rest = spec.partition(":")
        if name not in AGENTS:
            return False
        for part in rest.split(","):
            key, _, value = part.partition("=")
            if key in ("table", "file") and value and not pathlib.Path(value).exists():
                return False
    return True


def shipped() -> dict[str, pathlib.Path]:
    """Return the suites of the package by name."""
    folder = importlib.resources.files("stammtisch.benchmarks") / "suites"
    return {path.stem: path for path in sorted(pathlib.Path(str(folder)).glob("*.toml"))}


def load_suite(name: str, games: int | None = None, seed: int | None = None) -> Suite:
    """Read a suite by its shipped name or from a file.

    Args:
        name: ``"quick"`` and so on, or the path of a TOML file.
        games: play so many games per match instead of what the file says.
        seed: overrides the file's seed.
    """
    path = shipped().get(name)
    if path is None:
        path = pathlib.Path(name)
        if not path.is_file():
            raise unknown("suite", name, shipped())
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"cannot read suite {path}: {error}") from None
    return _parse(path.stem, data, games, seed)


def _parse(name: str, data: dict[str, Any], games: int | None, seed: int | None) -> Suite:
    _refuse_unknown_keys(f"suite {name}", data, ("title", "about", "seed", "tournament", "comparison"))
    suite = Suite(
        name=name,
        title=str(data.get("title", name)),
        about=str(data.get("about", "")),
        seed=seed if seed is not None else data.get("seed", 0),
        tournaments=tuple(_entry(Tournament, f"suite {name}", e, games) for e in data.get("tournament", [])),
        comparisons=tuple(_entry(Comparison, f"suite {name}", e, games) for e in data.get("comparison", [])),
    )
    if not suite.tournaments and not suite.comparisons:
        raise ValueError(f"suite {name} has neither a [[tournament]] nor a [[comparison]]")
    for tournament in suite.tournaments:
        if len(tournament.agents) < 2 or len(set(tournament.agents)) < len(tournament.agents):
            raise ValueError(f"suite {name}: a tournament needs at least two different agents")
        if tournament.kind not in _KINDS:
            raise ValueError(f'suite {name}: no kind "{tournament.kind}"; choose one of {", ".join(_KINDS)}')
        if tournament.anchor is not None and tournament.anchor not in tournament.agents:
            raise ValueError(f'suite {name}: anchor "{tournament.anchor}" is not among the agents')
    for comparison in suite.comparisons:
        if comparison.measure not in _MEASURES:
            raise ValueError(f'suite {name}: no measure "{comparison.measure}"; choose one of {", ".join(_MEASURES)}')
    for plan in suite.plans():
        if is_built(plan.agents):
            plan.checked()
        else:
            load_game(plan.game, **plan.options)
    return suite


def _entry(kind: Any, where: str, entry: dict[str, Any], games: int | None) -> Any:
    names = [f.name for f in fields(kind)]
    _refuse_unknown_keys(where, entry, names)
    missing = [name for name in ("game", "agents", "games") if name not in entry]
    if missing:
        raise ValueError(f"{where}: an entry lacks {', '.join(missing)}")
    values = {**entry, "agents": tuple(entry["agents"])}
    if games is not None:
        values["games"] = games
    if kind is Comparison:
        values.setdefault("name", " against ".join(values["agents"][:2]))
    return kind(**values)


def _refuse_unknown_keys(where: str, data: dict[str, Any], known: Sequence[str]) -> None:
    for key in data:
        if key not in known:
            raise ValueError(f"{where}: {unknown('key', key, known)}")


def _plan(entry: Tournament | Comparison, agents: tuple[str, ...], seed: int) -> MatchPlan:
    options = load_game(entry.game, **entry.options).changed_options()
    return MatchPlan(entry.game, agents, entry.games, seed, entry.opening, options)


def run_suite(
    suite: Suite,
    store: Store | None = None,
    workers: int = 1,
    engine_name: str | None = None,
    progress: Progress | None = None,
    tell: Callable[[str], None] | None = None,
) -> SuiteResult:
    """Play a suite; with a store, games that it already holds are not played again.

    Args:
        suite: what to play.
        store: keeps every game.
        workers: processes.
        engine_name: engine of the matches.
        progress: called with the number of games finished since the last call.
        tell: called with a line about what is being played.
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
        pairs = [pair for pair in tournament.pairs() if is_built(pair)]
        matches = [play(_plan(tournament, pair, suite.seed)) for pair in pairs]
        ratings = fit_elo(groups_of(matches), tournament.anchor) if matches else []
        tournaments.append((tournament, matches, ratings))
    comparisons = [
        (comparison, play(_plan(comparison, comparison.agents, suite.seed)) if is_built(comparison.agents) else None)
        for comparison in suite.comparisons
    ]
    return SuiteResult(suite, tournaments, comparisons, spent)


def groups_of(matches: Sequence[MatchResult]) -> list[Group]:
    """Return the groups of games of two-agent matches, for rating."""
    groups = []
    for match in matches:
        points: dict[int, list[float]] = {}
        for record in match.records:
            points.setdefault(record.group, []).append(score_of(record))
        groups += [Group(match.agents[0], match.agents[1], sum(scores), len(scores)) for scores in points.values()]
    return groups
