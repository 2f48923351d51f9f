"""Deals made here: synthetic data by a teacher of ours, for those who have no logs of people."""

import dataclasses
import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.arena.plan import game_streams
from stammtisch.baselines import load_agent
from stammtisch.baselines.learned.jass.encodings import N_CARDS, N_CHOICES, SCHIEBER
from stammtisch.baselines.search.agent import SearchAgent
from stammtisch.envs import load_game
from stammtisch.envs.core.agent import Agent
from stammtisch.envs.core.constants import TERMINAL
from stammtisch.envs.core.options import BaseSettings, option
from stammtisch.envs.core.state import State
from stammtisch.training.jass.deals import MOST_LEGAL, Deals, DealWriter
from stammtisch.training.jass.samples import replay_kernels

MIX = "mix"
MIXED = ("heuristic", "heuristic", "pimc:worlds=6,search=heuristic", "greedy")
_QUICK, _SLOW = 4096, 16  # deals at a time, by a kernel and move by move
_CHANCE, _LOT, _SEATS = 0, 5, 4


@dataclass(frozen=True)
class MakingSettings(BaseSettings):
    """Everything that decides deals made here."""

    NOUN = "option"
    OWNER = "jass-data"

    teacher: str = option("heuristic", "who plays all seats: an agent, or mix", names="agent")
    deals: int = option(10_000, "how many deals", minimum=1)
    seed: int = option(0, "decides everything that is drawn", minimum=0)
    random_modes: float = option(0.2, "share of deals whose mode is drawn by lot", minimum=0, maximum=1)
    epsilon: float = option(0.0, "share of cards drawn at random; they are no samples", minimum=0, maximum=1)
    per_game: int = option(27, "deals that count as one game, for splits", minimum=1)
    values: bool = option(True, "keep what a searching teacher thought of every card")


def make_deals(settings: MakingSettings, workers: int = 1) -> Iterator[Deals]:
    """Yield deals in their order; every deal follows from the seed and its number, whoever plays it.

    Args:
        settings: what to make.
        workers: processes.
    """
    is_quick = _kernel_policy(settings.teacher) is not None
    if settings.teacher != MIX:
        load_agent(settings.teacher, SCHIEBER)  # says what is wrong before anything is begun
    step = _QUICK if is_quick else _SLOW
    parts = [(start, min(start + step, settings.deals)) for start in range(0, settings.deals, step)]
    with ExitStack() as stack:
        if workers > 1:
            pool = stack.enter_context(ProcessPoolExecutor(workers, mp_context=get_context("spawn")))
            found = pool.map(_made, [settings] * len(parts), *zip(*parts, strict=True))
        else:
            found = map(_made, [settings] * len(parts), *zip(*parts, strict=True))
        yield from found


def write_made(
    path: str | os.PathLike[str],
    settings: MakingSettings,
    workers: int = 1,
    show: Callable[[int], object] | None = None,
) -> dict[str, Any]:
    """Make deals into a file; return what there is to say about them."""
    from stammtisch.training.jass.counting import Counts

    counts = Counts()
    sources = list(dict.fromkeys(MIXED)) if settings.teacher == MIX else [settings.teacher]
    facts = {
        "synthetic": True,
        "sources": sources,
        "teacher": settings.teacher,
        "seed": settings.seed,
        "made": dataclasses.asdict(settings),
    }
    with DealWriter(path, facts) as writer:
        for deals in make_deals(settings, workers):
            counts.add(deals)
            writer.add(deals)
            if show is not None:
                show(len(deals))
        facts["counts"] = counts.told()
    return {"file": str(path), **facts}


def _kernel_policy(teacher: str) -> str | None:
    """Return the policy of a kernel that plays as the teacher does, if there is one."""
    if teacher == MIX:
        return None
    policy = load_agent(teacher, SCHIEBER).policy
    return None if policy in (None, "random") else policy


def _made(settings: MakingSettings, start: int, stop: int) -> Deals:
    """Return the deals with the numbers ``start`` to ``stop - 1``."""
    numbers = np.arange(start, stop)
    streams = game_streams(settings.seed, 1, _SEATS, numbers)
    policy = _kernel_policy(settings.teacher)
    if policy is not None:
        deals = Deals.empty(len(numbers))
        deals.forehand[:] = numbers % _SEATS
        replay_kernels("jass-42", 0, policy).play_deals(
            streams,
            settings.random_modes,
            settings.epsilon,
            deals.hands,
            deals.forehand,
            deals.passed,
            deals.mode,
            deals.choice,
            deals.cards,
            deals.drawn,
        )
    else:
        deals = _played(settings, numbers, streams)
    deals.played[:] = N_CARDS
    deals.game[:] = numbers // settings.per_game
    deals.number[:] = numbers % settings.per_game
    return deals


def _played(settings: MakingSettings, numbers: NDArray[np.int64], streams: NDArray[np.uint64]) -> Deals:
    """Let agents play, move by move, and keep what those that search thought of the legal actions."""
    schieber: Any = load_game(SCHIEBER)
    names = list(dict.fromkeys(MIXED)) if settings.teacher == MIX else [settings.teacher]
    agents = {name: [load_agent(name, schieber) for _ in range(_SEATS)] for name in names}
    has_values = settings.values and any(isinstance(each[0], SearchAgent) for each in agents.values())
    deals = Deals.empty(len(numbers), has_values)
    for place, number in enumerate(numbers):
        lot = np.random.default_rng(int(streams[place, _LOT]))
        chosen = MIXED[int(lot.integers(len(MIXED)))] if settings.teacher == MIX else settings.teacher
        deals.source[place] = names.index(chosen)
        state = schieber.new_state(0, forehand=int(number) % _SEATS)
        state.apply(int(streams[place, _CHANCE] >> np.uint64(1)))
        for seat, agent in enumerate(agents[chosen]):
            agent.take_stream(streams[place], seat)
        _play_one(deals, place, state, agents[chosen], lot, settings)
    return deals


def _play_one(
    deals: Deals,
    place: int,
    state: State,
    agents: list[Agent],
    lot: np.random.Generator,
    settings: MakingSettings,
) -> None:
    rules: Any = state.game.rules
    deals.hands[place] = state._row[rules.HAND : rules.HAND + _SEATS]
    deals.forehand[place] = state._row[rules.FOREHAND]
    deals.choice[place] = 1
    if lot.random() < settings.random_modes:
        deals.choice[place] = 0
        state.apply(rules.FIRST_MODE + int(lot.integers(6)))
    played = 0
    while state.player != TERMINAL:
        is_choice = bool(state._row[rules.MODE] == rules.NO_MODE)
        action, values = _asked(agents[state.player], state)
        if is_choice:
            turn = int(state._row[rules.PUSHED])
            if values is not None and deals.mode_values is not None:
                deals.mode_values[place, turn, : len(values)] = values[:N_CHOICES]
        else:
            if values is not None and deals.values is not None:
                deals.values[place, played, : len(values)] = values[:MOST_LEGAL]
            if settings.epsilon and lot.random() < settings.epsilon:
                action = int(lot.choice(state.legal_actions()))
                deals.drawn[place] |= np.int64(1) << np.int64(played)
            deals.cards[place, played] = action
            played += 1
        state.apply(action)
    deals.passed[place], deals.mode[place] = state._row[rules.PUSHED], state._row[rules.MODE]


def _asked(agent: Agent, state: State) -> tuple[int, NDArray[np.int16] | None]:
    """Return what an agent does, and what it thought of all actions: tenths of a point below the best."""
    legal = state.legal_actions()
    if len(legal) == 1:
        return legal[0], None
    view = state.view(state.player)
    if not isinstance(agent, SearchAgent):
        return agent.act(view), None
    found = agent.search(view)
    if not np.array_equal(found.actions, legal) or not np.isfinite(found.values).all():
        return int(found.action), None
    below = np.rint((found.values - found.values.max()) * 1000)
    return int(found.action), np.maximum(below, -32_000).astype(np.int16)


def facts_text(counts: Mapping[str, Any]) -> str:
    """Say in one line what there is."""
    return (
        f"{counts['deals']:,} deals of {counts['games']:,} games, {counts['tricks']:,} tricks, "
        f"{counts['card_samples']:,} card samples, {counts['trump_samples']:,} trump samples"
    )
