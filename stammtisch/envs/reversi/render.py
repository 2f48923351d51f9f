"""Reversi as a picture: a green board, discs with a little light on them, the last move and the count."""

from stammtisch.envs.core.constants import TERMINAL
from stammtisch.envs.core.drawing import INK, MARK, Canvas, Color, Point
from stammtisch.envs.core.rules import own
from stammtisch.envs.core.state import State
from stammtisch.envs.reversi.game import disc_counts, owners

_CELL = 64
_FRAME = 34
_PANEL = 72
_WOOD: Color = (58, 46, 38)
_LETTERING: Color = (222, 208, 186)
_GREEN: Color = (34, 122, 76)
_GRID: Color = (18, 84, 50)
_SHADOW: Color = (22, 92, 56)
_PANEL_SHADOW: Color = (214, 210, 200)
# Per colour: the rim, then the face lightening towards the top left.
_SHADES: tuple[tuple[Color, ...], ...] = (
    ((8, 8, 10), (24, 24, 28), (36, 36, 41), (50, 50, 56)),
    ((176, 172, 162), (228, 225, 216), (240, 238, 231), (250, 249, 245)),
)


def picture(state: State) -> Canvas:
    """Draw a position; rings show where the player to move may place, a bright dot marks the last disc placed."""
    rules = own(state.game.rules)
    side = rules.SIZE * _CELL
    canvas = Canvas(side + 2 * _FRAME, side + 2 * _FRAME + _PANEL)
    _draw_board(canvas, rules.SIZE)
    for cell, owner in enumerate(owners(state)):
        canvas.spot(_cell_name(cell, rules.SIZE), _center(cell, rules.SIZE), _CELL / 2)
        if owner is not None:
            with canvas.piece(f"disc {owner}", _cell_name(cell, rules.SIZE)):
                _draw_disc(canvas, _center(cell, rules.SIZE), _CELL * 0.41, owner, _SHADOW)
    with canvas.aside():
        for cell in state.legal_actions():
            if cell != rules.PASS:
                canvas.circle(_center(cell, rules.SIZE), _CELL * 0.2, None, _SHADES[state.player][1], 2.5)
    if state.last_action is not None and state.last_action != rules.PASS:
        canvas.circle(_center(state.last_action, rules.SIZE), _CELL * 0.12, MARK)
    _draw_panel(canvas, state, side)
    return canvas


def way(state: State, action: int) -> tuple[str, ...]:
    """Return the cell where a disc is placed."""
    rules = own(state.game.rules)
    return () if action == rules.PASS else (_cell_name(action, rules.SIZE),)


def _cell_name(cell: int, size: int) -> str:
    return f"{chr(ord('a') + cell % size)}{cell // size + 1}"


def _center(cell: int, size: int) -> Point:
    return _FRAME + (cell % size + 0.5) * _CELL, _FRAME + (cell // size + 0.5) * _CELL


def _draw_board(canvas: Canvas, size: int) -> None:
    near, far = _FRAME, _FRAME + size * _CELL
    canvas.rectangle((0, 0), (far + _FRAME, far + _FRAME), _WOOD)
    canvas.rectangle((near, near), (far, far), _GREEN)
    for i in range(size + 1):
        line = near + i * _CELL
        canvas.line([(near, line), (far, line)], _GRID, 1.5)
        canvas.line([(line, near), (line, far)], _GRID, 1.5)
    for i in range(size):
        middle = near + (i + 0.5) * _CELL
        for edge in (near / 2, far + near / 2):
            canvas.text((middle, edge), chr(ord("a") + i), 17, _LETTERING)
            canvas.text((edge, middle), str(i + 1), 17, _LETTERING)
    if size > 4:
        for x in (near + 2 * _CELL, far - 2 * _CELL):
            for y in (near + 2 * _CELL, far - 2 * _CELL):
                canvas.circle((x, y), 4, _GRID)


def _draw_disc(canvas: Canvas, center: Point, radius: float, owner: int, shadow: Color) -> None:
    x, y = center
    canvas.circle((x + radius * 0.08, y + radius * 0.11), radius, shadow)
    for i, shade in enumerate(_SHADES[owner]):
        back = i * radius * 0.045
        canvas.circle((x - back, y - back), radius * (1 - 0.075 * i - 0.06 * (i > 1)), shade)


def _draw_panel(canvas: Canvas, state: State, side: int) -> None:
    top = side + 2 * _FRAME
    middle = top + _PANEL / 2
    counts = disc_counts(state)
    for owner, x in ((0, _FRAME + 22), (1, _FRAME + 76)):
        _draw_disc(canvas, (x, middle), 22, owner, _PANEL_SHADOW)
        canvas.text((x - 2, middle - 2), str(counts[owner]), 19, _SHADES[1 - owner][1])
        if state.player == owner:
            canvas.line([(x - 20, middle + 30), (x + 20, middle + 30)], MARK, 4)
    canvas.text((_FRAME + side, middle), _verdict(state), 20 if side > 5 * _CELL else 16, INK, "rm")


def _verdict(state: State) -> str:
    names = ("black", "white")
    if state.player != TERMINAL:
        return f"{names[state.player]} to move"
    black, white = disc_counts(state)
    return "draw" if black == white else f"{names[black < white]} wins"
