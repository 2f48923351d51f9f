"""Random streams inside kernels: splitmix64, one uint64 counter per stream.

A stream array is ``uint64[k]``; stream 0 belongs to chance (dice, deals, start layouts), stream ``1 + p`` to the
agent in seat ``p``. Separate streams keep the dice of a game the same whatever the agents draw.
"""

import numpy as np
from numba import njit

from stammtisch.envs.core.jit import modular

CHANCE_STREAM = 0
_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_UNIT = 2.0**-53


@modular
def next_word(r, i):
    """Advance stream ``i`` of ``r`` and return 64 random bits as uint64."""
    r[i] += _GAMMA
    z = r[i]
    z = (z ^ (z >> np.uint64(30))) * _MIX_1
    z = (z ^ (z >> np.uint64(27))) * _MIX_2
    return z ^ (z >> np.uint64(31))


@njit
def below(r, i, n):
    """Draw an integer in ``0..n-1`` from stream ``i``; the bias is below ``n / 2**32``."""
    return np.int64(((next_word(r, i) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@njit
def unit(r, i):
    """Draw a float in ``[0, 1)`` with 53 random bits from stream ``i``."""
    return np.float64(next_word(r, i) >> np.uint64(11)) * _UNIT
