"""Alpha-beta search for two teams, with the Star1 and Star2 cuts (Ballard 1983) where there are dice.

More than two teams become two, the searching one and all others, who are taken to play together against it: the
paranoid search (Sturtevant and Korf 2000).

Whether a node maximises depends on the team to move, not on the ply, so a player may move several times in a row. Depth
counts player actions. Cuts and table change the effort and never the value, which is that of ``minimax``: an entry
counts only for the depth that it was searched to, or for any greater one if its value rests on finished games alone.

With LEARNED, positions have keys that the game's symmetries share, and unfinished ones are looked up in a learned
table, whose entries may be deeper than what is asked for.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from stammtisch.baselines.kernels.bindings import EndgameTables
from stammtisch.baselines.kernels.tables import (
    AT_LEAST,
    AT_MOST,
    DEPTH_MASK,
    EXACT,
    KIND_MASK,
    KIND_SHIFT,
    MOST_USES,
    USES_SHIFT,
    find,
    hash_row,
    mix,
)
from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.rules import Policy, Rules
from stammtisch.envs.core.ties import wins_tie

RULES: Rules
HEURISTIC: Policy
LEARNED: int
TABLES: EndgameTables
kernel: Callable[[Callable[..., Any]], Any]

player, legal, apply, returns = RULES.player, RULES.legal, RULES.apply, RULES.returns
N_ACTIONS, MAX_BRANCH, MAX_MOVES = RULES.N_ACTIONS, RULES.MAX_BRANCH, RULES.MAX_MOVES
N_PLAYERS, STATE_LEN = RULES.N_PLAYERS, RULES.STATE_LEN
TEAMS = np.array(RULES.TEAMS, np.int64)
IS_PARANOID = len(set(RULES.TEAMS)) > 2
HAS_CHANCE, chance = RULES.LISTS_CHANCE, RULES.chance
HAS_SYMMETRIES, canonical_key = LEARNED and RULES.HAS_SYMMETRIES, RULES.canonical_key
HAS_ENDGAME, empties = RULES.FILLS_BOARD, RULES.empties
evaluate = HEURISTIC.evaluate
HAS_TABLES, look_up = TABLES.HAS_TABLES, TABLES.look_up

BEST = float(max(abs(RULES.UTILITY[0]), abs(RULES.UTILITY[1])))  # no value is above, none below its negative
EQUAL = 1e-9
TO_THE_END = 250  # a depth that does not run out
NO_LIMIT = np.iinfo(np.int64).max
WARM_UP = 4  # depth searched before a game is searched to its end

# Places in the arrays of ``tables.SearchArrays``.
SCORES, KILLERS = MAX_BRANCH, 2 * MAX_BRANCH
LIST_LEN = KILLERS + 2
LOW, HIGH = MAX_BRANCH, 2 * MAX_BRANCH
REAL_LEN = max(3 * MAX_BRANCH, N_PLAYERS)
UTILITIES = 0
NODES, NODE_LIMIT, STOP, GUESSES, DEPTH_REACHED, ROOT, HISTORY = 0, 1, 2, 3, 4, 5, 6
CONTROL_LEN = HISTORY + 2 * N_ACTIONS

# Entry of the transposition table: key; depth, kind, whether it rests on finished games alone, best move; its value.
KEY, INFO = 0, 1
PROVEN_SHIFT, MOVE_SHIFT = 10, 11

TABLE_MOVE, KILLER = 1 << 60, 1 << 50
PROBE_DEPTH = 2  # Star2 costs more than it saves just above the leaves
SMALL_ENDGAME = 4  # empty cells with which neither sorting nor the table pays any more


def levels_for(depth: int) -> int:
    """Return how many levels a search needs, with the root and one below the leaves."""
    return max(2 * depth if HAS_CHANCE else depth, MAX_MOVES if HAS_ENDGAME else 0) + 3


@njit
def _left(s):
    """How many empty cells there are, in games that fill a board."""
    if HAS_ENDGAME:
        return empties(s)
    return np.int64(MAX_MOVES)


@njit
def _side(w, p):
    """Which of the two sides seat ``p`` is on."""
    if IS_PARANOID:
        return np.int64(TEAMS[p] != TEAMS[w.control[ROOT]])
    return TEAMS[p]


@njit
def _seen(w, p):
    """The seat whose result counts for seat ``p``, and the sign with which it does."""
    if IS_PARANOID:
        root = w.control[ROOT]
        return root, 1.0 if TEAMS[p] == TEAMS[root] else -1.0
    return p, 1.0


@njit
def _key(s, side):
    """Key of a position that is seen from one of the sides."""
    if HAS_SYMMETRIES:
        return canonical_key(s)
    return hash_row(s, side)


@njit
def _key_for(w, s, p):
    """Key of a position that is seen from the side of seat ``p``."""
    return _key(s, _side(w, p) + 2 * w.control[ROOT] if IS_PARANOID else _side(w, p))


@njit
def _play(w, level, a):
    """Put the position after action ``a`` in ``rows[level]`` one level below."""
    s = w.rows[level]
    after = w.rows[level + 1]
    for i in range(STATE_LEN):  # quicker to compile than assigning the row
        after[i] = s[i]
    apply(after, a)


@njit
def _is_stopped(w):
    return w.control[NODES] >= w.control[NODE_LIMIT] or w.control[STOP] != 0


@njit
def _first_place(table, key):
    """First of the two places of a key; one that lists the board has its bits spread before."""
    return (np.int64(mix(np.uint64(key))) if HAS_SYMMETRIES else key) & (len(table) - 2)


@njit
def _find_entry(table, key):
    """Return the place of a key in the transposition table, -1 if it is not there."""
    at = _first_place(table, key)
    if table[at, KEY] == key:
        return at
    return at + 1 if table[at + 1, KEY] == key else np.int64(-1)


@njit
def _store(w, key, depth, kind, proven, value, move):
    """Keep an entry: in the first of two places the deeper ones, in the second the latest."""
    table = w.table
    at = _first_place(table, key)
    if table[at, KEY] != key and (table[at + 1, KEY] == key or table[at, INFO] & DEPTH_MASK > depth):
        at += 1
    table[at, KEY] = key
    table[at, INFO] = depth | kind << KIND_SHIFT | np.int64(proven) << PROVEN_SHIFT | (move + 1) << MOVE_SHIFT
    w.values[at] = value


@njit
def _decides(kind, value, alpha, beta, probing):
    """Whether a bound says all that a search of the window would."""
    if kind == AT_LEAST:
        return value >= beta
    if kind == AT_MOST:
        return value <= alpha and probing == 0
    return kind == EXACT


@njit
def _recall(w, key, depth, alpha, beta, probing):
    """Return whether the learned table decides a position, and its value there."""
    keys, values, info = w.learned
    at = find(keys, key)
    value = np.float64(values[at])
    entry = np.int64(info[at])
    kind = (entry >> KIND_SHIFT) & KIND_MASK
    if keys[at] == 0 or entry & DEPTH_MASK < depth or not _decides(kind, value, alpha, beta, probing):
        return False, value
    if entry >> USES_SHIFT < MOST_USES:
        info[at] = entry + (1 << USES_SHIFT)
    return True, value


@njit
def _guess(w, s, q, p):
    """Value for seat ``p`` of an unfinished position in which ``q`` is to move."""
    w.control[GUESSES] += 1
    seat, sign = _seen(w, p)
    value = sign * evaluate(s, seat)
    if LEARNED and q >= 0:
        sign = 1.0 if _side(w, q) == _side(w, p) else -1.0
        is_known, known = _recall(w, _key_for(w, s, q), np.int64(0), sign * value, sign * value, np.int64(0))
        if is_known:
            value = sign * known
    return value


@njit
def _order(w, level, team, n, depth, table_move):
    """Score the moves of a position for ``_pick``."""
    s = w.rows[level]
    lists = w.lists[level]
    counts = depth == TO_THE_END and _left(s) > SMALL_ENDGAME
    for i in range(n):
        a = lists[i]
        score = w.control[HISTORY + team * N_ACTIONS + a]
        if a == table_move:
            score = TABLE_MOVE
        elif HAS_ENDGAME and counts:
            # Fastest first: what leaves the opponent few moves has the smallest tree.
            _play(w, level, a)
            score = -legal(w.rows[level + 1], w.lists[level + 1])
        elif a == lists[KILLERS]:
            score += 2 * KILLER
        elif a == lists[KILLERS + 1]:
            score += KILLER
        lists[SCORES + i] = score


@njit
def _pick(lists, i, n):
    """Bring the move with the highest score among ``i..n-1`` to place ``i`` and return it."""
    best = i
    for j in range(i + 1, n):
        if lists[SCORES + j] > lists[SCORES + best]:
            best = j
    a = lists[best]
    lists[best] = lists[i]
    lists[i] = a
    lists[SCORES + best] = lists[SCORES + i]
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
def _search(w, level, p, depth, alpha, beta, probing):
    """Value for seat ``p`` of the position in ``rows[level]``: an upper bound up to ``alpha``, a lower from ``beta``.

    Probing tries one move only, which bounds the value for the team to move from below, if the window does not cut it.
    """
    s = w.rows[level]
    q = player(s)
    if q == TERMINAL:
        returns(s, w.reals[UTILITIES])
        seat, sign = _seen(w, p)
        return sign * w.reals[UTILITIES, seat]
    if HAS_TABLES and look_up(s, w.endgames, w.reals[UTILITIES]):
        seat, sign = _seen(w, p)
        return sign * w.reals[UTILITIES, seat]
    if depth == 0:
        return _guess(w, s, q, p)
    if _is_stopped(w):
        return 0.0
    is_chance = HAS_CHANCE and q == CHANCE
    sign = 1.0
    if is_chance:
        q = p
    elif _side(w, q) != _side(w, p):
        sign = -1.0
        alpha, beta = -beta, -alpha
    beta = min(beta, BEST)
    alpha = min(alpha, beta - EQUAL)  # rounding may leave no window at all
    guesses = w.control[GUESSES]
    lists = w.lists[level]

    # Step 1. What is known already?
    uses_table = depth != TO_THE_END or _left(s) > SMALL_ENDGAME
    key = np.int64(0)
    move = np.int64(-1)
    if uses_table:
        key = _key_for(w, s, q)
        at = _find_entry(w.table, key)
        if at >= 0:
            entry = w.table[at, INFO]
            value = w.values[at]
            known = entry & DEPTH_MASK
            proven = (entry >> PROVEN_SHIFT) & 1
            move = (entry >> MOVE_SHIFT) - 1
            kind = (entry >> KIND_SHIFT) & KIND_MASK
            if (known == depth or (known < depth and proven)) and _decides(kind, value, alpha, beta, probing):
                w.control[GUESSES] += 1 - proven
                return sign * value
        if LEARNED:
            is_known, value = _recall(w, key, depth, alpha, beta, probing)
            if is_known:
                w.control[GUESSES] += 1
                return sign * value

    n = legal(s, lists)
    best = -np.inf
    kind = EXACT
    if is_chance:
        # Step 2. Outcomes, twice: Star2 tries one move after each, which bounds its value, from above if it is the
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
            raises = not probes or _side(w, after) == _side(w, p)
            lowers = not probes or _side(w, after) != _side(w, p)
            floor = max(least, -BEST) if lowers else -BEST
            ceiling = min(most, BEST) if raises else BEST
            value = _search(w, level + 1, p, depth, floor, ceiling, np.int64(probes))
            if _is_stopped(w):
                return 0.0
            if raises:
                reals[LOW + i] = value
            if lowers:
                reals[HIGH + i] = value
            if reals[LOW + i] >= most:
                kind = AT_LEAST
                best = low + reals[i] * reals[LOW + i]
                break
            if reals[HIGH + i] <= least:
                kind = AT_MOST
                best = high + reals[i] * reals[HIGH + i]
                break
            best = low + reals[i] * value
    else:
        # Step 3. Moves, promising ones first.
        _order(w, level, _side(w, q), n, depth, move)
        left = depth if depth == TO_THE_END else depth - 1
        floor = alpha
        for i in range(1 if probing else n):
            a = _pick(lists, i, n)
            _play(w, level, a)
            w.control[NODES] += 1
            value = _search(w, level + 1, q, left, floor, beta, np.int64(0))
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
                    w.control[HISTORY + _side(w, q) * N_ACTIONS + a] += depth * depth
                    break
        if best >= beta or (probing and n > 1):
            kind = AT_LEAST
        elif best <= alpha:
            kind = AT_MOST

    # Step 4. Remember it.
    if uses_table:
        _store(w, key, depth, kind, guesses == w.control[GUESSES], best, move)
    return sign * best


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
def _follow(w, action, line):
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
        at = _find_entry(w.table, _key_for(w, row, p))
        expected = (w.table[at, INFO] >> MOVE_SHIFT) - 1 if at >= 0 else np.int64(-1)
        action = np.int64(-1)
        for i in range(legal(row, acts)):
            if acts[i] == expected:
                action = expected
    return n


@kernel
def keys_after(s, acts, after, keys):
    """List the legal actions of a position and the key of what each leads to, seen from the seat to move.

    Args:
        s: the position, not changed.
        acts: int64[MAX_BRANCH], filled with the legal actions.
        after: int64[STATE_LEN], scratch.
        keys: int64[MAX_BRANCH], filled; actions that symmetry makes equal share theirs.

    Returns:
        Number of legal actions, and the key of the position itself.
    """
    p = player(s)
    n = legal(s, acts)
    for i in range(n):
        for j in range(STATE_LEN):
            after[j] = s[j]
        apply(after, acts[i])
        keys[i] = _key(after, TEAMS[p])
    return n, _key(s, TEAMS[p])


@kernel
def think(s, r, depth, endgame, exact, w, acts, found, visits, line):
    """Search deeper and deeper from a position, until depth, nodes or time run out or the result is certain.

    Args:
        s: the position, not changed.
        r: uint64[1], the stream that draws among equal moves.
        depth: player actions to look ahead at most.
        endgame: with at most so many empty cells the game is searched to its end (games that fill a board only).
        exact: whether to value every move exactly; otherwise moves below the best get an upper bound.
        w: a ``tables.SearchArrays`` with enough levels, as ``levels_for`` tells.
        acts: int64[MAX_BRANCH], filled with the legal actions.
        found: float64[MAX_BRANCH], filled with the value of each for the seat to move.
        visits: int64[MAX_BRANCH], filled with the positions looked at below each.
        line: int64[k], filled with the main line.

    Returns:
        Number of legal actions, index of the chosen one, and length of the main line.
    """
    p = player(s)
    n = legal(s, acts)
    control = w.control
    control[ROOT] = p
    for i in range(STATE_LEN):
        w.rows[0, i] = s[i]
    order = w.lists[0]
    latest = w.reals[1]
    for i in range(n):
        order[i] = i
        visits[i] = 0
        found[i] = -BEST
    to_the_end = HAS_ENDGAME and _left(s) <= endgame
    limit = control[NODE_LIMIT]
    chosen = 0
    this_depth = 0
    while this_depth < (TO_THE_END if to_the_end else depth):
        this_depth += 1
        if to_the_end and this_depth > WARM_UP:
            this_depth = TO_THE_END
        control[NODE_LIMIT] = limit if this_depth > 1 else NO_LIMIT  # one action ahead is the least
        guesses = control[GUESSES]
        best = -np.inf
        done = 0
        for k in range(n):
            i = order[k]
            before = control[NODES]
            _play(w, np.int64(0), acts[i])
            control[NODES] += 1
            left = this_depth - 1 if this_depth < TO_THE_END else TO_THE_END
            floor = -BEST if exact else max(best - 2 * EQUAL, -BEST)
            value = _search(w, np.int64(1), p, left, floor, BEST, np.int64(0))
            visits[i] += control[NODES] - before
            if this_depth > 1 and _is_stopped(w):
                break
            latest[i] = value
            best = max(best, value)
            done += 1
        lost = best <= EQUAL - BEST
        if done == 0 or (lost and this_depth > 1):
            break  # what looked best while the loss was out of sight puts it off longest
        for k in range(n):
            i = order[k]
            found[i] = latest[i] if k < done else min(found[i], best - 2 * EQUAL)
        _sort(order, found, n)
        ties = 0
        for i in range(n):
            if found[i] >= best - EQUAL:
                ties += 1
                if wins_tie(r, 0, ties):
                    chosen = i
        control[DEPTH_REACHED] = this_depth
        if LEARNED and done == n and this_depth < TO_THE_END:
            proven = control[GUESSES] == guesses
            _store(w, _key_for(w, s, p), np.int64(this_depth), np.int64(EXACT), proven, best, acts[chosen])
        is_certain = lost or best >= BEST - EQUAL or control[GUESSES] == guesses
        if is_certain or done < n or this_depth == TO_THE_END or (n == 1 and not exact):
            break
    control[NODE_LIMIT] = limit
    return n, chosen, _follow(w, acts[chosen], line)
