"""Keeping a learned table: taking in what searches found, growing, and listing. The same for all games."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from stammtisch.baselines.kernels.tables import (
    DEPTH_MASK,
    EXACT,
    KIND_MASK,
    KIND_SHIFT,
    MOST_USES,
    USES_SHIFT,
    find,
)

kernel: Callable[[Callable[..., Any]], Any]

KEY, INFO = 0, 1


@njit
def _is_better(new, old):
    """Whether an entry says more than another about the same position: deeper, or as deep and exact."""
    new_depth, old_depth = new & DEPTH_MASK, old & DEPTH_MASK
    if new_depth != old_depth:
        return new_depth > old_depth
    return (new >> KIND_SHIFT) & KIND_MASK == EXACT or (old >> KIND_SHIFT) & KIND_MASK != EXACT


@njit
def _learn(keys, values, info, key, value, entry):
    """Take in one entry; return whether it is of a new position."""
    at = find(keys, key)
    if keys[at] == 0:
        keys[at] = key
        values[at] = value
        info[at] = entry
        return 1
    old = np.int64(info[at])
    uses = min(MOST_USES, (entry >> USES_SHIFT) + (old >> USES_SHIFT))
    if _is_better(entry, old):
        values[at] = value
        old = entry
    info[at] = old & ((1 << USES_SHIFT) - 1) | uses << USES_SHIFT
    return 0


@kernel
def learn(keys, values, info, new_keys, new_values, new_info):
    """Take the used places of another table into this one, which has room for them; return how many were new."""
    added = np.int64(0)
    for i in range(len(new_keys)):
        if new_keys[i] != 0:
            added += _learn(keys, values, info, new_keys[i], new_values[i], np.int64(new_info[i]))
    return added


@kernel
def learn_search(keys, values, info, table, table_values, least_depth):
    """Take in the transposition table of a search and empty it; return how many positions were new."""
    added = np.int64(0)
    for i in range(len(table)):
        if table[i, KEY] != 0:
            entry = table[i, INFO] & (DEPTH_MASK | KIND_MASK << KIND_SHIFT)
            if entry & DEPTH_MASK >= least_depth:
                added += _learn(keys, values, info, table[i, KEY], np.float32(table_values[i]), entry)
            table[i, KEY] = 0
            table[i, INFO] = 0
    return added
