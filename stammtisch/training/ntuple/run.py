"""Training an n-tuple network with everything around it: checkpoints, win rates on the way, curves."""

import os
import pathlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from stammtisch.arena.match import MatchResult, play_match
from stammtisch.baselines.learned.ntuple.agent import NTupleAgent
from stammtisch.envs.core.game import Game
from stammtisch.training.evaluator import CurvePoint, plot_points
from stammtisch.training.ntuple.learner import NTupleTraining

_CHUNK_S = 0.5
_FIRST_CHUNK = 16  # episodes

Show = Callable[[int, str], None]


@dataclass(frozen=True)
class Watch:
    """What is measured on the way, and where it goes.

    Attributes:
        opponents: agent specs; with more than two seats the partners are of the opponent's type.
        every: episodes between two measurements; 0 measures at the end only.
        games: games per measurement and opponent.
        opening: first moves of these games that are drawn by lot; games without chance would repeat themselves.
        plies: turns that the measured player looks ahead.
        tensorboard: folder for TensorBoard's scalars, or None.
        plot: picture of the learning curves, or None.
    """

    opponents: Sequence[str] = ("random",)
    every: int = 0
    games: int = 200
    opening: int = 0
    plies: int = 0
    tensorboard: pathlib.Path | None = None
    plot: pathlib.Path | None = None


def run_training(
    training: NTupleTraining,
    out: str | os.PathLike[str] | None,
    watch: Watch,
    show: Show | None = None,
    checkpoint_s: float = 60.0,
) -> None:
    """Train to the last episode.

    Args:
        training: a new or a resumed one.
        out: file of the network; written every ``checkpoint_s`` seconds, and at the end.
        watch: what is measured on the way.
        show: called with the episodes since the last call and a line about them.
        checkpoint_s: seconds between two checkpoints.
    """
    total = training.settings.episodes
    scalars = _Scalars(watch.tensorboard)
    saved = begun = time.perf_counter()
    at_start = training.done
    chunk = _FIRST_CHUNK
    try:
        while training.done < total:
            goal = min(total, (training.done // watch.every + 1) * watch.every) if watch.every else total
            before, now = training.done, time.perf_counter()
            training.run(min(chunk, goal - training.done))
            played, spent = training.done - before, time.perf_counter() - now
            chunk = max(_FIRST_CHUNK, min(8 * chunk, int(played / max(spent, 1e-9) * _CHUNK_S)))
            if training.done == goal and watch.opponents:
                measure(training, watch)
                for point in training.curve[-len(watch.opponents) :]:
                    scalars.add(f"score/{point['opponent']}", point["score"], training.done)
            speed = (training.done - at_start) / (time.perf_counter() - begun)
            for name, value in training.report().items():
                scalars.add(f"training/{name}", value, training.done)
            scalars.add("training/games per second", played / max(spent, 1e-9), training.done)
            if show is not None:
                show(played, _line(training, speed))
            if out is not None and time.perf_counter() - saved > checkpoint_s and training.done < total:
                training.save(out)
                saved = time.perf_counter()
        if out is not None:
            training.save(out)
    finally:
        scalars.close()
    if watch.plot is not None and training.curve:
        plot_points(curve_points(training, watch), "episodes", watch.plot)


def curve_points(training: NTupleTraining, watch: Watch) -> list[CurvePoint]:
    """Return what has been measured on the way."""
    return [
        CurvePoint(at["episodes"], at["opponent"], at["score"], (at["low"], at["high"]), watch.games)
        for at in training.curve
    ]


def measure(training: NTupleTraining, watch: Watch) -> list[MatchResult]:
    """Play the network as it is against every opponent and add the scores to the curve."""
    results = []
    for opponent in watch.opponents:
        agent = NTupleAgent(training.game, network=training.network, plies=watch.plies)
        results.append(play_against(training.game, agent, opponent, watch.games, 0, watch.opening))
        low, high = results[-1].ci95
        training.curve.append(
            {"episodes": training.done, "opponent": opponent, "score": results[-1].score, "low": low, "high": high}
        )
    return results


def play_against(
    game: Game, agent: "NTupleAgent | str", opponent: str, games: int, seed: int = 0, opening: int = 0
) -> MatchResult:
    """Play an agent against others that are all of one type, its partner included."""
    others = game.info.num_players - 1
    return play_match(game, [agent, *[opponent] * others], games, seed, opening=opening)


def _line(training: NTupleTraining, speed: float) -> str:
    line = f"{speed:,.0f} games/s, error {training.report()['mean error']:.3f}"
    latest = {point["opponent"]: point["score"] for point in training.curve}
    return line + "".join(f", {score:.1%} against {opponent}" for opponent, score in latest.items())


@dataclass
class _Scalars:
    """Scalars for TensorBoard, which is imported only if a folder is given."""

    folder: pathlib.Path | None
    _writer: Any = field(init=False, default=None)

    def __post_init__(self) -> None:
        if self.folder is None:
            return
        try:
            from tensorboard.summary import Writer
        except ImportError:
            raise ValueError('TensorBoard is not installed; pip install "stammtisch[train]" or tensorboard') from None
        self._writer = Writer(str(self.folder))

    def add(self, name: str, value: float, step: int) -> None:
        if self._writer is not None:
            self._writer.add_scalar(name, value, step=step)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
