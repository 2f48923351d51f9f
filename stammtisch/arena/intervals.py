"""Confidence intervals for match scores."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = Sequence[float] | NDArray[Any]

_Z95 = 1.959963984540054
# Student's t: the 97.5 % quantile for 1, 2, … degrees of freedom; beyond, the normal one is near enough.
_T95 = [
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131),
    *(2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
]


def score_interval(group_scores: Numbers, group_sizes: Numbers) -> tuple[float, float]:
    """Return the 95 % interval of a mean score in 0..1 that was measured on groups of dependent games.

    Games of one group share their dice or deal, so the spread is taken over groups. The interval is Wilson's with the
    number of independent games that would give the same spread; it stays inside 0..1 and is honest at the edges.

    Args:
        group_scores: sum of the scores of each group.
        group_sizes: games in each group.
    """
    scores, sizes = np.asarray(group_scores, np.float64), np.asarray(group_sizes, np.float64)
    games, groups = float(sizes.sum()), len(scores)
    if games == 0:
        return 0.0, 1.0
    mean = float(scores.sum()) / games
    effective = games
    if groups > 1:
        variance = float(((scores - mean * sizes) ** 2).sum()) / games**2 * groups / (groups - 1)
        if variance > 0:
            effective = mean * (1 - mean) / variance
    return _wilson(mean, effective)


def _wilson(mean: float, n: float) -> tuple[float, float]:
    z2 = _Z95 * _Z95
    center = (mean + z2 / (2 * n)) / (1 + z2 / n)
    half = _Z95 / (1 + z2 / n) * math.sqrt(mean * (1 - mean) / n + z2 / (4 * n * n))
    return max(0.0, center - half), min(1.0, center + half)


def mean_interval(values: Numbers) -> tuple[float, float]:
    """Return the 95 % interval of the mean of independent values, by Student's t."""
    n = len(values)
    mean = float(np.mean(values))
    if n == 1:
        return -math.inf, math.inf
    variance = float(np.var(values, ddof=1))
    quantile = _T95[n - 2] if n - 2 < len(_T95) else _Z95
    half = quantile * math.sqrt(variance / n)
    return mean - half, mean + half


def seeds_interval(scores: Numbers, games: int) -> tuple[float, float]:
    """Return the 95 % interval of the mean of scores in 0..1 that several seeds reached.

    Few seeds can agree by accident, or because all of them win every game: the interval is never narrower than that of
    as many games of one seed.

    Args:
        scores: mean score of each seed.
        games: games of all seeds together.
    """
    low, high = mean_interval(scores)
    least, most = _wilson(float(np.mean(scores)), games)
    return max(0.0, min(low, least)), min(1.0, max(high, most))


def elo_difference(score: float) -> float:
    """Return the rating difference that predicts ``score``; infinite at 0 and 1."""
    if score <= 0 or score >= 1:
        return math.copysign(math.inf, score - 0.5)
    return -400 * math.log10(1 / score - 1) + 0.0  # an even score has no sign
