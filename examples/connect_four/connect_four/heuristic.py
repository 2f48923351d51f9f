"""Reference player of Connect Four: wins if it can, prevents a loss, else takes the move with the best evaluation."""

import numpy as np
from numba import njit

from stammtisch.envs.core.rng import below
from stammtisch.envs.core.rules import OwnRules

RULES: OwnRules  # bound by stammtisch: the executed rules

player, legal, landing, has_line, bit = RULES.player, RULES.legal, RULES.landing, RULES.has_line, RULES.bit
DISCS, ROWS, COLUMNS, MAX_BRANCH = RULES.DISCS, RULES.ROWS, RULES.COLUMNS, RULES.MAX_BRANCH

SCALE = 20.0
WEIGHTS = np.array([0.0, 1.0, 4.0, 12.0, 0.0])  # by discs in a window of four cells that the opponent is not in


def _windows() -> np.ndarray:
    """Return every line of four cells as a number."""
    found = []
    for column in range(COLUMNS):
        for row in range(ROWS):
            for across, up in ((0, 1), (1, 0), (1, 1), (1, -1)):
                cells = [(column + i * across, row + i * up) for i in range(4)]
                if all(c < COLUMNS and 0 <= r < ROWS for c, r in cells):
                    found.append(sum(int(bit(c, r)) for c, r in cells))
    return np.array(found, np.int64)


WINDOWS = _windows()


@njit
def _count(discs):
    n = 0
    while discs:
        discs &= discs - 1
        n += 1
    return n


@njit
def _balance(own, opponent):
    """What speaks for the owner of ``own`` less what speaks against."""
    value = 0.0
    for i in range(len(WINDOWS)):
        mine, theirs = own & WINDOWS[i], opponent & WINDOWS[i]
        if theirs == 0:
            value += WEIGHTS[_count(mine)]
        elif mine == 0:
            value -= WEIGHTS[_count(theirs)]
    return value


@njit
def evaluate(s, p):
    """Value of an unfinished position for seat ``p``, between -1 and 1."""
    return np.tanh(_balance(s[DISCS + p], s[DISCS + 1 - p]) / SCALE)


@njit
def heuristic(s, r, acts):
    """Choose a column; equal ones are drawn at random from the stream of the seat."""
    p = player(s)
    n = legal(s, acts)
    own, opponent = s[DISCS + p], s[DISCS + 1 - p]
    values = np.empty(MAX_BRANCH, np.float64)
    best = -np.inf
    for i in range(n):
        disc = landing(s, acts[i])
        values[i] = _balance(own | disc, opponent)
        if has_line(own | disc):
            values[i] = 1e6
        elif has_line(opponent | disc):
            values[i] = 1e5
        best = max(best, values[i])
    ties = 0
    for i in range(n):
        if values[i] == best:
            acts[ties] = acts[i]
            ties += 1
    return acts[below(r, 1 + p, ties)]
