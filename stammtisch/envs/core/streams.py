"""Seeds for the random streams of games, agents and matches."""

import operator

import numpy as np
from numpy.typing import NDArray

Seed = int | None


def checked_seed(seed: object) -> Seed:
    """Return ``seed`` as a plain integer (or None), or say what would be right."""
    if seed is None:
        return None
    try:
        value = operator.index(seed)  # type: ignore[arg-type]
    except TypeError:
        raise ValueError(f"seed must be a non-negative integer or None, not {seed!r}") from None
    if value < 0:
        raise ValueError(f"seed must be a non-negative integer or None, not {seed!r}")
    return value


def seed_streams(seed: Seed | tuple[int, ...], count: int) -> NDArray[np.uint64]:
    """Return ``count`` independent stream counters, ``uint64[count]``, for one seed or a path of integers.

    ``None`` takes fresh entropy from the operating system.
    """
    entropy = list(seed) if isinstance(seed, tuple) else checked_seed(seed)
    return np.random.SeedSequence(entropy).generate_state(count, np.uint64).astype(np.uint64)
