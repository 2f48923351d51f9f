"""The arrays of an alpha-beta search: what they are called, hashing rows, and finding entries of a learned table.

A learned table is three arrays whose length is a power of two: ``keys`` int64 (0 marks a free place), ``values``
float32 for the seat to move, and ``info`` int32 with depth, kind of bound and number of uses.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from stammtisch.envs.core.jit import modular


class SearchArrays(NamedTuple):
    """The arrays of a search; the kernel module tells their sizes.

    Attributes:
        rows: int64[levels, STATE_LEN], the positions from the root to the present one.
        lists: int64[levels, LIST_LEN]; actions, their scores, and two killer moves.
        reals: float64[1 + levels, REAL_LEN]; utilities first, then per level odds and bounds of the outcomes.
        control: int64[CONTROL_LEN]; nodes so far and their limit, a flag by which another thread can stop the search,
            guesses so far, depth reached; then the history of both teams' actions.
        table: int64[k, 2], transposition table of keys and what is known, k a power of two.
        values: float64[k], its values.
        learned: learned table, the three arrays described above; an empty tuple if there is none.
        endgames: what ``TABLES`` looks up; an empty tuple without tables.
    """

    rows: Any
    lists: Any
    reals: Any
    control: Any
    table: Any
    values: Any
    learned: Any
    endgames: Any


EXACT, AT_LEAST, AT_MOST = 1, 2, 3  # what an entry says about the true value

DEPTH_MASK = 0xFF
KIND_SHIFT, KIND_MASK = 8, 3
USES_SHIFT = 10
MOST_USES = (1 << 16) - 1

_FACTOR_1 = np.uint64(0x9E3779B97F4A7C15)
_FACTOR_2 = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)


@modular
def mix(word):
    """Spread the bits of a uint64 over the whole word."""
    word = (word ^ (word >> _HALF)) * _FACTOR_2
    word = (word ^ (word >> _HALF)) * _FACTOR_2
    return word ^ (word >> _HALF)


@modular
def hash_row(s, salt):
    """Return a key for a row, another one for another ``salt``; never 0."""
    word = np.uint64(salt + 1) * _FACTOR_2
    for i in range(len(s)):
        word = (word ^ np.uint64(s[i])) * _FACTOR_1
        word ^= word >> _HALF
    key = np.int64(mix(word))
    return key if key != 0 else np.int64(1)


@njit
def find(keys, key):
    """Return where ``key`` is or would be in a learned table."""
    last = np.int64(len(keys) - 1)
    at = np.int64(mix(np.uint64(key))) & last
    while keys[at] != key and keys[at] != 0:
        at = (at + 1) & last
    return at
