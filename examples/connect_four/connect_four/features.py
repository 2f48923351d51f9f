"""What n-tuples see of Connect Four: 0 an empty cell, 1 an own disc, 2 the opponent's, 3 an empty one that is next."""

import numpy as np
from numba import njit

from stammtisch.envs.core.rules import OwnRules

RULES: OwnRules  # bound by stammtisch: the executed rules
CODING: int

ROWS, COLUMNS, CELLS, DISCS = RULES.ROWS, RULES.COLUMNS, RULES.CELLS, RULES.DISCS
bit = RULES.bit

VALUES = 4
PHASES = 1
SETS = 2  # tables of their own for either player: the first to move wants other rows than the second

# Cells are numbered row by row from the bottom.
SYMMETRIES = tuple(
    tuple(row * COLUMNS + column for row in range(ROWS) for column in order)
    for order in (range(COLUMNS), range(COLUMNS - 1, -1, -1))
)
NEIGHBOURS = tuple(
    tuple(
        r * COLUMNS + c
        for r in range(ROWS)
        for c in range(COLUMNS)
        if max(abs(r - cell // COLUMNS), abs(c - cell % COLUMNS)) == 1
    )
    for cell in range(CELLS)
)


@njit
def table_set(p):
    """Return which set of tables values what seat ``p`` sees."""
    return p


@njit
def phase(s, p):
    """There is one phase."""
    return 0


@njit
def fill(s, p, board):
    """Fill the value of every cell as seat ``p`` sees it, int64[CELLS]."""
    taken = s[DISCS] | s[DISCS + 1]
    for column in range(COLUMNS):
        for row in range(ROWS):
            here = bit(column, row)
            value = np.int64(0)
            if s[DISCS + p] & here:
                value = np.int64(1)
            elif taken & here:
                value = np.int64(2)
            elif row == 0 or taken & bit(column, row - 1):
                value = np.int64(3)
            board[row * COLUMNS + column] = value


def _blocks(height: int, width: int) -> list[tuple[int, ...]]:
    """Return every block of cells of a size."""
    return [
        tuple((row + r) * COLUMNS + column + c for r in range(height) for c in range(width))
        for row in range(ROWS - height + 1)
        for column in range(COLUMNS - width + 1)
    ]


TUPLE_SETS = {"fixed": [*_blocks(2, 4), *_blocks(4, 2)]}
