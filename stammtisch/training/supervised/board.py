"""TensorBoard as the JassBot thesis had it: scalars for training and test, histograms of weights and gradients."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stammtisch.training.supervised.course import Course

_HISTOGRAMS_EVERY = 5  # epochs
_MOVES = 1000  # samples between two looks on the way
_SCALARS = (
    "train_loss",
    "train_mse",
    "train_accuracy",
    "loss",
    "mse",
    "accuracy",
    "masked",
    "unforced",
    "illegal",
    "card_accuracy",
)


class Board:
    """Writes to a folder, or nothing at all.

    Args:
        folder: for TensorBoard; "" for none.
    """

    def __init__(self, folder: str):
        self._writer: Any = None
        if folder:
            try:
                from torch.utils.tensorboard import SummaryWriter
            except ImportError:
                raise ValueError(
                    'TensorBoard is not installed; pip install "stammtisch[train]" or tensorboard'
                ) from None
            self._writer = SummaryWriter(folder)

    def tell(self, name: str, row: Mapping[str, Any]) -> None:
        """Write the scalars of an epoch."""
        if self._writer is not None:
            for key in _SCALARS:
                if row[key] is not None:
                    self._writer.add_scalar(f"{name}/{key}", row[key], row["epoch"])
            self._writer.flush()

    def watch(self, name: str, course: "Course") -> None:
        """Write loss and ``card_accuracy`` of the latest batch every thousand samples; call after every step."""
        done = (course.epoch * course.steps + course.step) * course.plan.batch
        if self._writer is not None and done // _MOVES > (done - course.plan.batch) // _MOVES:
            self._writer.add_scalar(f"{name}/steps/loss", course.losses[-1], done)
            self._writer.add_scalar(f"{name}/steps/card_accuracy", course.figures[-1][2], done)

    def look(self, name: str, course: "Course") -> None:
        """Write histograms of weights and gradients in the first epoch and every fifth; call before its end."""
        if self._writer is None or course.epoch % _HISTOGRAMS_EVERY:
            return
        for key, parameter in course.module.named_parameters():
            self._writer.add_histogram(f"{name}/{key}", parameter.detach(), course.epoch + 1)
            if parameter.grad is not None:
                self._writer.add_histogram(f"{name}/{key}/gradient", parameter.grad, course.epoch + 1)

    def close(self) -> None:
        """Finish the files."""
        if self._writer is not None:
            self._writer.close()
