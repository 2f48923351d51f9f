"""Max^n search (Luckhardt and Irani 1986): every seat maximises its own share of a vector of values.

Where utilities add up to zero and every seat plays for itself, a node is left when what its seat has already got leaves
the seat above no more than it has elsewhere (shallow pruning, Korf 1991); that changes the effort and never the value.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.rules import Policy, Rules
from stammtisch.envs.core.ties import wins_tie

RULES: Rules
HEURISTIC: Policy
kernel: Callable[[Callable[..., Any]], Any]

player, legal, apply, returns = RULES.player, RULES.legal, RULES.apply, RULES.returns
MAX_BRANCH, N_PLAYERS, STATE_LEN = RULES.MAX_BRANCH, RULES.N_PLAYERS, RULES.STATE_LEN
HAS_CHANCE, chance = RULES.LISTS_CHANCE, RULES.chance
evaluate_all = HEURISTIC.evaluate_all
LOSS, WIN = RULES.UTILITY
PRUNES = RULES.ZERO_SUM and len(set(RULES.TEAMS)) == N_PLAYERS

EQUAL = 1e-9
NO_LIMIT = np.iinfo(np.int64).max
NODES, NODE_LIMIT, STOP, GUESSES, DEPTH_REACHED = 0, 1, 2, 3, 4
CONTROL_LEN = 5


def levels_for(depth: int) -> int:
    """Return how many levels a search needs, with the root and one below the leaves."""
    return (2 * depth if HAS_CHANCE else depth) + 2


@njit
def _play(rows, level, a):
    """Put the position after action ``a`` in ``rows[level]`` one level below."""
    s = rows[level]
    after = rows[level + 1]
    for i in range(STATE_LEN):
        after[i] = s[i]
    apply(after, a)


@njit
def _is_stopped(control):
    return control[NODES] >= control[NODE_LIMIT] or control[STOP] != 0


@njit
def _take(values, level):
    for q in range(N_PLAYERS):
        values[level, q] = values[level + 1, q]


@njit
def _search(rows, lists, values, weights, control, level, depth, above, enough):
    """Fill ``values[level]``; the seat ``above`` (-1: none) has ``enough`` elsewhere already."""
    s = rows[level]
    p = player(s)
    if p == TERMINAL:
        returns(s, values[level])
        return
    if depth == 0:
        control[GUESSES] += 1
        evaluate_all(s, values[level])
        return
    if _is_stopped(control):
        return
    n = legal(s, lists[level])
    if HAS_CHANCE and p == CHANCE:
        chance(s, weights[level])
        mean = np.zeros(N_PLAYERS, np.float64)
        for i in range(n):
            _play(rows, level, lists[level, i])
            control[NODES] += 1
            _search(rows, lists, values, weights, control, level + 1, depth, np.int64(-1), 0.0)
            for q in range(N_PLAYERS):
                mean[q] += weights[level, i] * values[level + 1, q]
        for q in range(N_PLAYERS):
            values[level, q] = mean[q]
        return
    best = -np.inf
    for i in range(n):
        _play(rows, level, lists[level, i])
        control[NODES] += 1
        _search(rows, lists, values, weights, control, level + 1, depth - 1, p, best)
        if _is_stopped(control):
            return
        if values[level + 1, p] > best:
            best = values[level + 1, p]
            _take(values, level)
            left = -best - (N_PLAYERS - 2) * LOSS
            if best >= WIN - EQUAL or (PRUNES and above >= 0 and above != p and left <= enough):
                return


@kernel
def think(s, r, depth, rows, lists, values, weights, control, acts, found, visits):
    """Search deeper and deeper from a position, until depth, nodes or time run out or the result is certain.

    Args:
        s: the position, not changed.
        r: uint64[1], the stream that draws among equal moves.
        depth: player actions to look ahead at most.
        rows: int64[levels, STATE_LEN], scratch, as are the next three.
        lists: int64[levels, MAX_BRANCH].
        values: float64[levels, N_PLAYERS].
        weights: float64[levels, MAX_BRANCH], probabilities of chance outcomes.
        control: int64[CONTROL_LEN], limits and counts.
        acts: int64[MAX_BRANCH], filled with the legal actions.
        found: float64[MAX_BRANCH], filled with the value of each for the seat to move.
        visits: int64[MAX_BRANCH], filled with the positions looked at below each.

    Returns:
        Number of legal actions, and index of the chosen one.
    """
    p = player(s)
    n = legal(s, acts)
    latest = np.empty(MAX_BRANCH, np.float64)
    limit = control[NODE_LIMIT]
    for i in range(STATE_LEN):
        rows[0, i] = s[i]
    for i in range(n):
        visits[i] = 0
    chosen = np.int64(0)
    for this_depth in range(1, depth + 1):
        control[NODE_LIMIT] = limit if this_depth > 1 else NO_LIMIT  # one action ahead is the least
        guesses = control[GUESSES]
        best = -np.inf
        done = np.int64(0)
        for i in range(n):
            before = control[NODES]
            _play(rows, np.int64(0), acts[i])
            control[NODES] += 1
            stopped = False
            if this_depth == 1 and player(rows[1]) >= 0:
                # The first round is never cut short, so that there is a move to play.
                control[GUESSES] += 1
                evaluate_all(rows[1], values[1])
            else:
                _search(rows, lists, values, weights, control, np.int64(1), this_depth - 1, np.int64(-1), 0.0)
                stopped = this_depth > 1 and _is_stopped(control)
            visits[i] += control[NODES] - before
            if stopped:
                break
            latest[i] = values[1, p]
            best = max(best, latest[i])
            done += 1
        if done < n:
            break  # moves of a round that was cut short cannot be compared with the others
        ties = 0
        for i in range(n):
            found[i] = latest[i]
            if found[i] >= best - EQUAL:
                ties += 1
                if wins_tie(r, 0, ties):
                    chosen = np.int64(i)
        control[DEPTH_REACHED] = this_depth
        if control[GUESSES] == guesses or best >= WIN - EQUAL or n == 1:
            break
    control[NODE_LIMIT] = limit
    return n, chosen
