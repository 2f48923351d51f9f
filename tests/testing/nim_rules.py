"""One heap of stones, take one to three, the last wins; ``fault`` breaks a promise. Row: turn, stones, last mover."""

from collections.abc import Mapping

import numpy as np
from numba import njit

from stammtisch.envs.core.constants import TERMINAL

CONFIG: Mapping[str, int]

FAULT = CONFIG["fault"]
STONES = 9
N_PLAYERS = 2
TEAMS = (0, 1)
N_ACTIONS = 3
MAX_BRANCH = 3
MAX_MOVES = 4 if FAULT == 4 else STONES
UTILITY = (-1.0, 1.0)
STATE_LEN = 3
OBS_SHAPE = (2,)
OBS_LEN = 2
OBS_DTYPE = np.int8
OBS_RANGE = (0, STONES)


@njit
def init(s, r):
    s[0] = 0
    s[1] = np.random.randint(5, STONES) if FAULT == 5 else STONES
    s[2] = 1


@njit
def player(s):
    return s[0]


@njit
def legal(s, acts):
    n = min(3, s[1])
    for i in range(n):
        acts[i] = n - 1 - i if FAULT == 1 else i
    return 0 if FAULT == 2 and s[1] == 1 else n


@njit
def apply(s, a):
    s[2] = s[0]
    s[1] -= a + 1
    s[0] = 1 - s[0] if s[1] else TERMINAL


@njit
def returns(s, out):
    out[s[2]] = 2.0 if FAULT == 3 else 1.0
    out[1 - s[2]] = -out[s[2]]


@njit
def observe(s, p, obs):
    obs[0] = -7 if FAULT == 6 else s[1]
    obs[1] = s[0] == p
