"""Setting positions up by clicking: what stands on a spot is one cell of the text of a position.

A game says how a cell looks in its text (``Game.CELL_IN_TEXT``) and what may stand there (``Game.CELL_SYMBOLS``). Cells
come in the order of reading, and so do the spots of its picture.
"""

import re

from stammtisch.envs.core.drawing import Canvas
from stammtisch.envs.core.game import Game
from stammtisch.errors import unknown


def symbols(game: Game) -> tuple[str, ...]:
    """Return what may stand on a spot; nothing where positions are not set up by clicking."""
    return game.cell_symbols()


def replaced(game: Game, text: str, picture: Canvas, spot: str, symbol: str) -> str:
    """Return the text of a position with something else on a spot.

    Raises:
        ValueError: there is no such spot or symbol, or the text has another number of cells.
    """
    if symbol not in symbols(game):
        raise unknown("symbol", symbol, symbols(game))
    if spot not in picture.spots:
        raise unknown("spot", spot, picture.spots)
    reading = sorted(picture.spots, key=lambda name: (picture.spots[name].center[1], picture.spots[name].center[0]))
    body, line_break, tail = text.strip().rpartition("\n")
    cells = list(re.finditer(game.CELL_IN_TEXT, body))[: len(reading)]
    if len(cells) != len(reading):
        raise ValueError(f"the position has {len(cells)} cells, not {len(reading)}")
    cell = cells[reading.index(spot)]
    return f"{body[: cell.start()]}{symbol}{body[cell.end() :]}{line_break}{tail}"
