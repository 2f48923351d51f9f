"""Reference player of Reversi: one move and one answer ahead, by corners, mobility and, late, discs; once per variant.

Discs are worth little before the end: those on corners can never be turned, those beside an empty corner tend to give
it away, and whoever has more cells to choose from can wait. With few empty cells the count of discs and the parity of
the empty cells (who will place last) take over.
"""

import numpy as np
from numba import njit

from stammtisch.envs.core.constants import TERMINAL
from stammtisch.envs.core.rules import OwnRules
from stammtisch.envs.core.ties import is_better

RULES: OwnRules

player, legal, apply, returns = RULES.player, RULES.legal, RULES.apply, RULES.returns
load, single, both, either = RULES.load, RULES.single, RULES.both, RULES.either
empty, is_any, count = RULES.empty, RULES.is_any, RULES.count
shift_up, shift_down, placements = RULES.shift_up, RULES.shift_down, RULES.placements
N_PLAYERS, SIZE, CELLS, WORDS, DISCS = RULES.N_PLAYERS, RULES.SIZE, RULES.CELLS, RULES.WORDS, RULES.DISCS
ALONG, ACROSS, FALLING, RISING = RULES.ALONG, RULES.ACROSS, RULES.FALLING, RULES.RISING
MAX_BRANCH, STATE_LEN, WORD_CELLS = RULES.MAX_BRANCH, RULES.STATE_LEN, RULES.WORD_CELLS

WIN_VALUE = 1000.0
CORNER, DIAGONAL, BESIDE = 30.0, 15.0, 6.0
MOBILITY, FRONTIER = 40.0, 15.0
LATE = CELLS / 4.0  # empty cells from which on discs and parity begin to count
DISC, PARITY = 60.0, 4.0
BALANCE_SCALE = 100.0

_LAST = SIZE - 1
# Per corner: the corner, the cell diagonally inside, and its two neighbours on the edges.
_CORNERS = np.array(
    [
        [r * SIZE + c, (r + dr) * SIZE + c + dc, (r + dr) * SIZE + c, r * SIZE + c + dc]
        for r, dr in ((0, 1), (_LAST, -1))
        for c, dc in ((0, 1), (_LAST, -1))
    ],
    np.int64,
)
_INTERIOR = [c for c in range(CELLS) if 0 < c // SIZE < _LAST and 0 < c % SIZE < _LAST]
_WORDS = tuple(np.uint64(sum(1 << c % WORD_CELLS for c in _INTERIOR if c // WORD_CELLS == w)) for w in range(WORDS))
INTERIOR = _WORDS if WORDS > 1 else _WORDS[0]


@njit
def _has(a, cell):
    return is_any(both(a, single(cell)))


@njit
def _corner_value(own, opponent):
    """Worth of the corners and of what lies beside the empty ones, for the owner of ``own``."""
    value = 0.0
    for i in range(4):
        corner, diagonal = _CORNERS[i, 0], _CORNERS[i, 1]
        beside = either(single(_CORNERS[i, 2]), single(_CORNERS[i, 3]))
        if _has(own, corner):
            value += CORNER
        elif _has(opponent, corner):
            value -= CORNER
        else:
            value += DIAGONAL * (np.int64(_has(opponent, diagonal)) - np.int64(_has(own, diagonal)))
            value += BESIDE * (count(both(opponent, beside)) - count(both(own, beside)))
    return value


@njit
def _frontier(discs, free):
    """Return how many discs off the edges lie next to an empty cell; shifts that wrap around end on an edge."""
    along = either(shift_up(free, ALONG), shift_down(free, ALONG))
    across = either(shift_up(free, ACROSS), shift_down(free, ACROSS))
    falling = either(shift_up(free, FALLING), shift_down(free, FALLING))
    rising = either(shift_up(free, RISING), shift_down(free, RISING))
    return count(both(both(discs, INTERIOR), either(either(along, across), either(falling, rising))))


@njit
def _share(a, b):
    """Compare two counts on a scale from -1 to 1."""
    return (a - b) / (a + b + 2.0)


@njit
def evaluate(s, p):
    """Value of an unfinished position for seat ``p``, between -1 and 1 as the game's returns."""
    return np.tanh(_balance(s, p) / BALANCE_SCALE)


@njit
def _balance(s, p):
    """What speaks for seat ``p`` less what speaks against it, well within the value of a win."""
    own = load(s, DISCS + p * WORDS)
    opponent = load(s, DISCS + (1 - p) * WORDS)
    free = empty(own, opponent)
    value = _corner_value(own, opponent)
    value += MOBILITY * _share(count(placements(own, opponent)), count(placements(opponent, own)))
    value += FRONTIER * _share(_frontier(opponent, free), _frontier(own, free))
    left = count(free)
    if left < LATE:
        late = 1.0 - left / LATE
        value += late * DISC * _share(count(own), count(opponent))
        places_last = (left % 2 == 1) == (player(s) == p)
        value += late * PARITY if places_last else -late * PARITY
    return value


@njit
def _value(s, p, out):
    if player(s) == TERMINAL:
        returns(s, out)
        return WIN_VALUE * out[p]
    return _balance(s, p)


@njit
def _outlook(s, p, enough, row, acts, out):
    """Value of ``s`` for seat ``p`` after the opponent's best answer; values below ``enough`` may come out too high."""
    if player(s) == TERMINAL:
        return _value(s, p, out)
    worst = np.inf
    for i in range(legal(s, acts)):
        row[:] = s
        apply(row, acts[i])
        worst = min(worst, _value(row, p, out))
        if worst < enough:
            break
    return worst


@njit
def heuristic(s, r, acts):
    """Choose the move with the best outlook; equal moves are drawn at random."""
    p = player(s)
    n = legal(s, acts)
    if n == 1:
        return acts[0]
    after = np.empty(STATE_LEN, np.int64)
    row = np.empty(STATE_LEN, np.int64)
    answers = np.empty(MAX_BRANCH, np.int64)
    out = np.empty(N_PLAYERS, np.float64)
    best = -np.inf
    chosen = acts[0]
    ties = 0
    for i in range(n):
        after[:] = s
        apply(after, acts[i])
        value = _outlook(after, p, best - 1e-9, row, answers, out)
        is_best, best, ties = is_better(value, best, ties, 1e-9, r, 1 + p)
        if is_best:
            chosen = acts[i]
    return chosen
