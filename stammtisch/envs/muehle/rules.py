"""Mühle and its relatives as numba functions on one int64 row; executed once per variant.

A point is ``8 * ring + position``: ring 0 is the outermost, position 0 its top left corner, then clockwise,
so odd positions are the middles of the sides. The board of one ring has a centre, point 8. A side's men are a
bit mask of points.

Row: seat to move, removal pending (0 or 1), completed turns, over (0, 1 + winner, DRAWN), men on the board,
men in hand and all men left (board and hand), the last three per seat. With ``repetition`` there follow the
number of positions since the last placing or removal and these positions, each as one integer; they are blank
while a removal is pending.
"""

import itertools
from collections.abc import Mapping

import numpy as np
from numba import njit

from stammtisch.envs.core.bits import bit_at, bit_count, lowest
from stammtisch.envs.core.constants import TERMINAL
from stammtisch.envs.core.jit import modular
from stammtisch.envs.core.rng import below

CONFIG: Mapping[str, int]

RINGS = CONFIG["rings"]
MEN = CONFIG["men"]
DIAGONALS = CONFIG["diagonals"]
FLYING = bool(CONFIG["flying"])
MAX_TURNS = CONFIG["max_turns"]
REPETITION = CONFIG["repetition"]
DQN_FLAT = CONFIG["dqn_flat"]  # the inputs of the deep-Q report instead of the vector

POINTS = 9 if RINGS == 1 else 8 * RINGS
LINE_WINS = RINGS == 1  # three in a row wins at once; on the other boards it removes a man
CENTRE = 8  # the ninth point of the smallest board
FULL = (1 << POINTS) - 1
MEN_TO_FLY = 3
MEN_TO_LOSE = 2
DRAWN = 3

N_PLAYERS = 2
TEAMS = (0, 1)
UTILITY = (-1.0, 1.0)
N_ACTIONS = POINTS + POINTS * POINTS

MOVER, PENDING, TURN, OVER = 0, 1, 2, 3
BOARD, HAND, LEFT = 4, 6, 8
SEEN = 10  # how many positions are kept, then the positions
STATE_LEN = SEEN + (2 + MAX_TURNS if REPETITION else 0)


def _spokes() -> list[tuple[int, ...]]:
    """Return the straight lines across the rings, from the outermost point inwards."""
    if RINGS == 1:
        return [(p, 8, p + 4) for p in range(4) if p % 2 or DIAGONALS]
    return [tuple(8 * r + p for r in range(RINGS)) for p in range(8) if p % 2 or DIAGONALS]


def _sides() -> list[tuple[int, ...]]:
    return [(8 * r + p, 8 * r + p + 1, 8 * r + (p + 2) % 8) for r in range(RINGS) for p in (0, 2, 4, 6)]


def _neighbours() -> list[list[int]]:
    """Return the points next to each point, ascending."""
    near: list[set[int]] = [set() for _ in range(POINTS)]
    for line in _sides() + _spokes():
        for a, b in itertools.pairwise(line):
            near[a].add(b)
            near[b].add(a)
    return [sorted(points) for points in near]


# Every straight line of three points is a mill; the spokes of two rings are too short.
LINES = tuple(line for line in _sides() + _spokes() if len(line) == 3)
NEIGHBOURS = _neighbours()


def _mask(points: tuple[int, ...] | list[int]) -> int:
    return sum(1 << point for point in points)


def _tables() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the masks MILLS[line], MILLS_AT[point, k], NEAR[point] and the points STEPS[point, k]."""
    mills = np.array([_mask(line) for line in LINES], np.int64)
    at = [[_mask(line) for line in LINES if point in line] for point in range(POINTS)]
    mills_at = np.full((POINTS, max(len(masks) for masks in at)), 1 << POINTS, np.int64)  # padding: never full
    near = np.array([_mask(points) for points in NEIGHBOURS], np.int64)
    steps = np.zeros((POINTS, max(len(points) for points in NEIGHBOURS)), np.int64)
    for point in range(POINTS):
        mills_at[point, : len(at[point])] = at[point]
        steps[point] = point  # padding: a man never steps onto itself
        steps[point, : len(NEIGHBOURS[point])] = NEIGHBOURS[point]
    return mills, mills_at, near, steps


MILLS, MILLS_AT, NEAR, STEPS = _tables()
EACH_RING = _mask([8 * ring for ring in range(RINGS)])  # its first point
SPOKES = (0xFF if DIAGONALS else 0xAA) * EACH_RING  # points that are joined across the rings
N_MILLS, MAX_MILLS_AT, MAX_STEPS = len(MILLS), MILLS_AT.shape[1], STEPS.shape[1]

# Placing, flying or stepping along a line; one more, because listing writes an entry before it is sure of it.
MAX_BRANCH = 1 + max(POINTS, 3 * (POINTS - 3), sum(len(points) for points in NEIGHBOURS) // 2)
# Every turn may be followed by a removal, but either side has only so many men to lose.
MAX_MOVES = MAX_TURNS + (0 if LINE_WINS else 2 * (MEN - MEN_TO_LOSE) - 1)

# For keys that do not depend on how the board lies: the men of both sides in one word, a byte per ring.
ON_RINGS = (1 << 8 * RINGS) - 1
RING_STARTS = _mask([8 * ring for ring in range(2 * RINGS)])
OUTERMOST = 0xFF | 0xFF << 8 * RINGS
INWARDS = 8 * (RINGS - 1)
NEAR_LIMIT = 32  # turns before the last that are told apart
SPREAD = 0x1E3779B97F4A7C15

FACTS = 2 * POINTS  # where the vector's scalars begin, five per side, then the common ones
OBS_LEN = POINTS + 4 if DQN_FLAT else FACTS + 13 + (1 if REPETITION else 0)
OBS_SHAPE = (OBS_LEN,)
OBS_DTYPE = np.int8 if DQN_FLAT else np.float32
OBS_RANGE = (-1, MEN) if DQN_FLAT else (0, 1)
SHARE = np.arange(MEN + 1, dtype=np.float32) / MEN  # a number of men as the vector shows it
PLACES = np.array([[(men >> k) & 1 for k in range(8)] for men in range(256)], np.float32)  # the men of one ring


@njit
def init(s, r):
    """Set up the empty board; white, seat 0, begins."""
    for i in range(STATE_LEN):
        s[i] = 0
    for p in range(2):
        s[HAND + p] = MEN
        s[LEFT + p] = MEN
    if REPETITION:
        _remember(s)


@njit
def player(s):
    """Seat to move, TERMINAL after the end."""
    if s[OVER]:
        return TERMINAL
    return s[MOVER]


@njit
def can_fly(s, p):
    """Whether seat ``p`` has placed its men and is down to three."""
    return FLYING & (s[HAND + p] == 0) & (s[LEFT + p] == MEN_TO_FLY)


@njit(forceinline=True)
def closes_mill(men, point):
    """Whether the man of ``men`` that has just arrived on ``point`` stands in a row of three."""
    closed = False
    for k in range(MAX_MILLS_AT):
        closed |= men & MILLS_AT[point, k] == MILLS_AT[point, k]
    return closed


@njit
def in_mills(men):
    """Return the mask of the men that stand in a mill."""
    found = np.int64(0)
    for k in range(N_MILLS):
        if men & MILLS[k] == MILLS[k]:
            found |= MILLS[k]
    return found


@njit
def _add_points(mask, base, acts, n):
    """Append ``base + point`` for every point of ``mask``."""
    for point in range(POINTS):
        acts[n] = base + point
        n += (mask >> point) & 1
    return n


@njit
def _removable(enemy):
    """Return the men that may be removed: those outside mills if there are any."""
    free = enemy & ~in_mills(enemy)
    return free if free else enemy


@njit
def legal(s, acts):
    """List the legal actions in ascending order."""
    p = s[MOVER]
    own = s[BOARD + p]
    enemy = s[BOARD + 1 - p]
    if s[PENDING]:
        return _add_points(_removable(enemy), 0, acts, 0)
    empty = FULL & ~(own | enemy)
    if s[HAND + p]:
        return _add_points(empty, 0, acts, 0)
    n = 0
    if can_fly(s, p):
        while own:
            n = _add_points(empty, POINTS + POINTS * lowest(own), acts, n)
            own &= own - 1
        return n
    while own:
        start = lowest(own)
        own &= own - 1
        for k in range(MAX_STEPS):
            target = STEPS[start, k]
            acts[n] = POINTS + POINTS * start + target
            n += (empty >> target) & 1
    return n


@njit(forceinline=True)
def _steps_to(men, empty):
    """Count the steps of men to empty points next to them: along their ring both ways, inwards and outwards."""
    n = np.int64(0)
    if RINGS == 1:
        while men:
            n += bit_count(NEAR[lowest(men)] & empty)
            men &= men - 1
        return n
    across = men & SPOKES
    n += bit_count(((men << 1) & (0xFE * EACH_RING) | (men >> 7) & EACH_RING) & empty)
    n += bit_count(((men >> 1) & (0x7F * EACH_RING) | (men & EACH_RING) << 7) & empty)
    return n + bit_count((across << 8) & empty) + bit_count((across >> 8) & empty)


@njit(forceinline=True)
def draw(s, r, i, acts):
    """Draw a legal action without listing them."""
    p = s[MOVER]
    own = s[BOARD + p]
    enemy = s[BOARD + 1 - p]
    empty = FULL & ~(own | enemy)
    if s[PENDING] or s[HAND + p]:
        points = _removable(enemy) if s[PENDING] else empty
        return bit_at(points, below(r, i, bit_count(points)))
    if can_fly(s, p):
        targets = bit_count(empty)
        k = below(r, i, bit_count(own) * targets)
        man = k // targets
        return POINTS + POINTS * bit_at(own, man) + bit_at(empty, k - man * targets)
    k = below(r, i, _steps_to(own, empty))
    while True:
        start = lowest(own)
        targets = NEAR[start] & empty
        n = bit_count(targets)
        if k < n:
            return POINTS + POINTS * start + bit_at(targets, k)
        k -= n
        own &= own - 1


@njit(forceinline=True)
def is_blocked(s, p):
    """Whether seat ``p``, with an empty hand and unable to fly, has no man next to an empty point."""
    own = s[BOARD + p]
    return _steps_to(own, FULL & ~(own | s[BOARD + 1 - p])) == 0


@njit(forceinline=True)
def apply(s, a):
    """Place, move or remove a man."""
    p = s[MOVER]
    q = 1 - p
    if s[PENDING]:
        s[BOARD + q] ^= 1 << a
        s[LEFT + q] -= 1
        s[PENDING] = 0
        _end_turn(s, p, q, True)
        return
    placed = a < POINTS
    target = a
    if placed:
        s[HAND + p] -= 1
    else:
        start = (a - POINTS) // POINTS
        target = a - POINTS - start * POINTS
        s[BOARD + p] ^= 1 << start
    s[BOARD + p] |= 1 << target
    if closes_mill(s[BOARD + p], target):
        if LINE_WINS:
            s[OVER] = 1 + p
        elif s[BOARD + q]:
            s[PENDING] = 1
            if REPETITION:
                _forget(s)
            return
    _end_turn(s, p, q, placed)


@njit(forceinline=True)
def _end_turn(s, p, q, irreversible):
    """Pass the turn from ``p`` to ``q`` and see whether the game is over."""
    s[TURN] += 1
    s[MOVER] = q
    if REPETITION and irreversible:
        _forget(s)
    if s[OVER] == 0:
        s[OVER] = _outcome(s, p, q)
    if REPETITION and _remember(s) >= 3 and s[OVER] == 0:
        s[OVER] = DRAWN


@njit(forceinline=True)
def _outcome(s, p, q):
    """Return OVER of a position in which ``q`` is to place or move."""
    if s[LEFT + q] <= MEN_TO_LOSE:
        return 1 + p
    if s[HAND + q] == 0:
        if s[BOARD + p] | s[BOARD + q] == FULL:
            return DRAWN
        if not can_fly(s, q) and is_blocked(s, q):
            return 1 + p
    if s[TURN] >= MAX_TURNS:
        return DRAWN
    return 0


@njit
def position_code(s):
    """Return men and seat to move as one integer; hands cannot differ between positions that could repeat."""
    return s[BOARD] | s[BOARD + 1] << POINTS | s[MOVER] << 2 * POINTS


@njit
def _remember(s):
    """Add the position to those seen and return how often it has occurred."""
    code = position_code(s)
    n = s[SEEN]
    s[SEEN + 1 + n] = code
    s[SEEN] = n + 1
    return occurrences(s, code)


@njit
def occurrences(s, code):
    """How often the position ``code`` has been seen since the last placing or removal."""
    times = 0
    for i in range(s[SEEN]):
        times += s[SEEN + 1 + i] == code
    return times


@njit
def _forget(s):
    for i in range(s[SEEN] + 1):
        s[SEEN + i] = 0


@njit
def returns(s, out):
    """Fill +1 for the winner and -1 for the loser, zeros for a draw."""
    for p in range(2):
        if s[OVER] == DRAWN:
            out[p] = 0.0
        else:
            out[p] = 1.0 if s[OVER] == 1 + p else -1.0


@njit
def observe(s, p, obs):
    """Fill the observation of seat ``p``."""
    if DQN_FLAT:
        _observe_dqn_flat(s, obs)
    else:
        _observe_vector(s, p, obs)


@njit
def _observe_vector(s, p, obs):
    for j in range(2):
        q = p if j == 0 else 1 - p
        men = s[BOARD + q]
        for ring in range(RINGS):
            eight = (men >> (8 * ring)) & 0xFF
            for k in range(8):
                obs[j * POINTS + 8 * ring + k] = PLACES[eight, k]
        if LINE_WINS:
            obs[j * POINTS + CENTRE] = men >> CENTRE
        first = FACTS + 5 * j
        placing = s[HAND + q] > 0
        flying = can_fly(s, q)
        obs[first] = SHARE[s[HAND + q]]
        obs[first + 1] = SHARE[s[LEFT + q]]
        obs[first + 2] = placing
        obs[first + 3] = not (placing | flying)
        obs[first + 4] = flying
    obs[FACTS + 10] = s[PENDING]
    obs[FACTS + 11] = s[TURN] / MAX_TURNS
    obs[FACTS + 12] = s[MOVER] == p
    if REPETITION:
        obs[FACTS + 13] = occurrences(s, position_code(s)) / 3


@njit
def _observe_dqn_flat(s, obs):
    obs[0] = s[MOVER]
    obs[1] = 3 if s[OVER] else 2 if s[PENDING] else 0 if s[HAND + s[MOVER]] else 1
    for point in range(POINTS):
        obs[2 + point] = ((s[BOARD] >> point) & 1) - ((s[BOARD + 1] >> point) & 1)
    obs[POINTS + 2] = s[HAND]
    obs[POINTS + 3] = s[HAND + 1]


@njit
def _turned(men):
    """Turn the boards of both sides by a quarter: every position of a ring goes two further."""
    return (men << 2) & (0xFC * RING_STARTS) | (men >> 6) & (0x03 * RING_STARTS)


@njit
def _mirrored(men):
    """Reflect the boards of both sides: position ``p`` of a ring goes to ``2 - p``."""
    by_two = (men & (0x11 * RING_STARTS)) << 2 | (men >> 2) & (0x11 * RING_STARTS)
    by_four = (men & (0x08 * RING_STARTS)) << 4 | (men >> 4) & (0x08 * RING_STARTS)
    return men & (0x22 * RING_STARTS) | by_two | by_four


@njit
def _inside_out(men):
    """Exchange the outermost and the innermost ring of both sides."""
    return (men & OUTERMOST) << INWARDS | men & ~(OUTERMOST | OUTERMOST << INWARDS) | (men >> INWARDS) & OUTERMOST


@modular
def canonical_key(s):
    """Return one number, never 0, for all positions that symmetry and exchanging the sides make equal.

    Completed turns count only when the limit is near. With ``repetition``, earlier positions count as they are.
    """
    p = s[MOVER]
    own = s[BOARD + p]
    enemy = s[BOARD + 1 - p]
    men = own & ON_RINGS | (enemy & ON_RINGS) << 8 * RINGS
    key = men
    for _ in range(1 if RINGS == 1 else 2):
        for _ in range(2):
            for _ in range(4):
                key = min(key, men)
                men = _turned(men)
            men = _mirrored(men)
        men = _inside_out(men)
    if RINGS == 1:
        key |= (own >> 8 | enemy >> 8 << 1) << 16
    late = max(0, s[TURN] - MAX_TURNS + NEAR_LIMIT)
    key |= (s[HAND + p] | s[HAND + 1 - p] << 4 | s[PENDING] << 8 | late << 9) << 48
    if REPETITION and s[SEEN] > 1:
        for i in range(s[SEEN]):
            key = (key ^ s[SEEN + 1 + i]) * SPREAD
            key ^= key >> 29
    return key
