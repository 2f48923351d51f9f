"""``measure_regret``: plays, judges, stores and counts."""

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing

from stammtisch.arena.engines import chunks_of, spread
from stammtisch.benchmarks.regret.count import RegretResult, count
from stammtisch.benchmarks.regret.plan import RegretPlan
from stammtisch.benchmarks.regret.play import Judge
from stammtisch.benchmarks.regret.rows import JudgedGame, RegretStore
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.games import GAMES, GameEntry, know_game

_CHUNK = 4


def measure_regret(
    plan: RegretPlan,
    store: RegretStore | None = None,
    workers: int = 1,
    progress: Callable[[int], None] | None = None,
) -> RegretResult:
    """Let an agent play from positions that the oracle of its game covers, and judge every decision.

    Args:
        plan: what to measure.
        store: keeps every judged decision; games that it already holds are not played again.
        workers: processes; the result does not depend on them.
        progress: called with the number of games finished since the last call.

    Raises:
        ValueError: the game has no oracle, an agent does not exist, or a number makes no sense.
    """
    begun = time.perf_counter()
    if workers < 1:
        raise ValueError(f"a measurement needs at least one worker, not {workers}")
    plan = plan.checked()
    games = store.games_of(plan) if store is not None else []
    tell = progress or (lambda done: None)
    tell(len(games))
    known = {game.number for game in games}
    missing = [number for number in range(plan.games) if number not in known]
    with closing(_judged(plan, missing, workers)) as chunks:
        for chunk in chunks:
            if store is not None:
                store.add(plan, chunk)
            games += chunk
            tell(len(chunk))
    games.sort(key=lambda game: game.number)
    return count(plan, games, time.perf_counter() - begun)


def build_tables(
    game: Game, size: int, folder: str = "", threads: int = 1, tell: Callable[[str], None] | None = None
) -> None:
    """Build the tables of a game up to a size, those that are missing.

    Args:
        game: a game that has tables.
        size: what the tables count: in Mühle the men of both sides.
        folder: where they go; "" for the user's.
        threads: the result does not depend on them.
        tell: called with a line about what is being built.
    """
    tables = game.tables(folder or None)
    for part in tables.parts(size):
        if not tables.has(part):
            tables.build(part, threads, tell or (lambda line: None))


def _judged(plan: RegretPlan, numbers: Sequence[int], workers: int) -> Generator[list[JudgedGame], None, None]:
    """Yield the games as they are finished; the first one is played here, so that workers find a warm cache."""
    if not numbers:
        return
    judge = Judge(plan)
    if workers == 1:
        for lo in range(0, len(numbers), _CHUNK):
            yield judge.play(numbers[lo : lo + _CHUNK])
        return
    yield judge.play(numbers[:1])
    jobs = [(plan, chunk, GAMES[plan.game]) for chunk in chunks_of(numbers[1:], workers)]
    yield from spread(_judge_chunk, jobs, workers)


_judges: dict[str, Judge] = {}


def _judge_chunk(plan: RegretPlan, numbers: Sequence[int], entry: GameEntry) -> list[JudgedGame]:
    """Judge games in a worker; the agents are built once per process and plan."""
    know_game(plan.game, entry)
    key = plan.key()
    if key not in _judges:
        _judges.clear()
        _judges[key] = Judge(plan)
    return _judges[key].play(numbers)
