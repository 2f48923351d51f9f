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
    n, players = returns.shape
    ahead = returns[np.arange(n), seats] - np.add.reduce(returns, axis=1) / players
    above: NDArray[np.float64] = (ahead >= _EQUAL) * 0.5
    above += (ahead > -_EQUAL) * 0.5
    return above
