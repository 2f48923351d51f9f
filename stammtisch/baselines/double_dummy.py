"""``solve_deal``: the exact value of a Jass deal that is played with open cards (double dummy)."""

from typing import Any

import numpy as np

from stammtisch.envs.core import loader
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.state import State

PLACES = 1 << 20  # entries of the table


def has_solver(game: Game) -> bool:
    """Tell whether there is a solver for a game: those of the Jass room have one."""
    return game.RULES == "stammtisch.envs.jass.rules"


def solver_kernels(game: Game) -> loader.KernelModule:
    """Return the solver on a game's rules."""
    if not has_solver(game):
        raise ValueError(f"no double-dummy solver for {game.id}; there is one for the Jass games")
    return loader.load("stammtisch.baselines.kernels.double_dummy", game.id, RULES=game.rules)


def solve_deal(state: State) -> tuple[float, int]:
    """Solve the play of a deal in which everybody sees all cards.

    Returns:
        The difference of this deal's points for team 0 in hundreds if both teams play perfectly, as ``returns`` counts it
        in a single deal, and a best card for the seat to move.

    Raises:
        ValueError: the game is not Jass, or the position is not in the play.
    """
    values, actions = solve_cards(state)
    best = int(values.argmin() if state.player & 1 else values.argmax())
    return float(values[best]), int(actions[best])


def solve_cards(state: State) -> tuple[Any, Any]:
    """Return the value for team 0 after every legal card, ``float64[n]``, and the cards, ``int64[n]``."""
    rules = state.game.rules
    kernels = solver_kernels(state.game)
    if state.player < 0 or state._row[rules.MODE] == rules.NO_MODE:
        raise ValueError(f"nothing to solve in {state.game.id}: cards are played when the mode has been chosen")
    actions = np.empty(rules.MAX_BRANCH, np.int64)
    values = np.empty(rules.MAX_BRANCH, np.float64)
    n = kernels.solve(state._row, kernels.new_work(PLACES), actions, values)
    return values[:n], actions[:n]
