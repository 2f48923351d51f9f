"""How a simulation of a game with hidden cards ends: at the next deal. Bound into the search families."""

import numpy as np
from numba import njit

from stammtisch.envs.core.borrow import borrowed
from stammtisch.envs.core.rng import CHANCE_STREAM, next_word
from stammtisch.envs.core.rules import Policy, Rules

RULES: Rules
HEURISTIC: Policy  # who plays on

player, draw, apply, returns = RULES.player, RULES.draw, RULES.apply, RULES.returns
N_PLAYERS = RULES.N_PLAYERS
N_STREAMS = 1 + N_PLAYERS
IS_RANDOM, policy = HEURISTIC.IS_RANDOM, HEURISTIC.choose
EVALUATES, evaluate = HEURISTIC.EVALUATES, HEURISTIC.evaluate


@njit
def own_streams(streams):
    """Return random streams of a search, uint64[N_STREAMS], that follow from the agent's."""
    r = np.empty(N_STREAMS, np.uint64)
    for q in range(N_STREAMS):
        r[q] = next_word(streams, 0)
    return r


@njit
def settle(s, out):
    """Fill what a position is worth for every seat: its evaluation, the same measure after a deal and at the end."""
    if EVALUATES:
        for q in range(N_PLAYERS):
            out[q] = evaluate(s, q)
    else:
        returns(s, out)


@njit
def play_on(s, r, acts, out):
    """Play the row ``s`` to the next chance event or the end, and fill what it is worth there.

    Args:
        s: the position, changed.
        r: uint64[N_STREAMS]; random moves draw from stream 0, a policy from that of its seat.
        acts: int64[MAX_BRANCH], scratch.
        out: float64[N_PLAYERS].
    """
    s, r, acts, out = borrowed(s), borrowed(r), borrowed(acts), borrowed(out)
    while player(s) >= 0:
        if IS_RANDOM:
            apply(s, draw(s, r, CHANCE_STREAM, acts))
        else:
            apply(s, policy(s, r, acts))
    settle(s, out)
