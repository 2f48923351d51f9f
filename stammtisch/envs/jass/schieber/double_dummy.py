"""``solve_deal``: the exact value of a Jass deal that is played with open cards (double dummy)."""

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core.rules import Solver, own
from stammtisch.envs.core.state import State

PLACES = 1 << 21  # entries of the table


def solve_deal(state: State) -> tuple[float, int]:
    """Solve the play of a deal in which everybody sees all cards.

    Returns:
        The difference of this deal's points for team 0 in hundreds if both teams play perfectly (``returns`` of a
        single deal, whatever a longer game makes of it), and a best card for the seat to move.

    Raises:
        ValueError: the game is not Jass, or the position is not in the play.
    """
    kernels = _kernels_for(state)
    value, card = kernels.solve_best(state._row, kernels.new_work(PLACES))
    return value, card


def solve_cards(state: State) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return every legal card, ``int64[n]``, and the value for team 0 when it is played, ``float64[n]``."""
    kernels = _kernels_for(state)
    cards = np.empty(state.game.rules.MAX_BRANCH, np.int64)
    values = np.empty(state.game.rules.MAX_BRANCH, np.float64)
    n = kernels.solve_all(state._row, kernels.new_work(PLACES), cards, values)
    return cards[:n], values[:n]


def _kernels_for(state: State) -> Solver:
    kernels, rules = state.game.solver(), own(state.game.rules)
    if state.player < 0 or state._row[rules.MODE] == rules.NO_MODE:
        raise ValueError(f"nothing to solve in {state.game.id}: cards are played once the mode has been chosen")
    return kernels
