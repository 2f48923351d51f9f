"""``SettingOutcome``: what one setting showed over several measurements, for tables, box plots and curves."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from stammtisch.arena.intervals import seeds_interval

DIFFERENCE = "difference"
PRINTED = ("score", DIFFERENCE)  # what a printed figure is: a share of points, or wins minus losses per game


@dataclass(frozen=True)
class SettingOutcome:
    """One setting over all its measurements, which are trainings or matches with seeds of their own.

    Attributes:
        label: name of the setting.
        scores: score of each measurement.
        games: games of all measurements together.
        mean: mean score.
        ci95: its interval, over the measurements; of one alone, over its games.
        sd: standard deviation of the scores, 0 of one alone.
        least: the least of them.
        median: the middle one.
        greatest: the greatest.
        seconds: mean time of a measurement, without what it compiles.
        dropped: why a race gave the setting up early, or "".
        others: mean score against further opponents.
    """

    label: str
    scores: list[float]
    games: int
    mean: float
    ci95: tuple[float, float]
    sd: float
    least: float
    median: float
    greatest: float
    seconds: float
    dropped: str = ""
    others: dict[str, float] = field(default_factory=dict)


def outcome_of(
    label: str,
    scores: Sequence[float],
    games: int,
    seconds: float,
    ci95: tuple[float, float],
    dropped: str = "",
    others: Mapping[str, float] | None = None,
) -> SettingOutcome:
    """Count measurements.

    Args:
        label: name of the setting.
        scores: one per measurement.
        games: of all of them.
        seconds: mean time of one.
        ci95: interval of the first, which counts where it is alone.
        dropped: why there are not more of them.
        others: mean score against further opponents.
    """
    return SettingOutcome(
        label,
        list(scores),
        games,
        statistics.fmean(scores),
        seeds_interval(scores, games) if len(scores) > 1 else ci95,
        statistics.stdev(scores) if len(scores) > 1 else 0.0,
        min(scores),
        statistics.median(scores),
        max(scores),
        seconds,
        dropped,
        dict(others or {}),
    )


def as_score(figure: float, printed: str) -> float:
    """Return a printed figure as a score in 0..1."""
    return (1 + figure) / 2 if printed == DIFFERENCE else figure


def verdict(paper: float | None, error: float, low: float | None, high: float | None) -> str:
    """Say how an interval of ours lies to a printed figure with its error: same, higher, lower, or nothing.

    Args:
        paper: the printed figure, as the interval is measured.
        error: half of its 95 % interval, 0 where nothing is known of it.
        low: lower end of ours.
        high: upper end of ours.
    """
    if paper is None or low is None or high is None:
        return ""
    if low > paper + error:
        return "higher"
    return "lower" if high < paper - error else "same"
