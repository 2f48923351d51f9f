"""Random games for tests."""

import numpy as np

from stammtisch import CHANCE, TERMINAL


def random_move(state, rng):
    """Play one chance event or one random action in place."""
    if state.player == CHANCE:
        state.sample_chance(rng)
    else:
        legal = state.legal_actions()
        state.apply(legal[rng.integers(len(legal))])


def random_states(game, seed, games=1):
    """Yield every state of random games, the last one included; each may be kept."""
    rng = np.random.default_rng(seed)
    for number in range(games):
        state = game.new_state(seed=seed + number)
        while state.player != TERMINAL:
            yield state.clone()
            random_move(state, rng)
        yield state


def random_state(game, seed, moves):
    """Return the state after at most ``moves`` events of a random game."""
    rng = np.random.default_rng(seed)
    state = game.new_state(seed=seed)
    for _ in range(moves):
        if state.player == TERMINAL:
            break
        random_move(state, rng)
    return state
