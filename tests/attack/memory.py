"""How much memory a piece of work takes at most."""

import contextlib
import pathlib
import re
from collections.abc import Iterator

_STATUS, _REFRESH = pathlib.Path("/proc/self/status"), pathlib.Path("/proc/self/clear_refs")


def reset_peak() -> int:
    """Forget the greatest size of this process so far; return its size now in bytes, 0 where that cannot be told."""
    try:
        _REFRESH.write_text("5")
        return _told("VmRSS")
    except OSError:
        return 0


def peak() -> int:
    """Return the greatest size of this process since ``reset_peak`` in bytes, 0 where that cannot be told."""
    try:
        return _told("VmHWM")
    except OSError:
        return 0


def _told(name: str) -> int:
    found = re.search(rf"{name}:\s+(\d+) kB", _STATUS.read_text())
    return int(found[1]) * 1024 if found else 0


@contextlib.contextmanager
def most_memory(most: int) -> Iterator[None]:
    """Fail if the block takes more bytes than that at any time, where the system can tell."""
    before = reset_peak()
    yield
    assert peak() - before < most, f"took {(peak() - before) >> 20} MB"
