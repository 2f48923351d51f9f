"""How a simulation ends when an n-tuple network values it: at once. Bound into the search families as their rollout.

The die of the next turn is thrown, and the position is worth what the best move then leads to. The network also says
beforehand what each move is worth and how much attention it deserves.
"""

import numpy as np
from numba import njit

from stammtisch.baselines.kernels.attention import VALUE as GUESSED
from stammtisch.baselines.kernels.attention import share_attention
from stammtisch.baselines.kernels.bindings import Value
from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.rules import Rules

RULES: Rules
VALUE: Value

player, apply, returns = RULES.player, RULES.apply, RULES.returns
MAX_BRANCH, N_PLAYERS, STATE_LEN = RULES.MAX_BRANCH, RULES.N_PLAYERS, RULES.STATE_LEN
CELLS = VALUE.CELLS
TEAMS = np.array(RULES.TEAMS, np.int64)
HAS_CHANCE, sample = RULES.HAS_CHANCE, RULES.sample
value_moves = VALUE.value_moves


@njit
def _value_all(s, p, net, acts, values, out):
    """Fill the value of every legal move of seat ``p``; return how many there are."""
    ends = np.empty(MAX_BRANCH, np.bool_)
    indices = np.empty((MAX_BRANCH + 1, len(net.offsets)), np.int64)
    row = np.empty(STATE_LEN, np.int64)
    boards = np.empty((2, CELLS), np.int64)
    return value_moves(s, p, net, net.weights, acts, values, ends, indices, row, boards, out)


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
    n = _value_all(s, p, net, acts, values, out)
    best = values[0]
    for i in range(1, n):
        best = max(best, values[i])
    for q in range(N_PLAYERS):
        out[q] = best if TEAMS[q] == TEAMS[p] else -best


@njit
def guess(s, p, net, softness, guesses):
    """Fill value and share of attention of every legal move of seat ``p``, float64[n, 2]."""
    acts = np.empty(MAX_BRANCH, np.int64)
    values = np.empty(MAX_BRANCH, np.float64)
    out = np.empty(N_PLAYERS, np.float64)
    n = _value_all(s, p, net, acts, values, out)
    for i in range(n):
        guesses[i, GUESSED] = values[i]
    share_attention(guesses, softness)
