"""Flat Monte Carlo: the same number of simulations for every legal action."""

from collections.abc import Callable
from typing import Any

import numpy as np

from stammtisch.baselines.kernels.bindings import Rollout
from stammtisch.envs.core.rules import Rules

RULES: Rules
ROLLOUT: Rollout
kernel: Callable[[Callable[..., Any]], Any]

player, legal, apply = RULES.player, RULES.legal, RULES.apply
MAX_BRANCH, N_PLAYERS, STATE_LEN = RULES.MAX_BRANCH, RULES.N_PLAYERS, RULES.STATE_LEN
rollout = ROLLOUT.rollout


@kernel
def try_actions(root, simulations, depth, r, actions, totals):
    """Simulate the legal actions of ``root`` one after the other; return how many there are.

    Args:
        root: the position of the seat to move, not changed.
        simulations: per action.
        depth: player actions before a simulation is cut, negative for none.
        r: uint64[1 + N_PLAYERS], random streams.
        actions: int64[MAX_BRANCH], filled with the legal actions.
        totals: float64[MAX_BRANCH], filled with the sum of the utilities of the seat to move.
    """
    p = player(root)
    after = np.empty(STATE_LEN, np.int64)
    s = np.empty(STATE_LEN, np.int64)
    acts = np.empty(MAX_BRANCH, np.int64)
    out = np.empty(N_PLAYERS, np.float64)
    n = legal(root, actions)
    for i in range(n):
        after[:] = root
        apply(after, actions[i])
        total = 0.0
        for _ in range(simulations):
            s[:] = after
            rollout(s, r, acts, depth, out, ())
            total += out[p]
        totals[i] = total
    return np.int64(n)
