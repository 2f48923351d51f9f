"""Weights in little room: only those that were learned, in small steps, with the distance from one to the next."""

import numpy as np
from numpy.typing import NDArray

STEPS = 1024  # per unit of weight, by default; a value is a sum of dozens, whose rounding errors average out
_FAR = 255  # a gap that goes on


def pack(weights: NDArray[np.float32], steps: int = STEPS) -> tuple[NDArray[np.uint8], NDArray[np.int16]]:
    """Return the gaps between the weights that are not 0 once rounded, and these weights in steps."""
    rounded = np.clip(np.rint(weights * np.float32(steps)), -32767, 32767).astype(np.int16)
    places = np.flatnonzero(rounded)
    gaps = np.diff(places, prepend=-1) - 1
    far = gaps // _FAR
    ends = np.cumsum(far + 1)
    packed = np.full(int(ends[-1]) if len(ends) else 0, _FAR, np.uint8)
    packed[ends - 1] = gaps % _FAR
    return packed, rounded[places]


def unpack(gaps: NDArray[np.uint8], values: NDArray[np.int16], size: int, steps: int = STEPS) -> NDArray[np.float32]:
    """Return all weights.

    Raises:
        ValueError: gaps and weights do not fit each other or the size.
    """
    ends = np.flatnonzero(gaps != _FAR)
    reached = np.cumsum(gaps, dtype=np.int64)
    if len(ends) != len(values) or (len(gaps) and int(reached[-1]) + len(ends) > size):
        raise ValueError("its weights do not fit its tuples")
    weights = np.zeros(size, np.float32)
    weights[reached[ends] + np.arange(len(ends))] = values.astype(np.float32) / np.float32(steps)
    return weights
