"""Pictures of a report: every name can be read."""

import itertools
import math

import pytest

from stammtisch.arena.ratings import Rating
from stammtisch.benchmarks.reports import plots

NAMES = ["mcts:iterations=1000,c=0.7", "mcts:iterations=500", "alphabeta:depth=4", "heuristic", "random", "minimax"]


def test_places_move_apart_as_little_as_needed():
    assert plots.spread([0.1, 0.5, 0.9], 0.1) == [0.1, 0.5, 0.9]
    assert plots.spread([0.4, 0.4, 0.9], 0.1) == pytest.approx([0.4, 0.5, 0.9])
    assert plots.spread([0.95, 0.97, 0.97], 0.1) == pytest.approx([0.8, 0.9, 1.0])
    assert plots.spread([], 0.1) == []


def test_long_names_take_two_lines():
    assert plots.folded("heuristic") == "heuristic"
    assert plots.folded("mctse:iterations=400") == "mctse:\niterations=400"


def test_files_are_named_briefly_where_names_stay_apart():
    names = ["supervised:/a/b/one.safetensors,trump=/a/mode.npz", "ntuple:x/two.npz", "ntuple:y/two.npz", "random"]
    short = plots.brief_names(names)
    assert list(short) == names
    assert list(short.values()) == ["supervised:one,trump=mode", *names[1:]]


def test_a_cross_table_has_room_for_long_names(tmp_path, monkeypatch):
    from matplotlib import pyplot as plt

    figures = []
    monkeypatch.setattr(plt, "close", figures.append)
    names = [f"supervised:{letter * 40}.safetensors" for letter in "abc"]
    plots.plot_cross_table([], names, tmp_path / "table.png")
    monkeypatch.undo()
    (figure,) = figures
    figure.canvas.draw()
    labels = [*figure.axes[0].get_xticklabels(), *figure.axes[0].get_yticklabels()]
    boxes = [label.get_window_extent() for label in labels]
    assert all(box.x0 >= 0 and box.y0 >= 0 for box in boxes)
    plt.close(figure)


@pytest.mark.parametrize("apart", [0.0, 1.0, 80.0])
def test_names_of_agents_that_think_and_play_alike_do_not_overlap(apart, tmp_path, monkeypatch):
    from matplotlib import pyplot as plt
    from matplotlib.text import Text

    figures = []
    monkeypatch.setattr(plt, "close", figures.append)
    elo = [500 - apart * i for i in range(len(NAMES))]
    ratings = [Rating(name, mean, (mean - 50, mean + 50), 9, 0.5) for name, mean in zip(NAMES, elo, strict=True)]
    plots.plot_thinking(dict.fromkeys(NAMES, 0.01), ratings, tmp_path / "thinking.png")
    monkeypatch.undo()
    (figure,) = figures
    figure.canvas.draw()
    boxes = [Text.get_window_extent(name) for name in figure.axes[0].texts]
    assert len(boxes) == len(NAMES)
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
    assert all(box.x0 >= 0 and box.x1 <= figure.bbox.x1 for box in boxes)
    plt.close(figure)


def test_open_intervals_end_in_an_arrow_inside_the_picture(tmp_path, monkeypatch):
    from matplotlib import pyplot as plt

    figures = []
    monkeypatch.setattr(plt, "close", figures.append)
    ratings = [Rating("best", 900, (80, math.inf), 4, 1.0), Rating("worst", 0, (0, 0), 4, 0.0)]
    plots.plot_ratings(ratings, tmp_path / "ratings.png")
    plots.plot_thinking({"best": 0.1, "worst": 0.01}, ratings, tmp_path / "thinking.png")
    monkeypatch.undo()
    for figure, arrow in zip(figures, ">^", strict=True):
        (mark,) = [line for line in figure.axes[0].lines if line.get_marker() == arrow]
        x, y = mark.get_data()
        assert max(*x, *y) > 900
        plt.close(figure)
