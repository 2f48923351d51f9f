"""Experience replay in small parts: a buffer, what pushes into it, and two ways to select from it.

Prioritized selection after Schaul et al. (2016): a transition is drawn in proportion to its last error to some power,
and its step is divided by how much more often than at random that makes it.
"""

import numpy as np
from numba import njit

from stammtisch.envs.core.rng import below, unit

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
def push(memory, before, seat, after):
    """Keep a transition in place of the oldest one; it gets the greatest priority so far."""
    at = memory.pushed[0] & (len(memory.seats) - 1)
    memory.pushed[0] += 1
    for i in range(len(before)):
        memory.before[at, i] = before[i]
        memory.after[at, i] = after[i]
    memory.seats[at] = seat
    _set_priority(memory.tree, at, memory.tree[0] if memory.tree[0] > 0 else 1.0)


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
