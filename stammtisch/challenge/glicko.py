"""Glicko-2, by which the challenge server ranks a tournament: one rating period over all games.

M. E. Glickman, "Example of the Glicko-2 system" (2013).
"""

import math
from collections.abc import Sequence

START, DEVIATION, VOLATILITY, TAU = 1500.0, 200.0, 0.06, 0.5
_SCALE = 173.7178
_TOLERANCE = 1e-6


def glicko(players: int, games: Sequence[tuple[int, int, bool]]) -> list[float]:
    """Return the ratings of new players after one period.

    Args:
        players: number of players.
        games: (first, second, whether the first won).
    """
    met: list[list[float]] = [[] for _ in range(players)]
    for first, second, won in games:
        met[first].append(float(won))
        met[second].append(float(not won))
    return [_updated(scores) for scores in met]


def _updated(scores: Sequence[float]) -> float:
    """Return the rating of a player with these scores against players who are all new themselves."""
    if not scores:
        return START
    phi = DEVIATION / _SCALE
    g = 1 / math.sqrt(1 + 3 * phi**2 / math.pi**2)
    expected = 0.5  # everybody starts with the same rating
    variance = 1 / (len(scores) * g**2 * expected * (1 - expected))
    gain = g * sum(score - expected for score in scores)
    sigma = _volatility(phi, variance, variance * gain)
    before = math.sqrt(phi**2 + sigma**2)
    after = 1 / math.sqrt(1 / before**2 + 1 / variance)
    return START + _SCALE * after**2 * gain


def _volatility(phi: float, variance: float, delta: float) -> float:
    """Return the new volatility: step 5 of the paper, the Illinois variant of regula falsi."""
    a = math.log(VOLATILITY**2)

    def f(x: float) -> float:
        spread = phi**2 + variance + math.exp(x)
        return math.exp(x) * (delta**2 - spread) / (2 * spread**2) - (x - a) / TAU**2

    low = a
    if delta**2 > phi**2 + variance:
        high = math.log(delta**2 - phi**2 - variance)
    else:
        k = 1
        while f(a - k * TAU) < 0:
            k += 1
        high = a - k * TAU
    f_low, f_high = f(low), f(high)
    while abs(high - low) > _TOLERANCE:
        middle = low + (low - high) * f_low / (f_high - f_low)
        f_middle = f(middle)
        if f_middle * f_high <= 0:
            low, f_low = high, f_high
        else:
            f_low /= 2
        high, f_high = middle, f_middle
    return math.exp(low / 2)
