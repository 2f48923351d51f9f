"""The frozen ladders: a few players of each game by rating, the same from version to version.

Budgets are counted in nodes, simulations or deals, never in time, so that a rung plays alike on every machine.
"""

import functools
from dataclasses import dataclass
from typing import Any

from stammtisch.envs.core.options import BaseSettings, option
from stammtisch.files.documents import read_table
from stammtisch.files.reading import reading
from stammtisch.models.index import FOLDER, FORMAT

PREFIX = "ladder-"
_PATH = FOLDER / "ladder.toml"


@dataclass(frozen=True)
class Rung(BaseSettings):
    """One player of a ladder."""

    NOUN = "key"

    agent: str = option("", "agent spec")
    elo: float = option(0.0, "rating; the lowest rung has 0")
    ci95: list[float] = option(
        [0.0, 0.0], "95 % interval of the rating; infinite where nothing bounds it", finite=False
    )
    games: int = option(0, "games behind the rating; 0 where it was not measured", minimum=0)


@dataclass(frozen=True)
class Ladder(BaseSettings):
    """The players of one game that others are measured against, the weakest first."""

    NOUN = "key"

    game: str = option("", "id of the game")
    opening: int = option(0, "first moves of each pair of games that are drawn at random", minimum=0)
    options: dict[str, Any] = option({}, "options of the game in which it is played")
    command: str = option("", "command that measured the ratings")
    rungs: list[Any] = option([], "the players")

    def __post_init__(self) -> None:
        super().__post_init__()
        rows = [row if isinstance(row, Rung) else Rung.read(row, owner=f"a rung of {self.game}") for row in self.rungs]
        object.__setattr__(self, "rungs", rows)

    @property
    def is_measured(self) -> bool:
        """Whether all rungs have ratings."""
        return all(rung.games for rung in self.rungs)

    def names(self) -> list[str]:
        """Return what the rungs are called: ``ladder-1`` and so on."""
        return [f"{PREFIX}{place + 1}" for place in range(len(self.rungs))]

    def rung(self, number: int) -> Rung:
        """Return a rung by its number, from 1 on.

        Raises:
            ValueError: there is no such rung.
        """
        if not 1 <= number <= len(self.rungs):
            raise ValueError(f"the ladder of {self.game} has rungs 1..{len(self.rungs)}, not {number}")
        found: Rung = self.rungs[number - 1]
        return found


def ladder_of(game_id: str) -> Ladder:
    """Return the ladder of a game.

    Raises:
        ValueError: it has none.
    """
    found = read_ladders()
    if game_id not in found:
        raise ValueError(f"there is no frozen ladder of {game_id}; games with one: {', '.join(found)}")
    return found[game_id]


@functools.cache
def read_ladders() -> dict[str, Ladder]:
    """Read the ladders of all games.

    Raises:
        BadFile: the file cannot be read, or something in it is wrong.
    """
    with reading(_PATH, "ladders"):
        table = read_table(_PATH, "ladders")
        if table.get("format") != FORMAT:
            raise ValueError(f"this version reads format {FORMAT}, not {table.get('format')!r}")
        ladders = [Ladder.read(row, owner=f"ladder {place + 1}") for place, row in enumerate(table["ladder"])]
        return {ladder.game: ladder for ladder in ladders}
