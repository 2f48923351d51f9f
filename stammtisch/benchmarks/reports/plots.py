"""Plots of a suite's results."""

import math
import pathlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from stammtisch.arena.match import MatchResult, groups_of
from stammtisch.arena.ratings import Rating, cross_table
from stammtisch.arena.records import Records
from stammtisch.plots import INCHES_PER_LETTER, figure, width_beside

_MOST_COLUMNS = 20  # of a cross table with figures in it
_MOST_ROWS = 40
_TALLEST = 40  # inches
_LONG_NAME = 16  # letters
_FILE = re.compile(r"(?<=[:=])(?:[^,:=]*/)?([^,:=/]+)\.(?:npz|safetensors|zip)(?=,|$)")


def plot_ratings(ratings: Sequence[Rating], path: pathlib.Path, theme: str = "light") -> None:
    """Ratings with whiskers, the strongest on top."""
    ranked = list(reversed(ratings))
    short = brief_names(rating.name for rating in ranked)
    names = [folded(short[rating.name]) for rating in ranked]
    with figure(path, theme, width_beside(names), 0.9 + min(0.45 * len(ranked), _TALLEST)) as (axes, colors):
        edges = _edges(ratings)
        for y, rating in enumerate(ranked):
            ends = _ends(rating, edges)
            axes.plot([end for end, _ in ends], [y, y], color=colors["bars"], linewidth=2)
            for (end, is_open), arrow in zip(ends, "<>", strict=True):
                if is_open:
                    axes.plot([end], [y], arrow, color=colors["bars"])
            axes.plot([rating.elo], [y], "o", color=colors["marks"])
        axes.set_yticks(range(len(ranked)), names)
        axes.set_ylim(-0.6, len(ranked) - 0.4)
        axes.set_xlabel("Elo")
        axes.grid(axis="x")


def _edges(ratings: Sequence[Rating]) -> tuple[float, float]:
    """Return how far a picture of ratings goes: open intervals end there, with an arrow."""
    values = [value for rating in ratings for value in (rating.elo, *rating.ci95) if math.isfinite(value)]
    room = max(20.0, 0.1 * (max(values, default=0) - min(values, default=0)))
    return min(values, default=0) - room, max(values, default=0) + room


def _ends(rating: Rating, edges: tuple[float, float]) -> list[tuple[float, bool]]:
    """Return the ends of a rating's whisker, and whether each is open."""
    return [(end, False) if math.isfinite(end) else (edge, True) for end, edge in zip(rating.ci95, edges, strict=True)]


def brief_names(names: Iterable[str]) -> dict[str, str]:
    """Return each agent's name with its files named briefly, unless another agent then has the same."""
    short = {name: _FILE.sub(r"\1", name) for name in names}
    counts = Counter(short.values())
    return {name: brief if counts[brief] == 1 else name for name, brief in short.items()}


def folded(name: str) -> str:
    """Break a long name behind its agent, so that it takes two short lines."""
    agent, colon, options = name.partition(":")
    return f"{agent}:\n{options}" if colon and len(name) > _LONG_NAME else name


def plot_cross_table(
    matches: Sequence[MatchResult], names: Sequence[str], path: pathlib.Path, theme: str = "light"
) -> None:
    """Score of each row agent against each column agent as a heat map, with figures as long as they are legible."""
    import numpy as np

    table = cross_table(groups_of(matches), names)
    size = len(names)
    grid = np.full((size, size), np.nan)
    places = {name: place for place, name in enumerate(names)}
    for (row, column), (score, _) in table.items():
        grid[places[row], places[column]] = score
    is_legible = size <= _MOST_COLUMNS
    labels = [folded(name) if is_legible else name for name in brief_names(names).values()]
    longest = INCHES_PER_LETTER * max((len(line) for label in labels for line in label.splitlines()), default=0)
    width, height = (0.8, 0.6) if is_legible else (max(0.18, 18 / size), max(0.18, 12 / size))
    below = longest / 2 if is_legible else longest  # they stand aslant, or upright
    width = max(2.2, 0.6 + longest) + width * size
    height = max(1.3, 0.6 + below) + height * size
    with figure(path, theme, width, height) as (axes, _):
        axes.imshow(grid, cmap="RdYlBu", vmin=0, vmax=1, aspect="auto")
        for i in range(size):
            for j in range(size):
                if is_legible and not np.isnan(grid[i, j]):
                    shade = "#ffffff" if abs(grid[i, j] - 0.5) > 0.35 else "#26262a"
                    axes.text(j, i, f"{grid[i, j]:.0%}", ha="center", va="center", color=shade)
        if is_legible:
            axes.set_xticks(range(size), labels, rotation=30, ha="right", rotation_mode="anchor")
        else:
            axes.set_xticks(range(size), labels, rotation=90)
        axes.set_yticks(range(size), labels)
        axes.tick_params(length=0)


def plot_thinking(
    spent: Mapping[str, float], ratings: Sequence[Rating], path: pathlib.Path, theme: str = "light"
) -> None:
    """Rating against thinking time per move, of the agents whose seconds per move are known; names on the right."""
    timed = sorted((rating for rating in ratings if rating.name in spent), key=lambda rating: rating.elo)
    short = brief_names(rating.name for rating in timed)
    width = width_beside(list(short.values()))
    with figure(path, theme, width, max(3.2, 0.9 + min(0.28 * len(timed), _TALLEST))) as (axes, colors):
        edges = _edges(timed)
        for rating in timed:
            milliseconds = 1000 * spent[rating.name]
            ends = _ends(rating, edges)
            axes.plot([milliseconds] * 2, [end for end, _ in ends], color=colors["bars"], linewidth=2)
            for (end, is_open), arrow in zip(ends, "v^", strict=True):
                if is_open:
                    axes.plot([milliseconds], [end], arrow, color=colors["bars"])
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
                short[rating.name],
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
    with figure(path, theme, 5, 2.6) as (axes, colors):
        moves = [int(moves) for match in matches for moves in Records.of(match.records).moves]
        bins = range(min(moves), max(moves) + 2, max(1, (max(moves) - min(moves)) // 40))
        axes.hist(moves, bins=list(bins), color=colors["bars"])
        axes.set_xlabel("moves")
        axes.set_ylabel("games")


def plot_first_mover(matches: Sequence[MatchResult], path: pathlib.Path, theme: str = "light") -> None:
    """Score of whoever sat in the first seat, pair by pair; of very many pairs, how many have which score."""
    scores = [match.first_mover_score for match in matches]
    if len(matches) > _MOST_ROWS:
        with figure(path, theme, 5, 2.6) as (axes, colors):
            axes.hist(scores, bins=20, range=(0, 1), color=colors["bars"])
            axes.axvline(0.5, color=colors["marks"], linewidth=1)
            axes.set_xlabel("score of the first seat")
            axes.set_ylabel("pairs")
        return
    short = brief_names(agent for match in matches for agent in match.agents)
    names = ["\n".join(short[agent] for agent in match.agents[:2]) for match in matches]
    with figure(path, theme, width_beside(names), 0.9 + 0.5 * len(matches)) as (axes, colors):
        axes.barh(names, scores, color=colors["bars"])
        axes.axvline(0.5, color=colors["marks"], linewidth=1)
        axes.set_xlim(0, 1)
        axes.set_xlabel("score of the first seat")
        axes.set_ylim(len(names) - 0.4, -0.6)
