"""Information set tree search by networks: they say what to try first, and play on; ``ismcts`` tells the rest.

A kernel source. The tree and its arrays are those of ``ismcts``. A move that the network likes is tried sooner: its
bound has ``prior`` times its share among the legal moves of this deal, divided by one more than its visits.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from stammtisch.baselines.kernels.bindings import InformationTree, JassNets, NetWorldsKernel
from stammtisch.envs.core.rng import next_word, unit
from stammtisch.envs.core.rules import OwnRules

RULES: OwnRules
NETS: JassNets
WORLDS: NetWorldsKernel
TREE: InformationTree
kernel: Callable[[Callable[..., Any]], Any]

player, apply, resample_hidden = RULES.player, RULES.apply, RULES.resample_hidden
MAX_BRANCH, MAX_MOVES, STATE_LEN, TOTAL = RULES.MAX_BRANCH, RULES.MAX_MOVES, RULES.STATE_LEN, RULES.TOTAL
say, play_on, add_child = NETS.say, WORLDS.play_on, TREE.add_child
ACTION, VISITS, AVAILABLE, FIRST, NEXT, NONE = (
    TREE.ACTION,
    TREE.VISITS,
    TREE.AVAILABLE,
    TREE.FIRST,
    TREE.NEXT,
    TREE.NONE,
)


class NetBounds(NamedTuple):
    """What decides where a simulation goes on.

    Attributes:
        c: exploration constant, in hundreds of points.
        prior: weight of the network's opinion, likewise.
        exact: with at most so many tricks left, simulations end and are solved.
    """

    c: float
    prior: float
    exact: int


class NetThought(NamedTuple):
    """What plays on, and the deals to begin with.

    Attributes:
        work: arrays of the solver.
        nets: ``Nets``.
        room: ``NetRoom``.
        worlds: int64[k, STATE_LEN], deals to draw from.
        weights: float64[k], how likely each is; of length 0 for new deals.
    """

    work: Any
    nets: Any
    room: Any
    worlds: Any
    weights: Any


@njit
def _shares(room, n, softness, shares):
    """Fill the shares of the choices that the networks have just spoken on."""
    top = room.scores[0]
    for i in range(1, n):
        top = max(top, room.scores[i])
    total = 0.0
    for i in range(n):
        shares[i] = np.exp((room.scores[i] - top) / softness)
        total += shares[i]
    for i in range(n):
        shares[i] /= total


@njit
def _choose(node, room, n, shares, nodes, totals, bounds, size):
    """Return the child to walk to and the number of nodes then; the best of the untried moves becomes a new one."""
    best, chosen = -np.inf, np.int64(NONE)
    fresh, liked = -1, -1.0
    for i in range(n):
        child = nodes[node, FIRST]
        while child != NONE and nodes[child, ACTION] != room.acts[i]:
            child = nodes[child, NEXT]
        if child == NONE:
            if shares[i] > liked:
                liked = shares[i]
                fresh = i
            continue
        nodes[child, AVAILABLE] += 1
        visits = nodes[child, VISITS]
        bound = totals[child] / visits + bounds.c * np.sqrt(np.log(nodes[child, AVAILABLE]) / visits)
        bound += bounds.prior * shares[i] / (1.0 + visits)
        if bound > best:
            best = bound
            chosen = child
    if fresh >= 0:
        add_child(node, room.acts[fresh], size, nodes, totals)
        return np.int64(size), np.int64(size + 1), True
    return chosen, np.int64(size), False


@kernel
def search(root, iterations, bounds, thought, streams, nodes, totals, size):
    """Grow a tree; return how many nodes it has.

    Args:
        root: what the seat to move knows, not changed.
        iterations: simulations.
        bounds: ``NetBounds``.
        thought: ``NetThought``.
        streams: uint64[1], the agent's stream.
        nodes: int64[n, FIELDS], filled, as in ``ismcts``.
        totals: float64[n], filled.
        size: nodes that are there already; 0 begins a new tree.
    """
    work, nets, room, worlds, weights = thought
    r = np.empty(1, np.uint64)
    r[0] = next_word(streams, 0)
    s = np.empty(STATE_LEN, np.int64)
    shares = np.empty(MAX_BRANCH, np.float64)
    path = np.empty(MAX_MOVES, np.int64)
    seats = np.empty(MAX_MOVES, np.int64)
    observer = player(root)
    before = root[TOTAL] - root[TOTAL + 1]
    if size == 0:
        nodes[0] = 0
        nodes[0, FIRST] = NONE
        totals[0] = 0.0
        size = 1
    for _ in range(iterations):
        if len(weights):
            left = unit(r, 0)
            k = 0
            while k < len(weights) - 1 and left >= weights[k]:
                left -= weights[k]
                k += 1
            for i in range(STATE_LEN):
                s[i] = worlds[k, i]
        else:
            for i in range(STATE_LEN):
                s[i] = root[i]
            resample_hidden(s, observer, r)
        node = np.int64(0)
        level = 0
        expanded = False
        while player(s) >= 0 and not expanded:
            n = say(s, nets, room)
            _shares(room, n, nets.softness[0], shares)
            node, size, expanded = _choose(node, room, n, shares, nodes, totals, bounds, size)
            seats[level] = player(s)
            path[level] = node
            level += 1
            apply(s, nodes[node, ACTION])
        value = play_on(s, before, bounds.exact, work, nets, room)
        nodes[0, VISITS] += 1
        for i in range(level):
            nodes[path[i], VISITS] += 1
            totals[path[i]] += -value if seats[i] & 1 else value
    return np.int64(size)
