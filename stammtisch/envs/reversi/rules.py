"""Reversi as numba functions on one int64 row; executed once per variant.

Cells are numbered row by row from the top left, ``cell = row * SIZE + col``. A *board* is a set of cells: one uint64 up
to 8x8; on 10x10 a pair of them, the upper and the lower half. The small functions before the rules hide that
difference. Shifts may leave stray bits outside the board; every result is cut with a set of discs or empty cells.

Row: seat to move (or TERMINAL), passes in a row (counted with voluntary passing only), discs of player 0, discs of
player 1, cells where the seat to move may place.

The rules that kernels call in their inner loops are inlined by force: otherwise each call counts references to its
arrays up and down, which takes longer than turning the discs.
"""

from collections.abc import Mapping

import numpy as np
from numba import njit

from stammtisch.envs.core.bits import bit_at, bit_count
from stammtisch.envs.core.constants import TERMINAL
from stammtisch.envs.core.rng import below

CONFIG: Mapping[str, int]

SIZE = CONFIG["size"]
VOLUNTARY_PASS = CONFIG["voluntary_pass"]
REWARD_DISCS = CONFIG["reward_discs"]

CELLS = SIZE * SIZE
TWO_WORDS = CELLS > 64
WORDS = 2 if TWO_WORDS else 1
WORD_CELLS = CELLS // WORDS

N_PLAYERS = 2
TEAMS = (0, 1)
PASS = CELLS
N_ACTIONS = CELLS + 1
MAX_BRANCH = CELLS
UTILITY = (-1.0, 1.0)
# At most one pass comes before each placement, or two in a row end a game that still has an empty cell. A position set
# up by hand may have as few as two discs.
MAX_MOVES = 2 * (CELLS - 2)

TURN, PASSES, DISCS = 0, 1, 2
MOVES = DISCS + 2 * WORDS
STATE_LEN = MOVES + WORDS

PLANES = 4 if VOLUNTARY_PASS else 3
OBS_SHAPE = (PLANES, SIZE, SIZE)
OBS_LEN = PLANES * CELLS
OBS_DTYPE = np.int8
OBS_RANGE = (0, 2 if VOLUNTARY_PASS else 1)

ZERO, ONE = np.uint64(0), np.uint64(1)
# Per word. A run of discs across columns can only be closed if it stays off the left and right edge.
INNER = np.uint64(sum(1 << c for c in range(WORD_CELLS) if 0 < c % SIZE < SIZE - 1))
WHOLE = np.uint64((1 << WORD_CELLS) - 1)
HALF = np.uint64(WORD_CELLS)
ALONG, ACROSS = np.uint64(1), np.uint64(SIZE)
FALLING, RISING = np.uint64(SIZE + 1), np.uint64(SIZE - 1)


def _symmetry_words() -> np.ndarray:
    """Return a random word per symmetry, side (to move or not) and cell, in which each cell takes its image's word."""
    words = np.random.default_rng(2024).integers(1 << 64, size=(2, CELLS), dtype=np.uint64)
    cells = np.arange(CELLS).reshape(SIZE, SIZE)
    images = [np.rot90(board, turns).ravel() for board in (cells, cells.T) for turns in range(4)]
    return np.stack([words[:, image] for image in images])


_SYMMETRY_WORDS = _symmetry_words()


@njit
def load(s, at):
    """Read the board that starts at ``s[at]``."""
    if TWO_WORDS:
        return np.uint64(s[at]), np.uint64(s[at + 1])
    return np.uint64(s[at])


@njit
def store(s, at, a):
    """Write a board to ``s[at]`` and what follows."""
    if TWO_WORDS:
        s[at] = np.int64(a[0])
        s[at + 1] = np.int64(a[1])
    else:
        s[at] = np.int64(a)


@njit
def single(cell):
    """Return the board with one cell."""
    if TWO_WORDS:
        if cell < WORD_CELLS:
            return ONE << np.uint64(cell), ZERO
        return ZERO, ONE << np.uint64(cell - WORD_CELLS)
    return ONE << np.uint64(cell)


@njit
def both(a, b):
    """Return the cells in ``a`` and in ``b``."""
    if TWO_WORDS:
        return a[0] & b[0], a[1] & b[1]
    return a & b


@njit
def either(a, b):
    """Return the cells in ``a`` or in ``b``."""
    if TWO_WORDS:
        return a[0] | b[0], a[1] | b[1]
    return a | b


@njit
def without(a, b):
    """Return the cells in ``a`` that are not in ``b``."""
    if TWO_WORDS:
        return a[0] & ~b[0], a[1] & ~b[1]
    return a & ~b


@njit
def empty(own, opponent):
    """Return the cells without a disc."""
    if TWO_WORDS:
        return WHOLE & ~(own[0] | opponent[0]), WHOLE & ~(own[1] | opponent[1])
    return WHOLE & ~(own | opponent)


@njit
def inner(a):
    """Return the cells of ``a`` off the left and right edge."""
    if TWO_WORDS:
        return a[0] & INNER, a[1] & INNER
    return a & INNER


@njit
def shift_up(a, d):
    """Move every cell of ``a`` by ``d`` to higher numbers."""
    if TWO_WORDS:
        return a[0] << d, (a[1] << d) | (a[0] >> (HALF - d))
    return a << d


@njit
def shift_down(a, d):
    """Move every cell of ``a`` by ``d`` to lower numbers."""
    if TWO_WORDS:
        return (a[0] >> d) | (a[1] << (HALF - d)), a[1] >> d
    return a >> d


@njit
def is_any(a):
    """Whether a board has a cell at all."""
    if TWO_WORDS:
        return (a[0] | a[1]) != ZERO
    return a != ZERO


@njit
def count_word(word):
    """Return the number of bits of a word."""
    n = np.int64(0)
    while word:  # compiled to one instruction
        word &= word - ONE
        n += 1
    return n


@njit
def count(a):
    """Return the number of cells of a board."""
    if TWO_WORDS:
        return count_word(a[0]) + count_word(a[1])
    return count_word(a)


@njit
def _runs(start, through, d):
    """Return the cells of ``through`` in unbroken runs from ``start`` on, towards higher and towards lower numbers.

    After two single steps a run grows by pairs of cells, two at a time; it never needs to be longer than SIZE - 2.
    """
    up = both(through, shift_up(start, d))
    up = either(up, both(through, shift_up(up, d)))
    down = both(through, shift_down(start, d))
    down = either(down, both(through, shift_down(down, d)))
    pairs_up = both(through, shift_up(through, d))
    pairs_down = both(through, shift_down(through, d))
    twice = d + d
    for _ in range((SIZE - 4) // 2):
        up = either(up, both(pairs_up, shift_up(up, twice)))
        down = either(down, both(pairs_down, shift_down(down, twice)))
    return up, down


@njit
def _closing_cells(own, through, d):
    """Return the cells just behind the runs that start at own discs."""
    up, down = _runs(own, through, d)
    return either(shift_up(up, d), shift_down(down, d))


@njit
def placements(own, opponent):
    """Return the cells where the owner of ``own`` may place."""
    off_edge = inner(opponent)
    cells = either(
        either(_closing_cells(own, off_edge, ALONG), _closing_cells(own, opponent, ACROSS)),
        either(_closing_cells(own, off_edge, FALLING), _closing_cells(own, off_edge, RISING)),
    )
    return both(cells, empty(own, opponent))


@njit
def _closed_runs(placed, own, through, d):
    """Return the runs next to the placed disc that an own disc closes."""
    up, down = _runs(placed, through, d)
    if not is_any(both(own, shift_up(up, d))):
        up = without(up, up)
    if not is_any(both(own, shift_down(down, d))):
        down = without(down, down)
    return either(up, down)


@njit
def flips(placed, own, opponent):
    """Return the discs that turn when the owner of ``own`` places on the cell ``placed``."""
    off_edge = inner(opponent)
    return either(
        either(_closed_runs(placed, own, off_edge, ALONG), _closed_runs(placed, own, opponent, ACROSS)),
        either(_closed_runs(placed, own, off_edge, FALLING), _closed_runs(placed, own, off_edge, RISING)),
    )


@njit
def _begin_turn(s, p, own, opponent):
    """Give the turn to seat ``p``, or end the game if neither side can place."""
    cells = placements(own, opponent)
    s[TURN] = p
    if not is_any(cells) and not is_any(placements(opponent, own)):
        s[TURN] = TERMINAL
    store(s, MOVES, cells)


@njit
def init(s, r):
    """Set up the start position: white on the falling diagonal of the middle, black on the rising one."""
    s[:] = 0
    middle = SIZE // 2
    low, high = (middle - 1) * SIZE + middle - 1, middle * SIZE + middle - 1
    black = either(single(low + 1), single(high))
    white = either(single(low), single(high + 1))
    store(s, DISCS, black)
    store(s, DISCS + WORDS, white)
    _begin_turn(s, 0, black, white)


@njit
def player(s):
    """Seat to move, TERMINAL after the end."""
    return s[TURN]


@njit(forceinline=True)
def legal(s, acts):
    """List the legal actions in ascending order."""
    n = 0
    for w in range(WORDS):
        cells = np.uint64(s[MOVES + w])
        while cells:
            acts[n] = w * WORD_CELLS + count_word(~cells & (cells - ONE))
            cells &= cells - ONE
            n += 1
    if VOLUNTARY_PASS or n == 0:
        acts[n] = PASS
        n += 1
    return n


@njit(forceinline=True)
def draw(s, r, i, acts):
    """Draw a legal action without listing them."""
    n = np.int64(0)
    for w in range(WORDS):
        n += bit_count(s[MOVES + w])
    k = below(r, i, n + 1 if VOLUNTARY_PASS or n == 0 else n)
    for w in range(WORDS):
        cells = s[MOVES + w]
        n = bit_count(cells)
        if k < n:
            return w * WORD_CELLS + bit_at(cells, k)
        k -= n
    return np.int64(PASS)


@njit(forceinline=True)
def apply(s, a):
    """Place a disc and turn what it closes in, or pass."""
    p = s[TURN]
    own = load(s, DISCS + p * WORDS)
    opponent = load(s, DISCS + (1 - p) * WORDS)
    if a != PASS:
        placed = single(a)
        turned = flips(placed, own, opponent)
        own = either(own, either(placed, turned))
        opponent = without(opponent, turned)
        store(s, DISCS + p * WORDS, own)
        store(s, DISCS + (1 - p) * WORDS, opponent)
        s[PASSES] = 0
    elif VOLUNTARY_PASS:
        s[PASSES] += 1
    _begin_turn(s, 1 - p, opponent, own)
    if VOLUNTARY_PASS and s[PASSES] == 2:
        s[TURN] = TERMINAL
        s[MOVES:] = 0


@njit
def returns(s, out):
    """Fill the result: who has more discs, or by how many per cell."""
    lead = count(load(s, DISCS)) - count(load(s, DISCS + WORDS))
    out[0] = lead / CELLS if REWARD_DISCS else np.sign(lead)
    out[1] = -lead / CELLS if REWARD_DISCS else np.sign(-lead)


@njit(forceinline=True)
def observe(s, p, obs):
    """Fill the planes as seat ``p`` sees them: own discs, the opponent's, own turn, passes in a row."""
    for w in range(WORDS):
        own = np.uint64(s[DISCS + p * WORDS + w])
        opponent = np.uint64(s[DISCS + (1 - p) * WORDS + w])
        first = w * WORD_CELLS
        for c in range(WORD_CELLS):
            obs[first + c] = (own >> np.uint64(c)) & ONE
            obs[CELLS + first + c] = (opponent >> np.uint64(c)) & ONE
    obs[2 * CELLS : 3 * CELLS] = s[TURN] == p
    if VOLUNTARY_PASS:
        obs[3 * CELLS :] = s[PASSES]


@njit
def empties(s):
    """Return the number of empty cells."""
    return count(empty(load(s, DISCS), load(s, DISCS + WORDS)))


@njit
def canonical_key(s):
    """Return one number, never 0, for all positions that symmetry and exchanging the sides make equal."""
    p = s[TURN]
    least = ~ZERO
    for k in range(len(_SYMMETRY_WORDS)):
        key = np.uint64(s[PASSES])
        for side in range(2):
            q = p if side == 0 else 1 - p
            for w in range(WORDS):
                discs = np.uint64(s[DISCS + q * WORDS + w])
                while discs:
                    key ^= _SYMMETRY_WORDS[k, side, w * WORD_CELLS + count_word(~discs & (discs - ONE))]
                    discs &= discs - ONE
        least = min(least, key)
    return np.int64(least if least else ONE)
