"""Ratings recover planted strengths, intervals cover them, and the anchor stands at zero."""

import math
import pathlib
import re

import numpy as np
import pytest

import stammtisch
from stammtisch.arena.ratings import Group, Rating, cross_table, fit_elo, fit_rankings, superiority

PLANTED = {"random": 0.0, "middle": 150.0, "strong": 400.0}


def tournament(rng, groups=100, draws=0.2):
    """Pairs of games with planted strengths, some of them drawn."""
    names = list(PLANTED)
    found = []
    for i, first in enumerate(names):
        for second in names[i + 1 :]:
            expected = 1 / (1 + 10 ** ((PLANTED[second] - PLANTED[first]) / 400))
            share = draws * 2 * min(expected, 1 - expected)
            for _ in range(groups):
                u = rng.random(2)
                score = np.where(u < expected - share / 2, 1.0, np.where(u < expected + share / 2, 0.5, 0.0)).sum()
                found.append(Group(first, second, float(score), 2))
    return found


def test_ratings_recover_planted_strengths():
    ratings = {r.name: r for r in fit_elo(tournament(np.random.default_rng(0), 4000), "random", bootstrap=50)}
    for name, planted in PLANTED.items():
        assert ratings[name].elo == pytest.approx(planted, abs=15)
    assert ratings["random"].elo == 0
    assert ratings["random"].ci95 == (0, 0)
    assert ratings["strong"].games == 16_000


def test_intervals_cover_the_planted_strengths():
    rng = np.random.default_rng(1)
    covered = {"middle": 0, "strong": 0}
    runs = 200
    for run in range(runs):
        for rating in fit_elo(tournament(rng, 60), "random", bootstrap=120, seed=run):
            if rating.name in covered:
                covered[rating.name] += rating.ci95[0] <= PLANTED[rating.name] <= rating.ci95[1]
    for hits in covered.values():
        assert 0.90 <= hits / runs <= 0.99


def test_a_perfect_score_stays_finite():
    best, worst = fit_elo([Group("a", "b", 2.0, 2)] * 50, bootstrap=20)
    assert (best.name, worst.name) == ("a", "b")
    assert worst.elo == 0
    assert 400 < best.elo < 3000


def test_ratings_need_two_agents_and_a_known_anchor():
    with pytest.raises(ValueError, match="at least two"):
        fit_elo([])
    with pytest.raises(ValueError, match='anchor "c"'):
        fit_elo([Group("a", "b", 1.0, 2)], "c")


def test_plackett_luce_recovers_planted_strengths():
    rng = np.random.default_rng(2)
    planted = {"a": 3.0, "b": 1.0, "c": 0.5, "d": 0.5}
    rankings = []
    for _ in range(6000):
        left = dict(planted)
        order = []
        while left:
            names = list(left)
            weights = np.array([left[name] for name in names])
            order.append([names[rng.choice(len(names), p=weights / weights.sum())]])
            del left[order[-1][0]]
        rankings.append(order)
    fitted = fit_rankings(rankings)
    assert fitted["a"] - fitted["b"] == pytest.approx(400 * math.log10(3), abs=15)
    assert fitted["c"] - fitted["d"] == pytest.approx(0, abs=15)


def test_plackett_luce_takes_ties_and_equals_bradley_terry_for_two():
    rankings = [[["a"], ["b"]]] * 300 + [[["b"], ["a"]]] * 100
    fitted = fit_rankings(rankings)
    assert fitted["a"] - fitted["b"] == pytest.approx(400 * math.log10(3), abs=2)
    assert fit_rankings([[["a", "b", "c"]]] * 5) == {"a": 0.0, "b": 0.0, "c": 0.0}
    tied = fit_rankings([[["a", "b"], ["c"]]] * 50)
    assert tied["a"] == pytest.approx(tied["b"])
    assert tied["a"] > tied["c"]


def test_plackett_luce_takes_several_sides_of_one_name():
    """One of weight 3 against three of weight 1 comes first in half of the games, then in three fifths of the rest …"""
    rng = np.random.default_rng(4)
    rankings = []
    for _ in range(6000):
        place = 0
        while place < 3 and rng.random() > 3 / (6 - place):
            place += 1
        rankings.append([["b"]] * place + [["a"]] + [["b"]] * (3 - place))
    fitted = fit_rankings(rankings)
    assert fitted["a"] - fitted["b"] == pytest.approx(400 * math.log10(3), abs=15)


def test_likelihood_of_superiority():
    assert superiority(0.5, 0.1) == 0.5
    assert superiority(0.6, 0.05) == pytest.approx(0.977, abs=0.001)
    assert superiority(1.0, 0.0) == 1


def test_cross_table_adds_groups_up():
    table = cross_table([Group("a", "b", 1.5, 2), Group("b", "a", 1.0, 2)], ["a", "b"])
    assert table["a", "b"] == (0.625, 4)
    assert table["b", "a"] == (0.375, 4)


@pytest.mark.parametrize(("games", "least"), [(1, -320), (4, 75), (1000, 1000)])
def test_one_sided_results_leave_the_interval_open(games, least):
    """However many games were won, none of them says how much stronger the winner is at most."""
    best, worst = fit_elo([Group("a", "b", 1.0, 1)] * games)
    assert best.ci95[1] == math.inf
    assert least < best.ci95[0] < best.elo
    assert best.interval_text() == f"{best.ci95[0]:+.0f} or more"
    assert worst.interval_text() == "anchor"
    (weak,) = (rating for rating in fit_elo([Group("a", "b", 1.0, 1)] * games, "a") if rating.name == "b")
    assert weak.ci95 == (-math.inf, pytest.approx(-best.ci95[0], abs=0.1))
    assert weak.interval_text().endswith("or less")


def test_who_is_joined_over_others_is_bounded():
    """The best never lost to the second; the second and the third took points from each other."""
    groups = [Group("best", "second", 2, 2)] * 30 + [Group("second", "third", 1.5, 2), Group("third", "second", 1, 2)]
    ratings = {rating.name: rating for rating in fit_elo(groups, "third")}
    assert ratings["best"].ci95[1] == math.inf
    assert math.isfinite(ratings["best"].ci95[0])
    assert all(map(math.isfinite, ratings["second"].ci95))


def test_agents_that_no_result_joins_can_be_anywhere():
    groups = [Group("a", "b", 1, 2), Group("c", "d", 1, 2)]
    ratings = {rating.name: rating for rating in fit_elo(groups, "a")}
    assert ratings["c"].ci95 == (-math.inf, math.inf)
    assert ratings["c"].interval_text() == "any"


@pytest.mark.parametrize("pairs", [1, 15, 40])
def test_results_that_do_not_scatter_still_have_an_interval(pairs):
    (other,) = (rating for rating in fit_elo([Group("a", "b", 1.0, 2)] * pairs, "a") if rating.name == "b")
    low, high = other.ci95
    expected = 1.96 / math.sqrt(2 * pairs / 4) * 400 / math.log(10)  # by the information in so many even games
    assert -low == pytest.approx(high)
    assert 0.7 * expected < high < 1.5 * expected


def test_nothing_is_ever_minus_nothing():
    assert Rating("a", 2.0, (-0.3, 5.0), 9, 0.5).interval_text() == "+0 to +5"
    sources = [path.read_text("utf-8") for path in pathlib.Path(stammtisch.__file__).parent.rglob("*.py")]
    assert not [found for text in sources for found in re.findall(r"\{[^{}]*:\+\.\df\}", text)]
