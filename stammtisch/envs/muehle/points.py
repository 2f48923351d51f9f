"""The points of Mühle boards of one to three rings: where they lie, what they are called, how boards turn."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray


def place(rings: int, point: int) -> tuple[int, int]:
    """Return column and line of a point, counted from the top left, on a grid of ``2 * rings + 1`` lines."""
    ring, position = divmod(point, 8)
    near, far = ring, 2 * rings - ring
    return (
        (near, near),
        (rings, near),
        (far, near),
        (far, rings),
        (far, far),
        (rings, far),
        (near, far),
        (near, rings),
    )[position]


def point_name(rings: int, point: int) -> str:
    """Return a point's name for people: column from the left, row from below."""
    col, line = place(rings, point)
    return f"{'abcdefg'[col]}{2 * rings + 1 - line}"


def edges(neighbours: Sequence[Iterable[int]]) -> list[tuple[int, int]]:
    """Return the lines between neighbours, each once."""
    return [(a, b) for a, near in enumerate(neighbours) for b in near if a < b]


def renamings(rings: int, points: int) -> list[NDArray[np.int64]]:
    """Return where each point goes under every symmetry of the board, the identity first."""
    found = []
    for inside_out in (False, True)[: 1 if rings == 1 else 2]:
        for mirrored in (False, True):
            for quarter_turns in range(4):
                target = np.arange(points)
                for point in range(8 * rings):
                    ring, position = divmod(point, 8)
                    turned = (2 - position if mirrored else position) + 2 * quarter_turns
                    target[point] = 8 * (rings - 1 - ring if inside_out else ring) + turned % 8
                found.append(target)
    return found
