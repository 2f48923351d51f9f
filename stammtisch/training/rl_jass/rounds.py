"""``JassRounds``: the course of a training by reinforcement, in rounds of deals with a match now and then."""

import abc
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from stammtisch.training.evaluator import CurvePoint
from stammtisch.training.rl_jass.settings import RLJassSettings


@dataclass(frozen=True)
class Validation:
    """A match against a reference bot: points per deal more than it, their standard error, and the share of wins."""

    deals: int
    points: float
    error: float
    score: float
    score_error: float


@dataclass(frozen=True)
class RLProgress:
    """How far a training is."""

    deals: int
    updates: int
    curve: tuple[CurvePoint, ...]
    validation: Validation | None
    figures: dict[str, float]


class JassRounds(abc.ABC):
    """A training that can be begun, interrupted and resumed; it goes on as if it had never stopped.

    Args:
        settings: everything that decides it.
        out: the file of the player; a checkpoint lies beside it.
        progress: called after every round; what it returns is whether to stop at a checkpoint.
    """

    def __init__(
        self,
        settings: RLJassSettings,
        out: str | os.PathLike[str] | None,
        progress: Callable[[RLProgress], bool | None] | None,
    ):
        self.settings, self.out, self.progress = settings, out, progress
        self.deals = self.updates = 0
        self.curve: list[CurvePoint] = []
        self.points: list[dict[str, float]] = []  # the same evaluations in points
        self.validation: Validation | None = None
        self.next_validation = 0
        self.seconds = self.cpu_seconds = 0.0

    def run(self) -> Self:
        """Play and learn to the end of the settings, or until ``progress`` asks to stop."""
        settings = self.settings
        before = self.seconds - time.perf_counter(), self.cpu_seconds - time.process_time()
        next_checkpoint = self.deals + settings.checkpoint_every
        stopped = False
        while self.deals < settings.deals and not self._is_late() and not stopped:
            if self.deals >= self.next_validation:
                self.next_validation = self.deals + settings.validate_every
                self.validate()
            self.play_round()
            self.seconds, self.cpu_seconds = before[0] + time.perf_counter(), before[1] + time.process_time()
            if self.deals >= next_checkpoint:
                next_checkpoint = self.deals + settings.checkpoint_every
                self.save()
            stopped = bool(self.tell())
        if not self.curve or self.curve[-1].step < self.deals:
            self.validate()
        self.save()
        self.tell()
        return self

    def _is_late(self) -> bool:
        return bool(self.settings.minutes) and self.cpu_seconds > 60.0 * self.settings.minutes

    def tell(self) -> bool | None:
        """Report progress; return whether to stop."""
        if self.progress is None:
            return None
        return self.progress(RLProgress(self.deals, self.updates, tuple(self.curve), self.validation, self.figures()))

    def note(self, found: Validation, interval: tuple[float, float], games: int) -> Validation:
        """Add a match to the curve and to the points, in place of later ones."""
        self.validation = found
        point = CurvePoint(self.deals, self.settings.validate_against, found.score, interval, games)
        self.curve = [*(earlier for earlier in self.curve if earlier.step < self.deals), point]
        self.points = [earlier for earlier in self.points if earlier["deals"] < self.deals]
        self.points.append({"deals": self.deals, "points": found.points, "error": found.error})
        return found

    @abc.abstractmethod
    def play_round(self) -> None:
        """Play some deals, count them, and learn from them."""

    @abc.abstractmethod
    def validate(self) -> Validation:
        """Play a match against the reference bot and note it."""

    @abc.abstractmethod
    def figures(self) -> dict[str, float]:
        """Return what can be drawn over time, of the rounds since the last report."""

    @abc.abstractmethod
    def save(self) -> None:
        """Write the player, and beside it everything that the training needs to go on, if there is a file for it."""
