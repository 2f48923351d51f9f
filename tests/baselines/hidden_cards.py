"""Positions of Jass for tests of searches over hidden cards."""

from collections.abc import Iterator

import numpy as np

import stammtisch
from stammtisch import CHANCE, TERMINAL, Game
from stammtisch.envs.core.state import State


def positions(game: Game, rng: np.random.Generator, spec: str = "heuristic") -> Iterator[State]:
    """Yield every position of a deal in which a seat is to move."""
    agent = stammtisch.load_agent(spec, game, seed=1)
    state = game.new_state(seed=0)
    state.sample_chance(rng)
    while state.player not in (TERMINAL, CHANCE):
        yield state
        state.apply(agent.act(state.view(state.player)))
