"""Experience replay in small parts: a buffer, rules that say what is forgotten, and rules that select from it.

A further rule is a function here, its name in ``INSERTIONS`` or ``SELECTIONS``, and a line in ``push`` or ``select``.

Prioritized selection after Schaul et al. (2016): a transition is drawn in proportion to its last error to some power,
and its step is divided by how much more often than at random that makes it.
"""

import numpy as np
from numba import njit

from stammtisch.envs.core.rng import below, unit

INSERTIONS = ("oldest", "random", "least")  # what makes room when the buffer is full; least: of the least error
SELECTIONS = ("none", "uniform", "prioritized", "newest")
OLDEST, RANDOM, LEAST = 0, 1, 2
UNIFORM, PRIORITIZED, NEWEST = 1, 2, 3
LEAST_ERROR = 1e-3


@njit
def _set_priority(tree, at, priority):
    node = len(tree) // 2 + at
    change = priority - tree[node]
    while node >= 1:
        tree[node] += change
        node //= 2
    tree[0] = max(tree[0], priority)


@njit
def _least(tree):
    """Return the place of the transition whose last error was the least."""
    half = len(tree) // 2
    found = 0
    for at in range(1, half):
        if tree[half + at] < tree[half + found]:
            found = at
    return found


@njit
def push(memory, before, seat, after, r, rule):
    """Keep a transition, in a full buffer in place of one that the rule names; it gets the greatest priority so far."""
    capacity = len(memory.seats)
    at = memory.pushed[0] % capacity
    if memory.pushed[0] >= capacity:
        if rule == RANDOM:
            at = below(r, 0, capacity)
        elif rule == LEAST:
            at = _least(memory.tree)
    memory.pushed[0] += 1
    for i in range(len(before)):
        memory.before[at, i] = before[i]
        memory.after[at, i] = after[i]
    memory.seats[at] = seat
    _set_priority(memory.tree, at, memory.tree[0] if memory.tree[0] > 0 else 1.0)


@njit
def select(memory, r, rule, beta, chosen, importance):
    """Fill the places of transitions to learn from, by a rule, and the factors of their steps."""
    if rule == PRIORITIZED:
        select_prioritized(memory, r, beta, chosen, importance)
    elif rule == NEWEST:
        select_newest(memory, chosen, importance)
    else:
        select_uniform(memory, r, chosen, importance)


@njit
def select_newest(memory, chosen, importance):
    """Take the last transitions of the ring, the newest first."""
    capacity = len(memory.seats)
    for i in range(len(chosen)):
        chosen[i] = (memory.pushed[0] - 1 - i % capacity) % capacity
        importance[i] = 1.0


@njit
def select_uniform(memory, r, chosen, importance):
    """Draw transitions at random."""
    size = min(memory.pushed[0], len(memory.seats))
    for i in range(len(chosen)):
        chosen[i] = below(r, 0, size)
        importance[i] = 1.0


@njit
def select_prioritized(memory, r, beta, chosen, importance):
    """Draw transitions in proportion to their priorities; fill the factors of their steps, at most 1."""
    size = min(memory.pushed[0], len(memory.seats))
    half = len(memory.seats)
    greatest = 0.0
    for i in range(len(chosen)):
        rest = unit(r, 0) * memory.tree[1]
        node = 1
        while node < half:
            node *= 2
            if rest >= memory.tree[node] and memory.tree[node + 1] > 0.0:
                rest -= memory.tree[node]
                node += 1
        chosen[i] = node - half
        importance[i] = (size * memory.tree[node] / memory.tree[1]) ** -beta
        greatest = max(greatest, importance[i])
    for i in range(len(chosen)):
        importance[i] /= greatest


@njit
def note_error(memory, at, error, power):
    """Set the priority of a transition after learning from it."""
    _set_priority(memory.tree, at, (np.abs(error) + LEAST_ERROR) ** power)
