"""Pictures of Connect Four: the standing board, the last disc marked, and whose turn it is."""

from connect_four.game import DISCS, board, verdict
from stammtisch.envs.core.drawing import MARK, Canvas, Color
from stammtisch.envs.core.state import State

_CELL = 64
_PANEL = 40
_FRAME: Color = (36, 72, 140)
_HOLE: Color = (238, 240, 244)
_COLORS: dict[str, Color] = {DISCS[0]: (226, 60, 52), DISCS[1]: (244, 200, 56), "-": _HOLE}


def picture(state: State) -> Canvas:
    """Draw a position."""
    rows = board(state)
    width, height = _CELL * len(rows[0]), _CELL * len(rows)
    canvas = Canvas(width, height + _PANEL)
    canvas.rectangle((0, 0), (width, height), _FRAME)
    for line, cells in enumerate(rows):
        for column, cell in enumerate(cells):
            center = ((column + 0.5) * _CELL, (line + 0.5) * _CELL)
            with canvas.piece(cell, f"{column + 1}.{line}"):
                canvas.circle(center, 0.4 * _CELL, _COLORS[cell])
            is_top = cell != "-" and (line == 0 or rows[line - 1][column] == "-")
            if is_top and column == state.last_action:
                canvas.circle(center, 0.12 * _CELL, MARK)
    for column in range(len(rows[0])):
        canvas.spot(str(column + 1), ((column + 0.5) * _CELL, height / 2), _CELL / 2, height / 2)
    canvas.text((width / 2, height + _PANEL / 2), verdict(state), 20)
    return canvas


def way(state: State, action: int) -> tuple[str, ...]:
    """Return the column that a person points at."""
    return (str(action + 1),)
