"""The rules of a game with a stand-in for everything that it left out, and flags that tell which is which.

Everything reads the rules through here, so that nobody else asks what a game has. Kernels ask a flag before they call
what may be a stand-in; as the flag is a constant, numba never compiles the call.
"""

import numpy as np
from numba import njit

from stammtisch.envs.core.loader import KernelModule
from stammtisch.envs.core.rng import below
from stammtisch.envs.core.rules import required_names

GIVEN: KernelModule

_given = GIVEN.contents()
if _missing := [name for name in required_names() if name not in _given]:
    raise TypeError(f"{GIVEN.SOURCE} lacks {', '.join(_missing)}; envs/core/rules.py says what every game defines")

HAS_CHANCE = "sample" in _given
LISTS_CHANCE = "chance" in _given
PAYS_ALONG = "rewards" in _given
HAS_HIDDEN = "redact" in _given and "resample_hidden" in _given
HAS_SYMMETRIES = "canonical_key" in _given
FILLS_BOARD = "empties" in _given

ZERO_SUM = True
POINTS_PER_UNIT = None
legal = _given["legal"]


@njit
def sample(s, r):
    """Nothing to draw."""
    return np.int64(0)


@njit
def chance(s, probabilities):
    """No outcomes."""
    return np.int64(0)


@njit(forceinline=True)
def draw(s, r, i, acts):
    """Draw from the list of legal actions."""
    return acts[below(r, i, legal(s, acts))]


@njit
def rewards(s, out):
    """Nothing is paid before the end."""


@njit
def redact(s, p):
    """Nothing is hidden."""


@njit
def resample_hidden(s, p, r):
    """Nothing is hidden."""


@njit
def canonical_key(s):
    """No symmetries."""
    return np.int64(1)


@njit
def empties(s):
    """No board to fill."""
    return np.int64(0)


globals().update(_given)
