"""Choosing the best of several inside kernels, one of those that are equally good at random."""

from numba import njit

from stammtisch.envs.core.rng import below

WHOLE = 0.5  # margin of values that are whole numbers


@njit
def wins_tie(r, i, ties):
    """Tell, drawing from stream ``i`` of ``r``, whether the latest of ``ties`` equals replaces the one kept so far.

    Asked once for every one of them, it keeps each with the same probability.
    """
    return below(r, i, ties) == 0


@njit
def is_better(value, best, ties, margin, r, i):
    """Compare a value with the best so far; values less than ``margin`` apart are equal.

    Returns:
        Whether whoever has the value is to be kept now, the best value then, and how many have shown it.
    """
    if value > best + margin:
        return True, value, 1
    if value > best - margin:
        return wins_tie(r, i, ties + 1), best, ties + 1
    return False, best, ties
