"""Mühle as a picture: lines on wood, men on the board and in hand, the last move, men that may be removed."""

from stammtisch.envs.core.constants import TERMINAL
from stammtisch.envs.core.drawing import INK, MARK, Canvas, Color, Point
from stammtisch.envs.core.rules import own
from stammtisch.envs.core.state import State
from stammtisch.envs.muehle.game import contents
from stammtisch.envs.muehle.points import place, point_name

_STEP = 62
_EDGE = 48  # from the rim of the wood to the outermost line
_TRAY = 54  # beside the wood, for the men in hand
_MARGIN = 18
_PANEL = 58
_MAN = 0.36 * _STEP
_WOOD: Color = (222, 184, 135)
_RIM: Color = (150, 104, 58)
_GRAIN: Color = (214, 174, 123)
_LINE: Color = (92, 58, 30)
_WHITE: Color = (250, 246, 236)
_BLACK: Color = (48, 44, 44)
_FILLS = {"W": _WHITE, "B": _BLACK}
_SHADES: dict[str, Color] = {"W": (196, 186, 166), "B": (104, 98, 96)}


def picture(state: State) -> Canvas:
    """Draw a position: white's men in hand on the left, black's on the right, whose turn it is below."""
    rules = own(state.game.rules)
    side = 2 * rules.RINGS * _STEP + 2 * _EDGE
    canvas = Canvas(side + 2 * _TRAY + 2 * _MARGIN, side + _MARGIN + _PANEL)
    _draw_wood(canvas, state, side)
    _draw_last_action(canvas, state)
    board = contents(state)
    for point, man in enumerate(board):
        canvas.spot(point_name(rules.RINGS, point), _center(rules.RINGS, point), _STEP / 2)
        if man != ".":
            with canvas.piece(man, point_name(rules.RINGS, point)):
                _draw_man(canvas, _center(rules.RINGS, point), man)
    if state.player != TERMINAL and state._row[rules.PENDING]:
        for point in state.legal_actions():
            _draw_cross(canvas, _center(rules.RINGS, point), 0.45 * _MAN)
    _draw_hands(canvas, state, side)
    _draw_panel(canvas, state, side)
    return canvas


def way(state: State, action: int) -> tuple[str, ...]:
    """Return the point where a man is placed or removed, or the points that one moves from and to."""
    rules = own(state.game.rules)
    points = (action,) if action < rules.POINTS else divmod(action - rules.POINTS, rules.POINTS)
    return tuple(point_name(rules.RINGS, point) for point in points)


def _center(rings: int, point: int) -> Point:
    col, line = place(rings, point)
    return _MARGIN + _TRAY + _EDGE + col * _STEP, _MARGIN + _EDGE + line * _STEP


def _draw_wood(canvas: Canvas, state: State, side: int) -> None:
    rules = own(state.game.rules)
    left, top = _MARGIN + _TRAY, _MARGIN
    canvas.rectangle((left, top), (left + side, top + side), _WOOD, _RIM, 4, radius=10)
    for i in range(1, side // 14):
        y = top + 14 * i + (i * 37 % 7) - 3
        canvas.line([(left + 6, y), (left + side - 6, y + (i * 53 % 5) - 2)], _GRAIN, 2)
    for a, near in enumerate(rules.NEIGHBOURS):
        for b in near:
            if a < b:
                canvas.line([_center(rules.RINGS, a), _center(rules.RINGS, b)], _LINE, 3)
    for point in range(rules.POINTS):
        canvas.circle(_center(rules.RINGS, point), 5, _LINE)
    size = 2 * rules.RINGS + 1
    for i in range(size):
        middle = _EDGE + i * _STEP
        canvas.text((left + middle, top + side - 14), "abcdefg"[i], 13, _RIM)
        canvas.text((left + 14, top + middle), str(size - i), 13, _RIM)


def _draw_man(canvas: Canvas, center: Point, man: str) -> None:
    canvas.circle(center, _MAN, _FILLS[man], _LINE, 1.5)
    canvas.circle(center, 0.66 * _MAN, None, _SHADES[man], 2)


def _draw_cross(canvas: Canvas, center: Point, reach: float) -> None:
    x, y = center
    for sign in (-1, 1):
        canvas.line([(x - reach, y - sign * reach), (x + reach, y + sign * reach)], MARK, 4)


def _draw_last_action(canvas: Canvas, state: State) -> None:
    """Mark the man that was placed or moved, with its way, or the point from which one was removed."""
    rules = own(state.game.rules)
    action = state.last_action
    if action is None:
        return
    if action >= rules.POINTS:
        start, action = divmod(action - rules.POINTS, rules.POINTS)
        canvas.line([_center(rules.RINGS, start), _center(rules.RINGS, action)], MARK, 5)
        canvas.circle(_center(rules.RINGS, start), 8, MARK)
    if contents(state)[action] == ".":
        _draw_cross(canvas, _center(rules.RINGS, action), 0.5 * _MAN)
    else:
        canvas.circle(_center(rules.RINGS, action), _MAN + 5, MARK)


def _draw_hands(canvas: Canvas, state: State, side: int) -> None:
    rules = own(state.game.rules)
    step = min(2.3 * _MAN, (side - 2 * _MAN) / rules.MEN)
    for p, x in enumerate((_MARGIN + _TRAY / 2 - 4, _MARGIN + 1.5 * _TRAY + side + 4)):
        for i in range(state._row[rules.HAND + p]):
            with canvas.piece("WB"[p], f"hand {i}"):
                _draw_man(canvas, (x, _MARGIN + side - _MAN - 4 - i * step), "WB"[p])


def _draw_panel(canvas: Canvas, state: State, side: int) -> None:
    rules, row = own(state.game.rules), state._row
    left, middle = _MARGIN + _TRAY, _MARGIN + side + _PANEL / 2
    seat = int(row[rules.MOVER])
    text = "to remove a man" if row[rules.PENDING] else "to move"
    if state.player == TERMINAL:
        text = "wins"
        seat = int(row[rules.OVER]) - 1
    if row[rules.OVER] == rules.DRAWN:
        canvas.text((left, middle), "drawn", 20, INK, "lm")
    else:
        canvas.circle((left + 14, middle), 13, _FILLS["WB"[seat]], _SHADES["WB"[seat]], 2)
        canvas.text((left + 38, middle), text, 20, INK, "lm")
    canvas.text((left + side, middle), f"turn {row[rules.TURN]}", 18, INK, "rm")
