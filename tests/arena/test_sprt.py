"""The sequential test keeps its error rates and says why it stops."""

import numpy as np
import pytest

from stammtisch.arena.sprt import Sprt
from stammtisch.benchmarks import play_match


def accepted(test, elo, rng, most=4000):
    """Run one simulated match of pairs; True if the stronger hypothesis is accepted."""
    expected = 1 / (1 + 10 ** (-elo / 400))
    means = []
    for _ in range(most):
        means.append(float((rng.random(2) < expected).mean()))
        if len(means) % 8 == 0 and (verdict := test.verdict(means)):
            return "accepted" in verdict
    return None


@pytest.mark.parametrize(("elo", "wrong"), [(0.0, True), (80.0, False)])
def test_error_rates_stay_within_their_bounds(elo, wrong):
    test = Sprt(0, 80, 0.05, 0.05)
    rng = np.random.default_rng(3)
    verdicts = [accepted(test, elo, rng) for _ in range(400)]
    assert verdicts.count(None) == 0
    assert verdicts.count(wrong) / len(verdicts) <= 0.075


def test_parsing():
    assert Sprt.parse("elo0=-5,elo1=5") == Sprt(-5, 5)
    for text, message in [
        ("elo2=3", 'no value for a sequential test "elo2"; did you mean "elo'),
        ("elo0=x", 'elo0="x" .* give a number'),
        ("elo0=nan", "elo0=nan .* finite"),
        ("elo0", "write key=value"),
        ("elo0=5,elo1=5", "less than"),
        ("alpha=0.7", "between 0 and 0.5"),
    ]:
        with pytest.raises(ValueError, match=message):
            Sprt.parse(text)


def test_a_match_stops_at_the_same_game_whatever_the_workers():
    results = [
        play_match("einstein-3x3", ["heuristic", "random"], games=400, seed=2, sprt=Sprt(), workers=workers)
        for workers in (1, 2)
    ]
    assert results[0].records == results[1].records
    assert results[0].games < 400
    assert "accepted" in results[0].stopped
