"""Reversi played out perfectly from positions with few empty cells; executed once per board of up to 64 cells.

A score is the difference of discs at the end for the side to move; where the game ends with empty cells, they go to the
winner if ``EMPTIES`` says so, as tournaments count. Boards are uint64 sets of cells, own discs first.

Four ways to search, from the root down: with a table of positions, moves ordered by how few answers they leave, cuts by
discs that can never turn; then without the table (`_some`), by parity of regions only (`_few`); the last four
cells one function each.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from stammtisch.envs.core.borrow import borrowed
from stammtisch.envs.core.jit import modular
from stammtisch.envs.core.rules import OwnRules

RULES: OwnRules
EMPTIES: str  # who gets the cells that stay empty: "winner" or "nobody"
kernel: Callable[[Callable[..., Any]], Any]

SIZE, CELLS, WHOLE = RULES.SIZE, RULES.CELLS, RULES.WHOLE
TURN, DISCS, PASS = RULES.TURN, RULES.DISCS, RULES.PASS
placements, flips, count = RULES.placements, RULES.flips, RULES.count
ZERO, ONE = np.uint64(0), np.uint64(1)
TO_WINNER = EMPTIES == "winner"

MOST = CELLS + 1  # more than any score
# What the other side did. Typed, because a recursive function called with literals is compiled once for each of them,
# and such a family of functions does not come back from numba's disk cache.
PLACED, PASSED = np.int64(0), np.int64(1)
SOFT = CELLS / 6.4  # a score of which a learner is three quarters sure
FEW = 6  # empty cells up to which moves are ordered by parity alone
SOME = 9  # up to which nothing is written to the table
SORTED_DEEPER = 13  # from which on moves are ordered by the answers to their answers too

# Entry of the table: own discs, the other discs, then bounds, best move and empty cells packed.
OWN, OTHER, INFO = 0, 1, 2
ENTRY = 3
_MIX_1 = np.uint64(0x9E3779B97F4A7C15)
_MIX_2 = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)
_BYTE = 0xFF
_SHIFT = 128  # added to a bound so that it fits a byte
NO_MOVE = 0xFF

# List of the moves of a position: cell, turned discs, how good it looks.
CELL, TURNED, LOOK = 0, 1, 2
_LOOKS = 3

NODES, LIMIT, STOPPED = 0, 1, 2  # of the control array
CONTROL_LEN = 3


class SolverBoards(NamedTuple):
    """What a search works with.

    Attributes:
        table: int64[k, 2 * ENTRY], k a power of two; of the two entries in a line the first is the deeper one.
        lists: int64[CELLS, 3, CELLS], the moves of the positions from the root to the present one.
        control: int64[CONTROL_LEN]: positions so far, their limit (0: none), and whether it was reached.
    """

    table: Any
    lists: Any
    control: Any


def new_boards(places: int) -> SolverBoards:
    """Return the arrays of a search; ``places`` is rounded up to a power of two."""
    lines = 1 << max(4, (places - 1).bit_length())
    table = np.zeros((lines, 2 * ENTRY), np.int64)
    return SolverBoards(table, np.zeros((2 * CELLS, _LOOKS, CELLS), np.int64), np.zeros(CONTROL_LEN, np.int64))


def _set(cells: Any) -> int:
    return sum(1 << int(cell) for cell in cells)


_GRID = np.arange(CELLS).reshape(SIZE, SIZE)
_FLIPPED = _GRID[:, ::-1]
_LINES = np.array(
    [
        [_set(row) for row in _GRID] + [0] * (SIZE - 1),
        [_set(column) for column in _GRID.T] + [0] * (SIZE - 1),
        [_set(_GRID.diagonal(k)) for k in range(1 - SIZE, SIZE)],
        [_set(_FLIPPED.diagonal(k)) for k in range(1 - SIZE, SIZE)],
    ],
    np.uint64,
)
_SIDES = np.uint64(_set(_GRID[:, 0]) | _set(_GRID[:, -1]))
_ENDS = np.uint64(_set(_GRID[0]) | _set(_GRID[-1]))
_RIM = _SIDES | _ENDS
_CORNERS = np.uint64(_set((0, SIZE - 1, CELLS - SIZE, CELLS - 1)))
_MIDDLE = SIZE // 2
_REGIONS = tuple(
    np.uint64(_set(_GRID[rows, columns].ravel()))
    for rows in (slice(0, _MIDDLE), slice(_MIDDLE, SIZE))
    for columns in (slice(0, _MIDDLE), slice(_MIDDLE, SIZE))
)
_REGION_0, _REGION_1, _REGION_2, _REGION_3 = _REGIONS
_AROUND = tuple(np.uint64(step) for step in (1, SIZE, SIZE + 1, SIZE - 1))
_LEFT_OFF = np.uint64(_set(_GRID[:, 1:].ravel()))
_RIGHT_OFF = np.uint64(_set(_GRID[:, :-1].ravel()))
_CORNER_LOOK, _PARITY_LOOK, _TABLE_LOOK = 18, 2, 1 << 20
_ANSWER_LOOK, _FRONTIER_LOOK, _LATER_LOOK = 6, 1, 2


@njit
def _cell_of(single):
    return np.int64(count(single - ONE))


@njit
def _odd_regions(empty):
    """Return the quarters of the board that have an odd number of empty cells."""
    odd = ZERO
    if count(empty & _REGION_0) & 1:
        odd |= _REGION_0
    if count(empty & _REGION_1) & 1:
        odd |= _REGION_1
    if count(empty & _REGION_2) & 1:
        odd |= _REGION_2
    if count(empty & _REGION_3) & 1:
        odd |= _REGION_3
    return odd


@njit
def _final(own, other):
    """Return the score of a game that is over."""
    mine, theirs = count(own), count(other)
    lead = mine - theirs
    if TO_WINNER:
        left = CELLS - mine - theirs
        if lead > 0:
            return lead + left
        if lead < 0:
            return lead - left
    return lead


@njit
def _last_1(own, other, x):
    """One empty cell: whoever can place there does."""
    mine = count(own)
    turned = flips(x, own, other)
    if turned:
        return 2 * (mine + count(turned) + 1) - CELLS
    turned = flips(x, other, own)
    if turned:
        return 2 * (mine - count(turned)) - CELLS
    return _final(own, other)


@njit
def _last_2(own, other, alpha, beta, x, y):
    best = -MOST
    turned = flips(x, own, other)
    if turned:
        best = -_last_1(other & ~turned, own | turned | x, y)
        if best >= beta:
            return best
    turned = flips(y, own, other)
    if turned:
        best = max(best, -_last_1(other & ~turned, own | turned | y, x))
    if best > -MOST:
        return best
    best = MOST
    turned = flips(x, other, own)
    if turned:
        best = _last_1(own & ~turned, other | turned | x, y)
        if best <= alpha:
            return best
    turned = flips(y, other, own)
    if turned:
        best = min(best, _last_1(own & ~turned, other | turned | y, x))
    return best if best < MOST else _final(own, other)


@njit
def _last_3(own, other, alpha, beta, x, y, z, passed):
    best = -MOST
    turned = flips(x, own, other)
    if turned:
        best = -_last_2(other & ~turned, own | turned | x, -beta, -alpha, y, z)
        if best >= beta:
            return best
        alpha = max(alpha, best)
    turned = flips(y, own, other)
    if turned:
        best = max(best, -_last_2(other & ~turned, own | turned | y, -beta, -alpha, x, z))
        if best >= beta:
            return best
        alpha = max(alpha, best)
    turned = flips(z, own, other)
    if turned:
        best = max(best, -_last_2(other & ~turned, own | turned | z, -beta, -alpha, x, y))
    if best > -MOST:
        return best
    if passed == PASSED:
        return _final(own, other)
    return -_last_3(other, own, -beta, -alpha, x, y, z, PASSED)


@njit
def _last_4(own, other, alpha, beta, w, x, y, z, passed):
    best = -MOST
    turned = flips(w, own, other)
    if turned:
        best = -_last_3(other & ~turned, own | turned | w, -beta, -alpha, x, y, z, PLACED)
        if best >= beta:
            return best
        alpha = max(alpha, best)
    turned = flips(x, own, other)
    if turned:
        best = max(best, -_last_3(other & ~turned, own | turned | x, -beta, -alpha, w, y, z, PLACED))
        if best >= beta:
            return best
        alpha = max(alpha, best)
    turned = flips(y, own, other)
    if turned:
        best = max(best, -_last_3(other & ~turned, own | turned | y, -beta, -alpha, w, x, z, PLACED))
        if best >= beta:
            return best
        alpha = max(alpha, best)
    turned = flips(z, own, other)
    if turned:
        best = max(best, -_last_3(other & ~turned, own | turned | z, -beta, -alpha, w, x, y, PLACED))
    if best > -MOST:
        return best
    if passed == PASSED:
        return _final(own, other)
    return -_last_4(other, own, -beta, -alpha, w, x, y, z, PASSED)


@njit
def _four(own, other, alpha, beta, empty, odd):
    """Hand four empty cells on, those in odd regions first."""
    first = empty & odd
    then = empty & ~odd
    w = first if first else then
    w &= ~w + ONE
    first &= ~w
    then &= ~w
    x = first if first else then
    x &= ~x + ONE
    first &= ~x
    then &= ~x
    y = first if first else then
    y &= ~y + ONE
    z = (first | then) & ~y
    return _last_4(own, other, alpha, beta, w, x, y, z, PLACED)


@njit
def _few(own, other, alpha, beta, empty, n, odd, passed):
    """Up to FEW empty cells: moves in odd regions first."""
    if n == 4:
        return _four(own, other, alpha, beta, empty, odd)
    moves = placements(own, other)
    if not moves:
        if passed == PASSED:
            return _final(own, other)
        return -_few(other, own, -beta, -alpha, empty, n, odd, PASSED)
    best = -MOST
    for side in range(2):
        left = moves & odd if side == 0 else moves & ~odd
        while left:
            x = left & (~left + ONE)
            left &= left - ONE
            turned = flips(x, own, other)
            rest = empty & ~x
            score = -_few(other & ~turned, own | turned | x, -beta, -alpha, rest, n - 1, _odd_regions(rest), PLACED)
            if score > best:
                best = score
                if best >= beta:
                    return best
                alpha = max(alpha, best)
    return best


@njit
def _exactly(own, other, alpha, beta, empty, n):
    """Solve a position with at most FEW empty cells."""
    if n >= 4:
        return _few(own, other, alpha, beta, empty, n, _odd_regions(empty), PLACED)
    x = empty & (~empty + ONE)
    rest = empty & ~x
    y = rest & (~rest + ONE)
    if n == 3:
        return _last_3(own, other, alpha, beta, x, y, rest & ~y, PLACED)
    if n == 2:
        return _last_2(own, other, alpha, beta, x, y)
    if n == 1:
        return _last_1(own, other, x)
    return _final(own, other)


@njit
def _stable(own, filled):
    """Count own discs that can never turn: in each direction on a full line, at the rim or beside a stable one."""
    full = np.empty(4, np.uint64)
    for direction in range(4):
        found = ZERO
        for line in _LINES[direction]:
            if filled & line == line:
                found |= line
        full[direction] = found
    along, across = full[0] | _SIDES, full[1] | _ENDS
    falling, rising = full[2] | _RIM, full[3] | _RIM
    stable = own & along & across & falling & rising
    if not stable:
        return np.int64(0)
    while True:
        grown = own
        grown &= along | (stable << _AROUND[0]) | (stable >> _AROUND[0])
        grown &= across | (stable << _AROUND[1]) | (stable >> _AROUND[1])
        grown &= falling | (stable << _AROUND[2]) | (stable >> _AROUND[2])
        grown &= rising | (stable << _AROUND[3]) | (stable >> _AROUND[3])
        grown |= stable
        if grown == stable:
            return count(stable)
        stable = grown


@njit
def _beside(board):
    """Return the cells next to a board's, itself perhaps among them."""
    wide = board | ((board << ONE) & _LEFT_OFF) | ((board >> ONE) & _RIGHT_OFF)
    return (wide | (wide << _AROUND[1]) | (wide >> _AROUND[1])) & WHOLE


@modular
def _line_of(own, other, lines):
    word = (own * _MIX_1) ^ (other * _MIX_2)
    word = (word ^ (word >> _HALF)) * _MIX_1
    return np.int64((word ^ (word >> _HALF)) & np.uint64(lines - 1))


@njit
def _recall(own, other, table):
    """Return what the table knows of a position, 0 if nothing."""
    line = _line_of(own, other, len(table))
    for at in (0, ENTRY):
        if np.uint64(table[line, at + OWN]) == own and np.uint64(table[line, at + OTHER]) == other:
            return table[line, at + INFO]
    return np.int64(0)


@njit
def _low(info):
    return (info & _BYTE) - _SHIFT


@njit
def _high(info):
    return ((info >> 8) & _BYTE) - _SHIFT


@njit
def _remember(own, other, table, low, high, move, n):
    """Write what was found; of two positions in a line the one with more empty cells stays in the first place."""
    line = _line_of(own, other, len(table))
    at = 0
    is_first = np.uint64(table[line, OWN]) == own and np.uint64(table[line, OTHER]) == other
    if not is_first and n < table[line, INFO] >> 24:
        at = ENTRY
    elif not is_first:
        table[line, ENTRY:] = table[line, :ENTRY]
    table[line, at + OWN] = np.int64(own)
    table[line, at + OTHER] = np.int64(other)
    table[line, at + INFO] = (low + _SHIFT) | (high + _SHIFT) << 8 | move << 16 | n << 24


@njit
def _look(own, other, n, odd, x, turned):
    """Say how good a move looks: it leaves few answers, takes a corner or the last cell of a region."""
    next_own, next_other = other & ~turned, own | turned | x
    answers = placements(next_own, next_other)
    look = -_ANSWER_LOOK * (count(answers) + count(answers & _CORNERS))
    if x & _CORNERS:
        look += _CORNER_LOOK
    if x & odd:
        look += _PARITY_LOOK
    if n > SOME:
        look -= _FRONTIER_LOOK * count(_beside(next_other) & ~(next_own | next_other))
    if n >= SORTED_DEEPER:
        worst = np.int64(CELLS)
        left = answers
        while left:
            y = left & (~left + ONE)
            left &= left - ONE
            back = flips(y, next_own, next_other)
            mine = placements(next_other & ~back, next_own | back | y)
            worst = min(worst, count(mine) + 2 * count(mine & _CORNERS))
        look += _LATER_LOOK * (worst if answers else CELLS // 2)
    return look


@njit
def _list_moves(own, other, moves, n, known, found):
    """Fill ``found`` with the moves, the best-looking first; return how many."""
    odd = _odd_regions(WHOLE & ~(own | other))
    k = 0
    while moves:
        x = moves & (~moves + ONE)
        moves &= moves - ONE
        turned = flips(x, own, other)
        cell = _cell_of(x)
        look = _TABLE_LOOK if cell == known else _look(own, other, n, odd, x, turned)
        at = k
        while at > 0 and found[LOOK, at - 1] < look:
            found[CELL, at], found[TURNED, at] = found[CELL, at - 1], found[TURNED, at - 1]
            found[LOOK, at] = found[LOOK, at - 1]
            at -= 1
        found[CELL, at], found[TURNED, at], found[LOOK, at] = cell, np.int64(turned), look
        k += 1
    return k


@njit
def _search(own, other, alpha, beta, n, level, passed, table, lists, control):
    """Return the score of a position, exact within ``alpha..beta``, else a bound beyond them."""
    if n <= FEW:
        return _exactly(own, other, alpha, beta, WHOLE & ~(own | other), n)
    # Step 1. Count, and stop where the budget ends.
    control[NODES] += 1
    if control[LIMIT] and control[NODES] > control[LIMIT]:
        control[STOPPED] = 1
        return np.int64(0)
    # Step 2. Discs that the other side keeps for good.
    if alpha >= CELLS - 4 * n:
        most = CELLS - 2 * _stable(other, own | other)
        if most <= alpha:
            return most
    # Step 3. The table.
    known, low, high = np.int64(NO_MOVE), np.int64(-CELLS), np.int64(CELLS)
    if n > SOME:
        info = _recall(own, other, table)
        if info:
            known = (info >> 16) & _BYTE
            low, high = _low(info), _high(info)
            if low >= beta or low == high:
                return low
            if high <= alpha:
                return high
            alpha, beta = max(alpha, low), min(beta, high)
    # Step 4. Moves, or a pass, or the end.
    moves = placements(own, other)
    if not moves:
        if passed == PASSED:
            return _final(own, other)
        return -_search(other, own, -beta, -alpha, n, level + 1, PASSED, table, lists, control)
    found = lists[level]
    k = _list_moves(own, other, moves, n, known, found)
    # Step 5. A move after which the table already promises enough.
    if n > SOME + 1:
        for i in range(k):
            turned = np.uint64(found[TURNED, i])
            info = _recall(other & ~turned, own | turned | (ONE << np.uint64(found[CELL, i])), table)
            if info and -_high(info) >= beta:
                return -_high(info)
    # Step 6. The first move with the whole window, the others only to prove that they are no better.
    best, best_move = np.int64(-MOST), np.int64(NO_MOVE)
    floor = alpha
    for i in range(k):
        turned = np.uint64(found[TURNED, i])
        next_own, next_other = other & ~turned, own | turned | (ONE << np.uint64(found[CELL, i]))
        if i == 0:
            score = -_search(next_own, next_other, -beta, -floor, n - 1, level + 1, PLACED, table, lists, control)
        else:
            score = -_search(next_own, next_other, -floor - 1, -floor, n - 1, level + 1, PLACED, table, lists, control)
            if floor < score < beta:
                score = -_search(next_own, next_other, -beta, -score, n - 1, level + 1, PLACED, table, lists, control)
        if control[STOPPED]:
            return np.int64(0)
        if score > best:
            best, best_move = score, found[CELL, i]
            floor = max(floor, best)
            if best >= beta:
                break
    # Step 7. What was learned.
    if n > SOME:
        _remember(
            own,
            other,
            table,
            best if best > alpha else low,
            best if best < beta else high,
            best_move,
            n,
        )
    return best


@njit
def score(s, alpha, beta, boards):
    """Return the score for the seat to move within ``alpha..beta``, else a bound beyond them; 0 if the budget ends."""
    p = s[TURN]
    own, other = np.uint64(s[DISCS + p]), np.uint64(s[DISCS + 1 - p])
    n = count(WHOLE & ~(own | other))
    return _search(own, other, alpha, beta, n, np.int64(0), PLACED, boards.table, boards.lists, boards.control)


@njit
def worth(found):
    """Return what a score is worth to a learner: what the game pays, softened so that a narrow win tells of itself."""
    return np.tanh(found / SOFT) if TO_WINNER else found / CELLS


@kernel
def solve(s, alpha, beta, boards):
    """Return the score for the seat to move, and whether the budget sufficed; bounds outside ``alpha..beta``."""
    boards = SolverBoards(borrowed(boards.table), borrowed(boards.lists), borrowed(boards.control))
    boards.control[STOPPED] = 0
    found = score(s, alpha, beta, boards)
    return found, boards.control[STOPPED] == 0
