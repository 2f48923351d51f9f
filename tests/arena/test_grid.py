"""Grids of agents' options: what is compared, kept, raced and drawn."""

import json
import sqlite3

import numpy as np
import pytest

import stammtisch
from stammtisch.arena.grid import Grid, GridRun, read_vary
from stammtisch.arena.outcomes import as_score, outcome_of, verdict
from stammtisch.arena.sprt import Sprt
from stammtisch.training.ntuple.study import combinations


@pytest.fixture(scope="module")
def game():
    return stammtisch.load_game("einstein-3x3")


def test_statistics_of_measurements():
    outcome = outcome_of("a", [0.5, 0.7, 0.9, 0.6], 400, 1.0, (0, 1))
    assert (outcome.mean, outcome.median) == (pytest.approx(0.675), pytest.approx(0.65))
    assert (outcome.least, outcome.greatest, outcome.games) == (0.5, 0.9, 400)
    assert outcome.sd == pytest.approx(np.std([0.5, 0.7, 0.9, 0.6], ddof=1))
    alone = outcome_of("a", [0.5], 10, 1.0, (0.2, 0.8))
    assert (alone.sd, alone.ci95) == (0.0, (0.2, 0.8))


def test_printed_figures_and_verdicts():
    assert as_score(0.141, "difference") == pytest.approx(0.5705)
    assert as_score(0.141, "score") == 0.141
    assert verdict(0.5, 0.0, 0.4, 0.6) == "same"
    assert verdict(0.5, 0.0, 0.55, 0.6) == "higher"
    assert verdict(0.5, 0.06, 0.55, 0.6) == "same"
    assert verdict(0.5, 0.0, 0.1, 0.2) == "lower"
    assert verdict(None, 0.0, 0.1, 0.2) == ""


def test_a_spec_takes_the_options_that_vary(game):
    grid = Grid(game, "mc:cut=zero,depth=4")
    assert grid.spec({"iterations": 5, "depth": 7}) == "mc:cut=zero,iterations=5,depth=7"
    assert Grid(game, "heuristic").spec({}) == "heuristic"
    with pytest.raises(ValueError, match='no option for agent mc "itertions"; did you mean "iterations"'):
        read_vary("mc", "itertions=1,2")
    with pytest.raises(ValueError, match="iterations=0 for agent mc is not allowed"):
        grid.checked({"x": {"iterations": 0}})


def test_a_grid_is_measured_drawn_and_never_mixed(game, tmp_path):
    settings = combinations([("iterations", [1, 8]), ("depth", [2, 6])], True)
    grid = Grid(game, "mc", games=20, seeds=2)
    first = GridRun(grid, tmp_path).run(settings)
    assert [outcome.label for outcome in first] == list(settings)
    assert all(outcome.games == 40 and len(outcome.scores) == 2 for outcome in first)
    names = {"boxes.png", "boxes-dark.png", "heat.png", "heat-dark.png", "results.json", "results.sqlite"}
    assert names <= {path.name for path in tmp_path.iterdir()}
    data = json.loads((tmp_path / "results.json").read_text())
    assert data["settings"][0]["changes"] == {"iterations": 1, "depth": 2}
    again = GridRun(grid, tmp_path).run(settings)
    assert again == first  # with the same seconds: nothing was played again
    other = GridRun(Grid(game, "mc", "heuristic", 20, 2), tmp_path).run(settings)
    assert [outcome.scores for outcome in other] != [outcome.scores for outcome in first]
    fewer = GridRun(Grid(game, "mc", games=10, seeds=2), tmp_path).run(settings)
    assert all(outcome.games == 20 for outcome in fewer)
    assert GridRun(grid, tmp_path).run(settings) == first


def test_workers_do_not_change_a_grid(game, tmp_path):
    settings = combinations([("iterations", [1, 4])], True)
    found = [
        [outcome.scores for outcome in GridRun(Grid(game, "mc", games=10, seeds=2), tmp_path / str(n), n).run(settings)]
        for n in (1, 2)
    ]
    assert found[0] == found[1]
    assert (tmp_path / "1" / "curves.png").exists()


def test_a_race_gives_up_what_is_clearly_worse_and_goes_on(game, tmp_path):
    settings = combinations([("epsilon", [0.0, 1.0])], True)
    race = Sprt(elo0=0.0, elo1=20.0)
    grid = Grid(game, "mc:iterations=20", games=100, seeds=4, race=race)
    best, worst = GridRun(grid, tmp_path).run(settings)
    assert (best.dropped, len(best.scores)) == ("", 4)
    assert worst.dropped.startswith("given up after")
    assert len(worst.scores) < 4
    assert GridRun(grid, tmp_path).run(settings) == [best, worst]


def test_games_of_other_rules_are_refused(game, tmp_path):
    """The version of the rules belongs to what a stored game is known by."""
    grid = Grid(game, "random", games=4, seeds=1)
    GridRun(grid, tmp_path).run({"as it is": {}})
    with sqlite3.connect(tmp_path / "results.sqlite") as db:
        (text,) = db.execute("SELECT versions FROM matches").fetchone()
        assert json.loads(text)["rules"] == "stammtisch/EinStein3x3-v0" or "-v0" in text
        db.execute("UPDATE matches SET versions = replace(versions, '-v0', '-v7')")
    with pytest.raises(ValueError, match=r"follow the rules of .*-v7, not of .*-v0"):
        GridRun(grid, tmp_path).run({"as it is": {}})
