"""``Solution``: what perfect play makes of a position, whichever way it was found."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core.constants import TERMINAL
from stammtisch.envs.core.oracle import Oracle
from stammtisch.envs.core.state import State


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
        distance: turns to the end of the game if the winner hurries and the loser delays; None if that is not known.
        distances: the same after each action, this turn counted, where it was asked for.
    """

    returns: NDArray[np.float64]
    score: float
    unit: str
    best: tuple[int, ...]
    scores: dict[int, float]
    nodes: int
    seconds: float
    distance: int | None = None
    distances: Mapping[int, int | None] = field(default_factory=dict)


def solved_by(oracle: Oracle, state: State, every: bool) -> Solution:
    """Return what an oracle knows of a position.

    Raises:
        ValueError: the game is over, or the oracle does not cover the position.
    """
    if state.player == TERMINAL:
        raise ValueError(f"nothing to solve in {state.game.id}: the game is over")
    began = time.perf_counter()
    returns = oracle.value(state)
    is_turn = state.player >= 0
    return Solution(
        returns,
        float(returns[max(0, state.player)]),
        oracle.UNIT,
        tuple(oracle.best(state)) if is_turn else (),
        oracle.values(state) if every else {},
        0,
        time.perf_counter() - began,
        oracle.distance(state),
        oracle.distances(state) if every else {},
    )
