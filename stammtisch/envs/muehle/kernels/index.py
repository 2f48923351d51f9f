"""Positions of men on the board as consecutive numbers and back; executed once per variant.

A sector holds all positions with ``w`` men of the side to move and ``b`` of the other. Turning, mirroring and turning
the board inside out leaves the worth of a position as it is: of the men of the side to move, only the least set of each
such class is listed, and the other men are numbered among the points that these leave free. Where a symmetry maps the
listed set onto itself, the position has the least of its numbers; the others are holes.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from stammtisch.envs.core.rules import OwnRules

RULES: OwnRules
kernel: Callable[[Callable[..., Any]], Any]

POINTS = RULES.POINTS
lowest = RULES.lowest
BYTES = 3
_NOWHERE = np.int64(1) << 40

COUNT = np.array([value.bit_count() for value in range(256)], np.int64)


class Index(NamedTuple):
    """What numbering needs to look up.

    Attributes:
        images: int32[symmetries, BYTES, 256], where the points of a byte go.
        ranks: int32[BYTES, POINTS + 1, 256], what a byte adds to the rank of a set with so many points below it.
        choose: int64[POINTS + 2, POINTS + 2], binomial coefficients.
        sets: int64[n + 2], where the sets of each size begin in ``classes`` and ``ways``.
        classes: int32[k], the class of each set, by its size and rank.
        ways: int32[k], the symmetries, one bit each, that map the set to the one that is listed.
        first: int64[n + 2], where the classes of each size begin in ``listed``.
        listed: int32[c], the listed set of each class.
    """

    images: Any
    ranks: Any
    choose: Any
    sets: Any
    classes: Any
    ways: Any
    first: Any
    listed: Any


def new_index(renamings: list[Any], most: int) -> Index:
    """Return the index of positions with up to ``most`` men a side; ``renamings`` say where symmetries move points."""
    images = np.zeros((len(renamings), BYTES, 256), np.int32)
    for k, target in enumerate(renamings):
        for byte in range(BYTES):
            for value in range(256):
                moved = [int(target[8 * byte + i]) for i in range(8) if value >> i & 1 and 8 * byte + i < POINTS]
                images[k, byte, value] = sum(1 << point for point in moved)
    ranks = np.zeros((BYTES, POINTS + 1, 256), np.int32)
    for byte in range(BYTES):
        for below in range(8 * byte + 1):
            for value in range(256):
                bits = [8 * byte + i for i in range(8) if value >> i & 1]
                if below <= POINTS and all(bit < POINTS for bit in bits):
                    ranks[byte, below, value] = sum(math.comb(bit, below + i + 1) for i, bit in enumerate(bits))
    choose = np.array([[math.comb(n, k) for k in range(POINTS + 2)] for n in range(POINTS + 2)], np.int64)
    sizes = choose[POINTS, : most + 1]
    sets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    classes, ways = np.zeros(sets[-1], np.int32), np.zeros(sets[-1], np.int32)
    first, listed = np.zeros(most + 2, np.int64), np.zeros(sets[-1], np.int32)
    fill_classes(images, ranks, most, sets, classes, ways, first, listed)
    return Index(images, ranks, choose, sets, classes, ways, first, listed[: first[-1]].copy())


@njit
def image(images, k, men):
    """Return where a symmetry puts a set of points."""
    found = np.int64(0)
    for byte in range(BYTES):
        found |= images[k, byte, (men >> 8 * byte) & 0xFF]
    return found


@njit
def rank(ranks, men):
    """Return the place of a set among those of its size, in the order of their masks."""
    found = np.int64(0)
    below = np.int64(0)
    for byte in range(BYTES):
        value = (men >> 8 * byte) & 0xFF
        found += ranks[byte, below, value]
        below += COUNT[value]
    return found


@njit
def squeeze(men, gaps):
    """Renumber the points without those of ``gaps``."""
    k = 0
    while gaps:
        below = ((gaps & -gaps) >> k) - 1
        men = (men & below) | ((men >> 1) & ~below)
        gaps &= gaps - 1
        k += 1
    return men


@njit
def spread(men, gaps):
    """Undo ``squeeze``."""
    while gaps:
        below = (gaps & -gaps) - 1
        men = (men & below) | ((men & ~below) << 1)
        gaps &= gaps - 1
    return men


@kernel
def fill_classes(images, ranks, most, sets, classes, ways, first, listed):
    """Find the classes of all sets up to a size; their masks rise with their ranks, so the least one comes first."""
    n = np.int64(0)
    for size in range(most + 1):
        first[size] = n
        men = (np.int64(1) << size) - 1
        for at in range(sets[size], sets[size + 1]):
            least = men
            for k in range(len(images)):
                least = min(least, image(images, k, men))
            for k in range(len(images)):
                if image(images, k, men) == least:
                    ways[at] |= 1 << k
            if least == men:
                listed[n] = men
                classes[at] = n - first[size]
                n += 1
            else:
                classes[at] = classes[sets[size] + rank(ranks, least)]
            low = men & -men
            if low:
                up = men + low
                men = up | (((men ^ up) >> 2) // low)
    first[most + 1] = n


@njit
def number_of(t, own, enemy, w, b):
    """Return the number of a position in its sector."""
    at = t.sets[w] + rank(t.ranks, own)
    place = np.int64(t.classes[at])
    gaps = np.int64(t.listed[t.first[w] + place])
    ways = np.int64(t.ways[at])
    least = _NOWHERE
    while ways:
        least = min(least, rank(t.ranks, squeeze(image(t.images, lowest(ways), enemy), gaps)))
        ways &= ways - 1
    return place * t.choose[POINTS - w, b] + least


@njit
def position_of(t, number, w, b):
    """Return the men of the side to move and of the other."""
    n = t.choose[POINTS - w, b]
    place = number // n
    left = number - place * n
    own = np.int64(t.listed[t.first[w] + place])
    enemy = np.int64(0)
    point = POINTS - w - 1
    for k in range(b, 0, -1):
        while t.choose[point, k] > left:
            point -= 1
        enemy |= np.int64(1) << point
        left -= t.choose[point, k]
        point -= 1
    return own, spread(enemy, own)


@njit
def is_hole(t, number, own, enemy, w, b):
    """Whether a number stands for a position that has a lower one as well."""
    ways = t.ways[t.sets[w] + rank(t.ranks, own)]
    return ways & (ways - 1) != 0 and number_of(t, own, enemy, w, b) != number


@kernel
def find_number(t, own, enemy, w, b):
    """Return the number of a position; see ``number_of``."""
    return number_of(t, own, enemy, w, b)


@kernel
def find_position(t, number, w, b):
    """Return both sides' men; see ``position_of``."""
    return position_of(t, number, w, b)
