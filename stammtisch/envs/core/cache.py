"""Clearing the disk cache of compiled kernels."""

import os
import pathlib

_PACKAGE = pathlib.Path(__file__).parents[2]


def clear_cache() -> int:
    """Delete the cache files of this package's kernels; return how many there were."""
    places = [_PACKAGE]
    if elsewhere := os.environ.get("NUMBA_CACHE_DIR"):
        places.append(pathlib.Path(elsewhere))
    deleted = 0
    for place in places:
        for pattern in ("*.nbi", "*.nbc"):
            for file in place.rglob(pattern):
                file.unlink(missing_ok=True)
                deleted += 1
    return deleted
