"""Counts and curves in checkpoints: taken only if they are of the kind that a training counts in."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from stammtisch.files.documents import fits


def restore_counts(training: object, names: Sequence[str], counts: Mapping[str, Any]) -> None:
    """Give a fresh training the counts of a checkpoint; each is of the kind that it has now.

    Args:
        training: has them as attributes; one that is None may also be a number.
        names: which.
        counts: what the checkpoint says.

    Raises:
        ValueError: one is missing, or of another kind.
    """
    for name in names:
        now, told = getattr(training, name), counts[name]
        kind: Any = float | None if now is None else type(now)
        is_right = fits(told, kind) or (kind is float and type(told) is float)  # a best score may be -inf
        if not is_right or (kind is int and told < 0):
            raise ValueError(f"its count of {name} is {told!r}")
        setattr(training, name, told)


def checked_points(points: Any) -> list[dict[str, Any]]:
    """Return the points per deal of a checkpoint.

    Raises:
        ValueError: they are something else.
    """
    if not isinstance(points, list) or not all(map(_is_point, points)):
        raise ValueError("its points per deal are something else")
    return points


def _is_point(point: Any) -> bool:
    if not isinstance(point, dict) or not fits(point.get("deals"), int) or not fits(point.get("points"), float):
        return False
    error = point.get("error")
    return fits(error, float) or error == math.inf  # of a single deal nobody knows it
