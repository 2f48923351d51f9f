"""``Scalars``: numbers over time for TensorBoard."""

import pathlib
from dataclasses import dataclass, field
from typing import Any

from stammtisch.files import writing_to


@dataclass
class Scalars:
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
        with writing_to(self.folder):
            self._writer = Writer(str(self.folder))

    def add(self, name: str, value: float, step: int) -> None:
        """Write one number."""
        if self._writer is not None:
            with writing_to(str(self.folder)):
                self._writer.add_scalar(name, value, step=step)

    def close(self) -> None:
        """Write what is left."""
        if self._writer is not None:
            with writing_to(str(self.folder)):
                self._writer.close()
