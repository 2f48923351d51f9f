"""Values of afterstates by n-tuples, for all moves of a position at once. Bound into the training and search families.

A value is for the seat that moved into the afterstate, -1..1 as the returns of the games. All functions are inlined by
force, which spares counting references to their arrays and makes training a third faster.
"""

from typing import Any

import numpy as np
from numba import njit

from stammtisch.envs.core.constants import TERMINAL
from stammtisch.envs.core.rules import Features, Rules

RULES: Rules
FEATURES: Features

player, legal, apply, returns = RULES.player, RULES.legal, RULES.apply, RULES.returns
N_PLAYERS, STATE_LEN = RULES.N_PLAYERS, RULES.STATE_LEN
CELLS = FEATURES.CELLS
fill, phase, table_set = FEATURES.fill, FEATURES.phase, FEATURES.table_set
FOLLOWS = hasattr(FEATURES, "changes")  # otherwise all cells are compared
changes: Any = getattr(FEATURES, "changes", None)


@njit(forceinline=True)
def copy(row, to):
    """Copy a row; a loop compiles faster than a slice."""
    for i in range(len(row)):
        to[i] = row[i]


@njit(forceinline=True)
def point(s, p, net, board, indices):
    """Fill where each tap reads its weight for the afterstate ``s`` of seat ``p``, int64[taps]."""
    fill(s, p, board)
    block = net.blocks[table_set(p), phase(s, p)]
    for t in range(len(indices)):
        indices[t] = block + net.offsets[t]
    for cell in range(CELLS):
        value = board[cell]
        if value:
            for k in range(net.first[cell], net.first[cell + 1]):
                indices[net.taps[k]] += value * net.powers[k]


@njit(forceinline=True)
def value_at(weights, indices):
    """Value of the afterstate whose taps point at ``indices``."""
    # Four sums, because each addition to one and the same waits for the last.
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    even = len(indices) & ~3
    for t in range(0, even, 4):
        a += weights[indices[t]]
        b += weights[indices[t + 1]]
        c += weights[indices[t + 2]]
        d += weights[indices[t + 3]]
    for t in range(even, len(indices)):
        a += weights[indices[t]]
    return np.tanh((a + b) + (c + d))


@njit(forceinline=True)
def value_moves(s, p, net, weights, acts, values, ends, indices, row, boards, out):
    """Value every legal move of seat ``p``; return how many there are.

    The taps of the position itself are looked up once; a move changes only those of the cells it touches.

    Args:
        s: the position, not changed.
        p: the seat to move.
        net: where to look.
        weights: the weights to take, those of ``net`` or an older copy.
        acts: the arrays of a ``Scratch`` from here on, one by one: as a tuple they slow training down by a tenth;
            int64[MAX_BRANCH], filled with the legal actions.
        values: float64[MAX_BRANCH], filled with the value of each afterstate, or the result if the game ends there.
        ends: bool[MAX_BRANCH], filled with whether it does.
        indices: int64[MAX_BRANCH + 1, taps]; filled with where the taps point in each afterstate that is no end.
        row: int64[STATE_LEN], scratch.
        boards: int64[2, CELLS], scratch.
        out: float64[N_PLAYERS], scratch.
    """
    n = legal(s, acts)
    taps = len(net.offsets)
    here, there = boards[0], boards[1]
    base = indices[len(indices) - 1]
    fill(s, p, here)
    for t in range(taps):
        base[t] = net.offsets[t]
    for cell in range(CELLS):
        value = here[cell]
        if value:
            for k in range(net.first[cell], net.first[cell + 1]):
                base[net.taps[k]] += value * net.powers[k]
    changed = boards.reshape(2 * CELLS)  # what a move changed; the cells themselves are not needed any more then
    for i in range(n):
        copy(s, row)
        apply(row, acts[i])
        if player(row) == TERMINAL:
            returns(row, out)
            values[i] = out[p]
            ends[i] = True
            continue
        ends[i] = False
        block = net.blocks[table_set(p), phase(row, p)]
        at = indices[i]
        for t in range(taps):
            at[t] = block + base[t]
        if FOLLOWS:
            for j in range(changes(s, row, p, changed)):
                cell, change = changed[2 * j], changed[2 * j + 1]
                for k in range(net.first[cell], net.first[cell + 1]):
                    at[net.taps[k]] += change * net.powers[k]
        else:
            fill(row, p, there)
            for cell in range(CELLS):
                change = there[cell] - here[cell]
                if change:
                    for k in range(net.first[cell], net.first[cell + 1]):
                        at[net.taps[k]] += change * net.powers[k]
        values[i] = value_at(weights, at)
    return n
