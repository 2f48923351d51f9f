"""Studies of n-tuple training: several parameter settings, several seeds each, learning curves and box plots.

A study is written to a folder: ``results.json`` with every curve, ``curves.png`` with the mean over the seeds, and
``boxes.png`` with the final scores. A training in ``results.json`` is known by everything that decides it; what is
already there is not trained again, and what was trained otherwise is neither used nor lost.
"""

import dataclasses
import itertools
import json
import pathlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stammtisch.arena.engines import do_jobs
from stammtisch.arena.outcomes import SettingOutcome, outcome_of
from stammtisch.baselines.learned.ntuple.agent import NTupleAgent
from stammtisch.envs import load_game
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.games import GAMES, GameEntry, know_game
from stammtisch.errors import unknown
from stammtisch.files import check_writable, make_folder, write_text
from stammtisch.files.documents import fits, read_json
from stammtisch.files.reading import reading
from stammtisch.plots import THEMES, plot_boxes, plot_curves
from stammtisch.training.evaluator import CurvePoint, mean_curve
from stammtisch.training.ntuple.learner import NTupleTraining
from stammtisch.training.ntuple.run import Watch, play_against, run_training
from stammtisch.training.ntuple.settings import defaults
from stammtisch.training.ntuple.studies import STUDIES

Changes = dict[str, Any]
_POINT: dict[str, Any] = {"episodes": int, "opponent": str, "score": float, "low": float, "high": float}
_TRIAL_GAMES = 2  # that compile what a measurement needs


def variants(study: str | None, vary: Sequence[tuple[str, Sequence[Any]]], grid: bool) -> dict[str, Changes]:
    """Return the settings to try: those of a named study, one parameter after another, or all combinations."""
    if study is not None:
        if study not in STUDIES:
            raise unknown("study", study, STUDIES)
        return STUDIES[study]
    if not vary:
        raise ValueError("nothing to try: give --vary name=value,value or --study")
    return combinations(vary, grid)


def combinations(vary: Sequence[tuple[str, Sequence[Any]]], grid: bool) -> dict[str, Changes]:
    """Return what is tried by its label: all combinations of values, or one parameter after another."""
    if grid:
        names = [name for name, _ in vary]
        chosen = [dict(zip(names, values, strict=True)) for values in itertools.product(*(v for _, v in vary))]
    else:
        chosen = [{name: value} for name, values in vary for value in values]
    return {label_of(changes): changes for changes in chosen}


def label_of(changes: Mapping[str, Any]) -> str:
    """Name a setting by what it changes."""
    return ", ".join(f"{name}={value}" for name, value in changes.items())


def study_watch(game: Game, opponents: Sequence[str], episodes: int, points: int, games: int, plies: int) -> Watch:
    """Return what a study measures: ``points`` times per training, ``games`` games against each opponent."""
    return Watch(
        opponents=list(opponents),
        every=-(-episodes // points),
        games=games,
        opening=0 if game.info.chance != "none" else 4,
        plies=plies,
    )


@dataclass(frozen=True)
class _Job:
    """One training of a study: everything that decides it, ready to be sent to another process."""

    game: str
    options: dict[str, Any]
    entry: GameEntry
    changes: Changes
    seed: int
    watch: Watch

    def key(self) -> dict[str, Any]:
        """Return what the training is known by, as plain values."""
        layout, values = self._settings(load_game(self.game, **self.options))
        return {
            "game": self.game,
            "rules": self.entry.env_id,
            "options": self.options,
            "layout": dataclasses.asdict(layout),
            "settings": dataclasses.asdict(values),
            "seed": self.seed,
            "opponents": list(self.watch.opponents),
            "every": self.watch.every,
            "games": self.watch.games,
            "opening": self.watch.opening,
            "plies": self.watch.plies,
        }

    def _settings(self, game: Game) -> Any:
        return defaults(game, {"tuple_seed": self.seed, **self.changes})

    def train(self) -> dict[str, Any]:
        """Train and measure; return the time, without what is compiled, and the curve."""
        game = load_game(self.game, **self.options)
        start = (game, *self._settings(game), self.seed)
        trial = NTupleTraining(*start)
        trial.run(1)
        agent = NTupleAgent(game, network=trial.network, plies=self.watch.plies)
        for opponent in self.watch.opponents:
            play_against(game, agent, opponent, _TRIAL_GAMES, 0, self.watch.opening)
        training = NTupleTraining(*start)
        begun = time.perf_counter()
        run_training(training, None, self.watch)
        return {"seconds": time.perf_counter() - begun, "curve": training.curve}


def _train(job: _Job) -> dict[str, Any]:
    """Train in a worker, which may not know the game yet."""
    know_game(job.game, job.entry)
    return job.train()


def run_study(
    game: Game,
    settings: Mapping[str, Changes],
    base: Changes,
    seeds: int,
    watch: Watch,
    folder: pathlib.Path,
    show: Callable[[int, str], None] | None = None,
    workers: int = 1,
    engine_name: str | None = None,
) -> list[SettingOutcome]:
    """Train every setting with every seed, measure, and write results and pictures.

    Args:
        game: the game.
        settings: parameters of each setting by its label.
        base: parameters that all have in common.
        seeds: trainings per setting, with seeds from 0 on, which decide random tuples too.
        watch: opponents and how often to measure; the first opponent is the one that counts.
        folder: where results go.
        show: called with the trainings finished since the last call and a line.
        workers: trainings side by side; what they learn does not depend on it.
        engine_name: ``serial``, ``process`` or ``ray``.
    """
    make_folder(folder)
    path = folder / "results.json"
    check_writable(path)
    rows = _read_rows(path) if path.exists() else []
    known = {_text(row["key"]): row for row in rows}
    options = game.changed_options()
    jobs = {
        (label, seed): _Job(game.id, options, GAMES[game.id], {**base, **changes}, seed, watch)
        for seed in range(seeds)
        for label, changes in settings.items()
    }
    keys = {place: job.key() for place, job in jobs.items()}
    # Two labels may mean the same training, which is done once.
    missing = {_text(key): place for place, key in reversed(keys.items()) if _text(key) not in known}
    todo = [place for place in jobs if place in missing.values()]
    if show is not None and len(todo) < len(jobs):
        show(len(jobs) - len(todo), "trained before")
    for place, found in zip(
        todo, do_jobs(_train, [(jobs[place],) for place in todo], workers, engine_name), strict=True
    ):
        row = {"label": place[0], "key": keys[place], **found}
        rows.append(row)
        known[_text(row["key"])] = row
        write_text(path, json.dumps(rows, indent=1))
        if show is not None:
            show(1, f"{place[0]}, seed {place[1]}")
    if not path.exists():
        write_text(path, json.dumps(rows, indent=1))
    found_rows = {label: [known[_text(keys[label, seed])] for seed in range(seeds)] for label in settings}
    for number, opponent in enumerate(watch.opponents):
        _draw(found_rows, opponent, folder, number)
    return [
        _outcome(label, mine, watch.opponents[0], watch.games, _others(mine, watch))
        for label, mine in found_rows.items()
    ]


def study_seconds(folder: pathlib.Path) -> float:
    """Return the time of all trainings in the folder of a study."""
    path = folder / "results.json"
    return sum(float(row["seconds"]) for row in _read_rows(path)) if path.exists() else 0.0


def _text(key: Mapping[str, Any]) -> str:
    return json.dumps(key, sort_keys=True)


def _read_rows(path: pathlib.Path) -> list[dict[str, Any]]:
    """Read the trainings that a study has done; those of older files, which do not tell enough, are left out."""
    with reading(path, "study"):
        rows = read_json(path, "study")
        if not fits(rows, list[dict[str, Any]]):
            raise ValueError("it is no list of trainings")
        for row in rows:
            if not isinstance(row["label"], str) or not fits(row["seconds"], float):
                raise ValueError(f"a training is called {row['label']!r}")
            if not fits(row["curve"], list[dict[str, Any]]):
                raise ValueError(f"the training {row['label']!r} has no curve")
            for point in row["curve"]:
                if not all(fits(point.get(name), kind) for name, kind in _POINT.items()):
                    raise ValueError(f"a curve has the point {point!r}")
            if "key" in row and not _is_measured(row):
                raise ValueError(f"the training {row['label']!r} does not tell what decides it, or is not measured")
    return [row for row in rows if "key" in row]


def _is_measured(row: dict[str, Any]) -> bool:
    """Tell whether a training was measured against all opponents that its key names."""
    key = row["key"]
    if not isinstance(key, dict) or not fits(key.get("opponents"), list[str]):
        return False
    return set(key["opponents"]) <= {point["opponent"] for point in row["curve"]}


def _points(row: dict[str, Any], opponent: str) -> list[dict[str, Any]]:
    return [point for point in row["curve"] if point["opponent"] == opponent]


def _others(rows: list[dict[str, Any]], watch: Watch) -> dict[str, float]:
    """Return the mean score at the end against every opponent but the first."""
    return {
        opponent: sum(_points(row, opponent)[-1]["score"] for row in rows) / len(rows)
        for opponent in watch.opponents[1:]
    }


def _outcome(
    label: str, rows: list[dict[str, Any]], opponent: str, games: int, others: dict[str, float]
) -> SettingOutcome:
    last = [_points(row, opponent)[-1] for row in rows]
    seconds = sum(row["seconds"] for row in rows) / len(rows)
    scores = [point["score"] for point in last]
    return outcome_of(label, scores, games * len(rows), seconds, (last[0]["low"], last[0]["high"]), others=others)


def _draw(found: Mapping[str, list[dict[str, Any]]], opponent: str, folder: pathlib.Path, number: int) -> None:
    curves, boxes = {}, {}
    for label, rows in found.items():
        seeds = [
            [
                CurvePoint(point["episodes"], opponent, point["score"], (point["low"], point["high"]), 0)
                for point in _points(row, opponent)
            ]
            for row in rows
        ]
        curves[label] = mean_curve(seeds)
        boxes[label] = [points[-1].score for points in seeds]
    ending = f"-{number + 1}" if number else ""
    for theme in THEMES:
        axis = f"score against {opponent}"
        plot_curves(curves, "episodes", axis, picture_of(folder, f"curves{ending}", theme), theme)
        plot_boxes(boxes, axis, picture_of(folder, f"boxes{ending}", theme), theme)


def picture_of(folder: pathlib.Path, name: str, theme: str) -> pathlib.Path:
    """Return where a study keeps a picture."""
    return folder / (f"{name}.png" if theme == "light" else f"{name}-{theme}.png")
