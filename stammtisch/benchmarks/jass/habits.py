"""How a Jass player plays: rates of the weaknesses that the JassBot thesis (HSR, 2017) names, for any agent.

The agent plays all four seats. A rate is events per opportunity; lower is better except for I1, where a steady value
far from that of random play shows a convention.
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from stammtisch.baselines import load_agent
from stammtisch.envs import load_game
from stammtisch.envs.core import loader
from stammtisch.envs.core.agent import Agent
from stammtisch.envs.core.constants import RANDOM_POLICY
from stammtisch.envs.core.streams import Seed, seed_streams

GAME = "jass-schieber"
MEANINGS = {
    "A1": "draws trumps although no opponent has any",
    "A2": "the same, from a partner who has some",
    "B1": "overtakes its partner, last to play",
    "C1": "gives the opponents more points than it must, last to play",
    "D1": "takes a trick of at most 5 points with Buur or Nell, last to play",
    "D2": "takes a trick with more than the weakest card that would do, last to play",
    "E1": "without trumps, leads another card than one of its Bock cards",
    "F1": "leads the Nell while the Buur is out",
    "G1": "shows a lone Buur to a trump lead",
    "G1b": "the same, last to play, for at most 10 points",
    "G2": "gives the opponents a card of 10 points or more needlessly, last to play",
    "H1": "keeps points from its partner's trick, last to play",
    "I1": "discards first from a colour other than that of its highest plain card",
}
# Uniformly random modes and cards, 20,000 deals.
RANDOM_PLAY = {
    "A1": 0.370,
    "A2": 0.337,
    "B1": 0.454,
    "C1": 0.541,
    "D1": 0.275,
    "D2": 0.415,
    "E1": 0.658,
    "F1": 0.131,
    "G1": 0.178,
    "G1b": 0.163,
    "G2": 0.371,
    "H1": 0.534,
    "I1": 0.417,
}


@dataclass(frozen=True)
class Habit:
    """One row of the statistics.

    Attributes:
        id: letter and number.
        meaning: what is counted.
        rate: events per opportunity, None without opportunities.
        error: standard error of the rate.
        opportunities: how often it could have happened.
        random: the rate of random play, for comparison.
    """

    id: str
    meaning: str
    rate: float | None
    error: float | None
    opportunities: int
    random: float


def jass_stats(agent: str | Agent, deals: int = 2000, seed: Seed = 0) -> dict[str, Any]:
    """Let an agent play all four seats and count its habits.

    Args:
        agent: spec or agent; reference players run inside a kernel, others through ``State``.
        deals: number of deals.
        seed: decides the cards and everything the agent draws.

    Returns:
        ``{"agent", "deals", "seed", "excess", "habits"}``; ``habits`` is a list of ``Habit`` as mappings, ``excess``
        the mean number of points given away in C1.
    """
    if deals < 1:
        raise ValueError(f"deals must be at least 1, not {deals}")
    game = load_game(GAME)
    player = load_agent(agent, game, seed)
    policy = player.policy
    lanes = game.lane_kernels((policy,) if policy not in (None, "random") else ())
    kernels: Any = loader.load("stammtisch.benchmarks.jass.counts", game.id, RULES=game.rules, LANES=lanes)
    counts = np.zeros((len(kernels.COLUMNS), 2), np.int64)
    excess = np.zeros(1, np.float64)
    streams = seed_streams(seed, 1 + game.info.num_players)
    if policy is not None:
        kernels.play_deals(deals, RANDOM_POLICY if policy == "random" else 1, streams, counts, excess)
    else:
        _play_outside(player, deals, np.random.default_rng(streams), kernels.note, counts, excess)
    habits = [_habit(name, *counts[i].tolist()) for i, name in enumerate(kernels.COLUMNS)]
    given = counts[kernels.COLUMNS.index("C1"), 0]
    return {
        "agent": agent if isinstance(agent, str) else agent.spec,
        "deals": deals,
        "seed": seed,
        "excess": float(excess[0] / max(given, 1)),
        "habits": [asdict(habit) for habit in habits],
    }


def _play_outside(
    agent: Agent, deals: int, rng: np.random.Generator, note: Any, counts: np.ndarray, excess: np.ndarray
) -> None:
    game = agent.game
    for _ in range(deals):
        agent.reset()
        state = game.new_state()
        state.sample_chance(rng)
        while state.player >= 0:
            action = agent.act(state.view(state.player))
            note(state.row, action, counts, excess)
            state.apply(action)


def _habit(name: str, opportunities: int, events: int) -> Habit:
    rate = events / opportunities if opportunities else None
    error = None if rate is None else float(np.sqrt(rate * (1 - rate) / opportunities))
    return Habit(name, MEANINGS[name], rate, error, opportunities, RANDOM_PLAY[name])
