"""Helpers of the search tables: hashing rows, and finding entries of a learned table.

A learned table is three arrays whose length is a power of two: ``keys`` uint64 (0 marks a free place), ``values`` float32
for the seat to move, and ``info`` int32 with depth, kind of bound and number of uses.
"""

import numpy as np
from numba import njit

EXACT, AT_LEAST, AT_MOST = 1, 2, 3  # what an entry says about the true value

DEPTH_MASK = 0xFF
BOUND_SHIFT = 8
USES_SHIFT = 10
MOST_USES = (1 << 16) - 1

_FACTOR_1 = np.uint64(0x9E3779B97F4A7C15)
_FACTOR_2 = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)


@njit
def mix(word):
    """Spread the bits of a uint64 over the whole word."""
    word = (word ^ (word >> _HALF)) * _FACTOR_2
    word = (word ^ (word >> _HALF)) * _FACTOR_2
    return word ^ (word >> _HALF)


@njit
def hash_row(s, salt):
    """Return 64 bits for a row, different ones for different ``salt``."""
    word = np.uint64(salt) * _FACTOR_1
    for i in range(len(s)):
        word = (word ^ np.uint64(s[i])) * _FACTOR_1
        word ^= word >> _HALF
    return mix(word)


@njit
def find(keys, key):
    """Return where ``key`` is or would be in a learned table."""
    last = np.int64(len(keys) - 1)
    at = np.int64(mix(key)) & last
    while keys[at] != key and keys[at] != np.uint64(0):
        at = (at + 1) & last
    return at
