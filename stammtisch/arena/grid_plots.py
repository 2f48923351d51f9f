"""Pictures of a grid: a curve per setting of one parameter, heat maps of two and more, box plots of all."""

import itertools
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from stammtisch.arena.outcomes import SettingOutcome
from stammtisch.plots import THEMES, plot_boxes, plot_curves, plot_heat

_MOST_PANELS = 12


def draw_grid(
    folder: pathlib.Path, settings: Sequence[Mapping[str, Any]], outcomes: Sequence[SettingOutcome], axis: str
) -> list[str]:
    """Draw what fits the parameters, and return the names of the pictures: ``boxes``, ``heat``, ``curves``.

    Args:
        folder: where they go, ``NAME.png`` and ``NAME-dark.png``.
        settings: the parameters of each outcome.
        outcomes: what they showed.
        axis: what a score is called.
    """
    names = list(dict.fromkeys(name for changes in settings for name in changes))
    is_grid = all(list(changes) == names for changes in settings)
    drawn = ["boxes"]
    _forget(folder)
    for theme in THEMES:
        boxes = {outcome.label: outcome.scores for outcome in outcomes}
        plot_boxes(boxes, axis, _place(folder, "boxes", theme), theme)
        if is_grid and len(names) >= 2:
            panels = _panels(names, settings, outcomes)
            if len(panels) <= _MOST_PANELS:
                drawn.append("heat")
                plot_heat(panels, (names[0], names[1]), axis, _place(folder, "heat", theme), theme)
        curves = _curves(names, settings, outcomes)
        for name, curve in curves.items():
            drawn.append("curves" if len(curves) == 1 else f"curves-{name}")
            plot_curves({name: curve}, name, axis, _place(folder, drawn[-1], theme), theme)
    return list(dict.fromkeys(drawn))


def _forget(folder: pathlib.Path) -> None:
    """Remove pictures of an earlier run, which may have had other parameters."""
    for pattern in ("heat*.png", "curves*.png"):
        for path in folder.glob(pattern):
            path.unlink()


def _place(folder: pathlib.Path, name: str, theme: str) -> pathlib.Path:
    return folder / (f"{name}.png" if theme == "light" else f"{name}-{theme}.png")


def _curves(
    names: Sequence[str], settings: Sequence[Mapping[str, Any]], outcomes: Sequence[SettingOutcome]
) -> dict[str, Any]:
    """Return a curve over the values of each parameter that is a number and varies alone."""
    found: dict[str, Any] = {}
    for name in names:
        rows = [
            (changes[name], outcome)
            for changes, outcome in zip(settings, outcomes, strict=True)
            if list(changes) == [name]
            and isinstance(changes[name], int | float)
            and not isinstance(changes[name], bool)
        ]
        if len(rows) > 1:
            rows.sort(key=lambda row: float(row[0]))
            found[name] = (
                [float(value) for value, _ in rows],
                [outcome.mean for _, outcome in rows],
                [outcome.ci95[0] for _, outcome in rows],
                [outcome.ci95[1] for _, outcome in rows],
            )
    return found


def _panels(
    names: Sequence[str], settings: Sequence[Mapping[str, Any]], outcomes: Sequence[SettingOutcome]
) -> dict[str, tuple[list[Any], list[Any], Any]]:
    """Return a heat map of the first two parameters for each combination of the others: rows, columns, means."""
    axes = [list(dict.fromkeys(changes[name] for changes in settings)) for name in names]
    means = {
        tuple(changes[name] for name in names): outcome.mean
        for changes, outcome in zip(settings, outcomes, strict=True)
    }
    panels = {}
    for rest in itertools.product(*axes[2:]):
        title = ", ".join(f"{name}={value}" for name, value in zip(names[2:], rest, strict=True))
        values = [[means.get((row, column, *rest), np.nan) for column in axes[1]] for row in axes[0]]
        panels[title] = (axes[0], axes[1], np.array(values))
    return panels
