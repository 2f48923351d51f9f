"""``Spent``: how long the parts of a suite took in all, over every run that went on with it, and the peak of memory."""

import json
import pathlib
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from stammtisch.files import write_text
from stammtisch.files.documents import fits, read_json
from stammtisch.files.reading import reading

SPENT = "spent.json"  # the file in the folder of a suite
OTHERS = "everything else"  # entries that belong to no part


class Spent:
    """A small file beside the results; it is written whenever something is finished.

    Args:
        path: the file; what is in it counts.
    """

    def __init__(self, path: pathlib.Path):
        self.path = path
        self.seconds: dict[str, float] = {}
        self.peak_mb = 0.0
        if path.exists():
            with reading(path, "times of a suite"):
                data = read_json(path, "times of a suite")
                if not fits(data["seconds"], dict[str, float]) or not fits(data["peak_mb"], float):
                    raise ValueError("it does not tell seconds and megabytes")
                self.seconds, self.peak_mb = dict(data["seconds"]), data["peak_mb"]

    @property
    def total(self) -> float:
        """Seconds in all."""
        return sum(self.seconds.values())

    @contextmanager
    def on(self, part: str) -> Iterator[None]:
        """Count the time of what happens inside for a part, also if it is broken off."""
        begun = time.perf_counter()
        try:
            yield
        finally:
            name = part or OTHERS
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - begun
            self.peak_mb = max(self.peak_mb, _peak_mb())
            write_text(self.path, json.dumps({"seconds": self.seconds, "peak_mb": self.peak_mb}))


def _peak_mb() -> float:
    """Return the most memory that this process or one that it started has taken."""
    scale = 1e6 if sys.platform == "darwin" else 1e3
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return max(resource.getrusage(each).ru_maxrss for each in who) / scale
