"""How strong a machine plays: levels from beginner to champion for every game."""

from typing import Any

from stammtisch.baselines import AGENTS
from stammtisch.envs.core.game import Game
from stammtisch.models.ladders import read_ladders

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


_NAMES = ("beginner", "easy", "medium", "hard", "expert")


def levels(game: Game) -> list[dict[str, Any]]:
    """Return the levels of a game, the weakest first: a name for people, the spec behind it, its rating if it has one.

    Where a game has a frozen ladder, its rungs are the levels; steps tell apart those of the same name. The champion
    comes last.
    """
    found = _rungs(game) or [{"level": name, "spec": spec} for name, spec in _usual(game)]
    if "champion" in AGENTS:
        found.append({"level": "champion", "spec": "champion"})
    return found


def _rungs(game: Game) -> list[dict[str, Any]]:
    ladder = read_ladders().get(game.id)
    if ladder is None or len(ladder.rungs) < 2:
        return []
    steps = (len(_NAMES) - 1) / (len(ladder.rungs) - 1)
    names = [_NAMES[round(place * steps)] for place in range(len(ladder.rungs))]
    return [
        {
            "level": name,
            "step": names[: place + 1].count(name) if names.count(name) > 1 else None,
            "spec": rung.agent,
            "elo": round(rung.elo) if rung.games else None,
        }
        for place, (name, rung) in enumerate(zip(names, ladder.rungs, strict=True))
    ]


def _usual(game: Game) -> tuple[tuple[str, str], ...]:
    info = game.info
    if info.hidden:
        return _CARDS
    if info.chance == "explicit":
        return _DICE
    return _BOARD if len(set(info.teams)) == 2 else _MANY


def middle_level(game: Game) -> str:
    """Return the spec of a level that neither bores nor beats most people."""
    rows = [row for row in levels(game) if row["level"] != "champion"]
    return str(rows[len(rows) // 2]["spec"])


def strong_level(game: Game) -> str:
    """Return the spec that hints come from."""
    rows = [row for row in levels(game) if row["level"] != "champion"]
    return str(rows[-1]["spec"])
