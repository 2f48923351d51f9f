"""Two cards of ten, one each; in turn the players fold or bet, then the higher card wins. ``fault`` breaks a promise.

Row: turn, the cards, who folded (2: nobody).
"""

from collections.abc import Mapping

import numpy as np
from numba import njit

from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.rng import below

CONFIG: Mapping[str, int]

FAULT = CONFIG["fault"]
CARDS = 10
N_PLAYERS = 2
TEAMS = (0, 1)
N_ACTIONS = 2
MAX_BRANCH = CARDS * CARDS
MAX_MOVES = 2
UTILITY = (-1.0, 1.0)
STATE_LEN = 4
OBS_SHAPE = (2,)
OBS_LEN = 2
OBS_DTYPE = np.int8
OBS_RANGE = (0, CARDS)


@njit
def init(s, r):
    s[:] = 0
    s[0] = CHANCE


@njit
def player(s):
    return s[0]


@njit
def legal(s, acts):
    acts[0] = 0
    acts[1] = 1
    return 2


@njit
def sample(s, r):
    first = below(r, 0, CARDS)
    other = below(r, 0, CARDS - 1)
    return first * CARDS + (other + 1 if other >= first else other)


@njit
def apply(s, a):
    if s[0] == CHANCE:
        s[1], s[2], s[3] = a // CARDS, a % CARDS, 2
        s[0] = 0
        return
    if a == 0:
        s[3] = s[0]
    s[0] = 1 if a == 1 and s[0] == 0 and FAULT != 3 else TERMINAL


@njit
def returns(s, out):
    out[0] = 1.0 if s[1] > s[2] else -1.0
    if s[3] < 2:
        out[0] = s[3] - 0.5
    out[1] = -out[0]


@njit
def observe(s, p, obs):
    obs[0] = s[1 + p]
    obs[1] = s[2 - p] if FAULT == 1 else s[0] == p


@njit
def redact(s, p):
    if s[0] != TERMINAL and FAULT != 2:
        s[2 - p] = 0


@njit
def resample_hidden(s, p, r):
    if s[0] >= 0:
        other = below(r, 0, CARDS - 1)
        s[2 - p] = other + 1 if other >= s[1 + p] else other
