"""Placing players on a ladder."""

import math

import numpy as np
import pytest

from stammtisch.arena.placing import measure_ladder, meetings_of, place, rate
from stammtisch.arena.ratings import Group
from stammtisch.arena.store import Store
from stammtisch.models import Ladder

LADDER = Ladder(
    game="einstein-3x3",
    rungs=[
        {"agent": "random", "elo": 0.0, "games": 100},
        {"agent": "mc:iterations=2", "elo": 100.0, "games": 100},
        {"agent": "heuristic", "elo": 150.0, "games": 100},
    ],
)


def expected(difference):
    return 1 / (1 + 10 ** (-difference / 400))


def test_the_rating_predicts_the_points():
    ratings = {"a": 0.0, "b": 200.0, "c": 500.0}
    groups = [Group("x", name, 2 * expected(310 - elo), 2) for name, elo in ratings.items() for _ in range(200)]
    found = place("x", groups, ratings)
    assert found.elo == pytest.approx(310, abs=1)
    assert found.ci95[0] < 310 < found.ci95[1]
    assert found.ci95[1] - found.ci95[0] < 60
    assert found.games == 1200


def test_intervals_cover_the_truth():
    rng = np.random.default_rng(0)
    ratings = {"a": 0.0, "b": 150.0, "c": 300.0}
    hits = 0
    for _ in range(200):
        groups = [
            Group("x", name, float(rng.binomial(2, expected(180 - elo))), 2)
            for name, elo in ratings.items()
            for _ in range(20)
        ]
        low, high = place("x", groups, ratings, bootstrap=100).ci95
        hits += low <= 180 <= high
    assert hits >= 180


def test_perfect_scores_leave_the_interval_open():
    ratings = {"a": 0.0, "b": 200.0}
    best = place("x", [Group("x", "b", 2.0, 2)] * 20, ratings)
    assert math.isinf(best.ci95[1])
    assert 200 < best.ci95[0] < best.elo <= 600
    worst = place("x", [Group("x", "a", 0.0, 2)] * 20, ratings)
    assert worst.ci95[0] == -math.inf
    assert worst.elo >= -400


def test_a_player_meets_the_rungs_near_it_and_goes_on_where_it_stopped(tmp_path):
    seen = []
    whole = rate("heuristic", LADDER, games=40, seed=5, begin=seen.append)
    assert seen[0] == "ladder-2"
    assert {meeting.rung for meeting in whole.meetings} == {"ladder-1", "ladder-2", "ladder-3"}
    assert whole.games == 120
    assert whole.ci95[0] < whole.elo < whole.ci95[1]
    assert whole.to_json()["versions"]["stammtisch"]
    store = Store(tmp_path / "games.sqlite")
    rate("heuristic", LADDER, games=10, seed=5, store=store)
    counted = []
    again = rate("heuristic", LADDER, games=40, seed=5, store=store, progress=counted.append)
    store.close()
    assert again.elo == whole.elo
    assert again.meetings == whole.meetings
    assert sum(counted) == 120


def test_a_ladder_without_ratings_says_how_to_measure_it():
    bare = Ladder(game="einstein-3x3", rungs=[{"agent": "random"}, {"agent": "heuristic"}])
    with pytest.raises(ValueError, match="stammtisch ladder einstein-3x3 --measure"):
        rate("random", bare)


def test_rungs_are_measured_against_the_next_two():
    assert meetings_of(4) == [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]
    found = measure_ladder(LADDER, games=200)
    assert [rating.name for rating in found] == ["ladder-1", "ladder-2", "ladder-3"]
    assert found[0].elo == 0
    assert found[1].elo > 0


def test_games_of_many_sides_count_the_seats_left_behind():
    ladder = Ladder(
        game="jass-molotow",
        rungs=[{"agent": "random", "elo": 0.0, "games": 1}, {"agent": "heuristic", "elo": 300.0, "games": 1}],
    )
    found = rate("random", ladder, games=200)
    even = next(meeting for meeting in found.meetings if meeting.agent == "random")
    assert even.ci95[0] < 0.5 < even.ci95[1]
    assert found.elo < 150
