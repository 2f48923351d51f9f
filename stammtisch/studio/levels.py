"""How strong a machine plays: levels from beginner to champion for every game."""

from typing import Any

from stammtisch.baselines import AGENTS
from stammtisch.envs.core.game import Game

_BOARD = (
    ("beginner", "random"),
    ("easy", "mcts:iterations=40"),
    ("medium", "heuristic"),
    ("hard", "alphabeta:depth=4"),
    ("expert", "mcts:iterations=4000"),
)
_DICE = (
    ("beginner", "random"),
    ("easy", "mctse:iterations=60"),
    ("medium", "heuristic"),
    ("hard", "mctse:iterations=800"),
    ("expert", "mctse:iterations=8000"),
)
_CARDS = (
    ("beginner", "random"),
    ("easy", "ismcts:iterations=40"),
    ("medium", "heuristic"),
    ("hard", "ismcts:iterations=500"),
    ("expert", "ismcts:iterations=4000"),
)
_MANY = (
    ("beginner", "random"),
    ("easy", "mcts:iterations=60"),
    ("medium", "heuristic"),
    ("hard", "mcts:iterations=1500"),
    ("expert", "mcts:iterations=6000"),
)


def levels(game: Game) -> list[dict[str, Any]]:
    """Return the levels of a game, the weakest first: a name for people and the spec behind it."""
    info = game.info
    if info.hidden:
        rows = _CARDS
    elif info.chance == "explicit":
        rows = _DICE
    elif len(set(info.teams)) == 2:
        rows = _BOARD
    else:
        rows = _MANY
    found = [{"level": name, "spec": spec} for name, spec in rows]
    if "champion" in AGENTS:
        found.append({"level": "champion", "spec": "champion"})
    return found
