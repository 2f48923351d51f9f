"""``exact=True`` of the environments: the value of the position with perfect play, beside what a learner observes."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core.game import Game
from stammtisch.envs.core.oracle import Oracle, oracle_of
from stammtisch.envs.core.state import State

OPEN_CARDS = "open-cards"
Exact = bool | str | Mapping[str, Any]


class ExactValues:
    """Answers what a position is worth, for ``info`` and never for the observation.

    Args:
        game: the game.
        exact: True for the oracle of the game as it is, or a mapping of what its oracle takes, such as
            ``{"empties": 10}``. With hidden cards the value tells of them: then only ``"open-cards"`` will do.

    Raises:
        ValueError: the game has no oracle, or cards are hidden and nobody said that it may leak.
    """

    def __init__(self, game: Game, exact: Exact):
        named = isinstance(exact, str)
        if named and exact != OPEN_CARDS:
            raise ValueError(f'exact={exact!r} is not allowed; choose True, a mapping for the oracle or "{OPEN_CARDS}"')
        if named and not game.info.hidden:
            raise ValueError(f'exact="{OPEN_CARDS}" is for hidden cards, which {game.id} has not; take exact=True')
        if game.info.hidden and not named:
            raise ValueError(
                f"exact={exact!r} would tell of the hidden cards of {game.id}; "
                f'for research exact="{OPEN_CARDS}" puts the value with open cards into info'
            )
        self._oracle: Oracle = game.oracle(**exact) if isinstance(exact, Mapping) else oracle_of(game)

    def of(self, state: State, seat: int) -> float:
        """Return the expected return of a seat with perfect play of all, NaN where that is not known."""
        return float(self._oracle.value(state)[seat]) if self._oracle.covers(state) else math.nan

    def of_many(self, states: Sequence[State], seats: Sequence[int]) -> NDArray[np.float64]:
        """Return the same for many positions, each for its own seat."""
        return self._oracle.value_of(states)[np.arange(len(states)), seats]


def exact_values(game: Game, exact: Exact) -> ExactValues | None:
    """Return who answers, None where nobody is asked for."""
    return None if exact is False else ExactValues(game, exact)
