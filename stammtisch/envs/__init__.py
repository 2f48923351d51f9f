"""Things you can reset and step: the table of games, and the faces they are used through."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from stammtisch.errors import unknown

if TYPE_CHECKING:
    from stammtisch.envs.core.game import Game


@dataclass(frozen=True)
class Entry:
    """One row of the table: the Gymnasium name, the class of the game, and what makes the variant."""

    env_name: str
    game: str
    variant: Mapping[str, int] = field(default_factory=dict)

    @property
    def env_id(self) -> str:
        """The id under which Gymnasium and PettingZoo know the environment."""
        return f"stammtisch/{self.env_name}-v0"


_EINSTEIN = "stammtisch.envs.einstein.game:EinStein"
_REVERSI = "stammtisch.envs.reversi.game:Reversi"
_MUEHLE = "stammtisch.envs.muehle.game:Muehle"
_SMALL_MORRIS = "stammtisch.envs.muehle.game:SmallMorris"

GAMES: dict[str, Entry] = {
    "einstein-3x3": Entry("EinStein3x3", _EINSTEIN, {"size": 3, "players": 2}),
    "einstein-4x4": Entry("EinStein4x4", _EINSTEIN, {"size": 4, "players": 2}),
    "einstein-5x5": Entry("EinStein5x5", _EINSTEIN, {"size": 5, "players": 2}),
    "einstein-6x6-3p": Entry("EinStein6x6x3", _EINSTEIN, {"size": 6, "players": 3}),
    "einstein-4x4-4p": Entry("EinStein4x4x4", _EINSTEIN, {"size": 4, "players": 4}),
    "einstein-6x6-4p": Entry("EinStein6x6x4", _EINSTEIN, {"size": 6, "players": 4}),
    "reversi-4x4": Entry("Reversi4x4", _REVERSI, {"size": 4}),
    "reversi-6x6": Entry("Reversi6x6", _REVERSI, {"size": 6}),
    "reversi-8x8": Entry("Reversi8x8", _REVERSI, {"size": 8}),
    "reversi-10x10": Entry("Reversi10x10", _REVERSI, {"size": 10}),
    "muehle": Entry("Muehle", _MUEHLE, {"rings": 3, "men": 9, "diagonals": 0}),
    "morris-3": Entry("Morris3", _SMALL_MORRIS, {"rings": 1, "men": 3, "diagonals": 1}),
    "morris-6": Entry("Morris6", _SMALL_MORRIS, {"rings": 2, "men": 6, "diagonals": 0}),
    "morris-12": Entry("Morris12", _MUEHLE, {"rings": 3, "men": 12, "diagonals": 1}),
    "jass-schieber": Entry("JassSchieber", "stammtisch.envs.jass.game:Schieber"),
    "jass-schieber-2500": Entry("JassSchieber2500", "stammtisch.envs.jass.game:Schieber2500"),
    "jass-differenzler": Entry("JassDifferenzler", "stammtisch.envs.jass.solo_game:Differenzler"),
    "jass-coiffeur": Entry("JassCoiffeur", "stammtisch.envs.jass.coiffeur_game:Coiffeur"),
    "jass-molotow": Entry("JassMolotow", "stammtisch.envs.jass.solo_game:Molotow"),
}


def game_class(game_id: str) -> type["Game"]:
    """Return the class behind a game id without building the game."""
    if game_id not in GAMES:
        raise unknown("game", game_id, GAMES)
    module, _, name = GAMES[game_id].game.partition(":")
    return getattr(importlib.import_module(module), name)


def load_game(game_id: str, **options: Any) -> "Game":
    """Return a game by its id, for example ``load_game("einstein-5x5", random_start=True)``.

    Raises:
        ValueError: the id or an option does not exist; the message names near misses and what does exist.
    """
    return game_class(game_id)(game_id, GAMES[game_id].variant, options)


def restore_game(game_id: str, options: Mapping[str, Any]) -> "Game":
    """Rebuild a pickled game."""
    return load_game(game_id, **options)
