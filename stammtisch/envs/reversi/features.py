"""What n-tuples see of Reversi: the discs of both sides; executed once per variant and coding.

Coding 0: 0 an empty cell, 1 an own disc, 2 the opponent's. Coding 1 also tells (3) the empty cells where the seat to
move may place.
"""

import numpy as np
from numba import njit

from stammtisch.envs.core.rules import OwnRules
from stammtisch.envs.core.squares import neighbours

RULES: OwnRules
CODING: int

SIZE, CELLS, WORDS, WORD_CELLS = RULES.SIZE, RULES.CELLS, RULES.WORDS, RULES.WORD_CELLS
DISCS, MOVES = RULES.DISCS, RULES.MOVES
ONE = np.uint64(1)
empties, count = RULES.empties, RULES.count_word

VALUES = 3 + CODING
PHASES = CELLS + 1
SETS = 1


def _symmetries() -> tuple[tuple[int, ...], ...]:
    cells = np.arange(CELLS).reshape(SIZE, SIZE)
    images = [np.rot90(board, turns).ravel() for board in (cells, cells.T) for turns in range(4)]
    return tuple(tuple(int(c) for c in image) for image in images)


SYMMETRIES = _symmetries()
NEIGHBOURS = neighbours(SIZE)


@njit(forceinline=True)
def table_set(p):
    """Return which set of tables values what seat ``p`` sees."""
    return 0


@njit(forceinline=True)
def phase(s, p):
    """Return the number of discs."""
    return CELLS - empties(s)


@njit(forceinline=True)
def fill(s, p, board):
    """Fill the value of every cell as seat ``p`` sees it, int64[CELLS]."""
    for w in range(WORDS):
        own = np.uint64(s[DISCS + p * WORDS + w])
        opponent = np.uint64(s[DISCS + (1 - p) * WORDS + w])
        free = np.uint64(s[MOVES + w])
        first = w * WORD_CELLS
        for c in range(WORD_CELLS):
            at = np.uint64(c)
            value = np.int64((own >> at) & ONE) + 2 * np.int64((opponent >> at) & ONE)
            if CODING == 1:
                value += 3 * np.int64((free >> at) & ONE)
            board[first + c] = value


@njit(forceinline=True)
def changes(s, after, p, changed):
    """Fill the cells that differ between two positions and by how much, in turn; return how many."""
    n = 0
    for w in range(WORDS):
        own, own_after = np.uint64(s[DISCS + p * WORDS + w]), np.uint64(after[DISCS + p * WORDS + w])
        other, other_after = np.uint64(s[DISCS + (1 - p) * WORDS + w]), np.uint64(after[DISCS + (1 - p) * WORDS + w])
        free, free_after = np.uint64(s[MOVES + w]), np.uint64(after[MOVES + w])
        cells = (own ^ own_after) | (other ^ other_after)
        if CODING == 1:
            cells |= free ^ free_after
        while cells:
            c = np.uint64(count(~cells & (cells - ONE)))
            cells &= cells - ONE
            change = np.int64((own_after >> c) & ONE) - np.int64((own >> c) & ONE)
            change += 2 * (np.int64((other_after >> c) & ONE) - np.int64((other >> c) & ONE))
            if CODING == 1:
                change += 3 * (np.int64((free_after >> c) & ONE) - np.int64((free >> c) & ONE))
            changed[2 * n] = w * WORD_CELLS + np.int64(c)
            changed[2 * n + 1] = change
            n += 1
    return n


def _tuples(size: int) -> list[tuple[int, ...]]:
    """Return edges with the cells diagonally inside the corners, corner blocks, rows, and diagonals of four or more."""
    if size == 4:
        return [tuple(range(8)), (0, 1, 4, 5, 2, 6, 8, 9), (0, 5, 10, 15), (4, 5, 6, 7, 8, 9, 10, 11)]
    edge = tuple(range(size))
    found: list[tuple[int, ...]] = [(*edge, size + 1, 2 * size - 2)] if size <= 8 else [edge]
    found.append(tuple(r * size + c for r in range(3) for c in range(3)))
    found.append(tuple(r * size + c for r in range(2) for c in range(5)))
    found += [tuple(r * size + c for c in range(size)) for r in range(1, size // 2)]
    found += [
        tuple(r * size + c for r, c in zip(range(k), range(size - k, size), strict=True)) for k in range(4, size + 1)
    ]
    return found


TUPLE_SETS = {"fixed": _tuples(SIZE)}
