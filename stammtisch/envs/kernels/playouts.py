"""Random games inside the kernel, for speed and for statistics of the rules."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from stammtisch.envs.core.borrow import borrowed
from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.rng import CHANCE_STREAM
from stammtisch.envs.core.rules import Rules

RULES: Rules
kernel: Callable[[Callable[..., Any]], Any]

init, player, legal, apply, returns = RULES.init, RULES.player, RULES.legal, RULES.apply, RULES.returns
MAX_BRANCH, N_PLAYERS, STATE_LEN = RULES.MAX_BRANCH, RULES.N_PLAYERS, RULES.STATE_LEN
HAS_CHANCE, sample, draw = RULES.HAS_CHANCE, RULES.sample, RULES.draw


@kernel
def playouts(games, seed, total):
    """Play ``games`` uniformly random games from the start.

    Args:
        games: how many.
        seed: decides everything.
        total: float64[num_players], the sum of the utilities is added here.

    Returns:
        Transitions (moves and chance events) and moves.
    """
    s = np.zeros(STATE_LEN, np.int64)
    acts = np.zeros(MAX_BRANCH, np.int64)
    out = np.zeros(N_PLAYERS, np.float64)
    r = np.empty(1, np.uint64)
    r[0] = np.uint64(seed)
    return _play(games, s, r, acts, out, total)


@njit
def _play(games, s, r, acts, out, total):
    """Play in arrays that the caller keeps, so that no move counts their owners."""
    s, r, acts, out = borrowed(s), borrowed(r), borrowed(acts), borrowed(out)
    events = np.int64(0)
    moves = np.int64(0)
    for _ in range(games):
        init(s, r)
        p = player(s)
        while p != TERMINAL:
            if HAS_CHANCE and p == CHANCE:
                apply(s, sample(s, r))
                events += 1
            else:
                apply(s, draw(s, r, CHANCE_STREAM, acts))
                moves += 1
            p = player(s)
        returns(s, out)
        for q in range(N_PLAYERS):
            total[q] += out[q]
    return events + moves, moves
