"""Expectimax on top of n-tuple values: a few plies of moves and chance events, then the values of the afterstates."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from stammtisch.baselines.kernels.bindings import EndgameTables, Value
from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.rng import below
from stammtisch.envs.core.rules import Rules

RULES: Rules
VALUE: Value
TABLES: EndgameTables
kernel: Callable[[Callable[..., Any]], Any]

player, legal, apply, returns = RULES.player, RULES.legal, RULES.apply, RULES.returns
MAX_BRANCH, N_PLAYERS, STATE_LEN = RULES.MAX_BRANCH, RULES.N_PLAYERS, RULES.STATE_LEN
CELLS = VALUE.CELLS
TEAMS = np.array(RULES.TEAMS, np.int64)
HAS_CHANCE, chance = RULES.LISTS_CHANCE, RULES.chance
copy, value_moves = VALUE.copy, VALUE.value_moves
HAS_TABLES, look_up = TABLES.HAS_TABLES, TABLES.look_up

SOON = 0.999  # what a value counts one ply later, so that wins come early and losses late
LEVELS_PER_PLY = 3  # a move, a second action of the same seat, a chance event


@njit
def _correct(s, p, n, acts, values, endgames, row, out):
    """Put what the tables say of the moves of seat ``p`` in the place of what the network does."""
    for i in range(n):
        copy(s, row)
        apply(row, acts[i])
        if player(row) >= 0 and look_up(row, endgames, out):
            values[i] = out[p]


@kernel
def think(s, plies, net, endgames, acts, values, visits):
    """Value every legal action of the seat to move; return how many there are.

    Args:
        s: the position, not changed.
        plies: turns to look ahead after the move; further actions of the same seat and chance events cost nothing.
        net: the value function.
        endgames: what ``TABLES`` looks up, or an empty tuple.
        acts: int64[MAX_BRANCH], filled with the legal actions.
        values: float64[MAX_BRANCH], filled with the value of each for the seat to move.
        visits: int64[MAX_BRANCH], filled with the afterstates looked at below each.
    """
    levels = LEVELS_PER_PLY * (plies + 1) + 1
    rows = np.empty((levels, STATE_LEN), np.int64)
    lists = np.empty((levels, MAX_BRANCH), np.int64)
    odds = np.empty((levels, MAX_BRANCH), np.float64)
    size = np.empty(levels, np.int64)
    at = np.empty(levels, np.int64)
    left = np.empty(levels, np.int64)
    seat = np.empty(levels, np.int64)  # who decides; at chance nodes, who moved before
    rolls = np.zeros(levels, np.bool_)
    found = np.empty(levels, np.float64)
    leaf_acts = np.empty(MAX_BRANCH, np.int64)
    leaf_values = np.empty(MAX_BRANCH, np.float64)
    ends = np.empty(MAX_BRANCH, np.bool_)
    indices = np.empty((MAX_BRANCH + 1, len(net.offsets)), np.int64)
    row = np.empty(STATE_LEN, np.int64)
    boards = np.empty((2, CELLS), np.int64)
    out = np.empty(N_PLAYERS, np.float64)
    me = player(s)
    n = value_moves(s, me, net, net.weights, acts, values, ends, indices, row, boards, out)
    visits[:n] = 1
    if HAS_TABLES and plies == 0:
        _correct(s, me, n, acts, values, endgames, row, out)
    if plies == 0:
        return np.int64(n)
    visits[:n] = 0
    copy(s, rows[0])
    size[0] = legal(s, lists[0])
    at[0] = 0
    left[0] = plies
    seat[0] = me
    level = 0
    while True:
        if at[level] < size[level]:
            # Step 1. Go down one action or outcome.
            below_ = level + 1
            copy(rows[level], rows[below_])
            apply(rows[below_], lists[level, at[level]])
            at[level] += 1
            q = player(rows[below_])
            if q == TERMINAL:
                returns(rows[below_], out)
                value = out[seat[level]]
                visits[at[0] - 1] += 1
            elif HAS_TABLES and q >= 0 and look_up(rows[below_], endgames, out):
                value = out[seat[level]]
                visits[at[0] - 1] += 1
            else:
                is_roll = HAS_CHANCE and q == CHANCE
                deeper = left[level] if is_roll or q == seat[level] else left[level] - 1
                if is_roll or deeper > 0:
                    level = below_
                    rolls[level] = is_roll
                    seat[level] = seat[level - 1] if is_roll else q
                    size[level] = legal(rows[level], lists[level])
                    if HAS_CHANCE and is_roll:
                        chance(rows[level], odds[level])
                    at[level] = 0
                    left[level] = deeper
                    found[level] = 0.0 if is_roll else -np.inf
                    continue
                k = value_moves(
                    rows[below_], q, net, net.weights, leaf_acts, leaf_values, ends, indices, row, boards, out
                )
                if HAS_TABLES:
                    _correct(rows[below_], q, k, leaf_acts, leaf_values, endgames, row, out)
                value = leaf_values[0]
                for i in range(1, k):
                    value = max(value, leaf_values[i])
                value = SOON * value if TEAMS[q] == TEAMS[seat[level]] else -SOON * value
                visits[at[0] - 1] += k
        elif level == 0:
            return np.int64(n)
        else:
            # Step 2. Go up with what was found, seen from the seat above.
            value = found[level]
            if TEAMS[seat[level]] != TEAMS[seat[level - 1]]:
                value = -value
            if not rolls[level]:
                value *= SOON
            level -= 1
        if level == 0:
            values[at[0] - 1] = value
        elif rolls[level]:
            found[level] += odds[level, at[level] - 1] * value
        else:
            found[level] = max(found[level], value)


@kernel
def draw(r, n):
    """Draw one of ``n`` from the agent's stream."""
    return below(r, 0, n)
