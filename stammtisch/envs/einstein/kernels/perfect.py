"""All positions of a small board for two: numbers for them, and their values by one pass; executed once per board.

A position before the roll is seen by the player to move, whose home is the top left corner: the cells of its stones,
then those of the others. Numbers count, for each set of stones that are left, the ways to put them on different cells.

Every move brings a stone nearer to its goal, so that positions with less way to go come first and no pass is repeated.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from stammtisch.envs.core.borrow import borrowed
from stammtisch.envs.core.rules import OwnRules

RULES: OwnRules
kernel: Callable[[Callable[..., Any]], Any]

SIZE, CELLS, PIECES = RULES.SIZE, RULES.CELLS, RULES.PIECES
POS, FRAME = RULES.POS, RULES.FRAME
STONES = 2 * PIECES
ALL = (1 << PIECES) - 1
SETS = 1 << STONES
GOAL, ENEMY_GOAL = CELLS - 1, 0
STEPS = np.array([1, SIZE, SIZE + 1], np.int64)
PERFECT, BEST, RANDOM = 0, 1, 2  # what the numbers are: see ``fill``


def _starts() -> tuple[Any, int]:
    """Return where the positions of each set of stones begin, -1 without stones of one side, and how many there are."""
    starts, n = np.full(SETS, -1, np.int64), 0
    for left in range(SETS):
        if left & ALL and left >> PIECES:
            starts[left] = n
            ways = 1
            for k in range(left.bit_count()):
                ways *= CELLS - k
            n += ways
    return starts, n


STARTS, ENTRIES = _starts()


@njit
def number_of(cells):
    """Return the number of a position, ``int64[STONES]`` cells, -1 for a stone that is gone."""
    left = 0
    found = np.int64(0)
    used = 0
    free = CELLS
    for k in range(STONES):
        cell = cells[k]
        if cell >= 0:
            left |= 1 << k
            below = used & ((1 << cell) - 1)
            digit = cell
            while below:
                digit -= 1
                below &= below - 1
            found = found * free + digit
            free -= 1
            used |= 1 << cell
    return STARTS[left] + found


@njit
def set_of(number):
    """Return which stones are left in a position."""
    for left in range(SETS - 1, 0, -1):
        if 0 <= STARTS[left] <= number:
            return left
    return 0


@njit
def fill_position(number, left, cells):
    """Fill the cells of a position whose set of stones is known."""
    rest = number - STARTS[left]
    n = 0
    for k in range(STONES):
        cells[k] = -1
        n += (left >> k) & 1
    free = CELLS - n + 1
    for k in range(STONES - 1, -1, -1):
        if (left >> k) & 1:
            cells[k] = rest % free
            rest //= free
            free += 1
    used = 0
    for k in range(STONES):
        if cells[k] >= 0:
            digit = cells[k]
            cell = 0
            while True:
                if not (used >> cell) & 1:
                    if digit == 0:
                        break
                    digit -= 1
                cell += 1
            cells[k] = cell
            used |= 1 << cell


@kernel
def measure(ways, lo, hi):
    """Fill how far the stones of each position have to go together, ``uint8[ENTRIES]``."""
    cells = np.empty(STONES, np.int64)
    for i in range(lo, hi):
        fill_position(i, set_of(i), cells)
        way = 0
        for k in range(STONES):
            if cells[k] >= 0:
                done = cells[k] // SIZE + cells[k] % SIZE
                way += 2 * (SIZE - 1) - done if k < PIECES else done
        ways[i] = way


@njit
def _after(cells, piece, step, turned):
    """Fill ``turned`` with what a move leads to, as the other player sees it; return whether it has won."""
    target = cells[piece] + STEPS[step]
    others = 0
    for k in range(STONES):
        cell = cells[k]
        if k == piece:
            cell = target
        elif cell == target:
            cell = -1
        turned[(k + PIECES) % STONES] = CELLS - 1 - cell if cell >= 0 else -1
        others += k >= PIECES and cell >= 0
    return target == GOAL or others == 0


@njit
def _value_stone(cells, piece, next_values, turned):
    """Best, sum and number of the values of one stone's moves."""
    right = cells[piece] % SIZE < SIZE - 1
    down = cells[piece] < CELLS - SIZE
    best = -2.0
    total = 0.0
    n = 0
    for step in range(3):
        if (step == 0 and not right) or (step == 1 and not down) or (step == 2 and not (right and down)):
            continue
        value = 1.0 if _after(cells, piece, step, turned) else -next_values[number_of(turned)]
        best = max(best, value)
        total += value
        n += 1
    return best, total, n


@njit
def _value(cells, next_values, kind, turned):
    """Value of a position before the roll.

    With PERFECT both play perfectly. BEST is the player who answers ``random`` as well as can be, and whose turn it is;
    RANDOM that other player: then the value is what the turn is worth to it, ``next_values`` those of the answers.
    """
    for k in range(PIECES):
        if cells[k] == GOAL:
            return 1.0
        if cells[PIECES + k] == ENEMY_GOAL:
            return -1.0
    expected = 0.0
    for rolled in range(PIECES):
        best = -2.0
        total = 0.0
        n = 0
        lower = rolled
        while lower >= 0 and cells[lower] < 0:
            lower -= 1
        higher = rolled
        while higher < PIECES and cells[higher] < 0:
            higher += 1
        if lower >= 0:
            best, total, n = _value_stone(cells, lower, next_values, turned)
        if higher != lower and higher < PIECES:
            best_2, total_2, n_2 = _value_stone(cells, higher, next_values, turned)
            best, total, n = max(best, best_2), total + total_2, n + n_2
        expected += total / n if kind == RANDOM else best
    return expected / PIECES


@kernel
def fill(order, kind, values, next_values, lo, hi):
    """Fill the values of some positions for the player to move.

    Args:
        order: int32[ENTRIES], positions, those with less way to go first.
        kind: PERFECT, BEST or RANDOM.
        values: float64[ENTRIES], filled.
        next_values: float64[ENTRIES] for the other player, who moves then; the same array if both play perfectly.
        lo: first place in ``order``.
        hi: the one after the last.
    """
    order, values, next_values = borrowed(order), borrowed(values), borrowed(next_values)
    cells, turned = np.empty(STONES, np.int64), np.empty(STONES, np.int64)
    for at in range(lo, hi):
        i = np.int64(order[at])
        fill_position(i, set_of(i), cells)
        values[i] = _value(cells, next_values, kind, turned)


@kernel
def compare(kind, values, next_values, lo, hi):
    """Return the largest difference of a stored value, ``float32[ENTRIES]``, from that of its moves."""
    values, next_values = borrowed(values), borrowed(next_values)
    cells, turned = np.empty(STONES, np.int64), np.empty(STONES, np.int64)
    most = 0.0
    for i in range(lo, hi):
        fill_position(i, set_of(i), cells)
        most = max(most, abs(values[i] - _value(cells, next_values, kind, turned)))
    return most


@njit
def _see(s, p, cells):
    """Fill the cells of all stones as seat ``p`` sees them, its own first."""
    for k in range(STONES):
        stone = (k + p * PIECES) % STONES
        cell = s[POS + stone]
        cells[k] = FRAME[p, cell] if cell >= 0 else -1


@kernel
def number_of_row(s, p):
    """Return the number of a row in which seat ``p`` is to move, or to roll."""
    cells = np.empty(STONES, np.int64)
    _see(s, p, cells)
    return number_of(cells)


@kernel
def position(number):
    """Return the cells of a position, ``int64[STONES]``."""
    cells = np.empty(STONES, np.int64)
    fill_position(number, set_of(number), cells)
    return cells
