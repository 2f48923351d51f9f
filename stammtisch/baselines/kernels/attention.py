"""How much attention the moves of a position deserve, by what they seem to be worth."""

import numpy as np
from numba import njit

VALUE, SHARE = 0, 1


@njit
def share_attention(guesses, softness):
    """Fill the shares of moves, ``float64[n, 2]``, from their values: a softmax of that temperature."""
    n = len(guesses)
    best = guesses[0, VALUE]
    for i in range(1, n):
        best = max(best, guesses[i, VALUE])
    total = 0.0
    for i in range(n):
        guesses[i, SHARE] = np.exp((guesses[i, VALUE] - best) / softness)
        total += guesses[i, SHARE]
    for i in range(n):
        guesses[i, SHARE] /= total
