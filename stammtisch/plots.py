"""Pictures drawn with matplotlib for light and dark pages: their frame, learning curves and box plots."""

import pathlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from stammtisch.files import check_writable, written_whole

INCHES_PER_LETTER = 0.09
_LONG = 10_000  # numbers below stand on an axis as they are
_MOST_INSIDE = 6  # curves whose names fit beside them

THEMES = {
    "light": {"ink": "#26262a", "paper": "#ffffff", "grid": "#d9d5cc", "bars": "#2e5ca8", "marks": "#d66020"},
    "dark": {"ink": "#e6e3dc", "paper": "#1e1f22", "grid": "#3d3f45", "bars": "#7ea6e6", "marks": "#f09a5c"},
}


def check_picture(path: pathlib.Path) -> None:
    """Say before the work that a picture is to show, not after it, that it cannot be drawn.

    Raises:
        ValueError: the file cannot be written there, or its suffix names no kind of picture.
    """
    from matplotlib.backend_bases import FigureCanvasBase

    kinds = FigureCanvasBase.get_supported_filetypes()
    kind = path.suffix[1:].lower()
    if kind not in kinds:
        raise ValueError(f'cannot draw {path}: "{path.suffix}" is no kind of picture; choose one of {", ".join(kinds)}')
    check_writable(path)


@contextmanager
def figure(path: pathlib.Path, theme: str, width: float, height: float) -> Iterator[tuple[Any, dict[str, str]]]:
    """Open a figure in a theme's colours and write it when done, as PNG or what else the suffix says."""
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
        "font.size": 11,
        "text.parse_math": False,  # names are no formulas
    }
    with plt.rc_context(style):
        figure, axes = plt.subplots(figsize=(width, height), layout="constrained")
        try:
            yield axes, colors
            with written_whole(path) as file:
                figure.savefig(file, dpi=150, format=path.suffix[1:].lower() or "png")
        finally:
            plt.close(figure)


def width_beside(names: Sequence[str]) -> float:
    """Return the width in inches of a picture that has these names beside it."""
    longest = max((len(line) for name in names for line in name.splitlines()), default=0)
    return max(5, 3 + INCHES_PER_LETTER * longest)


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
    with figure(path, theme, 5.4, 3.6 + (0.12 * len(curves) if is_crowded else 0)) as (axes, _):
        for label, (x, y, low, high) in curves.items():
            (line,) = axes.plot(x, y, label=label, marker=".")
            axes.fill_between(x, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
        if max((max(x) for x, _, _, _ in curves.values()), default=0) >= _LONG:
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

    with figure(path, theme, width_beside(list(groups)), 0.9 + 0.4 * len(groups)) as (axes, colors):
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


def plot_heat(
    panels: Mapping[str, tuple[Sequence[Any], Sequence[Any], Any]],
    names: tuple[str, str],
    label: str,
    path: pathlib.Path,
    theme: str = "light",
) -> None:
    """Heat maps beside each other on one scale: for each title rows, columns and a table of scores, NaN for none."""
    import numpy as np

    tables = [np.asarray(table, float) for _, _, table in panels.values()]
    low, high = min(np.nanmin(table) for table in tables), max(np.nanmax(table) for table in tables)
    rows, columns = tables[0].shape
    width = (1.2 + 0.62 * columns) * len(panels)
    with figure(path, theme, max(5.0, width), 1.5 + 0.42 * rows) as (axes, colors):
        whole = axes.get_figure()
        axes.remove()
        image = None
        for place, (title, (down, across, _)) in enumerate(panels.items()):
            part = whole.add_subplot(1, len(panels), 1 + place)
            table = tables[place]
            image = part.imshow(table, cmap="viridis", vmin=low, vmax=high, aspect="auto")
            for i in range(rows):
                for j in range(columns):
                    if not np.isnan(table[i, j]):
                        is_bright = table[i, j] > low + 0.6 * (high - low)
                        shade = "#26262a" if is_bright else "#ffffff"
                        part.text(j, i, f"{table[i, j]:.0%}", ha="center", va="center", color=shade, fontsize=9)
            part.set_xticks(range(columns), list(map(str, across)), rotation=45 if columns > 6 else 0)
            part.set_yticks(range(rows), list(map(str, down)))
            part.set_xlabel(names[1])
            part.set_ylabel(names[0])
            part.set_title(title, fontsize=10)
            part.tick_params(length=0)
        bar = whole.colorbar(image, ax=whole.axes, shrink=0.9)
        bar.set_label(label, color=colors["ink"])
