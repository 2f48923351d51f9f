"""Alpha-beta search for two teams, with the Star1 and Star2 cuts (Ballard 1983) where there are dice.

A value belongs to a seat: at a player's node the one to move, at a chance node the one that has just moved. Whether a
child's value changes its sign depends on the teams, not on the ply, so a player may move several times in a row. Depth
counts player actions. Cuts and table change the effort and never the value, which is that of ``minimax``: an entry counts
only for the depth that it was searched to, or for any greater one if its value rests on finished games alone.

With LEARNED, positions have keys that the game's symmetries share, and unfinished ones are looked up in a learned table,
whose entries may be deeper than what is asked for.
"""

from collections import namedtuple
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
from numba import njit

from stammtisch.baselines.kernels.tables import (
    AT_LEAST,
    AT_MOST,
    BOUND_SHIFT,
    DEPTH_MASK,
    EXACT,
    MOST_USES,
    USES_SHIFT,
    find,
    hash_row,
)
from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.rng import below

RULES: ModuleType
HEURISTIC: ModuleType
LEARNED: int
kernel: Callable[[Callable[..., Any]], Any]

player, legal, apply, returns = RULES.player, RULES.legal, RULES.apply, RULES.returns
N_ACTIONS, MAX_BRANCH, MAX_MOVES = RULES.N_ACTIONS, RULES.MAX_BRANCH, RULES.MAX_MOVES
N_PLAYERS, STATE_LEN = RULES.N_PLAYERS, RULES.STATE_LEN
TEAMS = np.array(RULES.TEAMS, np.int64)
HAS_CHANCE = hasattr(RULES, "chance")
HAS_SYMMETRIES = LEARNED and hasattr(RULES, "canonical_key")
HAS_ENDGAME = hasattr(RULES, "empties")
chance = getattr(RULES, "chance", None)
canonical_key = getattr(RULES, "canonical_key", None)
empties = getattr(RULES, "empties", None)
evaluate = HEURISTIC.evaluate

BEST = float(max(abs(RULES.UTILITY[0]), abs(RULES.UTILITY[1])))  # no value is above, none below its negative
EQUAL = 1e-9
TO_THE_END = 250  # a depth that does not run out
WARM_UP = 4  # depth searched before a game is searched to its end

# Entry of the transposition table: depth, kind of bound, whether it rests on finished games alone, best move.
KIND_SHIFT, PROVEN_SHIFT, MOVE_SHIFT = 8, 10, 12
KIND_MASK = 3

NODES, NODE_LIMIT, STOP, GUESSES, DEPTH_REACHED = 0, 1, 2, 3, 4
CONTROLS = 5

TABLE_MOVE, KILLER = 1 << 60, 1 << 50
ORDER_DEPTH = 3  # from here on moves are sorted by the evaluation of what they lead to
PROBE_DEPTH = 1
ORDER_EMPTIES, TABLE_EMPTIES = 5, 5  # below, sorting and the table cost more than they save

Work = namedtuple(
    "Work",
    "rows acts scores killers history odds low high out control keys values info learned_keys learned_values learned_info",
)


@njit
def _left(s):
    """How many empty cells there are, in games that fill a board."""
    if HAS_ENDGAME:
        return empties(s)
    return np.int64(MAX_MOVES)


@njit
def _key(s, p):
    """Key of a position whose value belongs to seat ``p``."""
    key = canonical_key(s) if HAS_SYMMETRIES else hash_row(s, 1 + TEAMS[p])
    return key if key != np.uint64(0) else np.uint64(1)


@njit
def _result(w, s, p):
    returns(s, w.out)
    return w.out[p]


@njit
def _is_stopped(w):
    return w.control[NODES] >= w.control[NODE_LIMIT] or w.control[STOP] != 0


@njit
def _place(w, key):
    """Return the first of the two places that a key may have in the transposition table."""
    return np.int64(key & np.uint64(len(w.keys) - 2))


@njit
def _find_entry(w, key):
    """Return the place of a key in the transposition table, -1 if it is not there."""
    at = _place(w, key)
    if w.keys[at] == key:
        return at
    return at + 1 if w.keys[at + 1] == key else np.int64(-1)


@njit
def _is_usable(info, depth):
    known = info & DEPTH_MASK
    return known == depth or (known < depth and (info >> PROVEN_SHIFT) & 1)


@njit
def _store(w, key, depth, kind, proven, value, move):
    """Keep an entry: in the first place the deeper ones, in the second the latest."""
    at = _place(w, key)
    if w.keys[at] != key and (w.keys[at + 1] == key or w.info[at] & DEPTH_MASK > depth):
        at += 1
    w.keys[at] = key
    w.values[at] = value
    w.info[at] = depth | kind << KIND_SHIFT | np.int64(proven) << PROVEN_SHIFT | (move + 1) << MOVE_SHIFT


@njit
def _guess(w, s, q, p):
    """Value for seat ``p`` of an unfinished position in which ``q`` is to move."""
    w.control[GUESSES] += 1
    value = evaluate(s, p)
    if LEARNED and q >= 0:
        at = find(w.learned_keys, _key(s, q))
        if w.learned_keys[at] != np.uint64(0):
            info = w.learned_info[at]
            if info >> USES_SHIFT < MOST_USES:
                w.learned_info[at] = info + (1 << USES_SHIFT)
            kind = (info >> BOUND_SHIFT) & KIND_MASK
            known = np.float64(w.learned_values[at])
            if TEAMS[q] != TEAMS[p]:
                known = -known
                kind = AT_MOST if kind == AT_LEAST else AT_LEAST if kind == AT_MOST else EXACT
            if kind == EXACT or (kind == AT_LEAST and known > value) or (kind == AT_MOST and known < value):
                return known
    return value


@njit
def _below(w, level, p, depth, alpha, beta):
    """Value for seat ``p`` of the position in ``rows[level]``, ``depth`` actions deep."""
    s = w.rows[level]
    q = player(s)
    if q == TERMINAL:
        return _result(w, s, p)
    if depth == 0:
        return _guess(w, s, q, p)
    if HAS_CHANCE and q == CHANCE:
        return _expect(w, level, p, depth, alpha, beta)
    if TEAMS[q] == TEAMS[p]:
        return _search(w, level, q, depth, alpha, beta, False)
    return -_search(w, level, q, depth, -beta, -alpha, False)


@njit
def _order(w, level, p, n, depth, table_move):
    """Score the moves of a position for ``_pick``."""
    s = w.rows[level]
    for i in range(n):
        a = w.acts[level, i]
        score = w.history[TEAMS[p], a]
        if a == table_move:
            score = TABLE_MOVE
        elif depth == TO_THE_END:
            score = 0
            if _left(s) > ORDER_EMPTIES:
                # Fastest first: what leaves the opponent few moves has the smallest tree.
                w.rows[level + 1] = s
                apply(w.rows[level + 1], a)
                score = -legal(w.rows[level + 1], w.acts[level + 1])
        elif a == w.killers[level, 0]:
            score += 2 * KILLER
        elif a == w.killers[level, 1]:
            score += KILLER
        w.scores[level, i] = score


@njit
def _pick(w, level, i, n):
    """Bring the move with the highest score among ``i..n-1`` to place ``i`` and return it."""
    best = i
    for j in range(i + 1, n):
        if w.scores[level, j] > w.scores[level, best]:
            best = j
    a = w.acts[level, best]
    w.acts[level, best] = w.acts[level, i]
    w.acts[level, i] = a
    w.scores[level, best] = w.scores[level, i]
    return a


@njit
def _reward(w, level, p, a, depth):
    """Remember a move that made a cut."""
    if w.killers[level, 0] != a:
        w.killers[level, 1] = w.killers[level, 0]
        w.killers[level, 0] = a
    w.history[TEAMS[p], a] += depth * depth


@njit
def _search(w, level, p, depth, alpha, beta, probing):
    """Value of the position in ``rows[level]`` for seat ``p``, which is to move; ``depth`` is at least one.

    Below ``alpha`` it is an upper bound, above ``beta`` a lower bound. Probing looks at one move only; its value is then a
    lower bound, provided that ``alpha`` is no obstacle.
    """
    if _is_stopped(w):
        return 0.0
    s = w.rows[level]
    guesses = w.control[GUESSES]
    beta = min(beta, BEST)
    # Step 1. What is known already?
    uses_table = depth != TO_THE_END or _left(s) > TABLE_EMPTIES
    key = np.uint64(0)
    table_move = np.int64(-1)
    if uses_table:
        key = _key(s, p)
        at = _find_entry(w, key)
        if at >= 0:
            info = w.info[at]
            table_move = (info >> MOVE_SHIFT) - 1
            if _is_usable(info, depth):
                kind = (info >> KIND_SHIFT) & KIND_MASK
                value = w.values[at]
                if kind == EXACT or (kind == AT_LEAST and value >= beta) or (kind == AT_MOST and value <= alpha and not probing):
                    w.control[GUESSES] += 1 - ((info >> PROVEN_SHIFT) & 1)
                    return value
        if LEARNED:
            at = find(w.learned_keys, key)
            if w.learned_keys[at] != np.uint64(0) and w.learned_info[at] & DEPTH_MASK >= depth:
                info = np.int64(w.learned_info[at])
                kind = (info >> BOUND_SHIFT) & KIND_MASK
                value = np.float64(w.learned_values[at])
                if kind == EXACT or (kind == AT_LEAST and value >= beta) or (kind == AT_MOST and value <= alpha and not probing):
                    if info >> USES_SHIFT < MOST_USES:
                        w.learned_info[at] = info + (1 << USES_SHIFT)
                    w.control[GUESSES] += 1
                    return value
    # Step 2. Try the moves, promising ones first.
    n = legal(s, w.acts[level])
    _order(w, level, p, n, depth, table_move)
    left = depth if depth == TO_THE_END else depth - 1
    best = -np.inf
    best_move = np.int64(-1)
    floor = alpha
    tried = 1 if probing else n
    for i in range(tried):
        a = _pick(w, level, i, n)
        w.rows[level + 1] = s
        apply(w.rows[level + 1], a)
        w.control[NODES] += 1
        value = _below(w, level + 1, p, left, floor, beta)
        if _is_stopped(w):
            return 0.0
        if value > best:
            best = value
            best_move = a
            floor = max(floor, value)
            if floor >= beta:
                _reward(w, level, p, a, depth)
                break
    # Step 3. Remember it.
    if uses_table:
        kind = EXACT
        if best >= beta or (probing and n > 1):
            kind = AT_LEAST
        elif best <= alpha:
            kind = AT_MOST
        _store(w, key, depth, kind, guesses == w.control[GUESSES], best, best_move)
    return best


@njit
def _bounds(w, level, n, i):
    """Lower and upper bound of a chance node, leaving out outcome ``i``."""
    low = 0.0
    high = 0.0
    for j in range(n):
        if j != i:
            low += w.odds[level, j] * w.low[level, j]
            high += w.odds[level, j] * w.high[level, j]
    return low, high


@njit
def _expect(w, level, p, depth, alpha, beta):
    """Expected value for seat ``p`` of the chance node in ``rows[level]``; bounds as in ``_search``."""
    s = w.rows[level]
    guesses = w.control[GUESSES]
    key = _key(s, p)
    at = _find_entry(w, key)
    if at >= 0 and _is_usable(w.info[at], depth):
        kind = (w.info[at] >> KIND_SHIFT) & KIND_MASK
        value = w.values[at]
        if kind == EXACT or (kind == AT_LEAST and value >= beta) or (kind == AT_MOST and value <= alpha):
            w.control[GUESSES] += 1 - ((w.info[at] >> PROVEN_SHIFT) & 1)
            return value
    n = legal(s, w.acts[level])
    chance(s, w.odds[level])
    w.low[level, :n] = -BEST
    w.high[level, :n] = BEST
    after = w.rows[level + 1]
    kind = EXACT
    value = 0.0
    # Step 1. Star2: one move after each outcome bounds its value, from above if the opponent is to move.
    if depth >= PROBE_DEPTH:
        for i in range(n):
            after[:] = s
            apply(after, w.acts[level, i])
            w.control[NODES] += 1
            q = player(after)
            if q < 0:
                continue
            low, high = _bounds(w, level, n, i)
            odds = w.odds[level, i]
            if TEAMS[q] == TEAMS[p]:
                found = _search(w, level + 1, q, depth, -BEST, (beta - low) / odds, True)
                w.low[level, i] = max(found, -BEST)
                value = low + odds * found
                if value >= beta:
                    kind = AT_LEAST
            else:
                found = -_search(w, level + 1, q, depth, -BEST, (high - alpha) / odds, True)
                w.high[level, i] = min(found, BEST)
                value = high + odds * found
                if value <= alpha:
                    kind = AT_MOST
            if _is_stopped(w):
                return 0.0
            if kind != EXACT:
                break
    # Step 2. Star1: search the outcomes, each with the window that the bounds of the others leave.
    if kind == EXACT:
        for i in range(n):
            after[:] = s
            apply(after, w.acts[level, i])
            w.control[NODES] += 1
            low, high = _bounds(w, level, n, i)
            odds = w.odds[level, i]
            least, most = (alpha - high) / odds, (beta - low) / odds
            found = _below(w, level + 1, p, depth, max(least, -BEST), min(most, BEST))
            if _is_stopped(w):
                return 0.0
            w.low[level, i] = w.high[level, i] = found
            if found >= most:
                kind = AT_LEAST
                value = low + odds * found
                break
            if found <= least:
                kind = AT_MOST
                value = high + odds * found
                break
            value = low + odds * found
    _store(w, key, depth, kind, guesses == w.control[GUESSES], value, -1)
    return value


@njit
def _order_root(order, values):
    """Sort the moves by what is known of them, the best first; a stable insertion sort."""
    for i in range(1, len(order)):
        move = order[i]
        j = i
        while j > 0 and values[order[j - 1]] < values[move]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = move


@njit
def _follow(w, s, action, line):
    """Fill the main line from the table; it ends at a chance node."""
    row = w.rows[0]
    row[:] = s
    acts = w.acts[0]
    n = 0
    while n < len(line):
        line[n] = action
        n += 1
        apply(row, action)
        p = player(row)
        if p < 0:
            break
        at = _find_entry(w, _key(row, p))
        if at < 0:
            break
        action = (w.info[at] >> MOVE_SHIFT) - 1
        is_legal = False
        for i in range(legal(row, acts)):
            is_legal |= acts[i] == action
        if not is_legal:
            break
    return n


@kernel
def think(
    s, r, depth, endgame, exact, control, keys, values, info, learned_keys, learned_values, learned_info,
    acts, found, visits, line,
):  # fmt: skip
    """Search deeper and deeper from a position, until depth, nodes or time run out or the result is certain.

    Args:
        s: the position, not changed.
        r: uint64[1], the stream that draws among equal moves.
        depth: player actions to look ahead at most.
        endgame: with at most so many empty cells the game is searched to its end (games that have empties only).
        exact: whether to value every move exactly; otherwise moves below the best get an upper bound.
        control: int64[CONTROLS]; nodes and their limit, a flag that stops the search when another thread sets it,
            guesses made, and, afterwards, the depth reached.
        keys: uint64[k], transposition table, k a power of two; ``values`` float64[k] and ``info`` int64[k] belong to it.
        values: see ``keys``.
        info: see ``keys``.
        learned_keys: learned table, see ``tables``; one free place without LEARNED.
        learned_values: see ``learned_keys``.
        learned_info: see ``learned_keys``.
        acts: int64[MAX_BRANCH], filled with the legal actions.
        found: float64[MAX_BRANCH], filled with the value of each for the seat to move.
        visits: int64[MAX_BRANCH], filled with the positions looked at below each.
        line: int64[k], filled with the main line.

    Returns:
        Number of legal actions, index of the chosen one, and length of the main line.
    """
    p = player(s)
    n = legal(s, acts)
    to_the_end = HAS_ENDGAME and _left(s) <= endgame
    levels = 2 * depth + 2 if HAS_CHANCE else depth + 2
    if to_the_end:
        levels = MAX_MOVES + 2
    w = Work(
        np.empty((levels, STATE_LEN), np.int64),
        np.empty((levels, MAX_BRANCH), np.int64),
        np.empty((levels, MAX_BRANCH), np.int64),
        np.full((levels, 2), -1, np.int64),
        np.zeros((2, N_ACTIONS), np.int64),
        np.empty((levels, MAX_BRANCH if HAS_CHANCE else 0), np.float64),
        np.empty((levels, MAX_BRANCH if HAS_CHANCE else 0), np.float64),
        np.empty((levels, MAX_BRANCH if HAS_CHANCE else 0), np.float64),
        np.empty(N_PLAYERS, np.float64),
        control,
        keys,
        values,
        info,
        learned_keys,
        learned_values,
        learned_info,
    )
    order = np.arange(n)
    latest = np.empty(n, np.float64)
    limit = control[NODE_LIMIT]
    visits[:n] = 0
    found[:n] = -BEST
    chosen = 0
    this_depth = 0
    while this_depth < depth:
        this_depth += 1
        if to_the_end and this_depth > WARM_UP:
            this_depth = TO_THE_END
        control[NODE_LIMIT] = limit if this_depth > 1 else np.iinfo(np.int64).max  # one action ahead is the least
        guesses = control[GUESSES]
        best = -np.inf
        done = 0
        for k in range(n):
            i = order[k]
            before = control[NODES]
            w.rows[0] = s
            apply(w.rows[0], acts[i])
            control[NODES] += 1
            left = this_depth - 1 if this_depth < TO_THE_END else TO_THE_END
            floor = -BEST if exact else max(best - 2 * EQUAL, -BEST)
            value = _below(w, 0, p, left, floor, BEST)
            visits[i] += control[NODES] - before
            if this_depth > 1 and _is_stopped(w):
                break
            latest[i] = value
            best = max(best, value)
            done += 1
        if done == 0:
            break
        lost = best <= EQUAL - BEST
        if lost and this_depth > 1:
            break  # what looked best while the loss was out of sight puts it off longest
        ties = 0
        for i in range(n):
            is_done = False
            for k in range(done):
                is_done |= order[k] == i
            found[i] = latest[i] if is_done else min(found[i], best)
            if is_done and latest[i] >= best - EQUAL:
                ties += 1
                if below(r, 0, ties) == 0:
                    chosen = i
        control[DEPTH_REACHED] = this_depth
        _order_root(order, found)
        if done < n or lost or best >= BEST - EQUAL or control[GUESSES] == guesses or this_depth == TO_THE_END:
            break
        if n == 1 and not exact:
            break
    control[NODE_LIMIT] = limit
    return n, chosen, _follow(w, s, acts[chosen], line)
