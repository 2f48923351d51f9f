"""What a training tells while it runs: one call for every learner, read by the console and by the charts of the studio.

The names of figures are these; a learner tells those that it has.

| name | meaning |
|---|---|
| `loss` | what its optimizer minimises, mean since the last time |
| `error` | mean change that a value needed, per move |
| `moves` | moves per game |
| `epsilon` | share of moves drawn at random |
| `rate` | step size or learning rate |
| `elo` | rating on its own ladder, whose first agent has 0 |
| `known` | positions that it knows what to play in |
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from stammtisch.training.evaluator import CurvePoint

FIGURES = ("loss", "error", "moves", "epsilon", "rate", "elo", "known")


class Show(Protocol):
    """Takes what a training tells, and may ask it to stop."""

    def __call__(
        self,
        done: int,
        line: str | None = None,
        figures: Mapping[str, float] | None = None,
        points: "Sequence[CurvePoint]" = (),
        /,
    ) -> bool | None:
        """Take news.

        Args:
            done: the work done since the last call.
            line: a line about it for people, or None for the same as before.
            figures: numbers by the names above.
            points: evaluations since the last call; a training that goes on tells the earlier ones first.

        Returns:
            Whether the training is to write its checkpoint and return as soon as it can.
        """


class News:
    """Tells only what is new, to somebody who may not listen."""

    def __init__(self, show: Show | None):
        self._show = show
        self._done, self._step = 0, -1

    def tell(
        self, done: int, line: str | None, figures: Mapping[str, float], curve: "Sequence[CurvePoint]"
    ) -> bool | None:
        """Tell the work and the evaluations since the last call, given all of them; return whether to stop."""
        fresh = [point for point in curve if point.step > self._step]
        if fresh:
            self._step = fresh[-1].step
        since, self._done = done - self._done, done
        return self._show(since, line, figures, fresh) if self._show is not None else None
