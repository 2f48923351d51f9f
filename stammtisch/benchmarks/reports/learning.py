"""What is known of the trainings of a suite: how long they took, and their learning curves over the seeds."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from stammtisch.benchmarks.suites.entries import TrainingEntry
from stammtisch.benchmarks.suites.suite import Suite
from stammtisch.benchmarks.suites.trainings import read_info
from stammtisch.training.evaluator import Curve, CurvePoint, interval_curve, mean_curve

_TESTED = ("train_samples", "samples", "accuracy", "masked", "unforced", "illegal", "loss", "mse")


@dataclass(frozen=True)
class Learned:
    """The trainings of one entry of a suite, one per seed.

    Attributes:
        command: what was trained.
        seeds: trainings that are done.
        minutes: mean time of a training, None where it is not known.
        cpu_minutes: mean time of the processor, likewise.
        unit: what the curves are counted in, such as games.
        curves: for each opponent the mean score over the seeds, and the least and the greatest; of one seed its scores,
            and the edges of their intervals.
        points: points per deal with their error on the way, where the first seed's training tells them.
        tests: of networks that learned from samples, what the first seed's say to samples that they did not see.
    """

    command: str
    seeds: int
    minutes: float | None
    cpu_minutes: float | None
    unit: str
    curves: Mapping[str, Curve]
    points: Sequence[Mapping[str, float]] = ()
    tests: Sequence[Mapping[str, Any]] = ()

    @property
    def scores(self) -> dict[str, float]:
        """The mean score against each opponent at the end."""
        return {opponent: curve[1][-1] for opponent, curve in self.curves.items()}

    def to_json(self) -> dict[str, Any]:
        """Return everything, ready for ``json.dumps``."""
        return {**asdict(self), "scores": self.scores}


def learned(suite: Suite) -> list[Learned]:
    """Return what is known of the trainings of a suite that are done."""
    found = []
    for entry in suite.trainings:
        infos = [read_info(path) for path in suite.info_files(entry) if path.exists()]
        if infos:
            found.append(_learned(entry, infos))
    return found


def _learned(entry: TrainingEntry, infos: Sequence[Mapping[str, Any]]) -> Learned:
    points = [each["curve"] for each in infos]
    opponents = dict.fromkeys(point.opponent for seed in points for point in seed)
    curves = {
        opponent: _curve([[point for point in seed if point.opponent == opponent] for seed in points])
        for opponent in opponents
    }
    return Learned(
        f"stammtisch {entry.command}",
        len(infos),
        _mean_minutes([each.get("seconds") for each in infos]),
        _mean_minutes([each.get("cpu_seconds") for each in infos]),
        str(infos[0].get("unit", "")),
        {opponent: curve for opponent, curve in curves.items() if curve[0]},
        infos[0].get("points", ()),
        _tests(entry, infos[0]),
    )


def _curve(seeds: Sequence[Sequence[CurvePoint]]) -> Curve:
    return interval_curve(seeds[0]) if len(seeds) == 1 else mean_curve(seeds)


def _tests(entry: TrainingEntry, info: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a row for each network that was tested."""
    return [
        {
            "out": entry.out,
            "network": name,
            "layers": "-".join(map(str, info["networks"][name]["layers"])),
            **{key: report[key] for key in _TESTED},
        }
        for name, report in info.get("reports", {}).items()
    ]


def _mean_minutes(seconds: Sequence[float | None]) -> float | None:
    known = [each for each in seconds if each is not None]
    return statistics.fmean(known) / 60.0 if len(known) == len(seconds) else None
