"""What n-tuples see of Mühle and its relatives: the men of both sides; executed once per variant.

A point has value 0 when it is empty, 1 for an own man, 2 for the opponent's. The phase tells the rest: how far the
placing is, who may fly, and whether a removal is pending.
"""

import numpy as np
from numba import njit

from stammtisch.envs.core.rules import OwnRules

RULES: OwnRules
CODING: int

POINTS, RINGS, MEN = RULES.POINTS, RULES.RINGS, RULES.MEN
BOARD, HAND, PENDING = RULES.BOARD, RULES.HAND, RULES.PENDING
can_fly, lowest = RULES.can_fly, RULES.lowest

CELLS = POINTS
VALUES = 3
KINDS = 7  # three parts of the placing, moving, the observer flies, the opponent flies, both fly
PHASES = 2 * KINDS
SETS = 1


def _symmetries() -> tuple[tuple[int, ...], ...]:
    """Turns and reflections of the rings, also with the rings inside out; the centre stays."""
    found = []
    for outwards in (False, True)[: 1 if RINGS == 1 else 2]:
        for mirror in (False, True):
            for turn in (0, 2, 4, 6):
                image = []
                for point in range(POINTS):
                    ring, position = divmod(point, 8)
                    if POINTS == 9 and point == 8:
                        image.append(8)
                        continue
                    position = ((2 - position if mirror else position) + turn) % 8
                    image.append(8 * (RINGS - 1 - ring if outwards else ring) + position)
                found.append(tuple(image))
    return tuple(found)


SYMMETRIES = _symmetries()
NEIGHBOURS = tuple(tuple(points) for points in RULES.NEIGHBOURS)


@njit(forceinline=True)
def table_set(p):
    """Return which set of tables values what seat ``p`` sees."""
    return 0


@njit(forceinline=True)
def phase(s, p):
    """Return the kind of play, and beyond ``KINDS`` the same with a removal pending."""
    q = 1 - p
    in_hand = s[HAND] + s[HAND + 1]
    kind = 3 + np.int64(can_fly(s, p)) + 2 * np.int64(can_fly(s, q))
    if in_hand:
        kind = 2 - (3 * (in_hand - 1)) // (2 * MEN)
    return kind + KINDS * s[PENDING]


@njit(forceinline=True)
def fill(s, p, board):
    """Fill the value of every point as seat ``p`` sees it, int64[CELLS]."""
    own = s[BOARD + p]
    opponent = s[BOARD + 1 - p]
    for point in range(POINTS):
        board[point] = ((own >> point) & 1) + 2 * ((opponent >> point) & 1)


@njit(forceinline=True)
def changes(s, after, p, changed):
    """Fill the points that differ between two positions and by how much, in turn; return how many."""
    own, own_after = s[BOARD + p], after[BOARD + p]
    other, other_after = s[BOARD + 1 - p], after[BOARD + 1 - p]
    points = (own ^ own_after) | (other ^ other_after)
    n = 0
    while points:
        point = lowest(points)
        points &= points - 1
        changed[2 * n] = point
        change = ((own_after >> point) & 1) - ((own >> point) & 1)
        changed[2 * n + 1] = change + 2 * (((other_after >> point) & 1) - ((other >> point) & 1))
        n += 1
    return n


@njit
def loudness(s):
    """Return 2 while a removal is pending, 0 in all other positions."""
    return 2 * s[PENDING]


def _tuples(rings: int) -> list[tuple[int, ...]]:
    """Return each ring with the spokes beside it, the spokes, and the rows that lie behind each other."""
    if rings == 1:
        return [tuple(range(9))]
    spokes = [tuple(8 * r + p for p in (1, 3, 5, 7)) for r in range(rings)]
    ring = [tuple(range(8 * r, 8 * r + 8)) for r in range(rings)]
    found = [(*ring[0], *spokes[1]), (*ring[1], *spokes[0])]
    if rings == 3:
        found.append((*spokes[0], *spokes[1], *spokes[2]))
    found.append(tuple(8 * r + p for r in range(rings) for p in (0, 1, 2)))
    return found


TUPLE_SETS = {"fixed": _tuples(RINGS)}
