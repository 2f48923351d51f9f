"""What n-tuples see of EinStein: the cells in the mover's own frame; executed once per variant and coding.

A cell has value 0 when it is empty. Codings as in the thesis: 0 tells the owner, 1 the owner and a third of the
numbers, 2 the owner and the number. Owners are counted from the observer on. Coding 3 tells the same as 2 but reserves
six numbers on boards with three, as the thesis did: tables are larger, and part of them is never used.
"""

import numpy as np
from numba import njit

from stammtisch.envs.core.rules import OwnRules
from stammtisch.envs.core.squares import neighbours

RULES: OwnRules
CODING: int

N_PLAYERS, PIECES, SIZE, CELLS = RULES.N_PLAYERS, RULES.PIECES, RULES.SIZE, RULES.CELLS
BOARD, LEFT = RULES.BOARD, RULES.LEFT

GROUPS = (1, 3, PIECES, 6)[CODING]
VALUES = 1 + N_PLAYERS * GROUPS
PHASES = N_PLAYERS * PIECES + 1
# With two players all seats are alike; with four, seats 0 and 2 are followed by the opposite corner, 1 and 3 are not;
# with three, every seat has another task.
SETS = {2: 1, 3: 3, 4: 2}[N_PLAYERS]


def _transposed(cell: int) -> int:
    turned: int = cell % SIZE * SIZE + cell // SIZE
    return turned


def _frames() -> np.ndarray:
    """Return FRAME[seat, cell]: where a seat sees a cell. Seats 2 and 3 of four see their partner mirrored."""
    frames = np.array(RULES.FRAME, np.int64)
    if N_PLAYERS == 4:
        for p in (2, 3):
            frames[p] = [_transposed(int(cell)) for cell in frames[p]]
    return frames


def _codes() -> np.ndarray:
    """Return CODE[seat, content of a cell]."""
    codes = np.zeros((N_PLAYERS, 1 + N_PLAYERS * PIECES), np.int64)
    for p in range(N_PLAYERS):
        for content in range(N_PLAYERS * PIECES):
            owner, piece = divmod(content, PIECES)
            group = piece if CODING >= 2 else piece * GROUPS // PIECES
            codes[p, 1 + content] = 1 + (owner - p) % N_PLAYERS * GROUPS + group
    return codes


FRAMES, CODES = _frames(), _codes()
_SAME = tuple(range(CELLS))
SYMMETRIES = (_SAME, tuple(_transposed(c) for c in _SAME)) if N_PLAYERS == 2 else (_SAME,)
NEIGHBOURS = neighbours(SIZE)


@njit(forceinline=True)
def table_set(p):
    """Return which set of tables values what seat ``p`` sees."""
    return p % SETS


@njit(forceinline=True)
def phase(s, p):
    """Return how many pieces are gone."""
    left = 0
    for q in range(N_PLAYERS):
        left += s[LEFT + q]
    return N_PLAYERS * PIECES - left


@njit(forceinline=True)
def fill(s, p, board):
    """Fill the value of every cell as seat ``p`` sees it, int64[CELLS]."""
    for cell in range(CELLS):
        board[FRAMES[p, cell]] = CODES[p, s[BOARD + cell]]


def _blocks(rows: int, cols: int) -> list[tuple[int, ...]]:
    """Return all blocks of cells, row by row."""
    return [
        tuple((r + i) * SIZE + c + j for i in range(rows) for j in range(cols))
        for r in range(SIZE - rows + 1)
        for c in range(SIZE - cols + 1)
    ]


_SMALL, _LARGE = _blocks(2, 2), _blocks(3, 2) + _blocks(2, 3)
TUPLE_SETS = {"fixed": _SMALL, "wide": _LARGE} if SIZE <= 4 else {"fixed": _LARGE, "small": _SMALL}
