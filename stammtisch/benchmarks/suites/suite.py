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
printed = "score"                    # or "difference": the figure is wins minus losses per game
measure = "score"                    # or "return": mean utility of the first agent; "first": score of who begins
note = "One sentence on what differs."
part = "table 16"                    # see [[part]]
at = { quick = { games = 40 } }      # other keys by scale, see scales

[[training]]                         # done before all games unless its result is there
out = "einstein-5x5-{seed}.npz"      # file or folder among the results, to be named by agents
command = "train ntuple einstein-5x5"
seeds = 5

[[study]]                            # settings of n-tuple training compared, as `stammtisch tune ntuple` does
game = "einstein-5x5"
episodes = 50000
vary = { lam = [0.0, 0.1] }          # or study = "replay"
paper = { "lam=0.1" = 0.762 }        # printed figures by setting

[[grid]]                             # options of an agent compared, as `stammtisch tune AGENT` does
game = "einstein-5x5"
agent = "mc:cut=zero"
vary = { iterations = [800, 1200], depth = [20, 22] }
games = 100                          # per measurement
seeds = 10                           # measurements
paper = { "iterations=1200, depth=22" = 0.803 }

[[size]]                             # a number that is computed
game = "einstein-4x4"
kind = "weights"                     # or "positions"
parameters = { coding = 3, sharing = "none" }
paper = 257049

[[part]]                             # parts can be run alone, and their time is told beforehand
name = "table 16"
minutes = { quick = 4, thesis = 300 }

[[regret]]                           # what players lose against perfect play, where the game has an oracle
game = "einstein-4x4"
agents = ["random", "heuristic", "perfect"]
games = 200                          # per agent, from the same starts
```

Matches, studies and grids take `options`, a table of options of the game. `scales = ["quick", "thesis"]` at the head
names sizes in which the suite can be run, the first by default.
"""

import importlib.resources
import importlib.util
import pathlib
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stammtisch.arena.grid import RACE, Grid
from stammtisch.arena.plan import MatchPlan
from stammtisch.baselines import AGENTS
from stammtisch.baselines.learned.ntuple.network import weights_of
from stammtisch.benchmarks.regret.plan import RegretPlan
from stammtisch.benchmarks.suites.entries import (
    DATA_COMMAND,
    SEED,
    TABLES,
    Comparison,
    GridEntry,
    RegretEntry,
    SizeEntry,
    StudyEntry,
    SuitePart,
    TournamentEntry,
    TrainingEntry,
)
from stammtisch.envs import load_game
from stammtisch.envs.core.options import BaseSettings, Option, object_schema, read_all, split_pairs
from stammtisch.envs.core.plugins import SUITES_GROUP, Offer, offers, warn_of
from stammtisch.envs.core.specs import is_place, split_spec
from stammtisch.errors import unknown
from stammtisch.files.documents import MOST_SETTINGS_BYTES, parse_toml, read_text
from stammtisch.files.reading import reading
from stammtisch.training.learners import LEARNERS

NOT_BUILT = "not built"
TRUMP_WORDS = ("network", "heuristic")  # who may choose the mode for supervised, beside the network of a file
_FILE_FIRST = ("sb3", "dqn", "supervised", "rl-jass")  # agents whose file may stand right behind the colon


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
    grids: tuple[GridEntry, ...] = ()
    sizes: tuple[SizeEntry, ...] = ()
    parts: tuple[SuitePart, ...] = ()
    scale: str = ""

    @property
    def models(self) -> pathlib.Path:
        """Folder of trained players; those of different scales lie apart."""
        return self.folder / (f"models-{self.scale}" if self.scale else "models")

    @property
    def tables(self) -> pathlib.Path:
        """Folder of endgame tables that it builds."""
        return self.folder / "tables"

    def info_files(self, entry: TrainingEntry) -> list[pathlib.Path]:
        """Return for each seed the file of what the training printed at its end, as JSON."""
        return [self.models / f"{out}.json" for out in entry.outs()]

    def games(self) -> int:
        """Return how many games the suite asks for, not counting agents that are not built."""
        judged = sum(plan.games for entry in self.regrets for plan in self.judged_plans(entry))
        judged += sum(len(settings_of(entry)) * entry.games * entry.seeds for entry in self.grids)
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

    def grid_of(self, entry: GridEntry) -> Grid:
        """Return what a grid measures."""
        game = load_game(entry.game, **entry.options)
        race = RACE if entry.race else None
        return Grid(game, entry.agent, entry.opponent, entry.games, entry.seeds, self.seed, entry.opening, race)

    def judged_plans(self, entry: RegretEntry) -> list[RegretPlan]:
        """Return the measurements of one entry, but those of agents that are not built."""
        agents = [agent for agent in self.present(entry.agents, 0) if is_built([agent])]
        return [entry.plan(agent, self.seed) for agent in agents]

    def present(self, agents: Sequence[str], seed: int) -> tuple[str, ...]:
        """Return agents as they are called in this place: with the seed, and where a training's result lies."""
        made = [out for training in self.trainings for out in training.outs()]
        found = []
        for spec in agents:
            named = spec.replace(SEED, str(seed)).replace(TABLES, str(self.tables))
            for file in files_of(named):
                if any(file == out or file.startswith(f"{out}/") for out in made):
                    named = named.replace(file, str(self.models / file))
            found.append(named)
        return tuple(found)


def settings_of(entry: GridEntry | StudyEntry) -> dict[str, dict[str, Any]]:
    """Return the settings that a grid or study compares, by their labels."""
    from stammtisch.training.ntuple.study import combinations, variants

    vary = list(entry.vary.items())
    return combinations(vary, entry.grid) if isinstance(entry, GridEntry) else variants(entry.study, vary, entry.grid)


def counted(entry: SizeEntry) -> int:
    """Return the number that an entry asks for."""
    from stammtisch.training.ntuple.settings import read_layout

    game = load_game(entry.game, **entry.options)
    if entry.kind == "weights":
        return weights_of(game, read_layout(game, entry.parameters))
    return game.most_positions()


def files_of(spec: str) -> list[str]:
    """Return the files that an agent spec names."""
    name, rest = split_spec(spec)
    files = []
    for part in split_pairs(rest):
        key, equals, value = part.partition("=")
        if equals and (key in ("table", "file") or (key == "trump" and value not in TRUMP_WORDS)):
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
    name: str,
    games: int | None = None,
    seed: int | None = None,
    folder: pathlib.Path | None = None,
    scale: str | None = None,
    parts: Sequence[str] = (),
) -> Suite:
    """Read a suite by its name, here or in a plug-in, or from a file.

    Args:
        name: ``"quick"`` and so on, or the path of a TOML file.
        games: play so many games per match instead of what the file says.
        seed: overrides the file's seed.
        folder: where trainings and studies leave their results; by default here.
        scale: one of the sizes that the suite names; by default the first of them.
        parts: take only these parts of it; by default all.
    """
    known = shipped()
    path = known.get(name) or pathlib.Path(name)
    if not path.is_file():
        raise unknown("suite", name, known)
    with reading(path, "suite"):
        data = parse_toml(read_text(path, "suite", MOST_SETTINGS_BYTES))
    wanted = _Wanted(games, seed, folder or pathlib.Path(), scale, tuple(parts))
    return _parse(name if name in known else path.stem, data, wanted)


@dataclass(frozen=True)
class _Wanted:
    """What was asked for beside the file; see ``load_suite``."""

    games: int | None
    seed: int | None
    folder: pathlib.Path
    scale: str | None
    parts: tuple[str, ...]


def suite_schema() -> dict[str, Any]:
    """Return the JSON schema of suite files, for editors and other programs."""
    schema = object_schema(_HEAD)
    for key, kind in _ENTRIES.items():
        entry = {"title": key, "description": (kind.__doc__ or "").partition("\n")[0], **object_schema(kind.table())}
        schema["properties"][key] = {"type": "array", "items": entry}
    about = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A suite of stammtisch"}
    return {**about, **schema, "anyOf": [{"required": [key]} for key in _ENTRIES if key not in ("training", "part")]}


def _parse(name: str, data: dict[str, Any], wanted: _Wanted) -> Suite:
    where = f"suite {name}"
    tables = {key: Option([], "", kind=list[dict[str, Any]]) for key in _ENTRIES}
    given = read_all({**_HEAD, **tables}, data, "key", where)
    scale = _scale(where, given["scales"], wanted.scale)
    entries = {
        key: tuple(_entry(kind, f"{where}, [[{key}]]", entry, wanted.games, scale) for entry in given[key])
        for key, kind in _ENTRIES.items()
    }
    names = [part.name for part in entries["part"]]
    for part in wanted.parts:
        if part not in names:
            raise unknown(f"part of {where}", part, names)
    for key, found in entries.items():
        for each in found if key != "part" else ():
            if each.part and each.part not in names:
                raise unknown(f"part of {where}", each.part, names)
            if strange := [at for at in each.at if at not in given["scales"]]:
                raise unknown(f"scale of {where}", strange[0], given["scales"])

    def taken(key: str) -> Any:
        if not wanted.parts:
            return entries[key]
        name = "name" if key == "part" else "part"
        return tuple(each for each in entries[key] if getattr(each, name) in wanted.parts)

    suite = Suite(
        name=name,
        title=given["title"] or name,
        about=given["about"],
        seed=given["seed"] if wanted.seed is None else wanted.seed,
        tournaments=taken("tournament"),
        comparisons=taken("comparison"),
        trainings=taken("training"),
        studies=taken("study"),
        regrets=taken("regret"),
        folder=wanted.folder,
        grids=taken("grid"),
        sizes=taken("size"),
        parts=taken("part"),
        scale=scale,
    )
    _check(where, suite)
    return suite


def _scale(where: str, scales: Sequence[str], wanted: str | None) -> str:
    if wanted is not None and wanted not in scales:
        if not scales:
            raise ValueError(f"{where} has one size only; leave out --scale")
        raise unknown(f"scale of {where}", wanted, scales)
    return wanted or (scales[0] if scales else "")


def _check(where: str, suite: Suite) -> None:
    entries = (suite.tournaments, suite.comparisons, suite.studies, suite.regrets, suite.grids, suite.sizes)
    if not any(entries):
        kinds = "[[tournament]], [[comparison]], [[study]], [[grid]], [[size]] or [[regret]]"
        raise ValueError(f"{where} has no {kinds}")
    for tournament in suite.tournaments:
        if len(tournament.agents) < 2 or len(set(tournament.agents)) < len(tournament.agents):
            raise ValueError(f"{where}: a tournament needs at least two different agents")
        if tournament.anchor is not None and tournament.anchor not in tournament.agents:
            raise ValueError(f'{where}: anchor "{tournament.anchor}" is not among the agents')
    for training in suite.trainings:
        word, learner = (*shlex.split(training.command), "", "")[:2]
        if word == DATA_COMMAND:
            continue
        if word != "train":
            raise ValueError(f'{where}: a training is a command "train …", not "{training.command}"')
        if learner not in LEARNERS:
            raise ValueError(f"{where}, [[training]]: {unknown('learner', learner, LEARNERS)}")
        if len(set(training.outs())) < training.seeds:
            raise ValueError(f'{where}: out = "{training.out}" needs {SEED} in it, for there are several seeds')
    for study in suite.studies:
        _check_study(where, study)
    for grid in suite.grids:
        _check_grid(where, suite, grid)
    for size in suite.sizes:
        counted(size)
    for entry in suite.regrets:
        if not entry.agents:
            raise ValueError(f"{where}, [[regret]]: there are no agents")
        for judged in suite.judged_plans(entry):
            judged.checked()
    for plan in suite.plans():
        is_complete = is_built(plan.agents) and not any(str(suite.tables) in agent for agent in plan.agents)
        if is_complete:
            plan.checked()
        else:
            load_game(plan.game, **plan.options)


def _check_study(where: str, study: StudyEntry) -> None:
    from stammtisch.training.ntuple.settings import defaults

    game = load_game(study.game, **study.options)
    try:
        settings = settings_of(study)
        for changes in settings.values():
            defaults(game, {**study.parameters, **changes, "episodes": study.episodes})
        _check_labels(study.paper, settings)
    except ValueError as error:
        raise ValueError(f"{where}, [[study]]: {error}") from None


def _check_grid(where: str, suite: Suite, entry: GridEntry) -> None:
    try:
        settings = settings_of(entry)
        suite.grid_of(entry).checked(settings)
        _check_labels(entry.paper, settings)
    except ValueError as error:
        raise ValueError(f"{where}, [[grid]]: {error}") from None


def _check_labels(paper: Mapping[str, float], settings: Mapping[str, Any]) -> None:
    """Printed figures may be given for settings that a smaller scale leaves out, but must look like one."""
    for label in paper:
        if label not in settings and not any(_names(label) == _names(known) for known in settings):
            raise unknown("setting with a printed figure", label, settings)


def _names(label: str) -> list[str]:
    return [part.partition("=")[0] for part in label.split(", ")]


def _entry(kind: Any, where: str, entry: dict[str, Any], games: int | None, scale: str) -> Any:
    at = entry.get("at", {})
    changes = at.get(scale, {}) if isinstance(at, Mapping) else {}
    override = {} if games is None or "games" not in kind.table() else {"games": games}
    return kind.read(entry, changes if isinstance(changes, Mapping) else {}, override, owner=where)


_HEAD = {
    "title": Option("", "title of the report; by default the name of the file"),
    "about": Option("", "what the suite is for, in a sentence or two"),
    "seed": Option(0, "decides everything that is drawn", minimum=0),
    "scales": Option([], "sizes in which it can be run, the first by default", kind=list[str]),
}
_ENTRIES: dict[str, type[BaseSettings]] = {
    "tournament": TournamentEntry,
    "comparison": Comparison,
    "training": TrainingEntry,
    "study": StudyEntry,
    "regret": RegretEntry,
    "grid": GridEntry,
    "size": SizeEntry,
    "part": SuitePart,
}
