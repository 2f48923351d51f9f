"""The exact solver of a board, and narrow questions to it."""

from collections.abc import Callable

from stammtisch.envs.core import loader
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.rules import own
from stammtisch.envs.core.state import State

PLACES = 1 << 20  # lines of the table, 48 bytes each
MANY_PLACES, MANY_EMPTIES = 1 << 24, 22  # from so many empty cells on: what fits is what makes it possible at all
_LARGEST = 64  # cells
_PIECE = 1 << 25  # positions, some twenty seconds


def solver_of(game: Game) -> loader.KernelModule:
    """Return the solver's kernels; who gets empty cells at the end is what the game pays for.

    Raises:
        ValueError: the board is too large, or players may pass whenever they like.
    """
    rules = own(game.rules)
    if rules.CELLS > _LARGEST or rules.VOLUNTARY_PASS:
        raise ValueError(f"{game!r} cannot be solved: boards up to 8x8 can, with passes only where they are forced")
    counted = "nobody" if rules.REWARD_DISCS else "winner"
    return loader.load("stammtisch.envs.reversi.solver", game.id, RULES=rules, EMPTIES=counted)


class ScoreSearch:
    """Answers whether positions reach a score; what it found out helps the next time.

    Args:
        game: the game.
        places: lines of the table.
        tell: called now and then with a line on how far a long search is.
    """

    def __init__(self, game: Game, places: int, tell: Callable[[str], None] = lambda line: None):
        self._kernels = solver_of(game)
        self._boards = self._kernels.new_boards(places)
        self._tell = tell

    def bound(self, state: State, score: int) -> int:
        """Return a bound of the score of a position at a player's turn.

        At least ``score``: the position is worth this or more. Below it: the position is worth this or less.
        """
        kernels, control = self._kernels, self._boards.control
        row, question = state.row, f"are {score:+} discs reached with {int(state.game.rules.empties(state._row))} empty"
        while True:  # piece by piece, so that it can be broken off; the table keeps what was found
            self._tell(f"{question}? {int(control[kernels.NODES]) / 1e6:,.0f} million positions")
            control[kernels.LIMIT] = control[kernels.NODES] + _PIECE
            found, is_sure = kernels.solve(row, score - 1, score, self._boards)
            if is_sure:
                return int(found)


def score_of_end(state: State, seat: int) -> int:
    """Return the score of a finished game for a seat."""
    kernels = solver_of(state.game)
    row = state.row
    row[kernels.TURN] = seat
    score, _ = kernels.solve(row, -kernels.MOST, kernels.MOST, kernels.new_boards(1))
    return int(score)
