"""A small canvas for ``rgb_array`` pictures: shapes and text on Pillow, smoothed by drawing large and scaling down."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

Color = tuple[int, int, int]
Point = tuple[float, float]

_SCALE = 3

INK: Color = (38, 38, 42)
PAPER: Color = (250, 248, 243)
MARK: Color = (214, 96, 32)
PLAYER_COLORS: tuple[Color, ...] = ((46, 92, 168), (200, 62, 52), (232, 178, 48), (58, 138, 84))


class Canvas:
    """A picture in the making; coordinates are pixels of the finished picture."""

    def __init__(self, width: int, height: int, background: Color = PAPER):
        self._size = (width, height)
        self._image = Image.new("RGB", (width * _SCALE, height * _SCALE), background)
        self._draw = ImageDraw.Draw(self._image)

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
        box = [*_scaled(corner), *_scaled(opposite)]
        self._draw.rounded_rectangle(box, radius * _SCALE, fill, outline, round(width * _SCALE))

    def circle(
        self, center: Point, radius: float, fill: Color | None, outline: Color | None = None, width: float = 1
    ) -> None:
        """Draw a disc or, without ``fill``, a ring."""
        x, y = _scaled(center)
        r = radius * _SCALE
        self._draw.ellipse([x - r, y - r, x + r, y + r], fill, outline, round(width * _SCALE))

    def line(self, points: Sequence[Point], color: Color = INK, width: float = 1) -> None:
        """Draw a line through ``points``."""
        self._draw.line([_scaled(p) for p in points], color, round(width * _SCALE), joint="curve")

    def polygon(self, points: Sequence[Point], fill: Color, outline: Color | None = None) -> None:
        """Draw a filled polygon."""
        self._draw.polygon([_scaled(p) for p in points], fill, outline)

    def text(self, center: Point, text: str, size: float, color: Color = INK, anchor: str = "mm") -> None:
        """Write ``text``; ``anchor`` as Pillow names it, by default centred on the point."""
        font = ImageFont.load_default(size * _SCALE)
        self._draw.text(_scaled(center), text, color, font, anchor)

    def to_array(self) -> NDArray[np.uint8]:
        """Return the finished picture, ``uint8[height, width, 3]``."""
        return np.asarray(self._image.resize(self._size, Image.Resampling.LANCZOS), np.uint8).copy()


def _scaled(point: Point) -> Point:
    return point[0] * _SCALE, point[1] * _SCALE
