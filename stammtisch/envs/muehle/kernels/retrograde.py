"""Endgames worked out backwards: from lost positions to all those that lead there; executed once per variant.

A position is one byte, its code: 0 drawn, else 1 + the number of turns to the end of the game if the winner hurries and
the loser delays. Turns alternate, so odd codes are lost for the side to move and even ones won.

The sectors w-b and b-w lead to each other by quiet moves, and to smaller ones, done before, where a mill is closed. One
pass begins: it finds the positions that are lost at once and what captures promise. Then, code by code: before a lost
position all are won; before a won one those are lost that have no other way out, which is looked up. Captures that win
later wait in ``promises`` for their turn. What is left is drawn.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from stammtisch.envs.core.borrow import borrowed
from stammtisch.envs.core.rules import OwnRules

RULES: OwnRules
INDEX: Any  # the kernels of ``index``
kernel: Callable[[Callable[..., Any]], Any]

FULL, FLYING, MEN_TO_FLY, MEN_TO_LOSE = RULES.FULL, RULES.FLYING, RULES.MEN_TO_FLY, RULES.MEN_TO_LOSE
LINE_WINS, NEAR = RULES.LINE_WINS, RULES.NEAR
closes_mill, in_mills, lowest = RULES.closes_mill, RULES.in_mills, RULES.lowest
Index, number_of, position_of, is_hole = INDEX.Index, INDEX.number_of, INDEX.position_of, INDEX.is_hole

DRAWN, LOST_NOW, WON_NOW = 0, 1, 2
HOLE = 255  # no position of its own
DRAWING = 254  # among the promises: a capture that draws
MOST_CODE = 253


@njit
def _borrow(t):
    return Index(
        borrowed(t.images),
        borrowed(t.ranks),
        borrowed(t.choose),
        borrowed(t.sets),
        borrowed(t.classes),
        borrowed(t.ways),
        borrowed(t.first),
        borrowed(t.listed),
    )


@njit
def _better(code, best):
    """The better of two codes for the side that has the choice, seen from the side that is to move after it.

    Its own loss is the other's win: odd codes are good, the lower the better; then draws; then even ones, the higher
    the better. A ``best`` of -1 is nothing yet.
    """
    if best < 0:
        return code
    if code & 1:
        return code if not best & 1 or code < best else best
    if best & 1:
        return best
    if code == DRAWN or best == DRAWN:
        return np.int64(DRAWN)
    return max(code, best)


@njit
def _capture(t, own, enemy, w, b, hand, lower):
    """Code, for the side to move after it, of the best removal by ``own`` with ``w`` men on the board."""
    if b - 1 + hand <= MEN_TO_LOSE:
        return np.int64(LOST_NOW)
    free = enemy & ~in_mills(enemy)
    free = free if free else enemy
    best = np.int64(-1)
    while free:
        man = free & -free
        free &= free - 1
        best = _better(np.int64(lower[number_of(t, enemy ^ man, own, b - 1, w)]), best)
    return best


@njit
def _targets(point, empty, w):
    """Where a man may go from a point, of a side that has ``w`` men on the board and none in hand."""
    if FLYING and w == MEN_TO_FLY:
        return empty
    return NEAR[point] & empty


@njit
def _has_line(men):
    return in_mills(men) != 0


@kernel
def begin(t, w, b, values, promises, lower, lo, hi):
    """Mark holes, what is lost without a quiet move, and what captures promise; return the highest code.

    Args:
        t: an ``Index``.
        w: men of the side to move.
        b: men of the other side.
        values: uint8[n], codes of the sector, filled from ``lo`` to ``hi``.
        promises: uint8[n], codes of wins by a capture; filled likewise.
        lower: uint8[m], codes of the sector b-1 against w; anything if that has no positions.
        lo: first position.
        hi: the one after the last.
    """
    t = _borrow(t)
    values, promises, lower = borrowed(values), borrowed(promises), borrowed(lower)
    top = np.int64(0)
    for i in range(lo, hi):
        own, enemy = position_of(t, i, w, b)
        if is_hole(t, i, own, enemy, w, b) or (LINE_WINS and (_has_line(own) or _has_line(enemy))):
            values[i] = HOLE
            continue
        empty = FULL & ~(own | enemy)
        quiet = 0
        best = np.int64(-1)
        men = own
        while men:
            man = men & -men
            men &= men - 1
            targets = _targets(lowest(man), empty, w)
            while targets:
                to = targets & -targets
                targets &= targets - 1
                moved = own ^ man | to
                if not closes_mill(moved, lowest(to)):
                    quiet += 1
                elif LINE_WINS:
                    best = np.int64(LOST_NOW)
                else:
                    best = _better(_capture(t, moved, enemy, w, b, 0, lower), best)
        code = np.int64(0)
        if empty == 0:
            promises[i] = DRAWING
        elif best < 0:
            if quiet == 0:
                code = np.int64(LOST_NOW)
                values[i] = code
        elif best & 1:
            code = best + 1
            promises[i] = code
        elif best == DRAWN:
            promises[i] = DRAWING
        elif quiet == 0:
            code = best + 1
            values[i] = code
        top = max(top, code)
    return top


@kernel
def keep_promises(code, values, promises, lo, hi):
    """Set the wins by capture of one code."""
    for i in range(lo, hi):
        if promises[i] == code and values[i] == 0:
            values[i] = code


@njit
def _is_lost(t, own, enemy, w, b, others, lower):
    """Code of a position if every way out of it is won for the other side, else 0."""
    empty = FULL & ~(own | enemy)
    most = np.int64(0)
    for closing in range(2):  # quiet moves first, which nearly always tell
        men = own
        while men:
            man = men & -men
            men &= men - 1
            targets = _targets(lowest(man), empty, w)
            while targets:
                to = targets & -targets
                targets &= targets - 1
                moved = own ^ man | to
                if closes_mill(moved, lowest(to)) != (closing == 1):
                    continue
                if closing:
                    code = np.int64(LOST_NOW) if LINE_WINS else _capture(t, moved, enemy, w, b, 0, lower)
                else:
                    code = np.int64(others[number_of(t, enemy, moved, b, w)])
                if code == DRAWN or code & 1:
                    return np.int64(0)
                most = max(most, code)
    return most + 1


@kernel
def step_back(t, code, w, b, values, others, promises, lower, lo, hi):
    """Decide the positions before those of one code; return the highest code that was set.

    Args:
        t: an ``Index``.
        code: what is looked for among ``values``.
        w: men of the side to move there.
        b: men of the other side, which moved before.
        values: uint8[n], the sector w-b, read from ``lo`` to ``hi``.
        others: uint8[m], the sector b-w, which is written; the same array if w is b.
        promises: uint8[m], of that sector.
        lower: uint8[k], the sector w-1 against b, where captures from there lead.
        lo: first position.
        hi: the one after the last.
    """
    t = _borrow(t)
    values, others, promises, lower = borrowed(values), borrowed(others), borrowed(promises), borrowed(lower)
    top = np.int64(0)
    for i in range(lo, hi):
        if values[i] != code:
            continue
        own, enemy = position_of(t, i, w, b)
        empty = FULL & ~(own | enemy)
        men = enemy
        while men:
            man = men & -men
            men &= men - 1
            point = lowest(man)
            if closes_mill(enemy, point):
                continue  # the man that came here has removed one
            starts = _targets(point, empty, b)
            while starts:
                start = starts & -starts
                starts &= starts - 1
                before = enemy ^ man | start
                j = number_of(t, before, own, b, w)
                if others[j] != 0:
                    continue
                if code & 1:
                    others[j] = code + 1
                    top = max(top, code + 1)
                elif promises[j] == 0:
                    lost = _is_lost(t, before, own, b, w, values, lower)
                    if lost:
                        others[j] = lost
                        top = max(top, lost)
    return top


@njit
def _best_move(t, own, enemy, w, b, others, lower):
    """Code of a position by all its moves."""
    empty = FULL & ~(own | enemy)
    if empty == 0:
        return np.int64(DRAWN)
    best = np.int64(-1)
    men = own
    while men:
        man = men & -men
        men &= men - 1
        targets = _targets(lowest(man), empty, w)
        while targets:
            to = targets & -targets
            targets &= targets - 1
            moved = own ^ man | to
            if not closes_mill(moved, lowest(to)):
                code = np.int64(others[number_of(t, enemy, moved, b, w)])
            elif LINE_WINS:
                code = np.int64(LOST_NOW)
            else:
                code = _capture(t, moved, enemy, w, b, 0, lower)
            best = _better(code, best)
    return _before(best)


@njit
def _before(best):
    """Code of a position whose best way leads to one with code ``best``, -1 for no way at all."""
    if best < 0:
        return np.int64(LOST_NOW)
    return best + 1 if best else np.int64(DRAWN)


@kernel
def check(t, w, b, values, others, lower, lo, hi):
    """Return the first position whose code is not that of its best move, or -1; arguments as in ``begin``."""
    t = _borrow(t)
    values, others, lower = borrowed(values), borrowed(others), borrowed(lower)
    for i in range(lo, hi):
        own, enemy = position_of(t, i, w, b)
        hole = is_hole(t, i, own, enemy, w, b) or (LINE_WINS and (_has_line(own) or _has_line(enemy)))
        if hole:
            if values[i] != HOLE:
                return np.int64(i)
        elif values[i] != _best_move(t, own, enemy, w, b, others, lower):
            return np.int64(i)
    return np.int64(-1)


@kernel
def place(t, w, b, hand, values, quiet, lower, checks, lo, hi):
    """Work out positions in which the side to move places a man; return the first that differs if they are checked.

    Args:
        t: an ``Index``.
        w: men on the board of the side to move.
        b: men on the board of the other side.
        hand: men in the other side's hand.
        values: uint8[n], filled from ``lo`` to ``hi``, or compared.
        quiet: uint8[m], codes with b against w + 1 men, one fewer in hand.
        lower: uint8[k], codes with b - 1 against w + 1 men, likewise; anything if that has no positions.
        checks: whether to compare.
        lo: first position.
        hi: the one after the last.
    """
    t = _borrow(t)
    values, quiet, lower = borrowed(values), borrowed(quiet), borrowed(lower)
    for i in range(lo, hi):
        own, enemy = position_of(t, i, w, b)
        if is_hole(t, i, own, enemy, w, b) or (LINE_WINS and (_has_line(own) or _has_line(enemy))):
            code = np.int64(HOLE)
        else:
            empty = FULL & ~(own | enemy)
            best = np.int64(-1)
            while empty:
                to = empty & -empty
                empty &= empty - 1
                moved = own | to
                if closes_mill(moved, lowest(to)) and (LINE_WINS or enemy):
                    after = np.int64(LOST_NOW) if LINE_WINS else _capture(t, moved, enemy, w + 1, b, hand, lower)
                else:
                    after = np.int64(quiet[number_of(t, enemy, moved, b, w + 1)])
                best = _better(after, best)
            code = _before(best)
        if not checks:
            values[i] = code
        elif values[i] != code:
            return np.int64(i)
    return np.int64(-1)
