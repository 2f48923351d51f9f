"""How a simulation ends: a game played on by a policy, to its end or up to a cut. Bound into the search families.

What a move is worth before it is tried, the evaluation says of the position after it.
"""

import numpy as np
from numba import njit

from stammtisch.baselines.kernels.attention import VALUE, share_attention
from stammtisch.envs.core.borrow import borrowed
from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.rng import CHANCE_STREAM
from stammtisch.envs.core.rules import Policy, Rules

RULES: Rules
HEURISTIC: Policy  # who plays on
CUT: str  # value of an unfinished game: "zero" or "evaluate"

player, legal, apply, returns = RULES.player, RULES.legal, RULES.apply, RULES.returns
MAX_BRANCH, N_PLAYERS, STATE_LEN = RULES.MAX_BRANCH, RULES.N_PLAYERS, RULES.STATE_LEN
HAS_CHANCE, sample, draw = RULES.HAS_CHANCE, RULES.sample, RULES.draw
IS_RANDOM, policy, evaluate_all = HEURISTIC.IS_RANDOM, HEURISTIC.choose, HEURISTIC.evaluate_all
EVALUATES = CUT == "evaluate"


@njit
def _value_unfinished(s, out):
    if EVALUATES:
        evaluate_all(s, out)
    else:
        for q in range(N_PLAYERS):
            out[q] = 0.0


@njit
def rollout(s, r, acts, depth, out, net):
    """Play the row ``s`` on and fill the utility of every seat.

    Args:
        s: the position, changed.
        r: uint64[1 + N_PLAYERS]; chance and random moves draw from stream 0, a policy from that of its seat.
        acts: int64[MAX_BRANCH], scratch.
        depth: player actions before the game is cut, negative for none.
        out: float64[N_PLAYERS].
        net: what values positions elsewhere; nothing here.
    """
    s, r, acts, out = borrowed(s), borrowed(r), borrowed(acts), borrowed(out)
    p = player(s)
    while p != TERMINAL:
        if HAS_CHANCE and p == CHANCE:
            apply(s, sample(s, r))
        else:
            if depth == 0:
                _value_unfinished(s, out)
                return
            depth -= 1
            if IS_RANDOM:
                apply(s, draw(s, r, CHANCE_STREAM, acts))
            else:
                apply(s, policy(s, r, acts))
        p = player(s)
    returns(s, out)


@njit
def guess(s, p, net, softness, guesses):
    """Fill value and share of attention of every legal move of seat ``p``, float64[n, 2], by the evaluation."""
    acts = np.empty(MAX_BRANCH, np.int64)
    row = np.empty(STATE_LEN, np.int64)
    out = np.empty(N_PLAYERS, np.float64)
    for i in range(legal(s, acts)):
        for k in range(STATE_LEN):
            row[k] = s[k]
        apply(row, acts[i])
        if player(row) == TERMINAL:
            returns(row, out)
        else:
            evaluate_all(row, out)
        guesses[i, VALUE] = out[p]
    share_attention(guesses, softness)
