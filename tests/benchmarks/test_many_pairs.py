"""Reports of tournaments with very many players stay small and quick to draw."""

import itertools

import numpy as np
import pytest

from stammtisch.arena.match import count
from stammtisch.arena.plan import GameRecord, MatchPlan
from stammtisch.arena.ratings import _resampled, fit_elo
from stammtisch.benchmarks.reports import plots

NAMES = [f"player {i}" for i in range(50)]


@pytest.fixture(scope="module")
def matches():
    found = []
    for first, second in itertools.combinations(NAMES, 2):
        plan = MatchPlan("einstein-3x3", (first, second), 2)
        games = [GameRecord(i, 0, (i, 1 - i), (1.0, -1.0), (1, 2, 3), 2 + i) for i in range(2)]
        found.append(count(plan, games, 1.0))
    return found


def test_pictures_of_many_pairs_have_a_size_that_can_be_shown(matches, tmp_path):
    from PIL import Image

    path = tmp_path / "picture.png"
    for draw in (
        lambda: plots.plot_first_mover(matches, path),
        lambda: plots.plot_cross_table(matches, NAMES, path),
        lambda: plots.plot_lengths(matches, path),
    ):
        draw()
        assert max(Image.open(path).size) < 6000


def test_resampling_draws_each_pair_as_often_as_it_played():
    pairs = np.array([3, 1, 3, 2, 1, 3])
    rng = np.random.default_rng(0)
    total = np.zeros(6)
    for _ in range(3000):
        weights = _resampled(pairs, rng)
        assert [weights[pairs == pair].sum() for pair in (1, 2, 3)] == [2, 1, 3]
        total += weights
    assert np.allclose(total / 3000, 1, atol=0.1)


def test_many_players_are_rated(matches):
    from stammtisch.arena.match import groups_of

    ratings = fit_elo(groups_of(matches), bootstrap=3)
    assert len(ratings) == len(NAMES)
    assert all(rating.games == 2 * (len(NAMES) - 1) for rating in ratings)
