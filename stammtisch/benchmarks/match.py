"""Matches: groups of games with the same chance events and the seats exchanged, counted with an interval on groups."""

import itertools
import multiprocessing
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from stammtisch.baselines import load_agent
from stammtisch.baselines.agent import Agent
from stammtisch.benchmarks.intervals import elo_difference, mean_interval, score_interval
from stammtisch.envs import load_game
from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.streams import checked_seed

Progress = Callable[[int], None]

_CHUNKS_PER_WORKER = 8


@dataclass(frozen=True)
class GameRecord:
    """One finished game of a match.

    Attributes:
        group: number of the group of games that share their chance events.
        seating: index of the agent in each seat.
        returns: utility of each seat.
        events: every action and chance outcome, in order.
        moves: player actions among them.
    """

    group: int
    seating: tuple[int, ...]
    returns: tuple[float, ...]
    events: tuple[int, ...]
    moves: int


@dataclass(frozen=True)
class MatchResult:
    """What a match showed, from the point of view of the first agent.

    Attributes:
        score: share of wins, draws counted half.
        ci95: 95 % interval of the score, computed on groups of games that share their chance events.
        elo: rating difference that predicts the score.
        mean_return: mean utility of the first agent's seats per game, with ``return_ci95``.
    """

    game: str
    options: dict[str, Any]
    agents: list[str]
    seed: int
    games: int
    wins: int
    draws: int
    losses: int
    score: float
    ci95: tuple[float, float]
    elo: float
    mean_return: float
    return_ci95: tuple[float, float]
    mean_moves: float
    seconds: float
    records: list[GameRecord] = field(repr=False, default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Return everything but the games themselves, ready for ``json.dumps``."""
        data = asdict(self)
        del data["records"]
        return data


def play_match(
    game: str | Game,
    agents: Sequence[str | Agent],
    games: int = 100,
    seed: int = 0,
    workers: int = 1,
    progress: Progress | None = None,
    **options: Any,
) -> MatchResult:
    """Play a match and count it for the first agent.

    Two agents play team against team; as many agents as seats play for themselves (partners share the result). Games
    come in groups with the same start, dice and deals, in which the agents exchange seats. The result does not depend
    on the number of workers.

    Args:
        game: a game or its id.
        agents: agent specs; agent objects are possible with one worker.
        games: number of games, a multiple of the group size keeps all groups complete.
        seed: decides everything.
        workers: processes.
        progress: called with the number of games finished since the last call.
        options: options of the game, when it is given by its id.
    """
    game = load_game(game, **options) if isinstance(game, str) else game
    checked_seed(seed)
    if games < 1:
        raise ValueError(f"a match needs at least one game, not {games}")
    if workers < 1:
        raise ValueError(f"a match needs at least one worker, not {workers}")
    seatings(game, len(agents))
    for agent in agents:
        load_agent(agent, game)
    started = time.perf_counter()
    records = list(_play_all(game, agents, games, seed, workers, progress or (lambda _: None)))
    records.sort(key=lambda record: record.group)
    return _count(game, agents, seed, records, time.perf_counter() - started)


def seatings(game: Game, agents: int) -> list[tuple[int, ...]]:
    """Return who sits where in each game of a group: index of the agent per seat."""
    teams = game.info.teams
    if agents == len(set(teams)):
        return [tuple((team + shift) % agents for team in teams) for shift in range(agents)]
    if agents == len(teams):
        return [tuple((seat + shift) % agents for seat in range(agents)) for shift in range(agents)]
    raise ValueError(f"{game.id} is played by {len(set(teams))} teams in {len(teams)} seats, not by {agents} agents")


def play_game(
    game: Game, agents: Sequence[Agent], seating: Sequence[int], group: int, seeds: Sequence[int]
) -> GameRecord:
    """Play one game; ``seeds`` are those of chance and of each seat's agent."""
    rng = np.random.Generator(np.random.PCG64(seeds[0]))
    state = game.new_state(seed=seeds[0])
    for seat, agent in enumerate(agents):
        agent.reset(seeds[1 + seat])
    events = []
    moves = 0
    while (player := state.player) != TERMINAL:
        if player == CHANCE:
            events.append(state.sample_chance(rng))
        else:
            action = agents[player].act(state.view(player))
            state.apply(action)
            events.append(int(action))
            moves += 1
    return GameRecord(group, tuple(seating), tuple(state.returns().tolist()), tuple(events), moves)


def _play_all(
    game: Game, agents: Sequence[str | Agent], games: int, seed: int, workers: int, progress: Progress
) -> Iterator[GameRecord]:
    size = len(seatings(game, len(agents)))
    groups = -(-games // size)
    if workers == 1:
        for played in _play_groups(game, agents, games, seed, 0, groups):
            progress(len(played))
            yield from played
        return
    if not all(isinstance(agent, str) for agent in agents):
        raise ValueError("agent objects cannot be sent to other processes; give agent specs or workers=1")
    first = _play_chunk(game, agents, games, seed, 0, 1)  # compiles here, so that the workers find a warm cache
    progress(len(first))
    yield from first
    parts = min(groups - 1, workers * _CHUNKS_PER_WORKER)
    if parts == 0:
        return
    bounds = [1 + (groups - 1) * i // parts for i in range(parts + 1)]
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        waiting = {pool.submit(_play_chunk, game, agents, games, seed, lo, hi) for lo, hi in itertools.pairwise(bounds)}
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                played = future.result()
                progress(len(played))
                yield from played


def _play_chunk(*arguments: Any) -> list[GameRecord]:
    return [record for played in _play_groups(*arguments) for record in played]


def _play_groups(
    game: Game, specs: Sequence[str | Agent], games: int, seed: int, first: int, last: int
) -> Iterator[list[GameRecord]]:
    """Play the groups ``first..last-1``: one set of chance seeds per group, fresh agent seeds per game."""
    plans = seatings(game, len(specs))
    players = game.info.num_players
    # One agent object per seat: partners never share what an agent remembers.
    by_seat = [[load_agent(spec, game) for _ in range(players)] for spec in specs]
    for group in range(first, last):
        records = []
        words = np.random.SeedSequence([seed, group]).generate_state(1 + players * len(plans), np.uint64)
        numbers = [int(word >> np.uint64(1)) for word in words]
        for k, plan in enumerate(plans):
            if group * len(plans) + k >= games:
                break
            agents = [by_seat[who][seat] for seat, who in enumerate(plan)]
            seeds = [numbers[0], *numbers[1 + k * players : 1 + (k + 1) * players]]
            records.append(play_game(game, agents, plan, group, seeds))
        yield records


def _count(
    game: Game, agents: Sequence[str | Agent], seed: int, records: list[GameRecord], seconds: float
) -> MatchResult:
    wins = draws = 0
    sums: dict[int, float] = {}
    sizes: dict[int, int] = {}
    returns: dict[int, float] = {}
    for record in records:
        value = record.returns[record.seating.index(0)]
        wins += value > 0
        draws += value == 0
        score = 1.0 if value > 0 else 0.5 if value == 0 else 0.0
        sums[record.group] = sums.get(record.group, 0.0) + score
        returns[record.group] = returns.get(record.group, 0.0) + value
        sizes[record.group] = sizes.get(record.group, 0) + 1
    games = len(records)
    score = (wins + draws / 2) / games
    return MatchResult(
        game=game.id,
        options=game.changed_options(),
        agents=[agent if isinstance(agent, str) else agent.spec for agent in agents],
        seed=seed,
        games=games,
        wins=wins,
        draws=draws,
        losses=games - wins - draws,
        score=score,
        ci95=score_interval(list(sums.values()), list(sizes.values())),
        elo=elo_difference(score),
        mean_return=sum(returns.values()) / games,
        return_ci95=mean_interval([returns[group] / sizes[group] for group in returns]),
        mean_moves=sum(record.moves for record in records) / games,
        seconds=seconds,
        records=records,
    )
