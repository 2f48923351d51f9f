"""The masks of all games as the list that a ``VecEnv`` must answer with, without the price of stacking it again."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


class _FirstRow(np.ndarray):
    """An array that is asked by NumPy before ``np.stack`` runs, because it is the first of a ``MaskRows``."""

    def __array_function__(
        self, func: Callable[..., Any], types: Iterable[type], args: Iterable[Any], kwargs: Mapping[str, Any]
    ) -> Any:
        rows = next(iter(args), None)
        if func is np.stack and isinstance(rows, MaskRows) and rows[0] is self and not kwargs:
            return rows.masks.copy()
        return super().__array_function__(func, types, args, kwargs)


class MaskRows(list[NDArray[np.bool_]]):
    """One mask per game; ``np.stack``, with which ``sb3_contrib`` asks for masks, copies ``masks`` as a whole.

    Stacking 256 masks one by one takes as long as the step of all games, and so does making 256 rows: they are made
    once and show what was copied into ``masks`` last. The list and its rows are for reading, not for changing.

    Args:
        masks: ``bool[n, num_actions]``.
    """

    def __init__(self, masks: NDArray[np.bool_]):
        shown = masks.view()
        shown.flags.writeable = False
        super().__init__(shown)
        self.masks = masks
        self[0] = self[0].view(_FirstRow)

    def __reduce__(self) -> tuple[Any, ...]:
        return MaskRows, (self.masks,)
