"""``rote``: alpha-beta search that remembers what it has once worked out, after Samuel's checkers player (1959).

Whatever a search finds out about a position is kept with the depth it was searched to, under a key that is the same for
all positions that the game's symmetries make equal. Later searches look it up: a position valued five moves deep that
lies at the end of a search of five moves makes that one ten moves deep.
"""

import functools
import os
import pathlib
import resource
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from stammtisch.baselines.agent import AgentOption
from stammtisch.baselines.alphabeta import AlphaBeta
from stammtisch.baselines.rote_table import RoteTable
from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.state import State
from stammtisch.envs.core.streams import Seed

_SAVE_EVERY_S = 300.0


class Rote(AlphaBeta):
    """Alpha-beta search with a learned table, which it reads and leaves as it is.

    Where the search ends, a learned value takes the place of the evaluation; a bound does so if it contradicts it.
    """

    OPTIONS: ClassVar[Mapping[str, AgentOption]] = {
        "table": AgentOption("", "file of a learned table, or several joined by +; none knows nothing"),
        **AlphaBeta.OPTIONS,
    }
    LEARNED = 1

    def __init__(self, game: Game, seed: Seed = None, spec: str = "", **options: Any):
        super().__init__(game, seed, spec, **options)
        self.use(_read(self.options["table"], game))

    def use(self, table: RoteTable) -> None:
        """Look positions up in this table from now on."""
        self.table = table
        self._work = self._work._replace(learned=table.arrays)


def _read(files: str, game: Game) -> RoteTable:
    names = [name for name in files.split("+") if name]
    stamps = tuple(pathlib.Path(name).stat().st_mtime_ns if os.path.exists(name) else 0 for name in names)
    return _read_once(tuple(names), stamps, game)


@functools.lru_cache(maxsize=4)
def _read_once(names: tuple[str, ...], stamps: tuple[int, ...], game: Game) -> RoteTable:
    """Read tables and merge them; all agents of a process share the result."""
    merged = RoteTable.load(names[0], game, max_size=sys.maxsize) if names else RoteTable(game)
    for name in names[1:]:
        merged.merge(RoteTable.load(name, game, max_size=sys.maxsize))
    return merged


@dataclass(frozen=True)
class RoteProgress:
    """How far a training is.

    Attributes:
        games: games played in this training.
        entries: positions in the table.
        table_mb: its size in memory.
        process_mb: the most memory that the process has taken so far.
        nodes: positions looked at in this training.
        seconds: time since its start.
    """

    games: int
    entries: int
    table_mb: float
    process_mb: float
    nodes: int
    seconds: float


def train_rote(
    game: Game,
    games: int = 100,
    plies: int = 18,
    seed: int = 0,
    out: str | os.PathLike[str] | None = None,
    *,
    depth: int | None = None,
    nodes: int = 100_000,
    opening: int = 4,
    max_size: int = 20_000_000,
    eviction: str = "depth",
    resume: bool = False,
    progress: Callable[[RoteProgress], None] | None = None,
) -> RoteTable:
    """Let ``rote`` play against itself and keep what its searches find.

    Args:
        game: the game.
        games: games to play.
        plies: turns after which a game is broken off, those of the opening included; a turn ends when the other side is
            to move. 18 is the placing of Mühle.
        seed: decides everything that is drawn.
        out: file to write at the end, and every few minutes until then.
        depth: player actions that each search looks ahead; no limit by default.
        nodes: positions that each search looks at; 0 for no limit.
        opening: the first so many turns of each game are drawn by lot, so that games differ.
        max_size: greatest number of entries of the table.
        eviction: what to forget when it is full, ``depth`` or ``use``, see ``RoteTable``.
        resume: go on with the table in ``out``, with new games, if there is one.
        progress: called after every game.

    Returns:
        The table, whose ``facts`` tell how many games it has been learned from.
    """
    if games < 0 or plies < 1 or opening < 0:
        raise ValueError(f"cannot train with games={games}, plies={plies}, opening={opening}")
    if opening >= plies:
        raise ValueError(f"nothing is left to search: opening={opening} must be less than plies={plies}")
    if depth is None and not nodes:
        raise ValueError("training needs a limit for each search: give depth or nodes")
    goes_on = resume and out is not None and pathlib.Path(out).exists()
    table = RoteTable.load(out, game, max_size, eviction) if goes_on and out else RoteTable(game, max_size, eviction)
    limits: dict[str, Any] = {"nodes": nodes, "table_mb": _table_mb(nodes)}
    if depth is not None:
        limits["depth"] = depth
    agent = Rote(game, seed=seed, spec="rote", **limits)
    begun = saved = time.perf_counter()
    total = 0
    before = table.facts.get("games", 0)
    for number in range(games):
        total += _learn_game(agent, table, plies, opening, (seed, before + number))
        table.facts.update(games=before + number + 1, plies=plies, opening=opening, seed=seed)
        now = time.perf_counter()
        if progress is not None:
            progress(RoteProgress(number + 1, len(table), table.nbytes / 1e6, _process_mb(), total, now - begun))
        if out is not None and now - saved > _SAVE_EVERY_S and number + 1 < games:
            table.save(out)
            saved = time.perf_counter()
    if out is not None:
        table.save(out)
    return table


def opening_state(game: Game, turns: int, seed: tuple[int, int]) -> tuple[State, np.random.Generator]:
    """Return the position with which a training game leaves chance to search, and the generator it goes on with.

    Args:
        game: the game.
        turns: first turns that are drawn by lot.
        seed: seed of the training and number of the game.
    """
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    state = game.new_state(seed=int(rng.integers(1 << 62)))
    _play_chance(state, rng)
    while turns > 0 and state.player != TERMINAL:
        mover = state.player
        state.apply(int(rng.choice(state.legal_actions())))
        _play_chance(state, rng)
        turns -= state.player != mover
    return state, rng


def _learn_game(agent: Rote, table: RoteTable, plies: int, opening: int, seed: tuple[int, int]) -> int:
    """Play one game; return the number of positions looked at."""
    state, rng = opening_state(agent.game, opening, seed)
    agent.reset(int(rng.integers(1 << 62)))
    nodes = 0
    turns = opening
    while state.player != TERMINAL and turns < plies:
        mover = state.player
        agent.use(table)
        found = agent.search(state.view(mover))
        table.learn(agent._work)
        nodes += int(found.effort["nodes"])
        state.apply(found.action)
        _play_chance(state, rng)
        turns += state.player != mover
    return nodes


def _play_chance(state: State, rng: np.random.Generator) -> None:
    while state.player == CHANCE:
        state.sample_chance(rng)


def _table_mb(nodes: int) -> int:
    """Size of a transposition table that loses little of a search."""
    return max(8, min(96, nodes * 24 // (1 << 20))) if nodes else 96


def _process_mb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak / 1e3


@contextmanager
def show_progress(games: int) -> Iterator[Callable[[RoteProgress], None]]:
    """Show a bar on stderr with the size of the table and the memory taken; yields the function that moves it."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("games"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=games)

        def show(now: RoteProgress) -> None:
            said = f"{now.entries:,} entries in {now.table_mb:,.0f} MB, process {now.process_mb:,.0f} MB"
            bar.update(task, completed=now.games, description=said)

        yield show
