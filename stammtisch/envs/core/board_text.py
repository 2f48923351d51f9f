"""The picture of a game that draws none: its board as text."""

from stammtisch.envs.core.drawing import Canvas
from stammtisch.envs.core.state import State

_SIZE, _LINE, _LETTER, _MARGIN = 18, 24, 11, 20


def picture(state: State) -> Canvas:
    """Write the board line by line, every letter in a cell of its own, so that columns stay columns."""
    lines = str(state).splitlines()
    canvas = Canvas(2 * _MARGIN + _LETTER * max(map(len, lines)), 2 * _MARGIN + _LINE * len(lines))
    for row, line in enumerate(lines):
        for column, letter in enumerate(line):
            if letter != " ":
                canvas.text((_MARGIN + _LETTER * (column + 0.5), _MARGIN + _LINE * (row + 0.5)), letter, _SIZE)
    return canvas
