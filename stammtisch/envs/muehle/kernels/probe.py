"""What searches ask of the tables: whether a position is known, and what it pays. Bound into them as ``TABLES``."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from stammtisch.envs.core.borrow import borrowed, byte_at
from stammtisch.envs.core.rules import OwnRules

RULES: OwnRules
INDEX: Any  # the kernels of ``index``
kernel: Callable[[Callable[..., Any]], Any]

MOVER, PENDING, TURN = RULES.MOVER, RULES.PENDING, RULES.TURN
BOARD, HAND, LEFT, MAX_TURNS = RULES.BOARD, RULES.HAND, RULES.LEFT, RULES.MAX_TURNS
number_of = INDEX.number_of

HAS_TABLES = True


class Opened(NamedTuple):
    """Tables in memory.

    Attributes:
        index: the ``Index`` of their positions.
        places: int64[hands, men, men], where in memory the codes of each sector begin, 0 if there are none.
    """

    index: Any
    places: Any


@njit
def look_up(s, tables, out):
    """Fill what a position pays both seats, ``float64[2]``, if it is known; return whether it is."""
    p = s[MOVER]
    mine, theirs = s[HAND + p], s[HAND + 1 - p]
    hands = mine + theirs
    places = tables.places
    if s[PENDING] or hands >= len(places) or mine - theirs != hands & 1:
        return False
    w, b = s[LEFT + p] - mine, s[LEFT + 1 - p] - theirs
    if max(w, b) >= places.shape[1] or places[hands, w, b] == 0:
        return False
    code = byte_at(places[hands, w, b] + number_of(tables.index, s[BOARD + p], s[BOARD + 1 - p], w, b))
    worth = 0.0
    if code != 0 and s[TURN] + code - 1 <= MAX_TURNS:  # a win that comes later than the last turn is none
        worth = -1.0 if code & 1 else 1.0
    out[p] = worth
    out[1 - p] = -worth
    return True


@kernel
def look_up_all(rows, tables, values, out):
    """Fill what rows at a player's turn, ``int64[n, STATE_LEN]``, pay both seats, ``float64[n, 2]``, if it is known."""
    rows, values, out = borrowed(rows), borrowed(values), borrowed(out)
    for i in range(len(rows)):
        if look_up(rows[i], tables, out):
            values[i, 0], values[i, 1] = out[0], out[1]


@kernel
def count_known(rows, tables, out):
    """Look many rows up, ``int64[n, STATE_LEN]``; return how many are known. For measuring."""
    rows = borrowed(rows)
    n = np.int64(0)
    for i in range(len(rows)):
        n += look_up(rows[i], tables, out)
    return n
