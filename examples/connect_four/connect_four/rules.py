"""Connect Four as numba functions on one int64 row; executed by stammtisch once per width of the board.

The discs of a player are one number. Every column has a bit per cell, from the bottom up, and one more on top that
stays empty, so that lines never run from one column into the next:

    6  13  20 ...    always empty
    5  12  19 ...    top row
    .   .   .
    0   7  14 ...    bottom row
"""

from collections.abc import Mapping

import numpy as np
from numba import njit

from stammtisch.envs.core.constants import TERMINAL

CONFIG: Mapping[str, int]  # bound by stammtisch: the options of the game

COLUMNS = CONFIG["columns"]
ROWS = 6
CELLS = ROWS * COLUMNS

# What stammtisch reads of every game.
N_PLAYERS = 2
TEAMS = (0, 1)
N_ACTIONS = COLUMNS
MAX_BRANCH = COLUMNS
MAX_MOVES = CELLS
UTILITY = (-1.0, 1.0)
OBS_SHAPE = (3, ROWS, COLUMNS)
OBS_LEN = 3 * CELLS
OBS_DTYPE = np.int8
OBS_RANGE = (0, 1)

# The row: who is to move, then the discs of each player.
TURN, DISCS = 0, 1
STATE_LEN = DISCS + N_PLAYERS

UP = ROWS + 1  # bits per column
FULL = sum(((1 << ROWS) - 1) << (UP * column) for column in range(COLUMNS))
STEPS = (1, UP, UP - 1, UP + 1)  # along a column, along a row, falling, rising


@njit
def bit(column, row):
    """Return the number in which one cell is set; row 0 is at the bottom."""
    return np.int64(1) << (column * UP + row)


@njit
def has_line(discs):
    """Whether four discs are in a line."""
    for step in STEPS:
        pairs = discs & (discs >> step)
        if pairs & (pairs >> (2 * step)):
            return True
    return False


@njit
def is_open(s, column):
    """Whether a column has room."""
    return (s[DISCS] | s[DISCS + 1]) & bit(column, ROWS - 1) == 0


@njit
def landing(s, column):
    """Return the cell on which a disc in an open column comes to rest, as a number with one bit."""
    taken = s[DISCS] | s[DISCS + 1]
    return (taken + bit(column, 0)) & ~taken & (bit(column, ROWS) - bit(column, 0))


@njit
def init(s, r):
    """Set up the empty board; nothing is drawn."""
    s[:] = 0


@njit
def player(s):
    """Seat to move, TERMINAL after the end."""
    return s[TURN]


@njit
def legal(s, acts):
    """List the open columns in ascending order; return how many there are."""
    n = 0
    for column in range(COLUMNS):
        if is_open(s, column):
            acts[n] = column
            n += 1
    return n


@njit
def apply(s, a):
    """Drop a disc into column ``a``."""
    p = s[TURN]
    s[DISCS + p] |= landing(s, a)
    s[TURN] = 1 - p
    if has_line(s[DISCS + p]) or s[DISCS] | s[DISCS + 1] == FULL:
        s[TURN] = TERMINAL


@njit
def returns(s, out):
    """Fill the result of each seat after the end."""
    out[0] = np.float64(has_line(s[DISCS])) - np.float64(has_line(s[DISCS + 1]))
    out[1] = -out[0]


@njit
def observe(s, p, obs):
    """Fill the planes as seat ``p`` sees them, top row first: own discs, the opponent's, own turn."""
    for row in range(ROWS):
        for column in range(COLUMNS):
            cell = (ROWS - 1 - row) * COLUMNS + column
            obs[cell] = s[DISCS + p] & bit(column, row) != 0
            obs[CELLS + cell] = s[DISCS + 1 - p] & bit(column, row) != 0
            obs[2 * CELLS + cell] = s[TURN] == p
