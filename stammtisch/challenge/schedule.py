"""``Schedule``: which games of a tournament are still to be played."""

from collections.abc import Iterable
from itertools import combinations


class Schedule:
    """All pairs of bots, so many games each; first one game of every pair in joining order, then the second.

    Args:
        bots: number of bots.
        games: games per pair.
    """

    def __init__(self, bots: int, games: int):
        self._games = games
        self._begun = dict.fromkeys(combinations(range(bots), 2), 0)

    def is_over(self) -> bool:
        """Tell whether no game is left."""
        return not self._begun

    def candidates(self, free: Iterable[int]) -> list[tuple[int, int, int]]:
        """Return (game, first bot, second bot) of the next game of every pair among free bots, in their order."""
        pairs = combinations(sorted(free), 2)
        return sorted((self._begun[pair], *pair) for pair in pairs if pair in self._begun)

    def take(self, game: int, first: int, second: int) -> None:
        """Take a game that is about to begin off the schedule."""
        self._begun[first, second] = game + 1
        if game + 1 == self._games:
            del self._begun[first, second]

    def give_up(self, bot: int) -> list[tuple[int, int, range]]:
        """Take all games of a bot off the schedule; return (first bot, second bot, games) of every pair."""
        lost = [(*pair, range(begun, self._games)) for pair, begun in self._begun.items() if bot in pair]
        for first, second, _ in lost:
            del self._begun[first, second]
        return lost
