"""A lazily created thread pool per process, for kernels that release the GIL and take a range of lanes."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

_pools: dict[tuple[int, int], ThreadPoolExecutor] = {}
_LEAST_LANES = 1024  # per thread; below that the hand-over eats the gain


def over_ranges(work: Callable[[int, int], None], n: int, threads: int) -> None:
    """Call ``work(lo, hi)`` over ``0..n``, split among up to ``threads`` threads where that pays."""
    parts = max(1, min(threads, n // _LEAST_LANES))
    if parts == 1:
        work(0, n)
        return
    key = (os.getpid(), parts)
    if key not in _pools:
        _pools[key] = ThreadPoolExecutor(parts)
    bounds = [n * i // parts for i in range(parts + 1)]
    list(_pools[key].map(work, bounds[:-1], bounds[1:]))
