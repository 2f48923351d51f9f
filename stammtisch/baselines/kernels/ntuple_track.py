"""Values of positions along the path of a search: where taps point is followed from move to move, not looked up anew.

Bound into the search families. A game's features may say which cells a move changed (``changes``) and whether a
position is too lively to be valued as it stands (``loudness``); otherwise boards are compared, and all are quiet.
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
def _changes(s, after, p, changed):
    """Fill the cells that differ, as seat ``p`` sees them, and by how much their values do; return how many."""
    boards = np.empty((2, CELLS), np.int64)
    fill(s, p, boards[0])
    fill(after, p, boards[1])
    n = 0
    for cell in range(CELLS):
        change = boards[1, cell] - boards[0, cell]
        if change:
            changed[2 * n] = cell
            changed[2 * n + 1] = change
            n += 1
    return n


@njit
def _never(s):
    return np.int64(0)


changes: Any = getattr(FEATURES, "changes", _changes)
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
    total = np.float32(0.0)
    for t in range(len(taps)):
        total += weights[block + taps[t]]
    value = np.rint(np.tanh(np.float64(total)) * GRID) / GRID
    return min(max(value, -MOST), MOST)


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
    _turn(s, after, p, net, before, taps, changed)
    return worth(after, p, net, taps)


@njit
def follow_all(s, after, net, before, taps, changed):
    """Let the taps of all seats follow from ``s`` to ``after``."""
    for p in range(N_PLAYERS):
        _turn(s, after, p, net, before[p], taps[p], changed)
