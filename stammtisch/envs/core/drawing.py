"""A small canvas for pictures of games: shapes and text, as pixels (Pillow, smoothed) or as SVG."""

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

Color = tuple[int, int, int]
Point = tuple[float, float]

_SCALE = 3  # pixels are drawn so many times larger and scaled down

INK: Color = (38, 38, 42)
PAPER: Color = (250, 248, 243)
MARK: Color = (214, 96, 32)
PLAYER_COLORS: tuple[Color, ...] = ((46, 92, 168), (200, 62, 52), (232, 178, 48), (58, 138, 84))

_SVG_ANCHORS = {"l": "start", "m": "middle", "r": "end"}


class Canvas:
    """A picture in the making; coordinates are pixels of the finished picture."""

    def __init__(self, width: int, height: int, background: Color = PAPER):
        self.width, self.height = width, height
        self._background = background
        self._shapes: list[tuple[str, tuple[Any, ...]]] = []

    def rectangle(
        self,
        corner: Point,
        opposite: Point,
        fill: Color | None,
        outline: Color | None = None,
        width: float = 1,
        radius: float = 0,
    ) -> None:
        """Draw a box, rounded when ``radius`` is given."""
        self._shapes.append(("rectangle", (corner, opposite, fill, outline, width, radius)))

    def circle(
        self, center: Point, radius: float, fill: Color | None, outline: Color | None = None, width: float = 1
    ) -> None:
        """Draw a disc or, without ``fill``, a ring."""
        self._shapes.append(("circle", (center, radius, fill, outline, width)))

    def line(self, points: Sequence[Point], color: Color = INK, width: float = 1) -> None:
        """Draw a line through ``points``."""
        self._shapes.append(("line", (tuple(points), color, width)))

    def polygon(self, points: Sequence[Point], fill: Color, outline: Color | None = None) -> None:
        """Draw a filled polygon."""
        self._shapes.append(("polygon", (tuple(points), fill, outline)))

    def text(self, center: Point, text: str, size: float, color: Color = INK, anchor: str = "mm") -> None:
        """Write ``text``; ``anchor`` as Pillow names it, by default centred on the point."""
        self._shapes.append(("text", (center, text, size, color, anchor)))

    def to_array(self) -> NDArray[np.uint8]:
        """Return the finished picture, ``uint8[height, width, 3]``."""
        image = Image.new("RGB", (self.width * _SCALE, self.height * _SCALE), self._background)
        pen = _Pixels(ImageDraw.Draw(image))
        for name, arguments in self._shapes:
            getattr(pen, name)(*arguments)
        return np.asarray(image.resize((self.width, self.height), Image.Resampling.LANCZOS), np.uint8).copy()

    def to_svg(self) -> str:
        """Return the finished picture as one ``<svg>`` element.

        Dark pages may give other colours to the classes ``board-paper`` and ``board-ink``: text in ``INK`` is taken to
        stand on the paper.
        """
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}">'
        size = f'width="{self.width}" height="{self.height}"'
        paper = f'<rect class="board-paper" {size} fill="{_hex(self._background)}"/>'
        shapes = (_SVG_SHAPES[name](*arguments) for name, arguments in self._shapes)
        return "".join([head, paper, *shapes, "</svg>"])


class _Pixels:
    """Draws the shapes of a canvas, enlarged, with Pillow."""

    def __init__(self, draw: ImageDraw.ImageDraw):
        self._draw = draw

    def rectangle(
        self, corner: Point, opposite: Point, fill: Color | None, outline: Color | None, width: float, radius: float
    ) -> None:
        box = [*_scaled(corner), *_scaled(opposite)]
        self._draw.rounded_rectangle(box, radius * _SCALE, fill, outline, round(width * _SCALE))

    def circle(self, center: Point, radius: float, fill: Color | None, outline: Color | None, width: float) -> None:
        x, y = _scaled(center)
        r = radius * _SCALE
        self._draw.ellipse([x - r, y - r, x + r, y + r], fill, outline, round(width * _SCALE))

    def line(self, points: Sequence[Point], color: Color, width: float) -> None:
        self._draw.line([_scaled(p) for p in points], color, round(width * _SCALE), joint="curve")

    def polygon(self, points: Sequence[Point], fill: Color, outline: Color | None) -> None:
        self._draw.polygon([_scaled(p) for p in points], fill, outline)

    def text(self, center: Point, text: str, size: float, color: Color, anchor: str) -> None:
        font = ImageFont.load_default(size * _SCALE)
        self._draw.text(_scaled(center), text, color, font, anchor)


def _scaled(point: Point) -> Point:
    return point[0] * _SCALE, point[1] * _SCALE


def _hex(color: Color | None) -> str:
    return "none" if color is None else "#{:02x}{:02x}{:02x}".format(*color)


def _stroke(outline: Color | None, width: float) -> str:
    return "" if outline is None else f' stroke="{_hex(outline)}" stroke-width="{width:g}"'


def _path(points: Sequence[Point]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _svg_rectangle(
    corner: Point, opposite: Point, fill: Color | None, outline: Color | None, width: float, radius: float
) -> str:
    size = f'width="{opposite[0] - corner[0]:.1f}" height="{opposite[1] - corner[1]:.1f}"'
    rounded = f' rx="{radius:g}"' if radius else ""
    place = f'x="{corner[0]:.1f}" y="{corner[1]:.1f}"'
    return f'<rect {place} {size}{rounded} fill="{_hex(fill)}"{_stroke(outline, width)}/>'


def _svg_circle(center: Point, radius: float, fill: Color | None, outline: Color | None, width: float) -> str:
    place = f'cx="{center[0]:.1f}" cy="{center[1]:.1f}" r="{radius:.1f}"'
    return f'<circle {place} fill="{_hex(fill)}"{_stroke(outline, width)}/>'


def _svg_line(points: Sequence[Point], color: Color, width: float) -> str:
    return f'<polyline points="{_path(points)}" fill="none"{_stroke(color, width)}/>'


def _svg_polygon(points: Sequence[Point], fill: Color, outline: Color | None) -> str:
    return f'<polygon points="{_path(points)}" fill="{_hex(fill)}"{_stroke(outline, 1)}/>'


def _svg_text(center: Point, text: str, size: float, color: Color, anchor: str) -> str:
    place = f'x="{center[0]:.1f}" y="{center[1]:.1f}" font-size="{size:.1f}"'
    style = f'text-anchor="{_SVG_ANCHORS[anchor[0]]}" dominant-baseline="central" font-family="sans-serif"'
    on_paper = ' class="board-ink"' if color == INK else ""
    return f'<text{on_paper} {place} {style} fill="{_hex(color)}">{escape(text)}</text>'


_SVG_SHAPES: dict[str, Callable[..., str]] = {
    "rectangle": _svg_rectangle,
    "circle": _svg_circle,
    "line": _svg_line,
    "polygon": _svg_polygon,
    "text": _svg_text,
}
