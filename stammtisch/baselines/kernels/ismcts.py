"""Information set Monte Carlo tree search with a single observer (Cowling, Powley and Whitehouse 2012).

Every simulation deals the cards that the observer does not see anew and walks down one tree, whose nodes stand for
what was done since the root, not for positions. Which moves there are depends on the deal, so the visits of a move are
compared with how often it could have been chosen. A tree is ``nodes`` int64[k, FIELDS] and ``totals`` float64[k]; the
children of a node are a linked list.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from stammtisch.baselines.kernels.bindings import Horizon
from stammtisch.envs.core.rng import CHANCE_STREAM, below
from stammtisch.envs.core.rules import Rules

RULES: Rules
HORIZON: Horizon
kernel: Callable[[Callable[..., Any]], Any]

player, legal, apply, resample_hidden = RULES.player, RULES.legal, RULES.apply, RULES.resample_hidden
MAX_BRANCH, MAX_MOVES, N_PLAYERS, STATE_LEN = RULES.MAX_BRANCH, RULES.MAX_MOVES, RULES.N_PLAYERS, RULES.STATE_LEN
play_on, own_streams = HORIZON.play_on, HORIZON.own_streams

ACTION, VISITS, AVAILABLE, FIRST, NEXT = 0, 1, 2, 3, 4  # AVAILABLE: visits of the parent in which the move was legal
FIELDS = 5
NONE = -1


@njit
def add_child(node, action, at, nodes, totals):
    """Put a new child in front of the others."""
    nodes[at, ACTION] = action
    nodes[at, VISITS] = 0
    nodes[at, AVAILABLE] = 1
    nodes[at, FIRST] = NONE
    nodes[at, NEXT] = nodes[node, FIRST]
    nodes[node, FIRST] = at
    totals[at] = 0.0


@njit
def _select(node, acts, n, nodes, totals, c):
    """Bring the untried of ``n`` legal actions to the front; return how many, and the child with the highest bound."""
    untried = n
    chosen = np.int64(NONE)
    best = -np.inf
    child = nodes[node, FIRST]
    while child != NONE:
        i = 0
        while i < untried and acts[i] != nodes[child, ACTION]:
            i += 1
        if i < untried:
            untried -= 1
            acts[i], acts[untried] = acts[untried], acts[i]
            nodes[child, AVAILABLE] += 1
            share = 1.0 / nodes[child, VISITS]
            bound = totals[child] * share + c * np.sqrt(np.log(nodes[child, AVAILABLE]) * share)
            if bound > best:
                best = bound
                chosen = child
        child = nodes[child, NEXT]
    return untried, chosen


@kernel
def search(root, iterations, c, streams, nodes, totals, size):
    """Grow a tree; return how many nodes it has.

    Args:
        root: what the seat to move knows, not changed.
        iterations: simulations.
        c: exploration constant, in units of utility.
        streams: uint64[1], the agent's stream.
        nodes: int64[n, FIELDS], filled; the root is the first, and every simulation adds one at most.
        totals: float64[n], filled with the sums of the utilities of the seats that chose the nodes.
        size: nodes that are there already; 0 begins a new tree.
    """
    r = own_streams(streams)
    s = np.empty(STATE_LEN, np.int64)
    acts = np.empty(MAX_BRANCH, np.int64)
    out = np.empty(N_PLAYERS, np.float64)
    path = np.empty(MAX_MOVES, np.int64)
    seats = np.empty(MAX_MOVES, np.int64)
    observer = player(root)
    if size == 0:
        nodes[0] = 0
        nodes[0, FIRST] = NONE
        totals[0] = 0.0
        size = 1
    for _ in range(iterations):
        # Step 1. Deal, and walk down to the first move that has not been tried there.
        s[:] = root
        resample_hidden(s, observer, r)
        node = np.int64(0)
        level = 0
        p = player(s)
        expanded = False
        while p >= 0 and not expanded:
            n = legal(s, acts)
            untried, child = _select(node, acts, n, nodes, totals, c)
            if untried > 0:
                child = np.int64(size)
                size += 1
                add_child(node, acts[below(r, CHANCE_STREAM, untried)], child, nodes, totals)
                expanded = True
            apply(s, nodes[child, ACTION])
            path[level] = child
            seats[level] = p
            level += 1
            node = child
            p = player(s)
        # Step 2. Play on.
        play_on(s, r, acts, out)
        # Step 3. Tell everyone on the way.
        nodes[0, VISITS] += 1
        for i in range(level):
            nodes[path[i], VISITS] += 1
            totals[path[i]] += out[seats[i]]
    return np.int64(size)
