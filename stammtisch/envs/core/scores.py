"""Wins, draws and losses from returns, also where returns do not add up to zero."""

import numpy as np
from numpy.typing import NDArray

_EQUAL = 1e-6  # far below the least difference of returns in any game, far above what adding them up can lose


def scores(returns: NDArray[np.float64], seats: NDArray[np.int64] | int) -> NDArray[np.float64]:
    """Return 1, 0.5 or 0 for each game, ``float64[n]``: a seat wins that earns more than the mean of its table.

    Args:
        returns: ``float64[n, players]``.
        seats: the seat that is scored in each game, or in all of them.
    """
    ahead = returns[np.arange(len(returns)), seats] - returns.mean(axis=1)
    return (np.where(np.abs(ahead) < _EQUAL, 0.0, np.sign(ahead)) + 1.0) / 2.0
