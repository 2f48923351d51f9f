"""The table of games: every id with the class behind it, filled by the rooms of the games and by outside packages."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from stammtisch.envs.core.plugins import resolve
from stammtisch.errors import unknown

if TYPE_CHECKING:
    from stammtisch.envs.core.game import Game

_HOUSE = "stammtisch"


@dataclass(frozen=True)
class GameEntry:
    """One row of the table: the Gymnasium name, the class of the game, and what makes the variant.

    The games of this package leave out the namespace and version of their name; outside ones never do.
    """

    env_name: str
    game: str
    variant: Mapping[str, int] = field(default_factory=dict)

    @property
    def env_id(self) -> str:
        """The id under which Gymnasium and PettingZoo know the environment."""
        return self.env_name if "/" in self.env_name else f"{_HOUSE}/{self.env_name}-v0"

    @property
    def is_outside(self) -> bool:
        """Whether another package brought the game."""
        return "/" in self.env_name


GAMES: dict[str, GameEntry] = {}


def game_class(game_id: str) -> type["Game"]:
    """Return the class behind a game id without building the game."""
    if game_id not in GAMES:
        raise unknown("game", game_id, GAMES)
    from stammtisch.envs.core.game import Game

    target = GAMES[game_id].game
    found = resolve(target, f"cannot load game {game_id}")
    if not (isinstance(found, type) and issubclass(found, Game)):
        raise ValueError(f'cannot load game {game_id}: "{target}" is no class derived from stammtisch.Game')
    return found


def load_game(game_id: str, **options: Any) -> "Game":
    """Return a game by its id, for example ``load_game("einstein-5x5", random_start=True)``.

    Raises:
        ValueError: the id or an option does not exist; the message names near misses and what does exist.
    """
    return game_class(game_id)(game_id, GAMES[game_id].variant, options)


def load_game_for(face: Callable[..., Any], game_id: str, options: Mapping[str, Any]) -> "Game":
    """Return the game of an environment; a word that is no option may be a near miss of one of the face's arguments."""
    known = game_class(game_id).OPTIONS
    for name in options:
        if name not in known:
            arguments = list(inspect.signature(face).parameters.values())[1:]  # the first is the game
            named = [each.name for each in arguments if each.kind is not inspect.Parameter.VAR_KEYWORD]
            raise unknown(f"option for {game_id}", name, [*named, *known])
    return load_game(game_id, **options)


def know_game(game_id: str, entry: GameEntry) -> None:
    """Add a row that another process knows, unless it is there already."""
    GAMES.setdefault(game_id, entry)


def restore_game(game_id: str, options: Mapping[str, Any], entry: GameEntry) -> "Game":
    """Rebuild a pickled game, also where its package has not registered it."""
    know_game(game_id, entry)
    return load_game(game_id, **options)
