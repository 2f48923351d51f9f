"""The reference ladder: ratings of fixed agents, and of a player by its scores against them."""

import functools
import itertools
from collections.abc import Mapping, Sequence

from stammtisch.arena.match import play_match
from stammtisch.arena.plan import lineup
from stammtisch.arena.ratings import Group, fit_elo
from stammtisch.envs.core.game import Game

_GAMES = 400
_PLAYER = "the player"


@functools.lru_cache(maxsize=32)
def _reference(game: Game, agents: tuple[str, ...], opening: int) -> tuple[Group, ...]:
    """Play the rungs of the ladder against each other, once per process."""
    pairs = itertools.combinations(agents, 2)
    matches = [(a, b, play_match(game, lineup(game, a, b), _GAMES, opening=opening)) for a, b in pairs]
    return tuple(Group(a, b, match.score * match.games, match.games) for a, b, match in matches)


def ladder_elo(game: Game, agents: Sequence[str], scores: Mapping[str, tuple[float, int]], opening: int = 0) -> float:
    """Return a player's rating on a ladder whose first agent has 0.

    Args:
        game: the game.
        agents: the rungs; they play each other once per process.
        scores: score and number of games of the player against each of them.
        opening: first moves that are drawn at random when the rungs play each other.
    """
    groups = [Group(_PLAYER, agent, score * games, games) for agent, (score, games) in scores.items()]
    ratings = fit_elo([*_reference(game, tuple(agents), opening), *groups], anchor=agents[0], bootstrap=1)
    return next(rating.elo for rating in ratings if rating.name == _PLAYER)
