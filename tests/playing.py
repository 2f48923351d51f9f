"""Games for tests: random ones, and those of an agent."""

import numpy as np

from stammtisch import CHANCE, TERMINAL
from stammtisch.testing.playing import random_move, random_state, random_states

__all__ = ["play_out", "positions", "random_move", "random_state", "random_states"]


def positions(game, count, seed=1):
    """Return positions of random games in which a player is to move."""
    found = []
    while len(found) < count:
        found += [state for state in random_states(game, seed) if state.player >= 0]
        seed += 1
    return found[:count]


def play_out(agent, game, seed):
    """Let an agent play every seat of a game to its end."""
    state = game.new_state(seed=seed)
    rng = np.random.default_rng(seed)
    while state.player != TERMINAL:
        if state.player == CHANCE:
            state.sample_chance(rng)
        else:
            state.apply(agent.act(state.view(state.player)))
    return state
