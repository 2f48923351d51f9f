"""The progress of a job in a file: written line by line as JSON, and read again while it grows.

A line has ``done`` (the work done in all), ``s`` (seconds of work) and, as there are, ``figures``, ``points`` and
``line``. A line with ``run`` begins another run of the job, which goes on from a checkpoint: what the run before it
had told beyond that is forgotten.
"""

import json
import math
import pathlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from stammtisch.files.documents import fits
from stammtisch.json_text import json_text

if TYPE_CHECKING:
    from stammtisch.training.evaluator import CurvePoint

_LEAST_S = 0.5  # between two lines without evaluations
_MOST_LINES = 4000  # of even distances in time that a file has at most, about
_MOST_DIGITS = 18  # of a whole number
_LONGEST_LINE = 1 << 16
_MOST_READ = 1 << 26


class ProgressLog:
    """Writes the progress of one run; a disk that is full loses lines, not the job.

    Args:
        path: the file.
        total: all the work there is.
        done: work that was done before and will not be told again.
        seconds: seconds of work of the runs before.
    """

    def __init__(self, path: pathlib.Path, total: int, done: int = 0, seconds: float = 0.0):
        self._path, self.total, self.done, self.seconds = path, total, done, seconds
        self._told_total = total
        self.stop_wanted = False
        self._figures: dict[str, float] = {}
        self._looked = self._written = time.monotonic()
        self._was_paused = False
        self._write({"run": True, "at": round(time.time(), 3), "total": total})

    def __call__(
        self,
        done: int,
        line: str | None = None,
        figures: Mapping[str, float] | None = None,
        points: Sequence["CurvePoint"] = (),
        /,
        **more: Any,
    ) -> bool:
        """Take the news of a training or of any other job; see ``stammtisch.training.progress.Show``."""
        now = time.monotonic()
        if not self._was_paused:
            self.seconds += now - self._looked
        self._looked, self._was_paused = now, False
        self.done += done
        self._figures |= figures or {}
        distance = max(_LEAST_S, self.seconds / _MOST_LINES)
        if points or now - self._written >= distance or self.done >= self.total:
            self._written = now
            told: dict[str, Any] = {"done": self.done, "s": round(self.seconds, 2), **more}
            if self.total != self._told_total:
                told["total"] = self._told_total = self.total
            if line:
                told["line"] = line
            if self._figures:
                told["figures"] = {name: float(f"{value:.5g}") for name, value in self._figures.items()}
            if points:
                told["points"] = [asdict(point) for point in points]
                if line:
                    print(f"{self.done:,} of {self.total:,}: {line}")
            self._figures = {}
            self._write(told)
        return self.stop_wanted

    def skip_pause(self) -> None:
        """Do not count the time since the last news as work."""
        self._was_paused = True

    def _write(self, told: dict[str, Any]) -> None:
        try:
            with self._path.open("ab") as file:
                at = file.tell()
                text = json_text(told).encode() + b"\n"
                if at and not _ends_line(self._path):  # the run before was killed while it wrote
                    text = b"\n" + text
                file.write(text)
        except OSError as error:
            print(f"progress is not written: {error.strerror}")


def _ends_line(path: pathlib.Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, 2)
        return file.read(1) == b"\n"


class ProgressReader:
    """Reads the progress of a job; each look reads only what is new.

    Attributes:
        lines: what counts so far, without what a later run did again.
        points: evaluations by step and opponent.
        total: all the work there is.
    """

    def __init__(self, path: pathlib.Path):
        self._path = path
        self._begin()

    def _begin(self) -> None:
        self._at, self._rest = 0, b""
        self.lines: list[dict[str, Any]] = []
        self.points: dict[tuple[int, str], dict[str, Any]] = {}
        self.total = 0
        self._fresh_run = False

    def look(self) -> list[dict[str, Any]]:
        """Read on and return the new lines, as they stand in the file."""
        try:
            with self._path.open("rb") as file:
                size = file.seek(0, 2)
                if size < self._at:  # somebody has begun the file anew
                    self._begin()
                file.seek(self._at)
                data = file.read(_MOST_READ)
        except OSError:
            return []
        self._at += len(data)
        *whole, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > _LONGEST_LINE:
            self._rest = b""
        return [line for text in whole if (line := self._taken(text)) is not None]

    def _taken(self, text: bytes) -> dict[str, Any] | None:
        """Return one line, or None if it is damaged."""
        try:
            line = _read(text) if len(text) <= _LONGEST_LINE else None
        except (ValueError, RecursionError):
            return None
        if not isinstance(line, dict):
            return None
        if line.get("run") is True:
            self._fresh_run = True
            self.total = line["total"] if fits(line.get("total"), int) else self.total
            return line
        if not fits(line.get("done"), int) or not fits(line.get("s"), float):
            return None
        if self._fresh_run:
            self._fresh_run = False
            self.lines = [earlier for earlier in self.lines if earlier["done"] < line["done"]]
            self.points = {key: point for key, point in self.points.items() if key[0] <= line["done"]}
        if fits(line.get("total"), int):
            self.total = line["total"]
        points = line.pop("points", None)
        if fits(points, list[dict[str, Any]]):
            self._keep(points)
        self.lines.append(line)
        return {**line, "points": points} if points else line

    def _keep(self, points: list[dict[str, Any]]) -> None:
        """Keep the evaluations of a line; what is none is left out."""
        from stammtisch.training.evaluator import CurvePoint

        for point in points:
            try:
                kept = CurvePoint.from_json(point)
            except (KeyError, TypeError, ValueError):
                continue
            self.points[kept.step, kept.opponent] = asdict(kept)

    @property
    def last(self) -> dict[str, Any]:
        """The latest line."""
        return self.lines[-1] if self.lines else {"done": 0, "s": 0.0}

    def seconds_left(self) -> float | None:
        """Return how long the rest takes at the speed of late, None if nobody can say."""
        last = self.last
        for earlier in reversed(self.lines):
            if last["s"] - earlier["s"] >= min(30.0, max(2.0, last["s"] / 4)) and last["done"] > earlier["done"]:
                speed = (last["done"] - earlier["done"]) / (last["s"] - earlier["s"])
                return float(max(0, self.total - int(last["done"])) / speed)
        return None

    def figures(self, most: int = 240) -> dict[str, list[list[float]]]:
        """Return each figure as ``[[done, value], …]``, neighbours averaged where there are too many."""
        series: dict[str, list[list[float]]] = {}
        for line in self.lines:
            told = line.get("figures")
            for name, value in told.items() if isinstance(told, dict) else ():
                if fits(value, float):
                    series.setdefault(str(name), []).append([line["done"], value])
        return {name: _thinned(values, most) for name, values in series.items()}


def _read(text: bytes) -> Any:
    """Read JSON in which every number can be used in a chart.

    Raises:
        ValueError: it is no JSON, or holds a number that is none, or beyond all counting.
    """
    return json.loads(text, parse_float=_number, parse_int=_count, parse_constant=_number)


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is no number")
    return value


def _count(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise ValueError(f"{text[:_MOST_DIGITS]}… is beyond counting")
    return int(text)


def _thinned(values: list[list[float]], most: int) -> list[list[float]]:
    size = -(-len(values) // most)
    if size <= 1:
        return values
    chunks = [values[i : i + size] for i in range(0, len(values), size)]
    return [[chunk[-1][0], sum(value for _, value in chunk) / len(chunk)] for chunk in chunks]
