"""Grids of agents' options: every setting plays the same opponent, in several measurements with games of their own.

Games are kept in ``results.sqlite`` of a folder, each known by everything that decides it, so that a grid goes on where
it was stopped and never mixes runs. In a race, settings that are clearly worse than the best one are given up early.
"""

import pathlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.arena.grid_plots import draw_grid
from stammtisch.arena.match import MatchResult, play_match
from stammtisch.arena.outcomes import SettingOutcome, outcome_of
from stammtisch.arena.plan import MatchPlan
from stammtisch.arena.records import Records
from stammtisch.arena.sprt import Sprt
from stammtisch.arena.store import Store
from stammtisch.baselines import agent_class, load_agent
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.options import option_text, read_pairs, read_series, split_pairs
from stammtisch.envs.core.specs import split_spec
from stammtisch.files import make_folder, write_text
from stammtisch.json_text import json_text

RESULTS = "results.sqlite"
_DIGITS = 6  # of seconds, as they are stored
RACE = Sprt(elo0=0.0, elo1=20.0)  # how much better the best one must be, on the scale of its lead over the opponent
Show = Callable[[int, str], None]


@dataclass(frozen=True)
class Grid:
    """What a grid measures, apart from the settings.

    Attributes:
        game: the game.
        agent: spec of the agent; what varies comes on top.
        opponent: agent spec; with more than two seats all others, partners included, are of its type.
        games: games per measurement.
        seeds: measurements per setting, with seeds from ``seed`` on.
        seed: the first of them.
        opening: first moves of a pair drawn at random.
        race: gives up settings early, or None.
    """

    game: Game
    agent: str
    opponent: str = "random"
    games: int = 100
    seeds: int = 10
    seed: int = 0
    opening: int = 0
    race: Sprt | None = None

    def spec(self, changes: Mapping[str, Any]) -> str:
        """Return the agent with other options."""
        name, rest = split_spec(self.agent)
        cls = agent_class(name)
        texts = split_pairs(rest)
        read_pairs(cls.OPTIONS, texts, owner=f"agent {name}", main=cls.MAIN_OPTION)
        kept = [text for text in texts if text.partition("=")[0] not in changes]
        parts = [*kept, *(f"{key}={option_text(value)}" for key, value in changes.items())]
        separator = "," if ":" in name else ":"
        return f"{name}{separator}{','.join(parts)}" if parts else name

    def plan(self, changes: Mapping[str, Any], number: int) -> MatchPlan:
        """Return the match of one measurement."""
        others = [self.opponent] * (self.game.info.num_players - 1)
        return MatchPlan(
            self.game.id,
            (self.spec(changes), *others),
            self.games,
            self.seed + number,
            self.opening,
            self.game.changed_options(),
        )

    def checked(self, settings: Mapping[str, Mapping[str, Any]]) -> None:
        """Refuse settings that the agent does not take; nothing is compiled."""
        load_agent(self.opponent, self.game)
        for changes in settings.values():
            self.plan(changes, 0).checked()


def read_vary(agent: str, text: str) -> tuple[str, list[Any]]:
    """Read an option of an agent and the values to try, ``name=value,value``."""
    name = split_spec(agent)[0]
    return read_series(agent_class(name).OPTIONS, text, owner=f"agent {name}")


@dataclass
class _Cell:
    """One setting on its way."""

    label: str
    changes: Mapping[str, Any]
    matches: list[MatchResult] = field(default_factory=list)
    dropped: str = ""

    def scores(self) -> list[float]:
        return [match.score for match in self.matches]

    def mean(self) -> float:
        return float(np.mean(self.scores()))

    def groups(self) -> NDArray[np.float64]:
        """Mean score of every group of games, in their order."""
        found = []
        for match in self.matches:
            played = Records.of(match.records)
            found.append(played.group_sums(played.scores()) / played.group_sums(np.ones(len(played))))
        return np.concatenate(found)

    def outcome(self) -> SettingOutcome:
        games = sum(match.games for match in self.matches)
        seconds = sum(_thinking(match) for match in self.matches) / len(self.matches)
        return outcome_of(self.label, self.scores(), games, seconds, self.matches[0].ci95, self.dropped)


class GridRun:
    """Plays settings of a grid, from the command line, a suite or a sampler.

    Args:
        grid: what is measured.
        folder: where games, table and pictures go.
        workers: processes.
        engine_name: engine of the matches.
        show: called with the measurements finished since the last call and a line.
    """

    def __init__(
        self,
        grid: Grid,
        folder: pathlib.Path,
        workers: int = 1,
        engine_name: str | None = None,
        show: Show | None = None,
    ):
        self.grid, self.folder = grid, make_folder(folder)
        self._workers, self._engine, self._show = workers, engine_name, show

    def run(self, settings: Mapping[str, Mapping[str, Any]], draws: bool = True) -> list[SettingOutcome]:
        """Measure every setting, round by round, and write table and pictures.

        Args:
            settings: options of each setting by its label.
            draws: whether to write them; a sampler waits until its last setting.
        """
        self.grid.checked(settings)
        cells = [_Cell(label, changes) for label, changes in settings.items()]
        with closing(Store(self.folder / RESULTS)) as store:
            for number in range(self.grid.seeds):
                for cell in cells:
                    if not cell.dropped:
                        cell.matches.append(self._play(cell, number, store))
                    if self._show is not None:
                        self._show(1, f"{cell.label}, measurement {number + 1}")
                if self.grid.race is not None and number + 1 < self.grid.seeds:
                    _drop_hopeless(cells, self.grid.race)
        outcomes = [cell.outcome() for cell in cells]
        if draws:
            write_grid(self.folder, self.grid, settings, outcomes)
        return outcomes

    def _play(self, cell: _Cell, number: int, store: Store) -> MatchResult:
        plan = self.grid.plan(cell.changes, number)
        return play_match(
            self.grid.game,
            plan.agents,
            plan.games,
            plan.seed,
            self._workers,
            opening=plan.opening,
            engine_name=self._engine,
            store=store,
        )


def write_grid(
    folder: pathlib.Path, grid: Grid, settings: Mapping[str, Mapping[str, Any]], outcomes: Sequence[SettingOutcome]
) -> None:
    """Write what a grid showed: ``results.json`` and pictures."""
    about: dict[str, Any] = {"game": grid.game.id, "options": grid.game.changed_options(), "agent": grid.agent}
    about |= {"opponent": grid.opponent, "games": grid.games, "seeds": grid.seeds, "seed": grid.seed}
    rows = [{"changes": dict(settings[outcome.label]), **asdict(outcome)} for outcome in outcomes]
    write_text(folder / "results.json", json_text({**about, "settings": rows}, indent=1))
    draw_grid(folder, list(settings.values()), outcomes, f"score against {grid.opponent}")


def _drop_hopeless(cells: Sequence[_Cell], race: Sprt) -> None:
    """Give up the settings that the best one beats, by a sequential test on pairs of groups with the same dice.

    The lead of the best one over another counts as if half of it had been won in games between the two.
    """
    running = [cell for cell in cells if not cell.dropped]
    best = max(running, key=_Cell.mean)
    for cell in running:
        if cell is best:
            continue
        leads = 0.5 + (best.groups() - cell.groups()) / 2
        if len(leads) >= race.least_groups and race.ratio(leads.tolist()) >= race.bounds[1]:
            games = sum(match.games for match in cell.matches)
            cell.dropped = f"given up after {games} games: {best.label} is better"


def _thinking(match: MatchResult) -> float:
    """Return the thinking time of all games of a match, whenever they were played; nothing of it is compiling."""
    return float(np.nansum(np.round(Records.of(match.records).seconds, _DIGITS)))
