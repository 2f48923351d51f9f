"""How a simulation ends when an n-tuple network values it: at once. Bound into the search families as their rollout.

The die of the next turn is thrown, and the position is worth what the best move then leads to.
"""

from types import ModuleType
from typing import Any

import numpy as np
from numba import njit

from stammtisch.envs.core.constants import CHANCE, TERMINAL

RULES: ModuleType
VALUE: ModuleType

player, apply, returns = RULES.player, RULES.apply, RULES.returns
MAX_BRANCH, N_PLAYERS, STATE_LEN = RULES.MAX_BRANCH, RULES.N_PLAYERS, RULES.STATE_LEN
CELLS = VALUE.CELLS
TEAMS = np.array(RULES.TEAMS, np.int64)
HAS_CHANCE = hasattr(RULES, "sample")
sample: Any = getattr(RULES, "sample", None)
value_moves = VALUE.value_moves


@njit
def rollout(s, r, acts, depth, out, net):
    """Fill the value of the row ``s`` for every seat; arguments as in ``rollout.rollout``, ``net`` the network."""
    while HAS_CHANCE and player(s) == CHANCE:
        apply(s, sample(s, r))
    p = player(s)
    if p == TERMINAL:
        returns(s, out)
        return
    values = np.empty(MAX_BRANCH, np.float64)
    ends = np.empty(MAX_BRANCH, np.bool_)
    indices = np.empty((MAX_BRANCH + 1, len(net.offsets)), np.int64)
    row = np.empty(STATE_LEN, np.int64)
    boards = np.empty((2, CELLS), np.int64)
    n = value_moves(s, p, net, net.weights, acts, values, ends, indices, row, boards, out)
    best = values[0]
    for i in range(1, n):
        best = max(best, values[i])
    for q in range(N_PLAYERS):
        out[q] = best if TEAMS[q] == TEAMS[p] else -best
