"""Who has won, from what everyone earned."""

import numpy as np

from stammtisch.envs.core.scores import scores


def test_a_seat_wins_that_earns_more_than_the_mean_of_its_table():
    teams = np.array([[1.0, 1.0, -1.0], [-1.0, -1.0, 1.0], [0.0, 0.0, 0.0]])
    assert scores(teams, 0).tolist() == [1.0, 0.0, 0.5]
    assert scores(teams, np.array([2, 2, 2])).tolist() == [0.0, 1.0, 0.5]
    alone = np.array([[-0.1, -0.2, -0.3, -0.4]])
    assert [scores(alone, seat)[0] for seat in range(4)] == [1.0, 1.0, 0.0, 0.0]


def test_what_adding_up_loses_decides_nothing():
    table = np.array([[-0.3, -0.1, -0.2, -0.2]])
    for _ in range(100):
        table = table + 0.01
    assert scores(table, 2).tolist() == scores(table, 3).tolist() == [0.5]
