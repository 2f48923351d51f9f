"""Learning a table for ``rote``, in one of two ways.

``variations``: games against an opponent that knows nothing, thought through with their variations.

A training game begins with an opening drawn at random. The learner takes either side in turn, thinks much longer about
its moves than it will when it plays, and keeps what it finds. The opponent is the same search with an empty table and
few nodes. It chooses at random among moves that seem equal to it, so the learner prepares for all of them, the most
likely positions first, until the game has used up its share of searches.

``self-play``, as in the work on rote learning: both sides search with one table that they share, and whatever they find
goes into it. Nothing but values is kept; every game has a seed of its own, which decides among equal moves.
"""

import heapq
import itertools
import os
import pathlib
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from stammtisch.arena.match import play_match
from stammtisch.baselines.search.rote import Rote
from stammtisch.baselines.search.rote_table import EVICTIONS, Decision, RoteTable
from stammtisch.envs import load_game
from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.options import option
from stammtisch.envs.core.state import State
from stammtisch.files import check_writable
from stammtisch.files.documents import fits
from stammtisch.training.evaluator import CurvePoint
from stammtisch.training.progress import Show
from stammtisch.training.settings import LearnerSettings

_SAVE_EVERY_S = 300.0
_DRAWS = 32  # openings drawn for a game until one is not known yet
_POINT = {"games", "entries", "score", "low", "high", "played", "wins", "draws", "losses", "forgotten"}
_MODES = ("variations", "self-play")


@dataclass(frozen=True)
class RoteProgress:
    """How far a training is.

    Attributes:
        games: games played in this training.
        decisions: positions in which the learner knows what to play.
        entries: positions in the table.
        table_mb: its size in memory.
        process_mb: the most memory that the process has taken so far.
        nodes: positions looked at in this training.
        seconds: time since its start.
        forgotten: entries that did not find room, and were forgotten.
    """

    games: int
    decisions: int
    entries: int
    table_mb: float
    process_mb: float
    nodes: int
    seconds: float
    forgotten: int = 0


@dataclass(frozen=True)
class RoteSettings(LearnerSettings):
    """Everything that decides a table."""

    LEARNER = "rote"

    mode: str = option("variations", "how it learns, see the docs; self-play is that of the work", _MODES)
    games: int = option(100, "games of self-play", minimum=0)
    plies: int = option(
        18,
        "turns after which a game is broken off, those of the opening included; 18 is the placing of Mühle",
        minimum=1,
    )
    depth: int | None = option(None, "player actions that each search looks ahead; none: no limit", minimum=1)
    nodes: int = option(30_000, "positions that each search looks at; 0: no limit", minimum=0)
    searches: int = option(60, "searches per game, spent on the most likely positions of its variations", minimum=1)
    answers: int = option(2000, "positions that the opponent, without a table, looks at per move", minimum=1)
    opening: int = option(2, "first turns of each game drawn at random, so that games differ", minimum=0)
    least_depth: int = option(5, "depth from which on values are worth keeping", minimum=1)
    max_size: int = option(20_000_000, "greatest number of entries of the table", minimum=1)
    eviction: str = option("depth", "what to forget when the table is full", EVICTIONS)

    snapshots: int = option(
        0, "games between two numbered copies of the table, beside the file; 0: none", minimum=0, maximum=1 << 30
    )
    eval_games: int = option(0, "games of every copy against an empty table, for the curve; 0: none", minimum=0)
    eval_nodes: int = option(2000, "positions that both look at in these games", minimum=1)
    eval_opening: int = option(0, "first moves of these games drawn at random", minimum=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.eval_games and not self.snapshots:
            raise ValueError("a curve is measured on numbered copies; give snapshots, such as snapshots=10")
        if self.opening >= self.plies:
            raise ValueError(f"nothing is left to search: opening={self.opening} must be less than plies={self.plies}")
        if self.depth is None and not self.nodes:
            raise ValueError("training needs a limit for each search: give depth or nodes")


@dataclass(frozen=True)
class _Study:
    """What a training game needs: the learner, its opponent, and how far to go."""

    learner: Rote
    opponent: Rote
    settings: RoteSettings


def run_rote(
    settings: RoteSettings, out: str | os.PathLike[str], resume: bool = False, show: Show | None = None
) -> dict[str, Any]:
    """Learn a table as ``Learner.train`` tells; ``out`` is its file, and new games are added to what is in there."""

    def tell(now: RoteProgress) -> bool | None:
        known = f"{now.decisions:,} decisions, {now.entries:,} values in {now.table_mb:,.0f} MB"
        known += f", {now.forgotten:,} forgotten" if now.forgotten else ""
        if show is None:
            return None
        return show(1, f"{known}, process {now.process_mb:,.0f} MB", {"known": now.decisions})

    game = load_game(settings.game, **settings.options)
    table = _learn(game, settings, out, resume, tell)
    sizes = {"decisions": len(table.decisions), "entries": len(table), "bytes": table.nbytes}
    about = {"unit": "games", "peak_mb": round(process_mb())}
    facts = {name: value for name, value in table.facts.items() if name != "curve"}
    curve = [_curve_point(point) for point in table.facts.get("curve", [])]
    return {"file": str(out), **sizes, **about, **facts, "curve": curve, "growth": table.facts.get("curve", [])}


def _curve_point(point: dict[str, Any]) -> dict[str, Any]:
    """Return a measured point as curves have it."""
    ci95 = (point["low"], point["high"])
    return asdict(CurvePoint(point["games"], "an empty table", point["score"], ci95, point["played"]))


def games_in(path: str | os.PathLike[str], settings: RoteSettings) -> int:
    """Return how many games a table in a file was learned from."""
    table = RoteTable.load(path, load_game(settings.game, **settings.options), settings.max_size, settings.eviction)
    return int(table.facts.get("games", 0))


def train_rote(
    game: Game,
    games: int | None = None,
    plies: int | None = None,
    seed: int = 0,
    out: str | os.PathLike[str] | None = None,
    *,
    resume: bool = False,
    progress: Callable[[RoteProgress], bool | None] | None = None,
    **settings: Any,
) -> RoteTable:
    """Let ``rote`` play against itself without a table and keep what its searches find.

    Args:
        game: the game.
        games: games to play.
        plies: turns after which a game is broken off.
        seed: decides everything that is drawn.
        out: file to write at the end, and every few minutes until then.
        resume: go on with the table in ``out``, with new games, if there is one.
        progress: called after every game; what it returns is whether to stop.
        **settings: see ``RoteSettings``.

    Returns:
        The table, whose ``facts`` tell how many games it has been learned from.
    """
    given = {"games": games, "plies": plies, "seed": seed}
    changes = {name: value for name, value in given.items() if value is not None} | settings
    return _learn(game, RoteSettings.for_game(game.id, changes), out, resume, progress)


def _learn(
    game: Game,
    settings: RoteSettings,
    out: str | os.PathLike[str] | None,
    resume: bool,
    progress: Callable[[RoteProgress], bool | None] | None,
) -> RoteTable:
    """Play and think through the games of a training."""
    seed = settings.seed
    goes_on = resume and out is not None and pathlib.Path(out).exists()
    if out is not None:
        check_writable(out)
    room = settings.max_size, settings.eviction
    table = RoteTable.load(out, game, *room) if goes_on and out else RoteTable(game, *room)
    limits: dict[str, Any] = {"nodes": settings.nodes, "table_mb": _table_mb(settings.nodes)}
    if settings.depth is not None:
        limits["depth"] = settings.depth
    learner = Rote(game, seed=seed, spec="rote", **limits)
    opponent = Rote(game, seed=seed, spec="rote", nodes=settings.answers, table_mb=1)
    study = _Study(learner, opponent, settings)
    begun = saved = time.perf_counter()
    total = 0
    before = table.facts.get("games", 0)
    _take_up(table)
    play = _study_game if settings.mode == "variations" else _play_game
    for number in range(settings.games):
        played = before + number + 1
        total += play(study, table, (seed, played - 1))
        table.facts.update(games=played, plies=settings.plies, opening=settings.opening, seed=seed, mode=settings.mode)
        table.facts.update(evictions=table.evictions, forgotten=table.forgotten)
        if settings.snapshots and played % settings.snapshots == 0 and out is not None:
            _snapshot(table, settings, pathlib.Path(out))
        now = time.perf_counter()
        if progress is not None:
            sizes = (len(table.decisions), len(table), table.nbytes / 1e6, process_mb())
            if progress(RoteProgress(number + 1, *sizes, total, now - begun, table.forgotten)):
                break
        if out is not None and now - saved > _SAVE_EVERY_S and number + 1 < settings.games:
            table.save(out)
            saved = time.perf_counter()
    if out is not None:
        table.save(out)
    return table


def _take_up(table: RoteTable) -> None:
    """Go on counting where the table was written.

    Raises:
        ValueError: its header tells something else than counts and a curve.
    """
    counts = [table.facts.get(name, 0) for name in ("evictions", "forgotten")]
    curve = table.facts.get("curve", [])
    if not fits(counts, list[int]) or not fits(curve, list[dict[str, float]]):
        raise ValueError("the header of the table tells no counts of what was forgotten, or no curve")
    if any(set(point) != _POINT for point in curve):
        raise ValueError("the header of the table has a curve with other points")
    table.evictions, table.forgotten = counts


def snapshot_file(out: pathlib.Path, games: int) -> pathlib.Path:
    """Return where the copy of a table after so many games lies."""
    return out.with_name(f"{out.stem}-{games:04d}{out.suffix}")


def _snapshot(table: RoteTable, settings: RoteSettings, out: pathlib.Path) -> None:
    """Write a numbered copy of the table, and measure it against an empty one if that is asked for."""
    games = int(table.facts["games"])
    path = snapshot_file(out, games)
    table.save(path)
    if not settings.eval_games:
        return
    limits = f"nodes={settings.eval_nodes}"
    pair = [f"rote:table={path},{limits}", f"rote:{limits}"]
    match = play_match(table.game, pair, settings.eval_games, settings.seed, opening=settings.eval_opening)
    point = {"games": games, "entries": len(table), "score": match.score, "low": match.ci95[0], "high": match.ci95[1]}
    point |= {"played": match.games, "wins": match.wins, "draws": match.draws, "losses": match.losses}
    earlier = [known for known in table.facts.get("curve", []) if known["games"] < games]
    table.facts["curve"] = [*earlier, {**point, "forgotten": table.forgotten}]


def _play_game(study: _Study, table: RoteTable, seed: tuple[int, int]) -> int:
    """Play one game of both sides on the table that they share; return the number of positions looked at."""
    learner, settings = study.learner, study.settings
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    state = _draw_opening(learner.game, settings.opening, rng)
    learner.reset(int(rng.integers(1 << 62)))
    turns, nodes = settings.opening, 0
    while state.player != TERMINAL and turns < settings.plies:
        learner.use(table)
        found = learner.search(state.view(state.player))
        nodes += int(found.effort["nodes"])
        table.learn(learner._work, settings.least_depth)
        mover = state.player
        state.apply(found.action)
        _play_chance(state, rng)
        turns += state.player != mover
    return nodes


def _study_game(study: _Study, table: RoteTable, seed: tuple[int, int]) -> int:
    """Think one game through; return the number of positions looked at."""
    learner, teams = study.learner, study.learner.game.info.teams
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    start = _opening(study, table, rng)
    for agent in (learner, study.opponent):
        agent.reset(int(rng.integers(1 << 62)))
    numbers = itertools.count()
    # Positions to go on from, the most likely first: minus their odds, a number, turns, the learner's side, position.
    waiting = [(-1.0, next(numbers), study.settings.opening, team, start) for team in sorted(set(teams))]
    seen: set[tuple[int, int]] = set()
    nodes = 0
    left = study.settings.searches
    while waiting and left:
        odds, _, turns, team, state = heapq.heappop(waiting)
        if state.player == TERMINAL or turns >= study.settings.plies:
            continue
        view = state.view(state.player)
        key = learner.key_of(view)
        if (key, team) in seen:
            continue
        seen.add((key, team))
        if teams[state.player] == team:
            learner.use(table)
            found = learner.search(view)
            spent = int(found.effort["nodes"])
            if spent:
                left -= 1
                value = float(found.values.max())
                after = next(iter(learner.choices(view, [found.action])))
                table.learn(learner._work, study.settings.least_depth)
                limit = learner.options["nodes"] or spent
                table.decide(key, Decision(after, value, int(found.effort["depth"]), limit))
            ways = [(1.0, found.action)]
        else:
            spent, ways = _answers(study.opponent, view)
        nodes += spent
        for share, action in ways:
            after_state = state.child(action)
            _play_chance(after_state, rng)
            on = turns + (after_state.player != state.player)
            heapq.heappush(waiting, (odds * share, next(numbers), on, team, after_state))
    return nodes


def _answers(opponent: Rote, view: Any) -> tuple[int, list[tuple[float, int]]]:
    """Return the positions looked at, and what the opponent may play with its odds, of symmetric moves one."""
    opponent._work.table[:] = 0
    found = opponent.search(view)
    best = found.actions[found.values >= found.values.max() - opponent._kernels.EQUAL]
    ways = [(len(equal) / len(best), equal[0]) for equal in opponent.choices(view, best).values()]
    return int(found.effort["nodes"]), ways


def _opening(study: _Study, table: RoteTable, rng: np.random.Generator) -> State:
    """Return the position with which a training game leaves chance to search; one not known yet, if that is found."""
    for _ in range(_DRAWS):
        state = _draw_opening(study.learner.game, study.settings.opening, rng)
        if state.player == TERMINAL or study.learner.key_of(state.view(state.player)) not in table.decisions:
            break
    return state


def _draw_opening(game: Game, turns: int, rng: np.random.Generator) -> State:
    state = game.new_state(seed=int(rng.integers(1 << 62)))
    _play_chance(state, rng)
    while turns > 0 and state.player != TERMINAL:
        mover = state.player
        state.apply(int(rng.choice(state.legal_actions())))
        _play_chance(state, rng)
        turns -= state.player != mover
    return state


def _play_chance(state: State, rng: np.random.Generator) -> None:
    while state.player == CHANCE:
        state.sample_chance(rng)


def _table_mb(nodes: int) -> int:
    """Size of a transposition table that loses little of a search."""
    return max(8, min(96, nodes * 24 // (1 << 20))) if nodes else 96


def process_mb() -> float:
    """Return the most memory that the process has taken so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak / 1e3
