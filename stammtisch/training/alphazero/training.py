"""``AlphaZeroTraining``: plays, learns, evaluates and saves, in turn or side by side."""

import json
import os
import pathlib
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.arena.match import play_match
from stammtisch.arena.plan import lineup
from stammtisch.baselines.kernels.puct_records import VERSION, SearchRecords
from stammtisch.baselines.learned.alphazero.agent import AlphaZero
from stammtisch.baselines.learned.alphazero.evaluators import make_evaluator
from stammtisch.baselines.learned.alphazero.files import load_network, save_network
from stammtisch.baselines.learned.alphazero.shape import NetworkShape, Weights
from stammtisch.baselines.learned.tensor_files import named, read_tensors, under, write_tensors
from stammtisch.envs import load_game
from stammtisch.files import make_folder, writing_to
from stammtisch.files.documents import fits
from stammtisch.files.reading import reading
from stammtisch.training.alphazero.learner import Losses, NetworkLearner
from stammtisch.training.alphazero.lessons import Lessons
from stammtisch.training.alphazero.rating import LadderRating
from stammtisch.training.alphazero.selfplay import Portion
from stammtisch.training.alphazero.settings import AlphaZeroSettings
from stammtisch.training.alphazero.window import ReplayWindow
from stammtisch.training.alphazero.workers import SelfPlayWorkers, WorkerHere, start_workers
from stammtisch.training.counts import restore_counts
from stammtisch.training.evaluator import CurvePoint, Evaluator
from stammtisch.training.progress import Show
from stammtisch.training.scalars import Scalars
from stammtisch.training.settings import check_same_settings

NETWORK, CHECKPOINT, METRICS, PIECES = "network.safetensors", "checkpoint.safetensors", "metrics.jsonl", "positions"
KIND = "alphazero checkpoint"
_FREE = (
    "minutes",
    "clock",
    "positions",
    "workers",
    "engine",
    "checkpoint_minutes",
    "tensorboard",
    "parts",
)  # may change when a training goes on
_COUNTS = ("games", "simulations", "version", "seconds", "resign", "next_gate", "evaluated", "starts", "elo")
_RESIGN_STEP = 0.02
_RESIGN_ERRORS = 0.05  # share of wrongly given up games that is bearable
_RESIGN_CHECKED = 20  # games before that is judged


@dataclass(frozen=True)
class AlphaZeroProgress:
    """How far a training is.

    Attributes:
        share: of the whole, 0 to 1.
        seconds: spent in all.
        games: played.
        positions: played.
        steps: gradient steps.
        games_per_hour: since the last time.
        simulations_per_second: since the last time.
        losses: since the last time.
        window: positions that are learned from.
        curve: all evaluations so far.
        moves: per game, since the last time.
        elo: on the frozen ladder of the game, at the last evaluation; None where there is no rating.
    """

    share: float
    seconds: float
    games: int
    positions: int
    steps: int
    games_per_hour: float
    simulations_per_second: float
    losses: Losses
    window: int
    curve: tuple[CurvePoint, ...]
    moves: float
    elo: float | None


class AlphaZeroTraining:
    """A training that can be begun, interrupted and resumed.

    With one worker and a number of positions, a training that was interrupted goes on as if it had not been; with
    several, or a limit in minutes, it goes on safely, and only the games under way are lost.

    Args:
        settings: everything that decides it.
        out: folder for network, checkpoint, positions, curve and TensorBoard.
        resume: go on with what is there.
        progress: called after every portion; what it returns is whether to stop at a checkpoint.
        workers: who plays; by default those that the settings ask for.
    """

    def __init__(
        self,
        settings: AlphaZeroSettings,
        out: str | os.PathLike[str],
        resume: bool = False,
        progress: Callable[[AlphaZeroProgress], bool | None] | None = None,
        workers: SelfPlayWorkers | None = None,
    ):
        if not settings.minutes and not settings.positions:
            raise ValueError("a training needs an end: give minutes or positions")
        self.settings, self.out, self.progress = settings, pathlib.Path(out), progress
        make_folder(self.out)
        game = self.game = load_game(settings.game, **settings.options)
        self.shape = NetworkShape.for_game(game, settings.network_for(game))
        weights = self.shape.fresh_weights(settings.seed)
        if settings.start:
            shape, weights, _ = load_network(settings.start, game)
            if shape != self.shape:
                raise ValueError(f'"{settings.start}" is a network {shape.name}, not {self.shape.name}')
        self.learner = NetworkLearner(game, self.shape, weights, settings)
        self.window = ReplayWindow(game, settings, self.out / PIECES)
        self.rng = np.random.default_rng(settings.seed)
        self.evaluator = Evaluator(
            game, settings.eval_against, 1, settings.eval_games, settings.seed, settings.opening_for(game)
        )
        self._ladder = LadderRating(game, settings.eval_games, settings.seed) if settings.eval_ladder else None
        self.elo: float | None = None
        self._scalars = Scalars(self.out / "tensorboard" if settings.tensorboard else None)
        self.playing: Weights = self.learner.weights()  # those of self-play: the newest, or with a gate the best
        self.games = self.simulations = self.version = self.evaluated = self.starts = 0
        self.seconds, self.resign, self.next_gate = 0.0, settings.resign, settings.gate_every
        self._checked = self._wrong = 0
        saved: dict[str, NDArray[Any]] = {}
        if resume and (self.out / CHECKPOINT).exists():
            saved = self._restore()
        self.starts += 1
        self._lessons = Lessons(settings) if settings.teacher else None
        self.workers = workers or start_workers(settings, self.starts - 1)
        if isinstance(self.workers, WorkerHere) and saved:
            with reading(self.out / CHECKPOINT, KIND):
                self.workers.self_play.restore(saved)
        self._clock = time.process_time if settings.clock == "cpu" else time.perf_counter
        self._begun = self._clock() - self.seconds

    @property
    def share(self) -> float:
        """How much of the training is over, 0 to 1."""
        shares = [0.0]
        if self.settings.positions:
            shares.append(self.window.added / self.settings.positions)
        if self.settings.minutes:
            shares.append(self.seconds / (60 * self.settings.minutes))
        return min(1.0, max(shares))

    def run(self) -> "AlphaZeroTraining":
        """Train to the end, or until ``progress`` asks to stop."""
        last_saved = self.seconds
        stopped = False
        try:
            self.workers.publish(self.playing, self.version, self.resign)
            while self.share < 1.0 and not stopped:
                begun = time.perf_counter()
                portion = self._next_portion()
                self._take(portion)
                self._learn()
                self._publish()
                self.seconds = self._clock() - self._begun
                if self.share >= (self.evaluated + 1) / self.settings.evaluations:
                    self._evaluate()
                stopped = bool(self._tell(portion, time.perf_counter() - begun))
                if self.seconds - last_saved >= 60 * self.settings.checkpoint_minutes:
                    self.save()
                    last_saved = self.seconds
            if not self.evaluator.points:
                self._evaluate()
            self.save()
        finally:
            self.workers.close()
            self._scalars.close()
        return self

    def _next_portion(self) -> Portion:
        """Return games of the teacher, if there is one, until there are enough; then of self-play."""
        if self._lessons is None or self.window.added >= self.settings.lessons:
            return self.workers.next_portion()
        portion = self._lessons.portion(self.games)
        portion.records.facts[:, VERSION] = self.version
        return portion

    def _take(self, portion: Portion) -> None:
        fresh = portion.records.facts[:, VERSION] >= self.version - self.settings.stale
        records = portion.records if fresh.all() else SearchRecords(*(array[fresh] for array in portion.records))
        if len(records.facts):
            self.window.add(records)
        self.games += portion.games
        self.simulations += portion.simulations
        self._checked += portion.checked
        self._wrong += portion.wrong
        if self._checked >= _RESIGN_CHECKED and self.resign > -2:
            errors = self._wrong / self._checked
            change = -_RESIGN_STEP if errors > _RESIGN_ERRORS else _RESIGN_STEP / 4
            self.resign = max(-1.0, min(1.0, self.resign + change))
            self._checked = self._wrong = 0

    def _learn(self) -> None:
        """Take as many gradient steps as the positions played so far allow."""
        allowed = int(self.window.added * self.settings.samples / self.settings.batch)
        while self.learner.steps < allowed:
            self.learner.step(self.window.draw(self.rng), self.share)

    def _publish(self) -> None:
        """Let self-play go on with what was learned; with a gate, only if it wins often enough."""
        if not self.settings.gate:
            self.playing = self.learner.weights()
            self.version += 1
        elif self.window.added >= self.next_gate:
            self.next_gate = self.window.added + self.settings.gate_every
            fresh = self.learner.weights()
            players = lineup(self.game, self._player(fresh), self._player(self.playing))
            match = play_match(
                self.game, players, self.settings.gate_games, self.version, opening=self.evaluator.opening
            )
            if match.score >= self.settings.gate:
                self.playing = fresh
                self.version += 1
        self.workers.publish(self.playing, self.version, self.resign)

    def _player(self, weights: Weights) -> AlphaZero:
        evaluator = make_evaluator(self.shape, weights, self.settings.backend, "fp32")
        return AlphaZero.of(self.game, evaluator, simulations=self.settings.eval_simulations)

    def _evaluate(self) -> None:
        begun = self._clock()
        self.evaluated = max(self.evaluated + 1, int(self.share * self.settings.evaluations))  # each point once
        player = self._player(self.playing)
        points = self.evaluator.evaluate(player, self.window.added)
        if self._ladder is not None:
            self.elo, more = self._ladder.rate(player, points)
            points = points + more
            self.evaluator.points += more
        for point in points:
            self._write({"evaluation": asdict(point)})
            self._scalars.add(f"score/{point.opponent}", point.score, point.step)
        if self.elo is not None:
            self._write({"elo": self.elo, "positions": self.window.added})
            self._scalars.add("score/elo", self.elo, self.window.added)
        facts = {"positions": self.window.added, "games": self.games}
        save_network(self.out / NETWORK, self.game, self.shape, self.playing, facts)
        if self.settings.clock == "cpu":  # counts what is spent on playing and learning
            self._begun += self._clock() - begun

    def _tell(self, portion: Portion, seconds: float) -> bool | None:
        """Report progress; return whether to stop."""
        now = AlphaZeroProgress(
            share=self.share,
            seconds=self.seconds,
            games=self.games,
            positions=self.window.added,
            steps=self.learner.steps,
            games_per_hour=portion.games / seconds * 3600,
            simulations_per_second=portion.simulations / seconds,
            losses=self.learner.losses(),
            window=len(self.window),
            curve=tuple(self.evaluator.points),
            moves=portion.plies / max(1, portion.games),
            elo=self.elo,
        )
        for name, value in _scalars_of(now).items():
            self._scalars.add(f"training/{name}", value, now.positions)
        self._write({name: value for name, value in asdict(now).items() if name != "curve"})
        return None if self.progress is None else self.progress(now)

    def _write(self, facts: dict[str, Any]) -> None:
        """Add a line to the metrics, for those who draw curves while it learns."""
        path = self.out / METRICS
        with writing_to(path), path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(facts) + "\n")

    def save(self) -> None:
        """Write the network and a checkpoint."""
        self.window.forget_old()
        arrays = named("learner/", self.learner.saved()) | named("playing/", self.playing)
        if isinstance(self.workers, WorkerHere):
            arrays |= named("games/", self.workers.self_play.saved())
        header = {
            "kind": KIND,
            "settings": self.settings.to_dict(),
            "counts": {name: getattr(self, name) for name in _COUNTS},
            "added": self.window.added,
            "pieces": self.window.pieces,
            "curve": [asdict(point) for point in self.evaluator.points],
            "random": self.rng.bit_generator.state,
            "checked": [self._checked, self._wrong],
        }
        write_tensors(self.out / CHECKPOINT, arrays, header)
        self.window.delete_old()

    def _restore(self) -> dict[str, NDArray[Any]]:
        """Go on from the checkpoint; return what the worker here needs."""
        path = self.out / CHECKPOINT
        arrays, header = read_tensors(path, KIND)
        with reading(path, KIND):
            check_same_settings(header["settings"], self.settings.to_dict(), _FREE)
            self.learner.restore(under("learner/", arrays))
            self.playing = self.shape.check(under("playing/", arrays))
            restore_counts(self, _COUNTS, header["counts"])
            pieces = header["pieces"]
            if not fits(header["checked"], list[int]) or not fits(header["added"], int):
                raise ValueError("its counts are something else")
            self._checked, self._wrong = header["checked"]
            self.evaluator.points = [CurvePoint.from_json(point) for point in header["curve"]]
            self.rng.bit_generator.state = header["random"]
            self.window.restore([(name, n) for name, n in pieces], header["added"])
        return under("games/", arrays)


def _scalars_of(now: AlphaZeroProgress) -> dict[str, float]:
    return {
        "policy loss": now.losses.policy,
        "value loss": now.losses.value,
        "future loss": now.losses.future,
        "games per hour": now.games_per_hour,
        "simulations per second": now.simulations_per_second,
        "moves per game": now.moves,
        "window": now.window,
    }


def run_alphazero(
    settings: AlphaZeroSettings,
    out: str | os.PathLike[str],
    resume: bool = False,
    show: Show | None = None,
) -> dict[str, Any]:
    """Train, and return what there is to say about it, as plain values.

    Args:
        settings: everything that decides the training.
        out: folder of the result.
        resume: go on with the training in that folder.
        show: told what there is to tell; it may ask to stop at a checkpoint.
    """
    done = points = 0

    def tell(now: AlphaZeroProgress) -> bool | None:
        nonlocal done, points
        if show is None:
            return None
        parts = int(now.share * settings.parts)
        line = (
            f"{now.games:,} games ({now.games_per_hour:,.0f}/h), {now.simulations_per_second:,.0f} simulations/s, "
            f"losses {now.losses.policy:.3f} + {now.losses.value:.3f}"
        )
        figures = {"loss": now.losses.policy + now.losses.value, "moves": now.moves}
        if now.elo is not None:
            line += f", Elo {now.elo:.0f}"
            figures["elo"] = now.elo
        stop = show(parts - done, line, figures, now.curve[points:])
        done, points = parts, len(now.curve)
        return stop

    training = AlphaZeroTraining(settings, out, resume, tell).run()
    return {
        "model": str(pathlib.Path(out) / NETWORK),
        "network": training.shape.name,
        "games": training.games,
        "positions": training.window.added,
        "simulations": training.simulations,
        "steps": training.learner.steps,
        "seconds": training.seconds,
        "unit": "positions",
        "elo": training.elo,
        "curve": [asdict(point) for point in training.evaluator.points],
    }
