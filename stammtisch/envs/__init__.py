"""Things you can reset and step: the games of this package, and the faces they are used through."""

from stammtisch.envs.core.games import GAMES, GameEntry, game_class, load_game

__all__ = ["GAMES", "GameEntry", "game_class", "load_game"]

_EINSTEIN = "stammtisch.envs.einstein.game:EinStein"
_REVERSI = "stammtisch.envs.reversi.game:Reversi"
_MUEHLE = "stammtisch.envs.muehle.game:Muehle"
_REVERSIXT = "stammtisch.envs.reversixt.game:ReversiXT"
_SMALL_MORRIS = "stammtisch.envs.muehle.game:SmallMorris"

GAMES.update(
    {
        "einstein-3x3": GameEntry("EinStein3x3", _EINSTEIN, {"size": 3, "players": 2}),
        "einstein-4x4": GameEntry("EinStein4x4", _EINSTEIN, {"size": 4, "players": 2}),
        "einstein-5x5": GameEntry("EinStein5x5", _EINSTEIN, {"size": 5, "players": 2}),
        "einstein-6x6-3p": GameEntry("EinStein6x6x3", _EINSTEIN, {"size": 6, "players": 3}),
        "einstein-4x4-4p": GameEntry("EinStein4x4x4", _EINSTEIN, {"size": 4, "players": 4}),
        "einstein-6x6-4p": GameEntry("EinStein6x6x4", _EINSTEIN, {"size": 6, "players": 4}),
        "reversi-4x4": GameEntry("Reversi4x4", _REVERSI, {"size": 4}),
        "reversi-6x6": GameEntry("Reversi6x6", _REVERSI, {"size": 6}),
        "reversi-8x8": GameEntry("Reversi8x8", _REVERSI, {"size": 8}),
        "reversi-10x10": GameEntry("Reversi10x10", _REVERSI, {"size": 10}),
        "muehle": GameEntry("Muehle", _MUEHLE, {"rings": 3, "men": 9, "diagonals": 0}),
        "morris-3": GameEntry("Morris3", _SMALL_MORRIS, {"rings": 1, "men": 3, "diagonals": 1}),
        "morris-6": GameEntry("Morris6", _SMALL_MORRIS, {"rings": 2, "men": 6, "diagonals": 0}),
        "morris-12": GameEntry("Morris12", _MUEHLE, {"rings": 3, "men": 12, "diagonals": 1}),
        "jass-schieber": GameEntry("JassSchieber", "stammtisch.envs.jass.schieber.game:Schieber"),
        "jass-schieber-2500": GameEntry("JassSchieber2500", "stammtisch.envs.jass.schieber.game:Schieber2500"),
        "jass-differenzler": GameEntry("JassDifferenzler", "stammtisch.envs.jass.solo.game:Differenzler"),
        "jass-coiffeur": GameEntry("JassCoiffeur", "stammtisch.envs.jass.coiffeur.game:Coiffeur"),
        "jass-molotow": GameEntry("JassMolotow", "stammtisch.envs.jass.solo.game:Molotow"),
        "reversixt": GameEntry("ReversiXT", _REVERSIXT),
        "reversixt-2": GameEntry("ReversiXT2", _REVERSIXT, {"players": 2}),
        "reversixt-3": GameEntry("ReversiXT3", _REVERSIXT, {"players": 3}),
        "reversixt-4": GameEntry("ReversiXT4", _REVERSIXT, {"players": 4}),
        "reversixt-8": GameEntry("ReversiXT8", _REVERSIXT, {"players": 8}),
    }
)
