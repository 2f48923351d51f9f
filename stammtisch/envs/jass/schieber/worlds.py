"""Values of every action of a seat in many deals that agree with what it knows, all hands then in sight."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from stammtisch.envs.core.rules import OwnRules, Solver

RULES: OwnRules
SOLVER: Solver
kernel: Callable[[Callable[..., Any]], Any]

apply, legal, resample_hidden = RULES.apply, RULES.legal, RULES.resample_hidden
MODE, NO_MODE, TURN, PASS = RULES.MODE, RULES.NO_MODE, RULES.TURN, RULES.PASS
MAX_BRANCH, STATE_LEN = RULES.MAX_BRANCH, RULES.STATE_LEN
value_cards: Any = SOLVER.value_cards
value_of: Any = SOLVER.value_of


@njit
def _copy(s, to):
    for i in range(STATE_LEN):  # assigning the row compiles for seconds
        to[i] = s[i]


@njit
def _value_modes(s, w, scratch, acts, values):
    """Value every mode and passing the choice on, after which the partner chooses the best for the same team."""
    n = legal(s, acts)
    sign = -1.0 if s[TURN] & 1 else 1.0
    best = -np.inf
    for i in range(n):
        if acts[i] != PASS:
            _copy(s, scratch)
            apply(scratch, acts[i])
            values[i] = value_of(scratch, w)
            best = max(best, sign * values[i])
    for i in range(n):
        if acts[i] == PASS:
            values[i] = sign * best
    return n


@njit
def _value_actions(s, w, scratch, acts, values):
    if s[MODE] == NO_MODE:
        return _value_modes(s, w, scratch, acts, values)
    return value_cards(s, w, acts, values)


@kernel
def solve_actions(s, w, acts, values):
    """Value every action of the seat to move with all hands in sight; return how many there are.

    Args:
        s: a row after the deal, not changed.
        w: arrays of the solver.
        acts: int64[MAX_BRANCH], filled with the legal actions.
        values: float64[MAX_BRANCH], filled with the difference of this deal's points for team 0 in hundreds.
    """
    return np.int64(_value_actions(s, w, np.empty(STATE_LEN, np.int64), acts, values))


@kernel
def solve_worlds(s, r, w, values):
    """Value every action of the seat to move in deals drawn anew.

    Args:
        s: the row as the seat sees it, not changed.
        r: uint64[n], streams; stream 0 deals.
        w: arrays of the solver.
        values: float64[worlds, MAX_BRANCH], filled as by ``solve_actions``.
    """
    world, scratch = np.empty(STATE_LEN, np.int64), np.empty(STATE_LEN, np.int64)
    acts = np.empty(MAX_BRANCH, np.int64)
    for i in range(len(values)):
        _copy(s, world)
        resample_hidden(world, s[TURN], r)
        _value_actions(world, w, scratch, acts, values[i])
