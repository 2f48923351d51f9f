"""EinStein as a picture: numbered stones on a board, the die, and the last move."""

from stammtisch.envs.core.constants import TERMINAL
from stammtisch.envs.core.drawing import INK, MARK, PLAYER_COLORS, Canvas, Color, Point
from stammtisch.envs.core.rules import own
from stammtisch.envs.core.state import State
from stammtisch.envs.einstein.game import column_name, stones

_CELL = 72
_MARGIN = 30
_PANEL = 76
_LIGHT: Color = (240, 228, 204)
_DARK: Color = (222, 201, 163)
_WHITE: Color = (255, 255, 255)
_WOOD: Color = (92, 66, 46)
_LETTERING: Color = (232, 217, 192)
_SHADOW: Color = (186, 164, 126)
_PIPS: dict[int, list[Point]] = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (1, -1), (-1, 1), (1, 1)],
    5: [(-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)],
    6: [(-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)],
}


def picture(state: State) -> Canvas:
    """Draw a position; goal corners are tinted with the colour of the player who heads for them."""
    rules = own(state.game.rules)
    side = rules.SIZE * _CELL
    canvas = Canvas(side + 2 * _MARGIN, side + 2 * _MARGIN + _PANEL)
    canvas.rectangle((0, 0), (side + 2 * _MARGIN, side + 2 * _MARGIN), _WOOD)
    for cell in range(rules.CELLS):
        _draw_cell(canvas, cell, rules.SIZE, rules.GOAL)
    for i in range(rules.SIZE):
        middle = _MARGIN + (i + 0.5) * _CELL
        for edge in (_MARGIN / 2, _MARGIN * 1.5 + side):
            canvas.text((middle, edge), column_name(i), 15, _LETTERING)
            canvas.text((edge, middle), str(i + 1), 15, _LETTERING)
    moved = _moved_stone(state)
    for cell, player, piece in stones(state):
        with canvas.piece(f"stone {player}.{piece}", _cell_name(cell, rules.SIZE)):
            _draw_stone(canvas, _center(cell, rules.SIZE), player, piece, (player, piece) == moved)
    for cell in range(rules.CELLS):
        canvas.spot(_cell_name(cell, rules.SIZE), _center(cell, rules.SIZE), _CELL / 2)
    _draw_panel(canvas, state, side)
    return canvas


def way(state: State, action: int) -> tuple[str, ...]:
    """Return the cell of the stone that moves and the cell it goes to."""
    rules = own(state.game.rules)
    if action == rules.PASS:
        return ()
    place = rules.POS + state.player * rules.PIECES + action // 3
    cells = (int(state._row[place]), int(state.child(action)._row[place]))
    return tuple(_cell_name(cell, rules.SIZE) for cell in cells)


def _cell_name(cell: int, size: int) -> str:
    return f"{column_name(cell % size)}{cell // size + 1}"


def _center(cell: int, size: int) -> Point:
    return _MARGIN + (cell % size + 0.5) * _CELL, _MARGIN + (cell // size + 0.5) * _CELL


def _draw_cell(canvas: Canvas, cell: int, size: int, goals: tuple[int, ...]) -> None:
    x, y = _center(cell, size)
    half = _CELL / 2
    fill = _LIGHT if (cell // size + cell % size) % 2 == 0 else _DARK
    if cell in goals:
        tint = PLAYER_COLORS[goals.index(cell)]
        fill = tuple((3 * a + b) // 4 for a, b in zip(fill, tint, strict=True))  # type: ignore[assignment]
    canvas.rectangle((x - half, y - half), (x + half, y + half), fill)


def _draw_stone(canvas: Canvas, center: Point, player: int, piece: int, moved: bool) -> None:
    (x, y), radius, color = center, _CELL * 0.37, PLAYER_COLORS[player]
    canvas.circle((x + 2, y + 3), radius, _SHADOW)
    if moved:
        canvas.circle((x, y), _CELL * 0.43, MARK)
    for share, light in ((1.0, -0.34), (0.93, 0.0), (0.74, 0.09)):  # the rim, the body, the face
        canvas.circle((x, y), radius * share, _lit(color, light))
    canvas.text((x, y), str(piece), _CELL * 0.42, _WHITE)


def _lit(color: Color, light: float) -> Color:
    """Return a colour nearer to white, or with a negative ``light`` to black."""
    red, green, blue = (round(c + light * (255 - c if light > 0 else c)) for c in color)
    return red, green, blue


def _moved_stone(state: State) -> tuple[int, int] | None:
    rules = own(state.game.rules)
    if state.last_action is None or state.last_action == rules.PASS:
        return None
    mover = (int(state._row[rules.TURN]) - 1) % rules.N_PLAYERS
    return mover, state.last_action // 3 + 1


def _draw_panel(canvas: Canvas, state: State, side: int) -> None:
    rules, row = own(state.game.rules), state._row
    middle = 2 * _MARGIN + side + _PANEL / 2
    if state.player == TERMINAL:
        winners = [p for p in range(rules.N_PLAYERS) if rules.TEAMS[p] == row[rules.OVER] - 1]
        for i, player in enumerate(winners):
            canvas.circle((_MARGIN + 18 + 40 * i, middle), 16, PLAYER_COLORS[player])
        canvas.text((_MARGIN + 6 + 40 * len(winners), middle), "wins" if len(winners) == 1 else "win", 20, INK, "lm")
        return
    turn, die = int(row[rules.TURN]), int(row[rules.DIE])
    canvas.circle((_MARGIN + 18, middle), 16, PLAYER_COLORS[turn])
    canvas.text((_MARGIN + 44, middle), "to move" if die else "to roll", 20, INK, "lm")
    x = _MARGIN + side - 28
    with canvas.piece(f"die {die}", "die"):
        canvas.rectangle((x - 26, middle - 26), (x + 26, middle + 26), _WHITE, INK, 2, radius=8)
        for dx, dy in _PIPS.get(die, []):
            canvas.circle((x + 14 * dx, middle + 14 * dy), 4.6, INK)
