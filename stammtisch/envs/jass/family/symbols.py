"""The signs of the French and the Swiss German pack, drawn as polygons and discs."""

import math

from stammtisch.envs.core.drawing import Canvas, Color, Point

RED: Color = (196, 40, 44)
BLACK: Color = (34, 34, 38)
GOLD: Color = (226, 168, 36)
GREEN: Color = (62, 122, 62)
BROWN: Color = (140, 88, 44)
BLUE: Color = (58, 96, 158)
WHITE: Color = (255, 255, 255)

FRENCH_RANKS = ("6", "7", "8", "9", "10", "J", "Q", "K", "A")
SWISS_RANKS = ("6", "7", "8", "9", "B", "U", "O", "K", "A")
FRENCH_COLOURS: tuple[Color, ...] = (RED, RED, BLACK, BLACK)
SWISS_COLOURS: tuple[Color, ...] = (RED, (168, 116, 16), GREEN, BLUE)


def draw_sign(canvas: Canvas, pack: str, colour: int, center: Point, size: float) -> None:
    """Draw the sign of a card colour (H, D, C, S or Rosen, Schellen, Eichel, Schilten) about ``2 * size`` wide."""
    french = (_heart, _diamond, _club, _spade)
    swiss = (_rose, _bell, _acorn, _shield)
    (swiss if pack == "swiss" else french)[colour](canvas, center, size)


def _placed(center: Point, size: float, points: list[Point]) -> list[Point]:
    return [(center[0] + size * x, center[1] + size * y) for x, y in points]


def _heart_outline(turn: float) -> list[Point]:
    """Points of a heart within -1..1; ``turn`` -1 puts it on its head."""
    points = []
    for i in range(48):
        t = 2 * math.pi * i / 48
        x = math.sin(t) ** 3
        y = (13 * math.cos(t) - 5 * math.cos(2 * t) - 2 * math.cos(3 * t) - math.cos(4 * t)) / 16
        points.append((x, turn * -(y + 0.1)))
    return points


def _stem(canvas: Canvas, center: Point, size: float, color: Color) -> None:
    canvas.polygon(_placed(center, size, [(0, 0.1), (0.14, 0.7), (0.4, 1), (-0.4, 1), (-0.14, 0.7)]), color)


def _heart(canvas: Canvas, center: Point, size: float) -> None:
    canvas.polygon(_placed(center, size, _heart_outline(1)), RED)


def _diamond(canvas: Canvas, center: Point, size: float) -> None:
    canvas.polygon(_placed(center, size, [(0, -1), (0.76, 0), (0, 1), (-0.76, 0)]), RED)


def _club(canvas: Canvas, center: Point, size: float) -> None:
    for x, y in _placed(center, size, [(0, -0.5), (-0.5, 0.2), (0.5, 0.2)]):
        canvas.circle((x, y), 0.46 * size, BLACK)
    canvas.circle(center, 0.25 * size, BLACK)
    _stem(canvas, center, size, BLACK)


def _spade(canvas: Canvas, center: Point, size: float) -> None:
    canvas.polygon(_placed((center[0], center[1] - 0.16 * size), 0.86 * size, _heart_outline(-1)), BLACK)
    _stem(canvas, center, size, BLACK)


def _rose(canvas: Canvas, center: Point, size: float) -> None:
    for i in range(5):
        angle = 2 * math.pi * i / 5 - math.pi / 2
        petal = _placed(center, size, [(0.56 * math.cos(angle), 0.56 * math.sin(angle))])[0]
        canvas.circle(petal, 0.42 * size, RED)
    canvas.circle(center, 0.34 * size, GOLD)


def _bell(canvas: Canvas, center: Point, size: float) -> None:
    canvas.circle(center, 0.86 * size, GOLD, BROWN, 0.08 * size)
    canvas.line(_placed(center, size, [(-0.8, 0), (0.8, 0)]), BROWN, 0.14 * size)
    canvas.line(_placed(center, size, [(0, 0), (0, 0.76)]), BROWN, 0.14 * size)
    for spot in _placed(center, size, [(0, 0.3), (0, -0.98)]):
        canvas.circle(spot, 0.18 * size, BROWN)


def _acorn(canvas: Canvas, center: Point, size: float) -> None:
    nut: list[Point] = [(-0.5, -0.15), (-0.46, 0.4), (-0.2, 0.82), (0, 1), (0.2, 0.82), (0.46, 0.4), (0.5, -0.15)]
    canvas.polygon(_placed(center, size, nut), GREEN)
    cap: list[Point] = [(-0.66, -0.1), (-0.56, -0.46), (-0.24, -0.68), (0.24, -0.68), (0.56, -0.46), (0.66, -0.1)]
    canvas.polygon(_placed(center, size, cap), BROWN)
    canvas.line(_placed(center, size, [(0, -0.6), (0.12, -1)]), BROWN, 0.16 * size)


def _shield(canvas: Canvas, center: Point, size: float) -> None:
    outline: list[Point] = [(-0.74, -0.86), (0.74, -0.86), (0.74, 0.06), (0.6, 0.5), (0.3, 0.82), (0, 1)]
    mirrored = [(-x, y) for x, y in outline[::-1]][1:-1]
    canvas.polygon(_placed(center, size, outline + mirrored), BLUE)
    bar: list[Point] = [(-0.74, -0.3), (0.74, -0.3), (0.74, 0), (-0.74, 0)]
    canvas.polygon(_placed(center, size, bar), GOLD)
