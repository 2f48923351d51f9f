"""Suites: readable TOML files that say which matches to play, and what a paper printed for them.

```toml
title = "Quick benchmark"
about = "One sentence."
seed = 0

[[tournament]]                       # everyone against everyone, rated together
game = "einstein-5x5"
agents = ["random", "heuristic"]
games = 200                          # per pair
opening = 2                          # first moves drawn at random
kind = "round-robin"                 # or "gauntlet": the first agent against each other one
anchor = "random"                    # its rating is 0

[[comparison]]                       # one match beside a printed figure
name = "table 16, TD n-tuple against MCTSE"
game = "einstein-5x5"
agents = ["ntuple:file=einstein-5x5-{seed}.npz", "mctse"]
games = 400
seeds = 5                            # as many matches with games of their own, {seed} from 0 on; 1 by default
paper = 0.44
measure = "score"                    # or "return": mean utility of the first agent

[[training]]                         # done before all games unless its result is there
out = "einstein-5x5-{seed}.npz"      # file or folder among the results, to be named by agents
command = "train ntuple einstein-5x5"
seeds = 5

[[study]]                            # settings of n-tuple training compared, as `stammtisch tune ntuple` does
game = "einstein-5x5"
episodes = 50000
vary = { lam = [0.0, 0.1] }          # or study = "replay"
paper = { "lam=0.1" = 0.762 }        # printed figures by setting

[[regret]]                           # what players lose against perfect play, where the game has an oracle
game = "einstein-4x4"
agents = ["random", "heuristic", "perfect"]
games = 200                          # per agent, from the same starts
```

Tournaments and comparisons take `options`, a table of options of the game; studies what the command takes.
"""

import importlib.resources
import importlib.util
import itertools
import pathlib
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, dataclass
from typing import Any

from stammtisch.arena.plan import MatchPlan
from stammtisch.baselines import AGENTS
from stammtisch.benchmarks.regret.plan import MOST_MOVES, RegretPlan
from stammtisch.envs import load_game
from stammtisch.envs.core.options import BaseSettings, Option, object_schema, option, read_all
from stammtisch.envs.core.plugins import SUITES_GROUP, Offer, offers, warn_of
from stammtisch.envs.core.specs import is_place, split_spec
from stammtisch.errors import unknown
from stammtisch.files.documents import MOST_SETTINGS_BYTES, parse_toml, read_text
from stammtisch.files.reading import reading
from stammtisch.training.learners import LEARNERS

NOT_BUILT = "not built"
SEED = "{seed}"
_MEASURES = ("score", "return")
_KINDS = ("round-robin", "gauntlet")
_FILE_FIRST = ("sb3", "dqn")  # agents whose file may stand right behind the colon


@dataclass(frozen=True)
class TournamentEntry(BaseSettings):
    """Several agents rated together on one game."""

    NOUN = "key"

    game: str = option(MISSING, "id of the game")
    agents: tuple[str, ...] = option(MISSING, "two agents or more, as name:key=value,…")
    games: int = option(MISSING, "games per pair", minimum=1)
    opening: int = option(0, "first moves of each pair of games drawn at random", minimum=0)
    kind: str = option("round-robin", "who meets whom; in a gauntlet the first agent each other one", _KINDS)
    anchor: str | None = option(None, "the agent whose rating is 0")
    options: dict[str, Any] = option({}, "options of the game")

    def pairs(self) -> list[tuple[str, str]]:
        """Return who meets whom."""
        if self.kind == "gauntlet":
            return [(self.agents[0], other) for other in self.agents[1:]]
        return list(itertools.combinations(self.agents, 2))


@dataclass(frozen=True)
class Comparison(BaseSettings):
    """One match, or one per seed of the training before it, beside a printed figure."""

    NOUN = "key"

    game: str = option(MISSING, "id of the game")
    agents: tuple[str, ...] = option(MISSING, "two agents, or one per seat, as name:key=value,…")
    games: int = option(MISSING, "games of each match", minimum=1)
    name: str = option("", "title of the row; by default who plays")
    seeds: int = option(1, "matches with games of their own, {seed} in agents from 0 on", minimum=1)
    paper: float | None = option(None, "the printed figure")
    measure: str = option("score", "what is compared; return is the mean utility of the first agent", _MEASURES)
    opening: int = option(0, "first moves of each pair of games drawn at random", minimum=0)
    options: dict[str, Any] = option({}, "options of the game")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.name:
            object.__setattr__(self, "name", " against ".join(self.agents[:2]))


@dataclass(frozen=True)
class TrainingEntry(BaseSettings):
    """A command that makes what agents need, once per seed."""

    NOUN = "key"

    out: str = option(MISSING, "file or folder among the results, to be named by agents; {seed} stands for the seed")
    command: str = option(MISSING, 'the command, "train …", without --out and --seed')
    seeds: int = option(1, "trainings, with seeds from 0 on", minimum=1)

    def outs(self) -> list[str]:
        """Return the name of the result for each seed."""
        return [self.out.replace(SEED, str(seed)) for seed in range(self.seeds)]


@dataclass(frozen=True)
class StudyEntry(BaseSettings):
    """Settings of n-tuple training compared on one game: a ready-made study, or settings and their values."""

    NOUN = "key"

    game: str = option(MISSING, "id of the game")
    episodes: int = option(MISSING, "games of self-play per training", minimum=1)
    name: str = option("", "title of the table")
    study: str | None = option(None, "a ready-made study: replay or tuples")
    vary: dict[str, list[Any]] = option({}, "settings and the values to try")
    grid: bool = option(False, "all combinations instead of one setting after another")
    paper: dict[str, float] = option({}, "printed figures by setting")
    seeds: int = option(5, "trainings per setting", minimum=1)
    opponent: str = option("random", "whom the players are measured against")
    points: int = option(5, "measurements per training", minimum=1)
    games: int = option(1000, "games per measurement", minimum=1)
    plies: int = option(0, "plies of search in these games", minimum=0, maximum=3)
    parameters: dict[str, Any] = option({}, "settings that all trainings have in common")


@dataclass(frozen=True)
class RegretEntry(BaseSettings):
    """What several agents lose against perfect play, from the same starts."""

    NOUN = "key"

    game: str = option(MISSING, "id of the game, which must have an oracle")
    agents: tuple[str, ...] = option(MISSING, "one agent or more, as name:key=value,…")
    games: int = option(MISSING, "games per agent", minimum=1)
    name: str = option("", "title of the table; by default the game")
    opponent: str = option("", "who sits opposite; by default the reference bot, else random")
    reach: int = option(0, "how far from the end the oracle looks: empty cells, tricks; 0 for what is quick", minimum=0)
    worlds: int = option(-1, "deals per decision with hidden cards; -1 for the default", minimum=-1)
    moves: int = option(MOST_MOVES, "most moves of a game from its start on", minimum=1)
    tables: str = option("", "folder of endgame tables; by default the user's", names="folder")
    build: int = option(0, "build tables of this size first where they are missing: men of both sides", minimum=0)
    options: dict[str, Any] = option({}, "options of the game")

    def plan(self, agent: str, seed: int) -> RegretPlan:
        """Return the measurement of one agent."""
        kept = {name: getattr(self, name) for name in ("opponent", "games", "reach", "worlds", "moves", "tables")}
        return RegretPlan(self.game, agent, seed=seed, options=self.options, **kept)


@dataclass(frozen=True)
class Suite:
    """What a suite file says; ``folder`` is where its trainings and studies leave their results."""

    name: str
    title: str
    about: str
    seed: int
    tournaments: tuple[TournamentEntry, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    trainings: tuple[TrainingEntry, ...] = ()
    studies: tuple[StudyEntry, ...] = ()
    regrets: tuple[RegretEntry, ...] = ()
    folder: pathlib.Path = pathlib.Path()

    @property
    def models(self) -> pathlib.Path:
        """Folder of trained players."""
        return self.folder / "models"

    def info_files(self, entry: TrainingEntry) -> list[pathlib.Path]:
        """Return for each seed the file of what the training printed at its end, as JSON."""
        return [self.models / f"{out}.json" for out in entry.outs()]

    def games(self) -> int:
        """Return how many games the suite asks for, not counting agents that are not built."""
        judged = sum(plan.games for entry in self.regrets for plan in self.judged_plans(entry))
        return judged + sum(plan.games for plan in self.plans() if is_built(plan.agents))

    def plans(self) -> Iterator[MatchPlan]:
        """Yield every match."""
        for tournament in self.tournaments:
            yield from self.plans_of(tournament)
        for comparison in self.comparisons:
            yield from self.plans_of(comparison)

    def plans_of(self, entry: TournamentEntry | Comparison) -> list[MatchPlan]:
        """Return the matches of one entry."""
        options = load_game(entry.game, **entry.options).changed_options()
        if isinstance(entry, TournamentEntry):
            lineups = [(self.present(pair, 0), self.seed) for pair in entry.pairs()]
        else:
            lineups = [(self.present(entry.agents, seed), self.seed + seed) for seed in range(entry.seeds)]
        return [MatchPlan(entry.game, agents, entry.games, seed, entry.opening, options) for agents, seed in lineups]

    def judged_plans(self, entry: RegretEntry) -> list[RegretPlan]:
        """Return the measurements of one entry, but those of agents that are not built."""
        agents = [agent for agent in self.present(entry.agents, 0) if is_built([agent])]
        return [entry.plan(agent, self.seed) for agent in agents]

    def present(self, agents: Sequence[str], seed: int) -> tuple[str, ...]:
        """Return agents as they are called in this place: with the seed, and where a training's result lies."""
        made = [out for training in self.trainings for out in training.outs()]
        found = []
        for spec in agents:
            named = spec.replace(SEED, str(seed))
            for file in files_of(named):
                if any(file == out or file.startswith(f"{out}/") for out in made):
                    named = named.replace(file, str(self.models / file))
            found.append(named)
        return tuple(found)


def files_of(spec: str) -> list[str]:
    """Return the files that an agent spec names."""
    name, rest = split_spec(spec)
    files = []
    for part in rest.split(","):
        key, equals, value = part.partition("=")
        if equals and key in ("table", "file"):
            files.append(value)
        elif part and not equals and name in _FILE_FIRST:
            files.append(part)
    return [file for file in files if file]


def is_built(agents: Sequence[str]) -> bool:
    """Say whether all agents exist by name, or name their class; saved players must exist as files."""
    return all(
        (is_place(name := split_spec(spec)[0]) or name in AGENTS)
        and all(pathlib.Path(file).exists() for file in files_of(spec))
        for spec in agents
    )


def shipped() -> dict[str, pathlib.Path]:
    """Return the suites of this package and of plug-ins by name."""
    folder = importlib.resources.files("stammtisch.benchmarks.suites")
    found = {path.stem: path for path in sorted(pathlib.Path(str(folder)).glob("*.toml"))}
    for offer in offers(SUITES_GROUP):
        try:
            path = _offered_file(offer)
            if offer.name in found:
                raise ValueError(f'the name "{offer.name}" is taken by {found[offer.name]}')
        except ValueError as error:
            warn_of(offer, error)
        else:
            found[offer.name] = path
    return found


def _offered_file(offer: Offer) -> pathlib.Path:
    """Return the file of an entry point ``"package.folder:file.toml"``, whose package is not imported."""
    package, _, name = offer.target.partition(":")
    top, *inner = package.split(".")
    spec = importlib.util.find_spec(top)
    places = spec.submodule_search_locations if spec is not None else None
    for place in places or ():
        path = pathlib.Path(place, *inner, name)
        if path.is_file():
            return path
    raise ValueError(f"there is no file {'/'.join([top, *inner, name])}; write package.folder:file.toml")


def load_suite(
    name: str, games: int | None = None, seed: int | None = None, folder: pathlib.Path | None = None
) -> Suite:
    """Read a suite by its name, here or in a plug-in, or from a file.

    Args:
        name: ``"quick"`` and so on, or the path of a TOML file.
        games: play so many games per match instead of what the file says.
        seed: overrides the file's seed.
        folder: where trainings and studies leave their results; by default here.
    """
    known = shipped()
    path = known.get(name) or pathlib.Path(name)
    if not path.is_file():
        raise unknown("suite", name, known)
    with reading(path, "suite"):
        data = parse_toml(read_text(path, "suite", MOST_SETTINGS_BYTES))
    return _parse(name if name in known else path.stem, data, games, seed, folder or pathlib.Path())


def suite_schema() -> dict[str, Any]:
    """Return the JSON schema of suite files, for editors and other programs."""
    schema = object_schema(_HEAD)
    for key, kind in _ENTRIES.items():
        entry = {"title": key, "description": (kind.__doc__ or "").partition("\n")[0], **object_schema(kind.table())}
        schema["properties"][key] = {"type": "array", "items": entry}
    about = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A suite of stammtisch"}
    return {**about, **schema, "anyOf": [{"required": [key]} for key in _ENTRIES if key != "training"]}


def _parse(name: str, data: dict[str, Any], games: int | None, seed: int | None, folder: pathlib.Path) -> Suite:
    where = f"suite {name}"
    tables = {key: Option([], "", kind=list[dict[str, Any]]) for key in _ENTRIES}
    given = read_all({**_HEAD, **tables}, data, "key", where)
    entries = {
        key: tuple(_entry(kind, f"{where}, [[{key}]]", entry, games) for entry in given[key])
        for key, kind in _ENTRIES.items()
    }
    suite = Suite(
        name=name,
        title=given["title"] or name,
        about=given["about"],
        seed=given["seed"] if seed is None else seed,
        tournaments=entries["tournament"],
        comparisons=entries["comparison"],
        trainings=entries["training"],
        studies=entries["study"],
        regrets=entries["regret"],
        folder=folder,
    )
    _check(where, suite)
    return suite


def _check(where: str, suite: Suite) -> None:
    if not (suite.tournaments or suite.comparisons or suite.studies or suite.regrets):
        raise ValueError(f"{where} has no [[tournament]], [[comparison]], [[study]] or [[regret]]")
    for tournament in suite.tournaments:
        if len(tournament.agents) < 2 or len(set(tournament.agents)) < len(tournament.agents):
            raise ValueError(f"{where}: a tournament needs at least two different agents")
        if tournament.anchor is not None and tournament.anchor not in tournament.agents:
            raise ValueError(f'{where}: anchor "{tournament.anchor}" is not among the agents')
    for training in suite.trainings:
        word, learner = (*shlex.split(training.command), "", "")[:2]
        if word != "train":
            raise ValueError(f'{where}: a training is a command "train …", not "{training.command}"')
        if learner not in LEARNERS:
            raise ValueError(f"{where}, [[training]]: {unknown('learner', learner, LEARNERS)}")
        if len(set(training.outs())) < training.seeds:
            raise ValueError(f'{where}: out = "{training.out}" needs {SEED} in it, for there are several seeds')
    for study in suite.studies:
        _check_study(where, study)
    for entry in suite.regrets:
        if not entry.agents:
            raise ValueError(f"{where}, [[regret]]: there are no agents")
        for judged in suite.judged_plans(entry):
            judged.checked()
    for plan in suite.plans():
        if is_built(plan.agents):
            plan.checked()
        else:
            load_game(plan.game, **plan.options)


def _check_study(where: str, study: StudyEntry) -> None:
    from stammtisch.training.ntuple.settings import defaults
    from stammtisch.training.ntuple.study import variants

    game = load_game(study.game)
    try:
        for changes in variants(study.study, list(study.vary.items()), study.grid).values():
            defaults(game, {**study.parameters, **changes})
    except ValueError as error:
        raise ValueError(f"{where}, [[study]]: {error}") from None


def _entry(kind: Any, where: str, entry: dict[str, Any], games: int | None) -> Any:
    override = {} if games is None or kind is TrainingEntry else {"games": games}
    return kind.read(entry, override, owner=where)


_HEAD = {
    "title": Option("", "title of the report; by default the name of the file"),
    "about": Option("", "what the suite is for, in a sentence or two"),
    "seed": Option(0, "decides everything that is drawn", minimum=0),
}
_ENTRIES: dict[str, type[BaseSettings]] = {
    "tournament": TournamentEntry,
    "comparison": Comparison,
    "training": TrainingEntry,
    "study": StudyEntry,
    "regret": RegretEntry,
}
