"""JSON that every reader takes: infinities and NaN, which it does not know, become ``null``."""

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np


def finite(data: Any) -> Any:
    """Return data with None for every number that is not finite, however deep it lies; tuples become lists.

    Example:
        >>> finite({"elo": float("inf"), "interval": (0.5, float("nan"))})
        {'elo': None, 'interval': [0.5, None]}
    """
    if isinstance(data, Mapping):
        return {key: finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [finite(value) for value in data]
    if isinstance(data, np.ndarray | np.generic):
        return finite(data.tolist())
    return None if isinstance(data, float) and not math.isfinite(data) else data


def json_text(data: Any, indent: int | None = None) -> str:
    """Write data as JSON."""
    return json.dumps(finite(data), indent=indent, allow_nan=False)
