"""Confidence intervals for match scores."""

import math
from collections.abc import Sequence

_Z95 = 1.959963984540054


def score_interval(group_scores: Sequence[float], group_sizes: Sequence[int]) -> tuple[float, float]:
    """Return the 95 % interval of a mean score in 0..1 that was measured on groups of dependent games.

    Games of one group share their dice or deal, so the spread is taken over groups. The interval is Wilson's with the
    number of independent games that would give the same spread; it stays inside 0..1 and is honest at the edges.

    Args:
        group_scores: sum of the scores of each group.
        group_sizes: games in each group.
    """
    games = sum(group_sizes)
    groups = len(group_scores)
    if games == 0:
        return 0.0, 1.0
    mean = sum(group_scores) / games
    effective = float(games)
    if groups > 1:
        residuals = [s - mean * n for s, n in zip(group_scores, group_sizes, strict=True)]
        variance = sum(r * r for r in residuals) / games**2 * groups / (groups - 1)
        if variance > 0:
            effective = mean * (1 - mean) / variance
    return _wilson(mean, effective)


def _wilson(mean: float, n: float) -> tuple[float, float]:
    z2 = _Z95 * _Z95
    center = (mean + z2 / (2 * n)) / (1 + z2 / n)
    half = _Z95 / (1 + z2 / n) * math.sqrt(mean * (1 - mean) / n + z2 / (4 * n * n))
    return max(0.0, center - half), min(1.0, center + half)


def mean_interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the normal 95 % interval of the mean of independent values."""
    n = len(values)
    mean = sum(values) / n
    if n == 1:
        return -math.inf, math.inf
    variance = sum((v - mean) ** 2 for v in values) / (n - 1)
    half = _Z95 * math.sqrt(variance / n)
    return mean - half, mean + half


def elo_difference(score: float) -> float:
    """Return the rating difference that predicts ``score``; infinite at 0 and 1."""
    if score <= 0 or score >= 1:
        return math.copysign(math.inf, score - 0.5)
    return -400 * math.log10(1 / score - 1)
