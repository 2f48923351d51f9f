"""Plots of a suite's results, drawn with matplotlib for light and dark pages."""

import pathlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from stammtisch.benchmarks.match import MatchResult, groups_of
from stammtisch.benchmarks.ratings import Rating, cross_table

_INCHES_PER_LETTER = 0.075
_MOST_INSIDE = 6  # curves whose names fit beside them

THEMES = {
    "light": {"ink": "#26262a", "paper": "#ffffff", "grid": "#d9d5cc", "bars": "#2e5ca8", "marks": "#d66020"},
    "dark": {"ink": "#e6e3dc", "paper": "#1e1f22", "grid": "#3d3f45", "bars": "#7ea6e6", "marks": "#f09a5c"},
}


@contextmanager
def _figure(path: pathlib.Path, theme: str, width: float, height: float) -> Iterator[tuple[Any, dict[str, str]]]:
    """Open a figure in a theme's colours and write it as PNG when done."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    colors = THEMES[theme]
    style: Any = {
        "text.color": colors["ink"],
        "axes.edgecolor": colors["grid"],
        "axes.labelcolor": colors["ink"],
        "xtick.color": colors["ink"],
        "ytick.color": colors["ink"],
        "axes.facecolor": colors["paper"],
        "figure.facecolor": colors["paper"],
        "grid.color": colors["grid"],
        "axes.spines.top": False,
        "axes.spines.right": False,
        "font.size": 9,
        "text.parse_math": False,  # names are no formulas
    }
    with plt.rc_context(style):
        figure, axes = plt.subplots(figsize=(width, height), layout="constrained")
        yield axes, colors
        figure.savefig(path, dpi=130)
        plt.close(figure)


def _width_beside(names: Sequence[str]) -> float:
    """Return the width in inches of a picture that has these names beside it."""
    return max(6, 4 + _INCHES_PER_LETTER * max(map(len, names), default=0))


def plot_ratings(ratings: Sequence[Rating], path: pathlib.Path, theme: str = "light") -> None:
    """Ratings with whiskers, the strongest on top."""
    ranked = list(reversed(ratings))
    names = [rating.name for rating in ranked]
    with _figure(path, theme, _width_beside(names), 0.8 + 0.35 * len(ranked)) as (axes, colors):
        for y, rating in enumerate(ranked):
            axes.plot(rating.ci95, [y, y], color=colors["bars"], linewidth=2)
            axes.plot([rating.elo], [y], "o", color=colors["marks"])
        axes.set_yticks(range(len(ranked)), names)
        axes.set_ylim(-0.6, len(ranked) - 0.4)
        axes.set_xlabel("Elo")
        axes.grid(axis="x")


def plot_cross_table(
    matches: Sequence[MatchResult], names: Sequence[str], path: pathlib.Path, theme: str = "light"
) -> None:
    """Score of each row agent against each column agent as a heat map."""
    import numpy as np

    table = cross_table(groups_of(matches), names)
    size = len(names)
    grid = np.full((size, size), np.nan)
    for (row, column), (score, _) in table.items():
        grid[names.index(row), names.index(column)] = score
    with _figure(path, theme, 2.2 + 0.75 * size, 1.2 + 0.5 * size) as (axes, _):
        axes.imshow(grid, cmap="RdYlBu", vmin=0, vmax=1, aspect="auto")
        for i in range(size):
            for j in range(size):
                if not np.isnan(grid[i, j]):
                    shade = "#ffffff" if abs(grid[i, j] - 0.5) > 0.35 else "#26262a"
                    axes.text(j, i, f"{grid[i, j]:.0%}", ha="center", va="center", color=shade)
        axes.set_xticks(range(size), names, rotation=25, ha="right")
        axes.set_yticks(range(size), names)
        axes.tick_params(length=0)


def plot_thinking(
    spent: Mapping[str, float], ratings: Sequence[Rating], path: pathlib.Path, theme: str = "light"
) -> None:
    """Rating against thinking time per move, of the agents whose seconds per move are known; names on the right."""
    timed = sorted((rating for rating in ratings if rating.name in spent), key=lambda rating: rating.elo)
    width = _width_beside([rating.name for rating in timed])
    with _figure(path, theme, width, max(3, 0.9 + 0.22 * len(timed))) as (axes, colors):
        for rating in timed:
            milliseconds = 1000 * spent[rating.name]
            axes.plot([milliseconds] * 2, rating.ci95, color=colors["bars"], linewidth=2)
            axes.plot([milliseconds], [rating.elo], "o", color=colors["marks"])
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter("")
        axes.margins(x=0.1)
        axes.set_xlabel("thinking time per move in ms")
        axes.set_ylabel("Elo")
        axes.grid()
        bottom, top = axes.get_ylim()
        heights = spread([(rating.elo - bottom) / (top - bottom) for rating in timed], 1 / max(10, len(timed)))
        for rating, height in zip(timed, heights, strict=True):
            axes.annotate(
                rating.name,
                (1000 * spent[rating.name], rating.elo),
                xytext=(1.05, height),
                textcoords="axes fraction",
                va="center",
                arrowprops={"arrowstyle": "-", "color": colors["bars"], "linewidth": 0.6, "relpos": (0, 0.5)},
            )


def spread(places: Sequence[float], gap: float) -> list[float]:
    """Move ascending places in 0..1 as little apart as needed for ``gap`` between neighbours."""
    apart: list[float] = []
    for place in places:
        apart.append(max(place, apart[-1] + gap) if apart else place)
    limit = 1.0
    for i in reversed(range(len(apart))):
        apart[i] = min(apart[i], limit)
        limit = apart[i] - gap
    return apart


def plot_lengths(matches: Sequence[MatchResult], path: pathlib.Path, theme: str = "light") -> None:
    """How long the games were."""
    with _figure(path, theme, 5, 2.6) as (axes, colors):
        moves = [record.moves for match in matches for record in match.records]
        bins = range(min(moves), max(moves) + 2, max(1, (max(moves) - min(moves)) // 40))
        axes.hist(moves, bins=list(bins), color=colors["bars"])
        axes.set_xlabel("moves")
        axes.set_ylabel("games")


def plot_first_mover(matches: Sequence[MatchResult], path: pathlib.Path, theme: str = "light") -> None:
    """Score of whoever sat in the first seat, pair by pair."""
    names = [" - ".join(match.agents[:2]) for match in matches]
    with _figure(path, theme, _width_beside(names), 0.8 + 0.32 * len(matches)) as (axes, colors):
        axes.barh(names, [match.first_mover_score for match in matches], color=colors["bars"])
        axes.axvline(0.5, color=colors["marks"], linewidth=1)
        axes.set_xlim(0, 1)
        axes.set_xlabel("score of the first seat")
        axes.set_ylim(len(names) - 0.4, -0.6)


def plot_curves(
    curves: Mapping[str, tuple[Sequence[float], Sequence[float], Sequence[float], Sequence[float]]],
    x_label: str,
    y_label: str,
    path: pathlib.Path,
    theme: str = "light",
) -> None:
    """Lines with bands: for each label x, y, lower and upper edge."""
    from matplotlib.ticker import EngFormatter

    is_crowded = len(curves) > _MOST_INSIDE
    with _figure(path, theme, 6, 3.6 + (0.12 * len(curves) if is_crowded else 0)) as (axes, _):
        for label, (x, y, low, high) in curves.items():
            (line,) = axes.plot(x, y, label=label, marker=".")
            axes.fill_between(x, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label)
        axes.grid()
        if is_crowded:
            axes.legend(frameon=False, ncols=2, loc="upper center", bbox_to_anchor=(0.5, -0.18))
        else:
            axes.legend(frameon=False)


def plot_boxes(groups: Mapping[str, Sequence[float]], label: str, path: pathlib.Path, theme: str = "light") -> None:
    """Box plots below each other: the middle half, the median, the range, and every value as a point."""
    import numpy as np

    with _figure(path, theme, _width_beside(list(groups)), 0.9 + 0.4 * len(groups)) as (axes, colors):
        places = range(1, len(groups) + 1)
        for place, values in zip(places, groups.values(), strict=True):
            low, middle, high = np.quantile(values, (0.25, 0.5, 0.75))
            axes.plot([min(values), max(values)], [place, place], color=colors["bars"], linewidth=1)
            axes.barh(place, high - low, 0.5, low, color=colors["paper"], edgecolor=colors["bars"])
            axes.plot([middle, middle], [place - 0.25, place + 0.25], color=colors["marks"])
            axes.plot(values, [place] * len(values), "o", color=colors["marks"], markersize=3)
        axes.set_yticks(list(places), list(groups))
        axes.invert_yaxis()
        axes.set_xlabel(label)
        axes.grid(axis="x")
