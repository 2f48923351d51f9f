"""Alpha-beta search on a learned evaluation: principal variations, late-move reductions, ProbCut, Star2 at dice.

Positions at the horizon are worth what the n-tuples say of the afterstate that the last mover made. Where the taps of
the tuples point is kept for every level of the search and every seat, and a move changes only those of the cells that
it touches (``ntuple_track``).

As in ``alphabeta`` a value is for the seat that moved last, and depth counts player actions. Without ``SELECTIVE`` all
cuts are exact: the value is that of minimax to the same depth. With it, entries of the table from deeper searches
count; and where the network's file knows how far shallow and deep searches differ in its own games, late moves are
first searched less deep, and a node is cut where a shallow search says that a deep one would be far outside of the
window (Multi-ProbCut, Buro 1997).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from stammtisch.baselines.kernels.bindings import EndgameTables, Track
from stammtisch.baselines.kernels.ntuple_net import SearchNet
from stammtisch.baselines.kernels.tables import AT_LEAST, AT_MOST, EXACT, hash_row
from stammtisch.envs.core.borrow import borrowed
from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.rng import below
from stammtisch.envs.core.rules import Rules

RULES: Rules
TRACK: Track
TABLES: EndgameTables
kernel: Callable[[Callable[..., Any]], Any]

player, legal, apply, returns = RULES.player, RULES.legal, RULES.apply, RULES.returns
N_ACTIONS, MAX_BRANCH, N_PLAYERS, STATE_LEN = RULES.N_ACTIONS, RULES.MAX_BRANCH, RULES.N_PLAYERS, RULES.STATE_LEN
TEAMS = np.array(RULES.TEAMS, np.int64)
HAS_CHANCE, chance = RULES.LISTS_CHANCE, RULES.chance
point_all, follow, follow_all, worth_here, loudness = (
    TRACK.point_all,
    TRACK.follow,
    TRACK.follow_all,
    TRACK.worth_here,
    TRACK.loudness,
)

HAS_TABLES, look_up = TABLES.HAS_TABLES, TABLES.look_up

BEST = 1.0  # no value is above, none below its negative
GRID = TRACK.GRID  # values of the evaluation are multiples of 1 / GRID
STEP = 1.0 / GRID
EQUAL = 1e-9
NO_LIMIT = np.iinfo(np.int64).max
# Typed, because a recursive function called with literals is compiled once for each of them.
FULL, PROBE = np.int64(0), np.int64(1)
SEEN_THROUGH = np.int64(2)  # no further ProbCut inside of one

# Places in the arrays of ``LearnedArrays``.
SCORES, KILLERS = MAX_BRANCH, 2 * MAX_BRANCH
LIST_LEN = KILLERS + 2
LOW, HIGH = MAX_BRANCH, 2 * MAX_BRANCH
REAL_LEN = max(3 * MAX_BRANCH, N_PLAYERS)
UTILITIES = 0
NODES, NODE_LIMIT, STOP, GUESSES, DEPTH_REACHED, SELECTIVE, FIRST_DEPTH, HISTORY = 0, 1, 2, 3, 4, 5, 6, 7
CONTROL_LEN = HISTORY + 2 * N_ACTIONS

# Entry of the table: the key mixed with the data, so that a half-written entry is none; then value, depth, kind, move.
VALUE_SHIFT, DEPTH_SHIFT, KIND_SHIFT, MOVE_SHIFT = 0, 32, 40, 42
VALUE_MASK, BYTE, KIND_MASK = 0xFFFFFFFF, 0xFF, 3
VALUE_UNITS = float(1 << 30)
TABLE_DEPTH = 2  # below, an entry costs more than it saves
SORTED_DEPTH = 2  # from here on moves are ordered by what they are worth at once
PROBE_DEPTH = 2
KILLER = 1 << 40

# Late moves: from this depth and this move on, one action less deep.
LATE_DEPTH, LATE_MOVE = 3, 4
# ProbCut: rows of ``cuts``, by depth: shallow depth, slope, offset, spread that the margin is counted in, margin.
SHALLOW, SLOPE, OFFSET, SPREAD, MARGIN = 0, 1, 2, 3, 4
CUT_FIELDS = 5
WINDOW = 64 * STEP  # of aspiration


# Functions that take these arrays are inlined by force where they are short: handing over that many takes longer than
# what they do.


class LearnedArrays(NamedTuple):
    """The arrays of a search.

    Attributes:
        rows: int64[levels, STATE_LEN], the positions from the root to the present one.
        lists: int64[levels, LIST_LEN]; actions, their scores, and two killer moves.
        reals: float64[1 + levels, REAL_LEN]; utilities first, then per level odds and bounds of the outcomes.
        taps: int64[levels, N_PLAYERS, taps + BEHIND_TAPS], where the taps point for each seat.
        scratch: int64[levels, 2 * cells], what a move changed.
        control: int64[CONTROL_LEN]; nodes so far and their limit, a flag by which another thread can stop the search,
            guesses so far, depth reached, whether it is selective; then the history of both teams' actions.
        table: int64[k, 2], transposition table, k a power of two.
        cuts: float64[depths, CUT_FIELDS], what ProbCut knows of each depth; nothing where the shallow depth is 0.
        endgames: what ``TABLES`` looks up; an empty tuple without tables.
    """

    rows: Any
    lists: Any
    reals: Any
    taps: Any
    scratch: Any
    control: Any
    table: Any
    cuts: Any
    endgames: Any


def levels_for(depth: int) -> int:
    """Return how many levels a search needs, with the root and what extensions add."""
    return (2 * depth if HAS_CHANCE else depth) + 6


@njit(forceinline=True)
def _play(w, level, a):
    """Put the position after action ``a`` in ``rows[level]`` one level below."""
    s = w.rows[level]
    after = w.rows[level + 1]
    for i in range(STATE_LEN):
        after[i] = s[i]
    apply(after, a)


@njit(forceinline=True)
def _is_stopped(w):
    return w.control[NODES] >= w.control[NODE_LIMIT] or w.control[STOP] != 0


@njit
def _find_entry(table, key):
    """Return the data kept under a key, 0 if there are none."""
    at = key & (len(table) - 2)
    for i in range(at, at + 2):
        data = table[i, 1]
        if data and table[i, 0] ^ data == key:
            return data
    return np.int64(0)


@njit
def _store(table, key, depth, kind, value, move):
    """Keep an entry: in the first of two places the deeper ones, in the second the latest."""
    at = key & (len(table) - 2)
    first = table[at, 1]
    if table[at, 0] ^ first != key and ((first >> DEPTH_SHIFT) & BYTE) > depth:
        at += 1
    units = np.int64(np.rint(value * VALUE_UNITS)) & VALUE_MASK
    data = units | depth << DEPTH_SHIFT | kind << KIND_SHIFT | (move + 1) << MOVE_SHIFT
    table[at, 0] = key ^ data
    table[at, 1] = data


@njit(forceinline=True)
def _value_of(data):
    """Value of an entry; its sign is that of 32 bits."""
    return np.float64(((data & VALUE_MASK) ^ (1 << 31)) - (1 << 31)) / VALUE_UNITS


@njit(forceinline=True)
def _decides(kind, value, alpha, beta, mode):
    """Whether a bound says all that a search of the window would."""
    if kind == AT_LEAST:
        return value >= beta
    if kind == AT_MOST:
        return value <= alpha and mode != PROBE
    return kind == EXACT


@njit(forceinline=True)
def _at_horizon(w, net, level, p):
    """Whether the position one level below, made by seat ``p``, is valued at once, and its value for ``p``."""
    after = w.rows[level + 1]
    q = player(after)
    if q == TERMINAL:
        returns(after, w.reals[UTILITIES])
        return True, w.reals[UTILITIES, p]
    if HAS_TABLES and look_up(after, w.endgames, w.reals[UTILITIES]):
        return True, w.reals[UTILITIES, p]
    if loudness(after):
        return False, 0.0
    w.control[GUESSES] += 1
    return True, follow(w.rows[level], after, p, net, w.taps[level, p], w.taps[level + 1, p], w.scratch[level])


@njit(forceinline=True)
def _descend(w, net, level):
    """Let the taps of all seats follow to the position one level below."""
    follow_all(w.rows[level], w.rows[level + 1], net, w.taps[level], w.taps[level + 1], w.scratch[level])


@njit(forceinline=True)
def _order(w, net, level, q, n, depth, table_move):
    """Score the moves of a position for ``_pick``."""
    lists = w.lists[level]
    side = TEAMS[q]
    for i in range(n):
        a = lists[i]
        if a == table_move:
            lists[SCORES + i] = np.int64(1) << 60
            continue
        score = w.control[HISTORY + side * N_ACTIONS + a]
        if a == lists[KILLERS] or a == lists[KILLERS + 1]:
            score += KILLER
        if depth >= SORTED_DEPTH:
            _play(w, level, a)
            w.control[NODES] += 1
            after = w.rows[level + 1]
            if player(after) == TERMINAL:
                returns(after, w.reals[UTILITIES])
                value = w.reals[UTILITIES, q]
            else:
                value = follow(w.rows[level], after, q, net, w.taps[level, q], w.taps[level + 1, q], w.scratch[level])
            score = np.int64(value * VALUE_UNITS)
        lists[SCORES + i] = score


@njit
def _pick(lists, i, n):
    """Bring the move with the highest score among ``i..n-1`` to place ``i`` and return it."""
    best = i
    for j in range(i + 1, n):
        if lists[SCORES + j] > lists[SCORES + best]:
            best = j
    a = lists[best]
    score = lists[SCORES + best]
    lists[best] = lists[i]
    lists[SCORES + best] = lists[SCORES + i]
    lists[i] = a
    lists[SCORES + i] = score
    return a


@njit
def _bounds(reals, n, i):
    """Lower and upper bound of a chance node, leaving out outcome ``i``."""
    low = 0.0
    high = 0.0
    for j in range(n):
        if j != i:
            low += reals[j] * reals[LOW + j]
            high += reals[j] * reals[HIGH + j]
    return low, high


@njit
def _search(w, net, level, p, depth, alpha, beta, mode):
    """Value for seat ``p``, who moved last, of ``rows[level]``: an upper bound up to ``alpha``, a lower from ``beta``.

    PROBE tries one move only, which bounds the value for the team to move from below, if the window does not cut it.
    The taps of this level point where they should.
    """
    s = w.rows[level]
    q = player(s)
    if q == TERMINAL:
        returns(s, w.reals[UTILITIES])
        return w.reals[UTILITIES, p]
    if HAS_TABLES and look_up(s, w.endgames, w.reals[UTILITIES]):
        return w.reals[UTILITIES, p]
    loud = loudness(s)
    if depth <= 0 and (loud == 0 or (loud == 1 and depth < 0)):
        w.control[GUESSES] += 1
        return worth_here(s, p, net, w.taps[level, p], w.scratch[level])
    if _is_stopped(w):
        return 0.0
    is_chance = HAS_CHANCE and q == CHANCE
    sign = 1.0
    if is_chance:
        q = p
    elif TEAMS[q] != TEAMS[p]:
        sign = -1.0
        alpha, beta = -beta, -alpha
    beta = min(beta, BEST)
    alpha = min(alpha, beta - EQUAL)  # rounding may leave no window at all
    lists = w.lists[level]
    selective = w.control[SELECTIVE] != 0
    fitted = not HAS_CHANCE and selective and len(w.cuts) > 1

    # Step 1. What is known already?
    uses_table = depth >= TABLE_DEPTH
    key = np.int64(0)
    move = np.int64(-1)
    if uses_table:
        key = hash_row(s, TEAMS[q])
        data = _find_entry(w.table, key)
        if data:
            value = _value_of(data)
            known = (data >> DEPTH_SHIFT) & BYTE
            kind = (data >> KIND_SHIFT) & KIND_MASK
            move = (data >> MOVE_SHIFT) - 1
            is_proven = np.abs(value) >= BEST - EQUAL
            counts = known == depth or (is_proven and known < depth) or (selective and known > depth)
            if counts and _decides(kind, value, alpha, beta, mode):
                w.control[GUESSES] += 1 - np.int64(is_proven)
                return sign * value

    # Step 2. Would a deep search be far outside of the window?
    if fitted and mode == FULL and depth < len(w.cuts) and beta - alpha <= 2 * STEP:
        cut = w.cuts[depth]
        if cut[SHALLOW] > 0.0 and np.abs(alpha) < 0.98:
            margin = cut[MARGIN] * cut[SPREAD]
            shallow = np.int64(cut[SHALLOW])
            here = np.arctanh(sign * worth_here(s, p, net, w.taps[level, p], w.scratch[level]))
            middle = np.arctanh(alpha)
            if here > middle:
                bound = np.tanh((np.arctanh(min(beta, 1.0 - STEP)) + margin - cut[OFFSET]) / cut[SLOPE])
                if bound < 1.0 - STEP:
                    low, high = _seen(sign, bound - STEP, bound)
                    value = sign * _search(w, net, level, p, shallow, low, high, SEEN_THROUGH)
                    if _is_stopped(w):
                        return 0.0
                    if value >= bound:
                        return sign * beta
            else:
                bound = np.tanh((middle - margin - cut[OFFSET]) / cut[SLOPE])
                if bound > STEP - 1.0:
                    low, high = _seen(sign, bound, bound + STEP)
                    value = sign * _search(w, net, level, p, shallow, low, high, SEEN_THROUGH)
                    if _is_stopped(w):
                        return 0.0
                    if value <= bound:
                        return sign * alpha

    n = legal(s, lists)
    best = -np.inf
    kind = np.int64(EXACT)
    if is_chance:
        # Step 3. Outcomes, twice: Star2 tries one move after each, which bounds its value, from above if it is the
        # opponent's; Star1 searches each with the window that the bounds of the others leave.
        reals = w.reals[level + 1]
        if HAS_CHANCE:
            chance(s, reals)
        for i in range(n):
            reals[LOW + i] = -BEST
            reals[HIGH + i] = BEST
        for k in range(0 if depth >= PROBE_DEPTH else n, 2 * n):
            probes = k < n
            i = k if probes else k - n
            _play(w, level, lists[i])
            w.control[NODES] += 1
            low, high = _bounds(reals, n, i)
            least, most = (alpha - high) / reals[i], (beta - low) / reals[i]
            after = player(w.rows[level + 1])
            if probes and after < 0:
                continue
            raises = not probes or TEAMS[after] == TEAMS[p]
            lowers = not probes or TEAMS[after] != TEAMS[p]
            floor = max(least, -BEST) if lowers else -BEST
            ceiling = min(most, BEST) if raises else BEST
            _descend(w, net, level)
            value = _search(w, net, level + 1, p, depth, floor, ceiling, PROBE if probes else FULL)
            if _is_stopped(w):
                return 0.0
            if raises:
                reals[LOW + i] = value
            if lowers:
                reals[HIGH + i] = value
            if reals[LOW + i] >= most:
                kind = np.int64(AT_LEAST)
                best = low + reals[i] * reals[LOW + i]
                break
            if reals[HIGH + i] <= least:
                kind = np.int64(AT_MOST)
                best = high + reals[i] * reals[HIGH + i]
                break
            best = low + reals[i] * value
    else:
        # Step 4. Moves, promising ones first; all but the first only to prove that they are no better.
        _order(w, net, level, q, n, depth, move)
        left = depth - 1 if depth > 0 else np.int64(-1)
        inner = mode if mode == SEEN_THROUGH else FULL
        floor = alpha
        for i in range(1 if mode == PROBE else n):
            a = _pick(lists, i, n)
            _play(w, level, a)
            w.control[NODES] += 1
            is_known = False
            value = 0.0
            if left <= 0:
                is_known, value = _at_horizon(w, net, level, q)
            if not is_known:
                _descend(w, net, level)
                ceiling = beta
                if i > 0 and floor > -BEST:
                    ceiling = min(beta, floor + STEP)
                reduces = fitted and depth >= LATE_DEPTH and i >= LATE_MOVE and mode != PROBE
                value = _search(w, net, level + 1, q, left - 1 if reduces else left, floor, ceiling, inner)
                if reduces and value > floor:
                    value = _search(w, net, level + 1, q, left, floor, ceiling, inner)
                if floor < value < beta and ceiling < beta:
                    value = _search(w, net, level + 1, q, left, floor, beta, inner)
                if _is_stopped(w):
                    return 0.0
            if value > best:
                best = value
                move = a
                floor = max(floor, value)
                if floor >= beta:
                    if lists[KILLERS] != a:
                        lists[KILLERS + 1] = lists[KILLERS]
                        lists[KILLERS] = a
                    w.control[HISTORY + TEAMS[q] * N_ACTIONS + a] += depth * depth + 1
                    break
        if best >= beta or (mode == PROBE and n > 1):
            kind = np.int64(AT_LEAST)
        elif best <= alpha:
            kind = np.int64(AT_MOST)

    # Step 5. Remember it.
    if uses_table:
        _store(w.table, key, depth, kind, best, move)
    return sign * best


@njit
def _seen(sign, low, high):
    """Return a window as the seat that moved last sees it."""
    if sign < 0.0:
        return -high, -low
    return low, high


@njit
def _sort(order, values, n):
    """Bring the moves with the highest values to the front; equal ones stay in their order."""
    for i in range(1, n):
        move = order[i]
        j = i
        while j > 0 and values[order[j - 1]] < values[move]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = move


@njit
def _follow_line(w, action, line):
    """Fill the main line from the table, up to a chance node; return its length."""
    row = w.rows[0]
    acts = w.lists[0]
    n = 0
    while action >= 0 and n < len(line):
        line[n] = action
        n += 1
        apply(row, action)
        p = player(row)
        if p < 0:
            break
        data = _find_entry(w.table, hash_row(row, TEAMS[p]))
        expected = (data >> MOVE_SHIFT) - 1 if data else np.int64(-1)
        action = np.int64(-1)
        for i in range(legal(row, acts)):
            if acts[i] == expected:
                action = expected
    return n


@njit
def _search_root_move(w, net, p, a, left, floor, beta):
    """Value for seat ``p`` of its action ``a`` at the root, searched ``left`` actions deep."""
    _play(w, np.int64(0), a)
    w.control[NODES] += 1
    _descend(w, net, np.int64(0))
    return _search(w, net, np.int64(1), p, left, floor, beta, FULL)


@kernel
def think(s, r, depth, exact, network, work, acts, found, visits, line):
    """Search deeper and deeper from a position, until depth, nodes or time run out or the result is certain.

    Args:
        s: the position, not changed.
        r: uint64[1], the stream that draws among equal moves.
        depth: player actions to look ahead at most.
        exact: whether to value every move exactly; otherwise moves below the best get an upper bound.
        network: the network.
        work: ``LearnedArrays`` with enough levels, as ``levels_for`` tells.
        acts: int64[MAX_BRANCH], filled with the legal actions.
        found: float64[MAX_BRANCH], filled with the value of each for the seat to move.
        visits: int64[MAX_BRANCH], filled with the positions looked at below each.
        line: int64[k], filled with the main line.

    Returns:
        Number of legal actions, index of the chosen one, and length of the main line.
    """
    w = LearnedArrays(
        borrowed(work.rows),
        borrowed(work.lists),
        borrowed(work.reals),
        borrowed(work.taps),
        borrowed(work.scratch),
        borrowed(work.control),
        borrowed(work.table),
        borrowed(work.cuts),
        work.endgames,
    )
    net = SearchNet(
        borrowed(network.weights),
        borrowed(network.first),
        borrowed(network.taps),
        borrowed(network.powers),
        borrowed(network.offsets),
        borrowed(network.blocks),
    )
    p = player(s)
    n = legal(s, acts)
    control = w.control
    for i in range(STATE_LEN):
        w.rows[0, i] = s[i]
    point_all(s, net, w.taps[0], w.scratch[0])
    order = w.lists[0]
    latest = w.reals[1]
    for i in range(n):  # in any order, so that equal moves are drawn among
        order[i] = i
        j = below(r, 0, i + 1)
        order[i], order[j] = order[j], np.int64(i)
        visits[i] = 0
        found[i] = -BEST
    limit = control[NODE_LIMIT]
    chosen = np.int64(0)
    this_depth = control[FIRST_DEPTH]
    before_best = 0.0
    while this_depth < depth:
        this_depth += 1
        control[NODE_LIMIT] = limit if this_depth > 1 else NO_LIMIT  # one action ahead is the least
        guesses = control[GUESSES]
        low, high = -BEST, BEST
        if this_depth > 2 and not exact and not HAS_CHANCE:
            low, high = max(-BEST, before_best - WINDOW), min(BEST, before_best + WINDOW)
        while True:
            best = -np.inf
            floor = low
            done = 0
            best_at = order[0]
            for k in range(n):
                i = order[k]
                before = control[NODES]
                ceiling = high
                if k > 0 and not exact and floor > -BEST:
                    ceiling = min(high, floor + STEP)
                least = -BEST if exact else floor
                left = this_depth - 1
                value = _search_root_move(w, net, p, acts[i], left, least, ceiling)
                if ceiling < high and floor < value < high and not (this_depth > 1 and _is_stopped(w)):
                    value = _search_root_move(w, net, p, acts[i], left, floor, high)
                visits[i] += control[NODES] - before
                if this_depth > 1 and _is_stopped(w):
                    break
                latest[i] = value
                if value > best:
                    best = value
                    best_at = i
                floor = max(floor, value)
                done += 1
                if floor >= high and high < BEST:
                    break
            is_low, is_high = best <= low and low > -BEST, best >= high and high < BEST
            if (this_depth > 1 and _is_stopped(w)) or not (is_low or is_high):
                break
            low, high = -BEST if is_low else low, BEST if is_high else high
        is_stopped = this_depth > 1 and _is_stopped(w)
        lost = best <= EQUAL - BEST
        if done == 0 or (lost and this_depth > 1) or (is_stopped and best <= low):
            break  # what looked best while the loss was out of sight puts it off longest
        for k in range(n):
            i = order[k]
            found[i] = latest[i] if k < done else min(found[i], best - 2 * EQUAL)
            if i != best_at and not exact:
                found[i] = min(found[i], best - 2 * EQUAL)
        _sort(order, found, n)
        chosen = best_at
        before_best = best
        control[DEPTH_REACHED] = this_depth
        is_certain = lost or best >= BEST - EQUAL or control[GUESSES] == guesses
        if is_certain or is_stopped or (n == 1 and not exact):
            break
    control[NODE_LIMIT] = limit
    return n, chosen, _follow_line(w, acts[chosen], line)
