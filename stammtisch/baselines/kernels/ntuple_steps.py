"""Steps that the n-tuple trainings share: choosing a move, the worth of a decision, and moving weights."""

import numpy as np
from numba import njit

from stammtisch.envs.core.ties import is_better

EQUAL = 1e-12


@njit
def adapt(net, indices, rate, step):
    """Move the weights of one afterstate by ``rate * step``, each at its own pace with temporal coherence."""
    if len(net.norms) == 0:
        for t in range(len(indices)):
            net.weights[indices[t]] += rate * step
        return
    for t in range(len(indices)):
        i = indices[t]
        norm = net.norms[i]
        share = np.abs(np.float64(net.sums[i])) / norm if norm > 0.0 else 1.0
        net.weights[i] += rate * share * step
        net.sums[i] += step
        net.norms[i] += np.abs(step)


@njit
def best_of(values, n, r):
    """Return the place of the greatest value, one of them at random."""
    chosen = 0
    ties = 1
    for i in range(1, n):
        is_best, _, ties = is_better(values[i], values[chosen], ties, EQUAL, r, 0)
        if is_best:
            chosen = i
    return chosen


@njit
def target_of(values, ends, n, best, gamma, noise):
    """Return what a decision is worth to who makes it, if a share ``noise`` of such decisions is made at random."""
    mean = 0.0
    if noise > 0.0:
        for i in range(n):
            mean += values[i] if ends[i] else gamma * values[i]
        mean /= n
    return (1.0 - noise) * (values[best] if ends[best] else gamma * values[best]) + noise * mean


@njit
def scheduled(first, last, share):
    """Return a value between ``first`` and ``last``, in equal ratios if both are positive, else in equal steps."""
    if first > 0.0 and last > 0.0:
        return first * (last / first) ** share
    return first + (last - first) * share
