"""One game of a match stepped action by action, with the chance events that its stream draws."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core.game import Game
from stammtisch.envs.core.state import State

SLACK_EVENTS = 64  # chance events beside those that each move may bring


class Stepping:
    """A game under way.

    Args:
        game: the game.
        chance: uint64[1], the stream of its chance events; it is copied.

    Attributes:
        player: seat to move, or TERMINAL.
        outcomes: the chance outcomes since the last action.
        moves: player actions so far.
    """

    def __init__(self, game: Game, chance: NDArray[np.uint64]):
        self._game = game
        self._k: Any = game.stepping
        players = game.info.num_players
        self._chance = chance.copy()
        self._row = np.zeros(game.rules.STATE_LEN, np.int64)
        self._paid, self._pay = np.zeros(players), np.zeros(players)
        self._outcomes = np.zeros(SLACK_EVENTS, np.int64)
        self.moves = -1
        self.take(-1)

    def take(self, action: int) -> None:
        """Take an action, which is not checked, and play all chance events up to the next decision."""
        self.player, n = self._k.step(self._row, self._chance, action, self._paid, self._pay, self._outcomes)
        self.outcomes: list[int] = self._outcomes[:n].tolist()
        self.moves += 1

    def state(self) -> State:
        """Return a copy of the position."""
        return self._game.from_row(self._row)
