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
        building: seconds that it took to build tables before, which ``seconds`` does not count.
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
    building: float = 0.0


def solved_by(oracle: Oracle, state: State, every: bool) -> Solution:
    """Return what an oracle knows of a position.

    Raises:
        ValueError: the game is over, or the oracle does not cover the position.
    """
    if state.player == TERMINAL:
        raise ValueError(f"nothing to solve in {state.game.id}: the game is over")
    asked = time.perf_counter()
    had_to_build = oracle.prepare()
    began, before = time.perf_counter(), oracle.searched
    returns = oracle.value(state)
    best = tuple(oracle.best(state)) if state.player >= 0 else ()
    values = oracle.values(state) if every else {}
    distances = oracle.distances(state) if every else {}
    points = state.game.info.points_per_unit
    return Solution(
        returns,
        _counted(float(returns[max(0, state.player)]), points),
        "return" if points is None else "points",
        best,
        {action: _counted(value, points) for action, value in values.items()},
        oracle.searched - before,
        time.perf_counter() - began,
        oracle.distance(state),
        {} if all(turns is None for turns in distances.values()) else distances,
        began - asked if had_to_build else 0.0,
    )


def _counted(value: float, points: int | None) -> float:
    """Return a value as the game counts it: in points, or as a return."""
    return value if points is None else round(value * points, 6)
