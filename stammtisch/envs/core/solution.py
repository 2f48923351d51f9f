"""``Solution``: what perfect play makes of a position, whichever way it was found."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Solution:
    """A solved position.

    Attributes:
        returns: float64[num_players], utilities with perfect play of all sides.
        score: the same as the table would count it for the seat to move: discs or points ahead.
        unit: what ``score`` counts.
        best: the actions that keep it, ascending.
        scores: score after each action for the seat that takes it, where it was asked for.
        nodes: positions looked at.
        seconds: time it took.
    """

    returns: NDArray[np.float64]
    score: float
    unit: str
    best: tuple[int, ...]
    scores: dict[int, float]
    nodes: int
    seconds: float
