"""ReversiXT as a picture: fields on a dark ground, numbered stones, special fields, the ends of tunnels, the stock."""

from stammtisch.envs.core.constants import TERMINAL
from stammtisch.envs.core.drawing import INK, MARK, Canvas, Color, Point
from stammtisch.envs.core.rules import own
from stammtisch.envs.core.state import State
from stammtisch.envs.reversixt.map import STEPS, SYMBOLS

_LARGEST_CELL, _SMALLEST_CELL = 46, 18
_BOARD_SIDE = 900  # pixels that a large board may take
_FRAME = 26
_PANEL_ROW = 46
_ENTRY = 150  # width of a player's entry in the panel
_READABLE = 24  # cell size from which on tunnels and fields are labelled
_GROUND: Color = (44, 47, 54)
_FIELD: Color = (226, 220, 206)
_GRID: Color = (188, 180, 162)
_LETTERING: Color = (168, 170, 176)
_DOT: Color = (120, 114, 100)
_LIGHT: Color = (255, 255, 255)
_EXPANSION: Color = (126, 124, 120)
_PLAYERS: tuple[Color, ...] = (
    (200, 54, 44),
    (40, 92, 178),
    (38, 132, 74),
    (234, 180, 36),
    (126, 62, 150),
    (24, 158, 170),
    (224, 112, 30),
    (92, 60, 44),
)
_SPECIALS: dict[str, tuple[Color, str]] = {
    "c": ((150, 84, 170), "C"),
    "i": ((60, 128, 150), "I"),
    "b": ((170, 130, 40), "B"),
}
_TUNNELS: tuple[Color, ...] = ((176, 48, 96), (30, 110, 120), (104, 96, 20), (78, 70, 160), (160, 84, 24))


def picture(state: State) -> Canvas:
    """Draw a position; dots show where the player to move may place, a bright frame marks the last move."""
    rules = own(state.game.rules)
    cell = max(_SMALLEST_CELL, min(_LARGEST_CELL, _BOARD_SIDE // max(rules.WIDTH, rules.HEIGHT)))
    width = max(rules.WIDTH * cell + 2 * _FRAME, _ENTRY + 2 * _FRAME)
    per_row = max(1, (width - _FRAME) // _ENTRY)
    rows = 1 + -(-rules.N_PLAYERS // per_row)
    top = rules.HEIGHT * cell + 2 * _FRAME
    canvas = Canvas(width, top + rows * _PANEL_ROW)
    canvas.rectangle((0, 0), (width, top), _GROUND)
    _draw_numbers(canvas, rules.WIDTH, rules.HEIGHT, cell)
    placing = state.player != TERMINAL and state._row[rules.PHASE] == rules.PLACING
    open_cells = {a if rules.TWO_STEPS else a // rules.SPECIALS for a in state.legal_actions()} if placing else set()
    for number, content in enumerate(state._row[rules.BOARD : rules.MOVES]):
        y, x = divmod(number, rules.WIDTH)
        center = (_FRAME + (x + 0.5) * cell, _FRAME + (y + 0.5) * cell)
        canvas.spot(f"{x},{y}", center, cell / 2)
        _draw_ground(canvas, center, cell, SYMBOLS[content])
        if SYMBOLS[content] not in "-0":
            with canvas.piece(f"field {SYMBOLS[content]}", f"{x},{y}"):
                _draw_field(canvas, center, cell, SYMBOLS[content])
        if number in open_cells:
            dot = _LIGHT if 0 < content <= rules.EXPANSION else _DOT
            with canvas.aside():
                canvas.circle((_FRAME + (x + 0.5) * cell, _FRAME + (y + 0.86) * cell), cell * 0.06, dot)
    _draw_tunnels(canvas, state, cell)
    _draw_last_move(canvas, state, cell)
    _draw_panel(canvas, state, top, per_row)
    return canvas


def way(state: State, action: int) -> tuple[str, ...]:
    """Return the field of an action; what is chosen there, people are asked."""
    rules = own(state.game.rules)
    if action >= (rules.CELLS if rules.TWO_STEPS else rules.CELLS * rules.SPECIALS):
        return ()
    y, x = divmod(action if rules.TWO_STEPS else action // rules.SPECIALS, rules.WIDTH)
    return (f"{x},{y}",)


def _draw_numbers(canvas: Canvas, width: int, height: int, cell: int) -> None:
    every = 1 if cell >= _READABLE else 5
    for x in range(0, width, every):
        canvas.text((_FRAME + (x + 0.5) * cell, _FRAME / 2), str(x), 11, _LETTERING)
    for y in range(0, height, every):
        canvas.text((_FRAME / 2, _FRAME + (y + 0.5) * cell), str(y), 11, _LETTERING)


def _draw_ground(canvas: Canvas, center: Point, cell: int, symbol: str) -> None:
    if symbol != "-":
        (x, y), half = center, cell / 2 - 0.5
        canvas.rectangle((x - half, y - half), (x + half, y + half), _FIELD, _GRID)


def _draw_field(canvas: Canvas, center: Point, cell: int, symbol: str) -> None:
    """Draw what is on a field."""
    x, y = center
    if symbol in _SPECIALS:
        color, letter = _SPECIALS[symbol]
        size = cell * 0.3
        canvas.rectangle((x - size, y - size), (x + size, y + size), color, radius=cell * 0.08)
        canvas.text(center, letter, cell * 0.42, _LIGHT)
    elif symbol == "x":
        arm = cell * 0.16
        canvas.circle(center, cell * 0.36, _EXPANSION)
        canvas.line([(x - arm, y - arm), (x + arm, y + arm)], _LIGHT, cell * 0.08)
        canvas.line([(x - arm, y + arm), (x + arm, y - arm)], _LIGHT, cell * 0.08)
    else:
        _draw_stone(canvas, center, cell * 0.36, int(symbol))


def _draw_stone(canvas: Canvas, center: Point, radius: float, player: int) -> None:
    x, y = center
    canvas.circle((x + radius * 0.08, y + radius * 0.1), radius, _GRID)
    canvas.circle(center, radius, _PLAYERS[player - 1])
    canvas.text(center, str(player), radius * 1.1, INK if player == 4 else _LIGHT)


def _draw_tunnels(canvas: Canvas, state: State, cell: int) -> None:
    """Mark both ends of every tunnel with its number, on the side of the field where it leaves."""
    rules = own(state.game.rules)
    radius = cell * 0.13
    for number, pair in enumerate(rules.MAP.tunnels):
        color = _TUNNELS[number % len(_TUNNELS)]
        if any(state._row[rules.BOARD + y * rules.WIDTH + x] == rules.HOLE for x, y, _ in pair):
            continue  # a destroyed end closes the tunnel
        for x, y, direction in pair:
            dx, dy = STEPS[direction]
            at = (_FRAME + (x + 0.5 + 0.42 * dx) * cell, _FRAME + (y + 0.5 + 0.42 * dy) * cell)
            canvas.circle(at, radius, color)
            if cell >= _READABLE:
                canvas.text(at, str(number + 1), radius * 1.3, _LIGHT)


def _draw_last_move(canvas: Canvas, state: State, cell: int) -> None:
    rules = own(state.game.rules)
    action = state.last_action
    if action is None or action >= (rules.CELLS if rules.TWO_STEPS else rules.GIVE_UP):
        return
    y, x = divmod(action if rules.TWO_STEPS else action // rules.SPECIALS, rules.WIDTH)
    near, far = (_FRAME + x * cell, _FRAME + y * cell), (_FRAME + (x + 1) * cell, _FRAME + (y + 1) * cell)
    canvas.rectangle(near, far, None, MARK, max(2.0, cell * 0.07))


def _draw_panel(canvas: Canvas, state: State, top: int, per_row: int) -> None:
    rules, row = own(state.game.rules), state._row
    stones = [int((row[rules.BOARD : rules.MOVES] == p + 1).sum()) for p in range(rules.N_PLAYERS)]
    canvas.text((_FRAME, top + _PANEL_ROW / 2), _verdict(state, stones), 17, INK, "lm")
    for p, count in enumerate(stones):
        line, column = divmod(p, per_row)
        x = _FRAME + column * _ENTRY
        y = top + (line + 1.4) * _PANEL_ROW
        _draw_stone(canvas, (x + 13, y), 13, p + 1)
        owns = f"overrides {row[rules.OVERRIDES + p]}  bombs {row[rules.BOMBS + p]}"
        canvas.text((x + 32, y - 9), str(count), 17, INK, "lm")
        canvas.text((x + 32, y + 9), "out" if row[rules.OUT + p] else owns, 11, INK, "lm")
        if state.player == p:
            canvas.line([(x, y + 19), (x + 26, y + 19)], MARK, 4)


def _verdict(state: State, stones: list[int]) -> str:
    if state.player != TERMINAL:
        phase = "bombs" if state._row[own(state.game.rules).PHASE] else "stones"
        return f"player {state.player + 1} to move ({phase})"
    left = {p: n for p, n in enumerate(stones) if not state._row[own(state.game.rules).OUT + p]}
    winners = [str(p + 1) for p, n in left.items() if n == max(left.values())]
    return f"player {winners[0]} wins" if len(winners) == 1 else f"players {', '.join(winners)} share the first place"
