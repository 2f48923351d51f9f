"""Studies of n-tuple training: several parameter settings, several seeds each, learning curves and box plots.

A study is written to a folder: ``results.json`` with every curve, ``curves.png`` with the mean over the seeds, and
``boxes.png`` with the final scores. What is already in ``results.json`` is not trained again.
"""

import itertools
import json
import pathlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stammtisch.arena.intervals import seeds_interval
from stammtisch.envs.core.game import Game
from stammtisch.errors import unknown
from stammtisch.files import check_writable, make_folder, write_text
from stammtisch.files.documents import read_json
from stammtisch.files.reading import reading
from stammtisch.plots import THEMES, plot_boxes, plot_curves
from stammtisch.training.ntuple.learner import NTupleTraining
from stammtisch.training.ntuple.run import Watch, run_training
from stammtisch.training.ntuple.settings import defaults

# How the thesis on EinStein learned: from each player's own next turn, greedily at first.
_THESIS = {"target": "own", "noise": 0.0, "lam": 0.1, "alpha": 0.3, "alpha_final": 0.1}
_THESIS |= {"epsilon": 0.0, "epsilon_final": 0.3, "sharing": "none"}
_WALK = {"tuples": "random-walk", "count": 25, "length": 4}
_POINT = {**_WALK, "tuples": "random-point"}

# The thesis tried a buffer of 5000 with batches of 5, 25 and 50, and found no gain. Its random tuples hardly won more
# than a random player: the study takes away from ours, one by one, what might make the difference.
STUDIES: dict[str, dict[str, dict[str, Any]]] = {
    "replay": {
        "no replay": {},
        "uniform, batch 5": {"replay": "uniform", "buffer": 5000, "batch": 5, "every": 1},
        "uniform, batch 25": {"replay": "uniform", "buffer": 5000, "batch": 25, "every": 5},
        "uniform, frozen targets": {"replay": "uniform", "buffer": 5000, "batch": 5, "every": 1, "freeze": 1000},
        "prioritized, batch 5": {"replay": "prioritized", "buffer": 5000, "batch": 5, "every": 1},
    },
    "tuples": {
        "fixed": {"tuples": "fixed"},
        "random walk": _WALK,
        "random point": _POINT,
        "random walk, no symmetry": {**_WALK, "sharing": "none"},
        "random walk, thirds of numbers": {**_WALK, "coding": 1},
        "random walk, owners only": {**_WALK, "coding": 0},
        "random walk, learning of the thesis": {**_THESIS, **_WALK},
        "random point, learning of the thesis": {**_THESIS, **_POINT},
        "random walk, that and owners only": {**_THESIS, **_WALK, "coding": 0},
        "random point, that and owners only": {**_THESIS, **_POINT, "coding": 0},
    },
}


@dataclass(frozen=True)
class StudyOutcome:
    """One setting over all seeds.

    Attributes:
        label: name of the setting.
        scores: final score per seed.
        mean: their mean.
        ci95: interval of the mean, over the seeds; with one seed, over its last games.
        seconds: mean time of training.
    """

    label: str
    scores: list[float]
    mean: float
    ci95: tuple[float, float]
    seconds: float


def variants(study: str | None, vary: Sequence[tuple[str, Sequence[Any]]], grid: bool) -> dict[str, dict[str, Any]]:
    """Return the settings to try: those of a named study, one parameter after another, or all combinations."""
    if study is not None:
        if study not in STUDIES:
            raise unknown("study", study, STUDIES)
        return STUDIES[study]
    if not vary:
        raise ValueError("nothing to try: give --vary name=value,value or --study")
    if grid:
        names = [name for name, _ in vary]
        chosen = [dict(zip(names, values, strict=True)) for values in itertools.product(*(v for _, v in vary))]
    else:
        chosen = [{name: value} for name, values in vary for value in values]
    return {", ".join(f"{name}={value}" for name, value in changes.items()): changes for changes in chosen}


def study_watch(game: Game, opponent: str, episodes: int, points: int, games: int, plies: int) -> Watch:
    """Return what a study measures: ``points`` times per training, ``games`` games against one opponent."""
    return Watch(
        opponents=[opponent],
        every=-(-episodes // points),
        games=games,
        opening=0 if game.info.chance != "none" else 4,
        plies=plies,
    )


def run_study(
    game: Game,
    settings: Mapping[str, dict[str, Any]],
    base: dict[str, Any],
    seeds: int,
    watch: Watch,
    folder: pathlib.Path,
    show: Callable[[int, str], None] | None = None,
) -> list[StudyOutcome]:
    """Train every setting with every seed, measure, and write results and pictures.

    Args:
        game: the game.
        settings: parameters of each setting by its label.
        base: parameters that all have in common.
        seeds: trainings per setting, with seeds from 0 on, which decide random tuples too.
        watch: opponents and how often to measure; the first opponent is the one that counts.
        folder: where results go.
        show: called with the trainings finished since the last call and a line.
    """
    make_folder(folder)
    check_writable(folder / "results.json")
    for changes in settings.values():
        defaults(game, {**base, **changes})
    path = folder / "results.json"
    found = _read_rows(path) if path.exists() else []
    for seed in range(seeds):
        for label, changes in settings.items():
            wanted = {"game": game.id, "label": label, "seed": seed, "parameters": {**base, **changes}}
            wanted |= {"opponents": list(watch.opponents), "games": watch.games, "plies": watch.plies}
            if not any(all(row.get(key) == value for key, value in wanted.items()) for row in found):
                layout, values = defaults(game, {"tuple_seed": seed, **base, **changes})
                training = NTupleTraining(game, layout, values, seed)
                begun = time.perf_counter()
                run_training(training, None, watch)
                found.append({**wanted, "seconds": time.perf_counter() - begun, "curve": training.curve})
                write_text(path, json.dumps(found, indent=1))
            if show is not None:
                show(1, f"{label}, seed {seed}")
    rows = [row for row in found if row["label"] in settings and row["seed"] < seeds]
    opponent = watch.opponents[0]
    _draw(rows, list(settings), opponent, folder)
    return [_outcome(label, [row for row in rows if row["label"] == label], opponent) for label in settings]


def _read_rows(path: pathlib.Path) -> list[dict[str, Any]]:
    """Read the trainings that a study has done already."""
    with reading(path, "study"):
        rows = read_json(path, "study")
        for row in rows:
            for point in row["curve"]:
                if not all(isinstance(point[name], float | int) for name in ("episodes", "score", "low", "high")):
                    raise ValueError(f"a curve has the point {point!r}")
            if not isinstance(row["label"], str) or not all(
                isinstance(row[name], float | int) for name in ("seed", "games", "seconds")
            ):
                raise ValueError(f"a training is called {row['label']!r}")
    return list(rows)


def _points(row: dict[str, Any], opponent: str) -> list[dict[str, Any]]:
    return [point for point in row["curve"] if point["opponent"] == opponent]


def _outcome(label: str, rows: list[dict[str, Any]], opponent: str) -> StudyOutcome:
    last = [_points(row, opponent)[-1] for row in rows]
    scores = [point["score"] for point in last]
    games = sum(row["games"] for row in rows)
    ci95 = seeds_interval(scores, games) if len(scores) > 1 else (last[0]["low"], last[0]["high"])
    seconds = sum(row["seconds"] for row in rows) / len(rows)
    return StudyOutcome(label, scores, float(np.mean(scores)), ci95, seconds)


def _draw(rows: list[dict[str, Any]], labels: list[str], opponent: str, folder: pathlib.Path) -> None:
    curves = {}
    boxes = {}
    for label in labels:
        seeds = [_points(row, opponent) for row in rows if row["label"] == label]
        steps = [float(point["episodes"]) for point in seeds[0]]
        table = np.array([[point["score"] for point in points] for points in seeds])
        curves[label] = (steps, table.mean(0).tolist(), table.min(0).tolist(), table.max(0).tolist())
        boxes[label] = table[:, -1].tolist()
    for theme in THEMES:
        plot_curves(curves, "episodes", f"score against {opponent}", picture_of(folder, "curves", theme), theme)
        plot_boxes(boxes, f"score against {opponent}", picture_of(folder, "boxes", theme), theme)


def picture_of(folder: pathlib.Path, name: str, theme: str) -> pathlib.Path:
    """Return where a study keeps a picture."""
    return folder / (f"{name}.png" if theme == "light" else f"{name}-{theme}.png")
