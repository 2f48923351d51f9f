"""Matches: played by an engine, stored if wished, and counted with an interval on groups of games."""

import itertools
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.arena.engines import Engine, engine, played_here
from stammtisch.arena.intervals import elo_difference, mean_interval, score_interval
from stammtisch.arena.plan import GameRecord, MatchPlan, seatings
from stammtisch.arena.play import MatchPlayer
from stammtisch.arena.ratings import Group, fit_rankings
from stammtisch.arena.records import Records
from stammtisch.arena.sprt import Sprt
from stammtisch.arena.store import Store
from stammtisch.baselines import agent_class, load_agent
from stammtisch.envs import load_game
from stammtisch.envs.core.agent import AgentLike
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.specs import split_spec
from stammtisch.json_text import finite

Progress = Callable[[int], None]


@dataclass(frozen=True)
class MatchResult:
    """What a match showed, from the point of view of the first agent.

    Attributes:
        score: share of wins (returns above the mean of all seats), draws counted half.
        ci95: 95 % interval of the score, computed on groups of games that share their chance events.
        elo: rating difference that predicts the score; infinite when all games were won or lost.
        mean_return: mean utility of the first agent's seats per game, with ``return_ci95``.
        duplicates: share of games whose events repeat an earlier game of the match.
        first_mover_score: score of whoever sits in seat 0, whichever agent that is.
        seconds_per_move: thinking time per move of each agent, without what it compiles or loads before its first
            game; None when the games were played inside a kernel.
        strengths: where more than two sides play, the Plackett–Luce strength of each agent on the Elo scale, mean 0.
        forfeits: games that a side lost by its own fault, as outside engines do that hang.
        stopped: why a sequential test ended the match early, or "".
        records: the games themselves, in the order of their numbers.
    """

    game: str
    options: dict[str, Any]
    agents: list[str]
    seed: int
    opening: int
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
    duplicates: float
    first_mover_score: float
    seconds_per_move: list[float | None]
    seconds: float
    strengths: dict[str, float] = field(default_factory=dict)
    forfeits: int = 0
    stopped: str = ""
    records: Sequence[GameRecord] = field(repr=False, default=())

    def to_json(self) -> dict[str, Any]:
        """Return everything but the games themselves, ready for ``json.dumps``; None stands for what is infinite."""
        data = asdict(replace(self, records=()))
        del data["records"]
        data["cheaters"] = cheaters(self.agents)
        told: dict[str, Any] = finite(data)
        return told


def play_match(
    game: str | Game,
    agents: Sequence[str | AgentLike],
    games: int = 100,
    seed: int = 0,
    workers: int = 1,
    progress: Progress | None = None,
    *,
    opening: int = 0,
    sprt: Sprt | None = None,
    engine_name: str | None = None,
    store: Store | None = None,
    **options: Any,
) -> MatchResult:
    """Play a match and count it for the first agent.

    Two agents play team against team; as many agents as seats play for themselves (partners share the result; seating
    ``[X, Y, Y, Y]`` gives X a partner of the opponent's type). Games come in groups with the same start, opening, dice
    and deals, in which the agents exchange seats. The result depends neither on the engine nor on the workers.

    Args:
        game: a game or its id.
        agents: agent specs; with one worker also agents, objects with ``act(view)``, and models of
            Stable-Baselines3.
        games: number of games, a multiple of the group size keeps all groups complete.
        seed: decides everything.
        workers: how many games at the same time.
        progress: called with the number of games finished since the last call.
        opening: so many first moves of each group are drawn at random.
        sprt: a sequential test that may end the match early.
        engine_name: ``serial``, ``thread``, ``process`` or ``ray``; by default, for several workers, threads where all
            agents think in kernels, else processes.
        store: keeps every game; games that it already holds are not played again.
        options: options of the game, when it is given by its id.
    """
    loaded = load_game(game, **options) if isinstance(game, str) else game
    seated = [agent if isinstance(agent, str) else load_agent(agent, loaded) for agent in agents]
    specs = tuple(agent if isinstance(agent, str) else agent.spec for agent in seated)
    plan = MatchPlan(loaded.id, specs, games, seed, opening, loaded.changed_options())
    started = time.perf_counter()
    if all(isinstance(agent, str) for agent in seated):
        chosen = engine(engine_name, workers)
        plan.checked()
    else:
        if workers > 1 or store is not None:
            raise ValueError("agent objects cannot be sent to other processes or stored; give agent specs")
        plan.checked_numbers()
        chosen = _playing_here(MatchPlayer(plan, seated))
    group_size = len(seatings(loaded, len(agents)))
    with closing(_chunks(plan, store, lambda numbers: chosen(plan, numbers, workers))) as chunks:
        records, stopped = _collect(chunks, group_size, sprt, progress or _ignore)
    return count(plan, records, time.perf_counter() - started, stopped)


def _playing_here(player: MatchPlayer) -> Engine:
    return lambda plan, numbers, workers: played_here(player, numbers)


def _ignore(done: int) -> None:
    pass


def _chunks(
    plan: MatchPlan, store: Store | None, play: Callable[[Sequence[int]], Generator[Records, None, None]]
) -> Generator[Records, None, None]:
    """Yield the games that the store knows, then the others as they are played, stored before they are handed on."""
    known = Records.of(store.games_of(plan) if store is not None else [])
    if known:
        yield known
    missing = np.setdiff1d(np.arange(plan.games), known.numbers).tolist() if known else range(plan.games)
    if not missing:
        return
    with closing(play(missing)) as played:
        for chunk in played:
            if store is not None:
                store.add(plan, chunk)
            yield chunk


def _collect(chunks: Iterator[Records], group_size: int, sprt: Sprt | None, progress: Progress) -> tuple[Records, str]:
    """Gather games; a sequential test looks at complete groups in order, so that it always stops at the same one."""
    parts: list[Records] = []
    scores: dict[int, float] = {}
    means: list[float] = []
    for chunk in chunks:
        progress(len(chunk))
        parts.append(chunk)
        if sprt is None:
            continue
        scores.update(zip(chunk.numbers.tolist(), chunk.scores().tolist(), strict=True))
        while True:
            numbers = range(len(means) * group_size, (len(means) + 1) * group_size)
            if not all(number in scores for number in numbers):
                break
            means.append(sum(scores[number] for number in numbers) / group_size)
            if reason := sprt.verdict(means):
                return Records.joined(parts)[: numbers.stop], reason
    return Records.joined(parts), ""


def count(plan: MatchPlan, records: Sequence[GameRecord], seconds: float, stopped: str = "") -> MatchResult:
    """Count the games of a match for its first agent."""
    played = Records.of(records)
    scores, values = played.scores(), played.values()
    sizes = played.group_sums(np.ones(len(played)))
    games = len(played)
    timed = played.timed()
    own_moves = max(1, int(played.moves[timed].sum())) / len(plan.agents)
    spent = played.seconds[timed].sum(axis=0).tolist() if timed.any() else [None] * len(plan.agents)
    score = float(scores.mean())
    return MatchResult(
        game=plan.game,
        options=plan.options,
        agents=list(plan.agents),
        seed=plan.seed,
        opening=plan.opening,
        games=games,
        wins=int((scores == 1).sum()),
        draws=int((scores == 0.5).sum()),
        losses=int((scores == 0).sum()),
        score=score,
        ci95=score_interval(played.group_sums(scores), sizes),
        elo=elo_difference(score),
        mean_return=float(values.mean()),
        return_ci95=mean_interval(played.group_sums(values) / sizes),
        mean_moves=int(played.moves.sum()) / games,
        duplicates=1 - played.distinct() / games,
        first_mover_score=float(played.first_seat_scores().mean()),
        seconds_per_move=[None if total is None else total / own_moves for total in spent],
        seconds=seconds,
        strengths=_strengths(plan, played),
        forfeits=played.forfeits(),
        stopped=stopped,
        records=played,
    )


def cheaters(agents: Sequence[str]) -> list[str]:
    """Return those among agents that see what is hidden, for whoever shows results; outsiders are no agents of ours."""
    found = []
    for agent in dict.fromkeys(agents):
        try:
            cheats = agent_class(split_spec(agent)[0]).CHEATS
        except ValueError:
            continue
        if cheats:
            found.append(agent)
    return found


def _strengths(plan: MatchPlan, records: Records) -> dict[str, float]:
    """Rate the agents by how their seats ranked in each game, if more than two sides play."""
    teams = load_game(plan.game, **plan.options).info.teams
    if len(set(teams)) < 3 or len(set(plan.agents)) < 2:
        return {}
    seats = list({team: seat for seat, team in enumerate(teams)}.values())
    values, sides = records.returns[:, seats], records.seatings[:, seats]
    better = (values[:, None, :] > values[:, :, None]).sum(axis=2)
    # Few kinds of games are left when only the order of the sides counts.
    digits = np.hstack([better, sides])
    codes = digits @ (max(len(seats), len(plan.agents)) ** np.arange(digits.shape[1]))
    _, examples, times = np.unique(codes, return_index=True, return_counts=True)
    rankings = []
    for ranks, agents in zip(better[examples].tolist(), sides[examples].tolist(), strict=True):
        ranking: dict[int, list[str]] = {rank: [] for rank in sorted(ranks)}
        for rank, agent in zip(ranks, agents, strict=True):
            ranking[rank].append(plan.agents[agent])
        rankings.append(list(ranking.values()))
    return fit_rankings(rankings, times.tolist())


def groups_of(matches: Sequence[MatchResult]) -> list[Group]:
    """Return the groups of games, for rating; where more than two meet, each pair of them by who ranked higher."""
    groups = []
    for match in matches:
        played = Records.of(match.records)
        sizes = played.group_sums(np.ones(len(played))).astype(np.int64).tolist()
        for first, second, scores in _meetings(match, played):
            for score, games in zip(played.group_sums(scores).tolist(), sizes, strict=True):
                groups.append(Group(match.agents[first], match.agents[second], score, games))
    return groups


def _meetings(match: MatchResult, played: Records) -> Iterator[tuple[int, int, NDArray[np.float64]]]:
    """Yield two agents and the scores of the first of them, for each pair that a match compares."""
    if len(set(match.agents)) == 2:
        yield 0, 1, played.scores()
        return
    by_agent = np.take_along_axis(played.returns, np.argsort(played.seatings, axis=1), axis=1)
    for first, second in itertools.combinations(range(len(match.agents)), 2):
        if match.agents[first] != match.agents[second]:
            yield first, second, (1 + np.sign(by_agent[:, first] - by_agent[:, second])) / 2
