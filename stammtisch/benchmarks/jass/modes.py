"""The choice of the mode apart from the play: the same cards, modes of each agent, played out by the same players."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stammtisch.arena.intervals import mean_interval
from stammtisch.baselines import load_agent
from stammtisch.envs import load_game
from stammtisch.envs.core.agent import Agent
from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.rules import own
from stammtisch.envs.core.state import State
from stammtisch.envs.jass.family.names import MODES

GAME = "jass-schieber"


@dataclass(frozen=True)
class ModeChoices:
    """What the choices of one agent are worth.

    Attributes:
        agent: its spec.
        points: mean lead of its team per deal.
        ci95: interval of that.
        more: mean lead more than that of the first agent, deal by deal.
        more_ci95: interval of that; of no width for the first agent itself.
        passed: share of deals in which forehand passed on.
        modes: how often each mode was chosen in the end.
    """

    agent: str
    points: float
    ci95: tuple[float, float]
    more: float
    more_ci95: tuple[float, float]
    passed: float
    modes: dict[str, int]


def compare_modes(
    agents: Sequence[str],
    players: str = "heuristic",
    deals: int = 1000,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> list[ModeChoices]:
    """Let every agent choose the mode of the same deals, and the same players play them.

    Args:
        agents: specs of those who choose, forehand and partner alike.
        players: spec of those who play all four seats.
        deals: how many.
        seed: decides the deals and what agents draw.
        progress: called with 1 after every deal.
    """
    game = load_game(GAME)
    rules = own(game.rules)
    choosers = [load_agent(spec, game, seed) for spec in agents]
    seats = [load_agent(players, game, seed + 1 + seat) for seat in range(4)]
    leads = np.empty((len(agents), deals))
    passed, modes = np.zeros(len(agents), np.int64), np.zeros((len(agents), 6), np.int64)
    rng = np.random.default_rng(seed)
    for deal in range(deals):
        dealt = game.new_state(seed=int(rng.integers(2**31)))
        while dealt.player == CHANCE:
            dealt.sample_chance(rng)
        drawn = int(rng.integers(2**31))
        for who, chooser in enumerate(choosers):
            state = dealt.clone()
            chooser.reset(drawn)
            for seat, player in enumerate(seats):
                player.reset(drawn + seat)
            while state.player != TERMINAL:
                chooses = state._row[rules.MODE] == rules.NO_MODE
                state.apply(_act(chooser if chooses else seats[state.player], state))
            passed[who] += int(state._row[rules.PUSHED])
            modes[who, state._row[rules.MODE]] += 1
            leads[who, deal] = 100.0 * state.returns()[int(state._row[rules.FOREHAND])]
        if progress is not None:
            progress(1)
    return [
        ModeChoices(
            spec,
            float(leads[who].mean()),
            mean_interval(leads[who]),
            float((leads[who] - leads[0]).mean()),
            mean_interval(leads[who] - leads[0]) if who else (0.0, 0.0),
            float(passed[who] / deals),
            {MODES[mode]: int(count) for mode, count in enumerate(modes[who])},
        )
        for who, spec in enumerate(agents)
    ]


def _act(agent: Agent, state: State) -> int:
    chosen: Any = agent.act(state.view(state.player))
    return int(chosen)
