"""Reference players of Mühle and its relatives: alpha-beta with two evaluations; executed once per variant.

``heuristic`` values a position by the four features of the rote-learning work with its weights: 3 for a man
on the board, 3 for a man in hand, 2 for a mill, 1 for a possible mill, and looks at its own turn and the
answer. ``strong`` looks twice as far and knows more: mills that can be closed next turn, double mills
(Zwickmühle), mobility and blocked men. A turn includes its removal. Both choose at random among equal actions.
Searches value positions by ``evaluate``, which also counts ways to move and blocked men while men are being placed.
"""

import numpy as np
from numba import njit

from stammtisch.envs.core.constants import TERMINAL
from stammtisch.envs.core.rules import OwnRules
from stammtisch.envs.core.ties import is_better

RULES: OwnRules
WEIGHTS: tuple[float, float, float, float]  # of men on the board, men in hand, mills and possible mills

player, legal, apply = RULES.player, RULES.legal, RULES.apply
can_fly, in_mills, lowest = RULES.can_fly, RULES.in_mills, RULES.lowest
MOVER, PENDING, OVER = RULES.MOVER, RULES.PENDING, RULES.OVER
BOARD, HAND, LEFT = RULES.BOARD, RULES.HAND, RULES.LEFT
FULL, MEN = RULES.FULL, RULES.MEN
MILLS, N_MILLS, NEAR = RULES.MILLS, RULES.N_MILLS, RULES.NEAR
STEPS, MAX_STEPS = RULES.STEPS, RULES.MAX_STEPS
MAX_BRANCH, STATE_LEN = RULES.MAX_BRANCH, RULES.STATE_LEN

STONES, STASH, MILL, POSSIBLE_MILL = WEIGHTS
# No side can have more, so values stay within -1..1.
SCALE = max(STONES, STASH) * MEN + max(MILL, POSSIBLE_MILL) * N_MILLS + 1e-12

STRONG_MAN, STRONG_MILL, STRONG_POSSIBLE = 12.0, 1.0, 1.5
STRONG_CLOSABLE, STRONG_DOUBLE, STRONG_STEP, STRONG_BLOCKED = 4.0, 8.0, 0.5, 1.0
STEP, BLOCKED = 1.0, 2.0
STRONG_SCALE = 40.0 * MEN

HEURISTIC_TURNS = 2
STRONG_TURNS = 4
SOON = 0.01  # how much better a win is for every turn that it comes earlier
EQUAL = 1e-9


@njit
def _men_on_board(s, q):
    """Men of seat ``q`` on the board; one about to be removed counts as gone."""
    return s[LEFT + q] - s[HAND + q] - (s[PENDING] if s[MOVER] != q else 0)


@njit
def _four_features(s, q):
    own = s[BOARD + q]
    enemy = s[BOARD + 1 - q]
    mills = 0
    possible = 0
    for k in range(N_MILLS):
        line = MILLS[k]
        here = own & line
        mills += here == line
        possible += (here != line) & (here & (here - 1) != 0) & (enemy & line == 0)
    return STONES * _men_on_board(s, q) + STASH * s[HAND + q] + MILL * mills + POSSIBLE_MILL * possible


@njit
def _decided(s, p):
    if s[OVER] == 1 + p:
        return 1.0
    return -1.0 if s[OVER] == 2 - p else 0.0


@njit
def evaluate_plain(s, p):
    """Value of a position for seat ``p`` in -1..1, by the four features; the result itself after the end."""
    if player(s) == TERMINAL:
        return _decided(s, p)
    return (_four_features(s, p) - _four_features(s, 1 - p)) / SCALE


@njit
def _strength(s, q):
    own = s[BOARD + q]
    enemy = s[BOARD + 1 - q]
    empty = FULL & ~(own | enemy)
    anywhere = s[HAND + q] > 0 or can_fly(s, q)
    milled = in_mills(own)
    value = STRONG_MAN * (_men_on_board(s, q) + s[HAND + q])
    for k in range(N_MILLS):
        line = MILLS[k]
        here = own & line
        if here == line:
            value += STRONG_MILL
        elif here & (here - 1) != 0 and enemy & line == 0:
            value += STRONG_POSSIBLE
            gap = line ^ here
            steppers = NEAR[lowest(gap)] & own & ~line
            if anywhere or steppers:
                value += STRONG_CLOSABLE
            if not anywhere and steppers & milled:
                value += STRONG_DOUBLE
    if not anywhere:
        while own:
            start = lowest(own)
            own &= own - 1
            if NEAR[start] & empty == 0:
                value -= STRONG_BLOCKED
            for k in range(MAX_STEPS):
                value += STRONG_STEP * ((empty >> STEPS[start, k]) & 1)
    return value


@njit
def _evaluate_strong(s, p):
    return (_strength(s, p) - _strength(s, 1 - p)) / STRONG_SCALE


@njit
def _worth(s, q):
    own = s[BOARD + q]
    enemy = s[BOARD + 1 - q]
    empty = FULL & ~(own | enemy)
    flies = can_fly(s, q)
    anywhere = s[HAND + q] > 0 or flies
    milled = in_mills(own)
    value = STRONG_MAN * (_men_on_board(s, q) + s[HAND + q])
    for k in range(N_MILLS):
        line = MILLS[k]
        here = own & line
        if here == line:
            value += STRONG_MILL
        elif here & (here - 1) != 0 and enemy & line == 0:
            value += STRONG_POSSIBLE
            steppers = NEAR[lowest(line ^ here)] & own & ~line
            if anywhere or steppers:
                value += STRONG_CLOSABLE
            if not anywhere and steppers & milled:
                value += STRONG_DOUBLE
    if not flies:
        while own:
            near = NEAR[lowest(own)] & empty
            own &= own - 1
            if near == 0:
                value -= BLOCKED
            while near:
                near &= near - 1
                value += STEP
    return value


@njit
def evaluate(s, p):
    """Value of a position for seat ``p`` in -1..1; the result itself after the end.

    Beside what ``strong`` looks at, ways to move and blocked men count while men are still being placed: most games
    against good opponents are lost by a blockade that is prepared then.
    """
    if player(s) == TERMINAL:
        return _decided(s, p)
    return (_worth(s, p) - _worth(s, 1 - p)) / STRONG_SCALE


@njit
def _leaf_value(s, turns, is_strong):
    """Value, for the seat to move, of a position that is not searched further; ``turns`` were left."""
    if player(s) == TERMINAL:
        return _decided(s, s[MOVER]) * (1.0 + SOON * turns)
    return _evaluate_strong(s, s[MOVER]) if is_strong else evaluate_plain(s, s[MOVER])


@njit
def _copy(source, target):
    for i in range(STATE_LEN):
        target[i] = source[i]


@njit
def _choose(s, r, acts, turns, is_strong):
    """Return the action with the best value after ``turns`` turns by alpha-beta; equal ones are drawn at random.

    The search keeps its own stack: recursion would take several times as long to compile.
    """
    p = player(s)
    n = legal(s, acts)
    if n == 1:
        return acts[0]
    depth = 2 * turns + 1
    rows = np.empty((depth, STATE_LEN), np.int64)
    lists = np.empty((depth, MAX_BRANCH), np.int64)
    size = np.empty(depth, np.int64)
    at = np.empty(depth, np.int64)
    left = np.empty(depth, np.int64)
    best = np.empty(depth, np.float64)
    alpha = np.empty(depth, np.float64)
    beta = np.empty(depth, np.float64)
    _copy(s, rows[0])
    size[0] = legal(s, lists[0])
    at[0] = 0
    left[0] = turns
    best[0] = alpha[0] = -np.inf
    beta[0] = np.inf
    chosen = acts[0]
    ties = 0
    level = 0
    while True:
        # Step 1. Go down one action, unless this node is done
        if at[level] < size[level] and alpha[level] < beta[level]:
            deeper = level + 1
            row = rows[deeper]
            _copy(rows[level], row)
            apply(row, lists[level, at[level]])
            at[level] += 1
            if row[MOVER] == rows[level, MOVER]:
                left[deeper] = left[level]
                alpha[deeper] = alpha[level]
                beta[deeper] = beta[level]
            else:
                left[deeper] = left[level] - 1
                alpha[deeper] = -beta[level]
                beta[deeper] = -alpha[level]
            if left[deeper] > 0 and player(row) != TERMINAL:
                level = deeper
                size[level] = legal(row, lists[level])
                at[level] = 0
                best[level] = -np.inf
                continue
            value = _leaf_value(row, left[deeper], is_strong)
        elif level == 0:
            return chosen
        else:
            value = best[level]
            level -= 1
        # Step 2. Take the value found one level below, seen from this node's side
        if rows[level + 1, MOVER] != rows[level, MOVER]:
            value = -value
        if level > 0:
            best[level] = max(best[level], value)
            alpha[level] = max(alpha[level], value)
        else:
            is_best, best[0], ties = is_better(value, best[0], ties, EQUAL, r, 1 + p)
            alpha[0] = best[0] - EQUAL  # below the best, so that equal actions get their exact value
            if is_best:
                chosen = lists[0, at[0] - 1]


@njit
def heuristic(s, r, acts):
    """Choose by the four features after this turn and the answer."""
    return _choose(s, r, acts, HEURISTIC_TURNS, False)


@njit
def strong(s, r, acts):
    """Choose by the richer evaluation, four turns deep."""
    return _choose(s, r, acts, STRONG_TURNS, True)
