"""Values of positions along the path of a search: where taps point is followed from move to move, not looked up anew.

Bound into the search families. A game's features may say which cells a move changed (``changes``) and whether a
position is too lively to be valued as it stands (``loudness``). Without ``changes``, taps are looked up anew wherever a
value is asked for: on small boards with few pieces that is cheaper than copying them from level to level, above all
where most levels are dice. Without ``loudness`` all positions are quiet.
"""

from typing import Any

import numpy as np
from numba import njit

from stammtisch.envs.core.rules import Features, Rules

RULES: Rules
FEATURES: Features

N_PLAYERS = RULES.N_PLAYERS
CELLS = FEATURES.CELLS
fill, phase, table_set = FEATURES.fill, FEATURES.phase, FEATURES.table_set
SCRATCH = 2 * CELLS

GRID = 1 << 14  # values are multiples of 1 / GRID, which lets more of them be equal
MOST = (GRID - 1) / GRID  # so that nothing but the end of a game is certain


@njit
def _not_followed(s, after, p, changed):
    return np.int64(0)


@njit
def _never(s):
    return np.int64(0)


FOLLOWS = hasattr(FEATURES, "changes")
changes: Any = getattr(FEATURES, "changes", _not_followed)
loudness: Any = getattr(FEATURES, "loudness", _never)


@njit
def point(s, p, net, taps, board):
    """Fill where the taps of seat ``p`` point in ``s``, int64[taps], without their block; ``board`` is scratch."""
    fill(s, p, board)
    for t in range(len(net.offsets)):
        taps[t] = net.offsets[t]
    for cell in range(CELLS):
        value = board[cell]
        if value:
            for k in range(net.first[cell], net.first[cell + 1]):
                taps[net.taps[k]] += value * net.powers[k]


@njit
def point_all(s, net, taps, board):
    """Fill where the taps of every seat point, int64[N_PLAYERS, taps]."""
    for p in range(N_PLAYERS):
        point(s, p, net, taps[p], board)


@njit
def worth(s, p, net, taps):
    """Value of the afterstate ``s`` of seat ``p``, whose taps point at ``taps``."""
    block = net.blocks[table_set(p), phase(s, p)]
    weights = net.weights
    # Four sums, because each addition to one and the same waits for the last.
    a, b, c, d = np.float32(0.0), np.float32(0.0), np.float32(0.0), np.float32(0.0)
    even = len(taps) & ~3
    for t in range(0, even, 4):
        a += weights[block + taps[t]]
        b += weights[block + taps[t + 1]]
        c += weights[block + taps[t + 2]]
        d += weights[block + taps[t + 3]]
    for t in range(even, len(taps)):
        a += weights[block + taps[t]]
    value = np.rint(np.tanh(np.float64((a + b) + (c + d))) * GRID) / GRID
    return min(max(value, -MOST), MOST)


@njit
def worth_here(s, p, net, taps, board):
    """Value of the afterstate ``s`` of seat ``p`` at the present level of a search; ``board`` is scratch."""
    if not FOLLOWS:
        point(s, p, net, taps, board)
    return worth(s, p, net, taps)


@njit
def _turn(s, after, p, net, before, taps, changed):
    """Let the taps of seat ``p`` follow from ``before`` in ``s`` to ``taps`` in ``after``."""
    for t in range(len(taps)):
        taps[t] = before[t]
    first, reads, powers = net.first, net.taps, net.powers
    for i in range(changes(s, after, p, changed)):
        cell, change = changed[2 * i], changed[2 * i + 1]
        for k in range(first[cell], first[cell + 1]):
            taps[reads[k]] += change * powers[k]


@njit
def follow(s, after, p, net, before, taps, changed):
    """Value of the afterstate ``after`` of seat ``p``, in which its taps follow those ``before`` in ``s``."""
    if FOLLOWS:
        _turn(s, after, p, net, before, taps, changed)
    return worth_here(after, p, net, taps, changed)


@njit
def follow_all(s, after, net, before, taps, changed):
    """Let the taps of all seats follow from ``s`` to ``after``."""
    if FOLLOWS:
        for p in range(N_PLAYERS):
            _turn(s, after, p, net, before[p], taps[p], changed)
