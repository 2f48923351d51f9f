"""Plain minimax and expectimax to a fixed depth: every move of every position, no table; the measure of alpha-beta."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.rng import below
from stammtisch.envs.core.rules import Policy, Rules

RULES: Rules
HEURISTIC: Policy
kernel: Callable[[Callable[..., Any]], Any]

player, legal, apply, returns = RULES.player, RULES.legal, RULES.apply, RULES.returns
MAX_BRANCH, N_PLAYERS, STATE_LEN = RULES.MAX_BRANCH, RULES.N_PLAYERS, RULES.STATE_LEN
TEAMS = np.array(RULES.TEAMS, np.int64)
HAS_CHANCE, chance = RULES.LISTS_CHANCE, RULES.chance
evaluate = HEURISTIC.evaluate


@njit
def _play(rows, level, a):
    """Put the position after action ``a`` in ``rows[level]`` one level below."""
    s = rows[level]
    after = rows[level + 1]
    for i in range(STATE_LEN):  # quicker to compile than assigning the row
        after[i] = s[i]
    apply(after, a)


@njit
def _value(rows, acts, probabilities, out, level, me, depth, nodes):
    """Value of ``rows[level]`` for seat ``me``; its team maximises, the other one minimises."""
    s = rows[level]
    p = player(s)
    if p == TERMINAL:
        returns(s, out)
        return out[me]
    if depth == 0:
        return evaluate(s, me)
    is_chance = HAS_CHANCE and p == CHANCE
    sign = 1.0 if is_chance or TEAMS[p] == TEAMS[me] else -1.0
    best = -np.inf
    mean = 0.0
    n = legal(s, acts[level])
    if HAS_CHANCE and is_chance:
        chance(s, probabilities[level])
    for i in range(n):
        _play(rows, level, acts[level, i])
        nodes[0] += 1
        left = depth if is_chance else depth - 1
        value = _value(rows, acts, probabilities, out, level + 1, me, left, nodes)
        best = max(best, sign * value)
        mean += probabilities[level, i] * value
    return mean if is_chance else sign * best


@kernel
def value_moves(s, depth, acts, values, visits):
    """Value every legal action of the seat to move and count the positions below it.

    Args:
        s: the position, not changed.
        depth: player actions to look ahead, at least one; chance events cost nothing.
        acts: int64[MAX_BRANCH], filled with the legal actions.
        values: float64[MAX_BRANCH], filled with the value of each for the seat to move.
        visits: int64[MAX_BRANCH], filled with the positions looked at below each.

    Returns:
        The number of legal actions.
    """
    levels = 2 * depth + 2
    rows = np.empty((levels, STATE_LEN), np.int64)
    lists = np.empty((levels, MAX_BRANCH), np.int64)
    probabilities = np.zeros((levels, MAX_BRANCH), np.float64)
    out = np.empty(N_PLAYERS, np.float64)
    nodes = np.zeros(1, np.int64)
    n = legal(s, acts)
    for i in range(STATE_LEN):
        rows[0, i] = s[i]
    for i in range(n):
        before = nodes[0]
        _play(rows, np.int64(0), acts[i])
        nodes[0] += 1
        values[i] = _value(rows, lists, probabilities, out, np.int64(1), player(s), depth - 1, nodes)
        visits[i] = nodes[0] - before
    return np.int64(n)


@kernel
def draw(r, n):
    """Draw one of ``n`` from the agent's stream."""
    return below(r, 0, n)
