"""Clearing the disk cache of compiled kernels."""

import os
import pathlib
from collections.abc import Iterator
from typing import Any

_PACKAGE = pathlib.Path(__file__).parents[2]


def clear_cache() -> int:
    """Delete the cache files of this package's kernels, and nobody else's; return how many there were."""
    deleted = 0
    for folder in {source.parent for source in _PACKAGE.rglob("*.py")}:
        for place in _cache_folders(folder):
            for pattern in ("*.nbi", "*.nbc"):
                for file in place.glob(pattern):
                    file.unlink(missing_ok=True)
                    deleted += 1
    return deleted


def _cache_folders(folder: pathlib.Path) -> Iterator[pathlib.Path]:
    """Yield where numba may keep what it compiled from the sources in ``folder``."""
    from numba.core import caching
    from numba.misc import appdirs

    yield folder / "__pycache__"
    locator: Any = caching._CacheLocator
    user_folders: Any = appdirs.AppDirs
    inner = locator.get_suitable_cache_subpath(str(folder / "source.py"))
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        yield pathlib.Path(chosen) / inner
    yield pathlib.Path(user_folders(appname="numba", appauthor=False).user_cache_dir) / inner
