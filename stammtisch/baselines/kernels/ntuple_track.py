"""Values of positions along the path of a search: where taps point is followed from move to move, not looked up anew.

Bound into the search families. A game's features may say which cells a move changed (``changes``) and whether a
position is too lively to be valued as it stands (``loudness``). Without ``changes``, taps are looked up anew wherever a
value is asked for: on small boards with few pieces that is cheaper than copying them from level to level, above all
where most levels are dice. Without ``loudness`` all positions are quiet.

Weights are whole numbers here, multiples of ``1 / UNITS``: so their sum, too, follows from move to move, by the taps
that point elsewhere, without ever drifting away from what adding up all of them would give. Behind the taps their array
holds the block that they point into and this sum.
"""

from typing import Any

import numpy as np
from numba import njit

from stammtisch.baselines.kernels.ntuple_net import UNITS
from stammtisch.envs.core.bits import lowest
from stammtisch.envs.core.rules import Features, Rules

RULES: Rules
FEATURES: Features

N_PLAYERS = RULES.N_PLAYERS
CELLS = FEATURES.CELLS
fill, phase, table_set = FEATURES.fill, FEATURES.phase, FEATURES.table_set
SCRATCH = 2 * CELLS

GRID = 1 << 14  # values are multiples of 1 / GRID, which lets more of them be equal
MOST = (GRID - 1) / GRID  # so that nothing but the end of a game is certain
MASKED = 63  # taps whose changes are marked in one word; more are added up anew


@njit
def _not_followed(s, after, p, changed):
    return np.int64(0)


@njit
def _never(s):
    return np.int64(0)


FOLLOWS = hasattr(FEATURES, "changes")
changes: Any = getattr(FEATURES, "changes", _not_followed)
loudness: Any = getattr(FEATURES, "loudness", _never)


@njit(forceinline=True)
def _add_up(net, taps):
    """Put the sum of the weights where the taps point behind them."""
    weights, n = net.weights, len(net.offsets)
    block = taps[n]
    total = np.int64(0)
    for t in range(n):
        total += weights[block + taps[t]]
    taps[n + 1] = total


@njit
def point(s, p, net, taps, board):
    """Fill where the taps of seat ``p`` point in ``s``, int64[taps + BEHIND_TAPS]; ``board`` is scratch."""
    n = len(net.offsets)
    fill(s, p, board)
    for t in range(n):
        taps[t] = net.offsets[t]
    for cell in range(CELLS):
        value = board[cell]
        if value:
            for k in range(net.first[cell], net.first[cell + 1]):
                taps[net.taps[k]] += value * net.powers[k]
    taps[n] = net.blocks[table_set(p), phase(s, p)]
    _add_up(net, taps)


@njit
def point_all(s, net, taps, board):
    """Fill where the taps of every seat point, int64[N_PLAYERS, taps + BEHIND_TAPS]."""
    for p in range(N_PLAYERS):
        point(s, p, net, taps[p], board)


@njit(forceinline=True)
def worth(taps):
    """Value of the afterstate in which the taps of its seat point at ``taps``."""
    tanh = 1.0 - 2.0 / (1.0 + np.exp(2.0 / UNITS * taps[len(taps) - 1]))  # much faster than the function of that name
    value = np.rint(tanh * GRID) / GRID
    return min(max(value, -MOST), MOST)


@njit(forceinline=True)
def worth_here(s, p, net, taps, board):
    """Value of the afterstate ``s`` of seat ``p`` at the present level of a search; ``board`` is scratch."""
    if not FOLLOWS:
        point(s, p, net, taps, board)
    return worth(taps)


@njit(forceinline=True)
def _turn(s, after, p, net, before, taps, changed):
    """Let the taps of seat ``p`` follow from ``before`` in ``s`` to ``taps`` in ``after``."""
    n = len(net.offsets)
    for t in range(len(taps)):
        taps[t] = before[t]
    first, reads, powers, weights = net.first, net.taps, net.powers, net.weights
    touched = np.int64(0)
    for i in range(changes(s, after, p, changed)):
        cell, change = changed[2 * i], changed[2 * i + 1]
        for k in range(first[cell], first[cell + 1]):
            taps[reads[k]] += change * powers[k]
            touched |= np.int64(1) << reads[k]
    block = net.blocks[table_set(p), phase(after, p)]
    if block != before[n] or n > MASKED:
        taps[n] = block
        _add_up(net, taps)
        return
    total = before[n + 1]
    while touched:
        t = lowest(touched)
        touched &= touched - 1
        total += weights[block + taps[t]] - weights[block + before[t]]
    taps[n + 1] = total


@njit(forceinline=True)
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
