"""Tree search by simulations (UCT) for any number of seats, with chance events as nodes of their own.

Every simulation starts at a copy of the root, walks down the tree, expands at most one node, and plays the rest of
the game. A node keeps the sum of the results of the seat that chose it, so that every seat maximises its own.

Expanding a node appends all its children in one block; ``tree.py`` tells how the arrays look.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from stammtisch.baselines.kernels.attention import SHARE, VALUE
from stammtisch.baselines.kernels.bindings import EndgameTables, Rollout
from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.rng import CHANCE_STREAM, below
from stammtisch.envs.core.rules import Rules

RULES: Rules
ROLLOUT: Rollout
OUTCOMES: str  # how a chance node chooses: "drawn" at random, or "even", each as often as its probability demands
PRIOR: str  # what guides the choice among actions: "none", or the "guess" of ROLLOUT
UNIT: str  # of the exploration constant: "utility", or the "spread" of the results in this search
TABLES: EndgameTables
kernel: Callable[[Callable[..., Any]], Any]

player, legal, apply, returns = RULES.player, RULES.legal, RULES.apply, RULES.returns
MAX_BRANCH, N_PLAYERS, STATE_LEN = RULES.MAX_BRANCH, RULES.N_PLAYERS, RULES.STATE_LEN
HAS_CHANCE, sample, chance = RULES.HAS_CHANCE, RULES.sample, RULES.chance
IS_EVEN = OUTCOMES == "even"
HAS_PRIOR = PRIOR == "guess"
SPREADS = UNIT == "spread"
rollout, guess = ROLLOUT.rollout, ROLLOUT.guess
HAS_TABLES, look_up = TABLES.HAS_TABLES, TABLES.look_up

ACTION, VISITS, FIRST, CHILDREN, TRIED = 0, 1, 2, 3, 4  # FIRST is -1 before the expansion
FIELDS = 5
NODES, EXPANDED = 0, 1
RESULTS, SUM, SQUARES = 0, 1, 2
ROUNDING = 1e-6
DEEPEST = 64  # levels between two decisions of a seat that a tree is searched for


@njit
def _copy(row, to):
    """Copy a row; a loop compiles faster than a slice."""
    for i in range(len(row)):
        to[i] = row[i]


@njit
def _expand(s, p, node, tree, acts, softness, net):
    nodes, totals, size = tree.nodes, tree.totals, tree.size
    first = size[NODES]
    n = legal(s, acts)
    if HAS_PRIOR and p >= 0:
        guess(s, p, net, softness, tree.guesses[first : first + n])
    for i in range(n):
        child = first + i
        nodes[child, ACTION] = acts[i]
        nodes[child, VISITS] = 0
        nodes[child, FIRST] = -1
        nodes[child, CHILDREN] = 0
        nodes[child, TRIED] = 0
        totals[child] = 0.0
    nodes[node, FIRST] = first
    nodes[node, CHILDREN] = n
    size[NODES] += n
    size[EXPANDED] += 1


@njit
def _next_outcome(s, node, nodes, r, probabilities):
    """Choose the child of a chance node."""
    first = nodes[node, FIRST]
    if IS_EVEN:
        chance(s, probabilities)
    while True:
        outcome = sample(s, r)
        i = min(max(outcome, 0), nodes[node, CHILDREN] - 1)  # where most games list it
        if nodes[first + i, ACTION] != outcome:
            i = 0
            while nodes[first + i, ACTION] != outcome:
                i += 1
        # Outcomes that are ahead of their share are drawn again; there is always one that is not.
        if not IS_EVEN or nodes[first + i, VISITS] <= probabilities[i] * nodes[node, VISITS] + ROUNDING:
            return first + i


@njit
def _select(node, nodes, totals, c, r):
    """Choose the child of a player's node: an untried one at random, then by upper confidence bound."""
    first = nodes[node, FIRST]
    n = nodes[node, CHILDREN]
    tried = nodes[node, TRIED]
    if tried < n:
        drawn = first + tried + below(r, CHANCE_STREAM, n - tried)
        child = first + tried
        nodes[drawn, ACTION], nodes[child, ACTION] = nodes[child, ACTION], nodes[drawn, ACTION]
        nodes[node, TRIED] = tried + 1
        return child
    log_visits = np.log(nodes[node, VISITS] + 1.0)
    chosen = first
    best = -np.inf
    for child in range(first, first + n):
        share = 1.0 / nodes[child, VISITS]
        bound = totals[child] * share + c * np.sqrt(log_visits * share)
        if bound > best:
            best = bound
            chosen = child
    return chosen


@njit
def _select_by_prior(node, nodes, totals, guesses, c):
    """Choose the child of a player's node by PUCT; the guessed value counts as one result."""
    first = nodes[node, FIRST]
    attention = c * np.sqrt(nodes[node, VISITS] + 1.0)
    chosen = first
    best = -np.inf
    for child in range(first, first + nodes[node, CHILDREN]):
        share = 1.0 / (nodes[child, VISITS] + 1.0)
        bound = (totals[child] + guesses[child, VALUE] + attention * guesses[child, SHARE]) * share
        if bound > best:
            best = bound
            chosen = child
    return chosen


@kernel
def simulate(root, simulations, tree, r, limits, net, endgames):
    """Run simulations; return how many, which is fewer than asked for when the arrays have no room for an expansion.

    Args:
        root: the position of node 0, not changed.
        simulations: how many.
        tree: a ``Tree``, grown.
        r: uint64[1 + N_PLAYERS], random streams.
        limits: ``Limits``.
        net: a learned value function for ``ROLLOUT``, or an empty tuple.
        endgames: what ``TABLES`` looks up, or an empty tuple.
    """
    nodes, totals, guesses, size, moments = tree
    c, depth, tree_depth, max_nodes, softness = limits
    s = np.empty(STATE_LEN, np.int64)
    acts = np.empty(MAX_BRANCH, np.int64)
    probabilities = np.empty(MAX_BRANCH, np.float64)
    out = np.empty(N_PLAYERS, np.float64)
    path = np.empty(tree_depth, np.int64)
    seats = np.empty(tree_depth, np.int64)
    me = player(root)
    unit = 1.0
    for done in range(simulations):
        if size[NODES] + MAX_BRANCH > len(totals):
            return np.int64(done)
        # Step 1. Walk down, expanding the first node that was visited but not expanded.
        if SPREADS:
            mean = moments[SUM] / moments[RESULTS]
            unit = np.sqrt(moments[SQUARES] / moments[RESULTS] - mean * mean)
        _copy(root, s)
        node = 0
        level = 0
        p = player(s)
        is_known = False
        while p != TERMINAL and not is_known and level < tree_depth and (level == 0 or nodes[node, VISITS] > 0):
            if nodes[node, FIRST] < 0:
                if size[EXPANDED] >= max_nodes:
                    break
                _expand(s, p, node, tree, acts, softness, net)
            if HAS_CHANCE and p == CHANCE:
                node = _next_outcome(s, node, nodes, r, probabilities)
            elif HAS_PRIOR:
                node = _select_by_prior(node, nodes, totals, guesses, c * unit)
            else:
                node = _select(node, nodes, totals, c * unit, r)
            apply(s, nodes[node, ACTION])
            path[level] = node
            seats[level] = p
            level += 1
            p = player(s)
            if HAS_TABLES and p >= 0:
                is_known = look_up(s, endgames, out)
        # Step 2. Play on.
        if p == TERMINAL:
            returns(s, out)
        elif not is_known:
            rollout(s, r, acts, depth, out, net)
        # Step 3. Tell everyone on the way.
        moments[RESULTS] += 1.0
        moments[SUM] += out[me]
        moments[SQUARES] += out[me] * out[me]
        nodes[0, VISITS] += 1
        for i in range(level):
            nodes[path[i], VISITS] += 1
            if seats[i] >= 0:
                totals[path[i]] += out[seats[i]]
    return np.int64(simulations)


@kernel
def find(root, goal, nodes):
    """Return the node below the root of the position ``goal``, the next decision of its seat, or -1.

    Args:
        root: the position of node 0.
        goal: the position looked for.
        nodes: int64[k, FIELDS], the tree.
    """
    rows = np.empty((DEEPEST + 1, STATE_LEN), np.int64)
    at = np.empty(DEEPEST, np.int64)  # per level, the next node to look at, and where its siblings end
    end = np.empty(DEEPEST, np.int64)
    _copy(root, rows[0])
    at[0] = nodes[0, FIRST]
    end[0] = at[0] + nodes[0, CHILDREN]
    p = player(goal)
    level = 0
    while level >= 0:
        node = at[level]
        if node == end[level]:
            level -= 1
            continue
        at[level] += 1
        if nodes[node, VISITS] == 0:
            continue
        after = rows[level + 1]
        _copy(rows[level], after)
        apply(after, nodes[node, ACTION])
        if player(after) == p:
            same = True
            for i in range(STATE_LEN):
                same &= after[i] == goal[i]
            if same:
                return node
        elif nodes[node, FIRST] >= 0 and level + 1 < DEEPEST:
            level += 1
            at[level] = nodes[node, FIRST]
            end[level] = at[level] + nodes[node, CHILDREN]
    return np.int64(-1)


@kernel
def main_line(nodes, totals, line):
    """Follow the most visited children, better totals first among equals, the last one if those are equal too.

    Args:
        nodes: int64[k, FIELDS], the tree.
        totals: float64[k].
        line: int64[levels], filled with the actions and outcomes.

    Returns:
        How many there are.
    """
    n = np.int64(0)
    node = np.int64(0)
    while n < len(line) and nodes[node, FIRST] >= 0 and nodes[node, CHILDREN] > 0:
        first = nodes[node, FIRST]
        best = first
        for child in range(first + 1, first + nodes[node, CHILDREN]):
            ahead = nodes[child, VISITS] - nodes[best, VISITS]
            if ahead > 0 or (ahead == 0 and totals[child] >= totals[best]):
                best = child
        if nodes[best, VISITS] == 0:
            break
        line[n] = nodes[best, ACTION]
        n += 1
        node = best
    return n


@kernel
def transplant(node, old, new):
    """Copy the tree below ``node`` level by level into another ``Tree``, where ``node`` becomes the root."""
    nodes, totals, guesses = old.nodes, old.totals, old.guesses
    to_nodes, to_totals, to_guesses, size = new.nodes, new.totals, new.guesses, new.size
    _copy(nodes[node], to_nodes[0])
    to_totals[0] = totals[node]
    size[NODES] = 1
    size[EXPANDED] = 0
    at = 0
    while at < size[NODES]:
        first = to_nodes[at, FIRST]
        if first >= 0:
            to_nodes[at, FIRST] = size[NODES]
            for child in range(first, first + to_nodes[at, CHILDREN]):
                _copy(nodes[child], to_nodes[size[NODES]])
                to_totals[size[NODES]] = totals[child]
                if HAS_PRIOR:
                    _copy(guesses[child], to_guesses[size[NODES]])
                size[NODES] += 1
            size[EXPANDED] += 1
        at += 1
