"""A small canvas for pictures of games: shapes and text, as pixels (Pillow, smoothed) or as SVG.

A picture also knows its *spots*, the places that a person points at, by names such as ``d3``: moves can be marked in
it, and its SVG can carry the actions that the spots stand for. Which spots an action has, a game says (``Game.way``).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from PIL import ImageDraw

Color = tuple[int, int, int]
Point = tuple[float, float]

_SCALE = 3  # pixels are drawn so many times larger and scaled down

INK: Color = (38, 38, 42)
PAPER: Color = (250, 248, 243)
MARK: Color = (214, 96, 32)
PLAYER_COLORS: tuple[Color, ...] = ((46, 92, 168), (200, 62, 52), (232, 178, 48), (58, 138, 84))

_SVG_ANCHORS = {"l": "start", "m": "middle", "r": "end"}


class Spot(NamedTuple):
    """A place that a person points at: a box around its centre."""

    center: Point
    half_width: float
    half_height: float


class Canvas:
    """A picture in the making; coordinates are pixels of the finished picture.

    Attributes:
        spots: the places that a person points at, by name.
    """

    def __init__(self, width: int, height: int, background: Color = PAPER):
        self.width, self.height = width, height
        self.spots: dict[str, Spot] = {}
        self._background = background
        self._shapes: list[tuple[str, tuple[Any, ...]]] = []

    def spot(self, name: str, center: Point, half_width: float, half_height: float | None = None) -> None:
        """Name a place; nothing is drawn."""
        self.spots[name] = Spot(center, half_width, half_width if half_height is None else half_height)

    @contextmanager
    def piece(self, kind: str, place: str) -> Iterator[None]:
        """Draw what the block draws as one thing, which a live picture lets move and turn.

        Args:
            kind: what it is, the same for all that look alike.
            place: where it is.
        """
        self._shapes.append(("begin", (kind, place)))
        yield
        self._shapes.append(("end", ()))

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Draw what the block draws in still pictures only: a page marks on a live one what can be done."""
        self._shapes.append(("aside", ()))
        yield
        self._shapes.append(("beside", ()))

    def mark_way(self, way: Sequence[str], color: Color = MARK, width: float = 5) -> None:
        """Mark a move: a ring around its last spot and a line from each to the next; unknown spots are left out."""
        spots = [self.spots[name] for name in way if name in self.spots]
        if len(spots) > 1:
            self.line([spot.center for spot in spots], color, width)
        for last in spots[-1:]:
            radius = 0.86 * min(last.half_width, last.half_height)
            self.circle(last.center, radius, None, color, width)

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
        from PIL import Image, ImageDraw

        image = Image.new("RGB", (self.width * _SCALE, self.height * _SCALE), self._background)
        pen = _Pixels(ImageDraw.Draw(image))
        for name, arguments in self._seen(live=False):
            getattr(pen, name)(*arguments)
        return np.asarray(image.resize((self.width, self.height), Image.Resampling.LANCZOS), np.uint8).copy()

    def to_svg(self, ways: Mapping[int, Sequence[str]] | None = None) -> str:
        """Return the finished picture as one ``<svg>`` element.

        Dark pages may give other colours to the classes ``board-paper`` and ``board-ink``: text in ``INK`` is taken to
        stand on the paper.

        Args:
            ways: makes a live picture, for pages that people click on: the spots of every legal action, in the order
                in which one points at them. Each spot becomes an invisible box with its name (``data-spot``) and the
                actions that it is a step of (``data-actions``, such as ``40.0 41.0``: the first step of both); each
                piece a group with its ``data-kind`` and ``data-place``.
        """
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}">'
        size = f'width="{self.width}" height="{self.height}"'
        paper = f'<rect class="board-paper" {size} fill="{_hex(self._background)}"/>'
        live = ways is not None
        shapes = (_SVG_SHAPES[name](*arguments) for name, arguments in self._seen(live))
        return "".join([head, paper, *shapes, *self._svg_spots(ways or {}, live), "</svg>"])

    def _seen(self, live: bool) -> Iterator[tuple[str, tuple[Any, ...]]]:
        """Yield the shapes that a live picture has, or those that a still one has."""
        left_out = False
        for name, arguments in self._shapes:
            if name in _ASIDE:
                left_out = live and name == "aside"
            elif not left_out and (live or name not in _LIVE):
                yield name, arguments

    def _svg_spots(self, ways: Mapping[int, Sequence[str]], live: bool) -> Iterator[str]:
        steps: dict[str, list[str]] = {}
        for action, way in ways.items():
            for step, name in enumerate(way):
                steps.setdefault(name, []).append(f"{action}.{step}")
        for name, ((x, y), across, down) in self.spots.items() if live else ():
            place = f'x="{x - across:.1f}" y="{y - down:.1f}" width="{2 * across:.1f}" height="{2 * down:.1f}"'
            carried = " ".join(steps.get(name, ()))
            yield f'<rect class="spot" data-spot="{escape(name)}" data-actions="{carried}" {place} fill-opacity="0"/>'


class _Pixels:
    """Draws the shapes of a canvas, enlarged, with Pillow."""

    def __init__(self, draw: "ImageDraw.ImageDraw"):
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
        from PIL import ImageFont

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


def _svg_begin(kind: str, place: str) -> str:
    return f'<g class="piece" data-kind="{escape(kind)}" data-place="{escape(place)}">'


def _svg_end() -> str:
    return "</g>"


_LIVE = ("begin", "end")  # shapes that only a live picture has
_ASIDE = ("aside", "beside")  # around shapes that only a still picture has
_SVG_SHAPES: dict[str, Callable[..., str]] = {
    "begin": _svg_begin,
    "end": _svg_end,
    "rectangle": _svg_rectangle,
    "circle": _svg_circle,
    "line": _svg_line,
    "polygon": _svg_polygon,
    "text": _svg_text,
}
