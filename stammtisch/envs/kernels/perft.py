"""Counting the leaves of the game tree: the rules' strongest fingerprint."""

from collections.abc import Callable
from typing import Any

import numpy as np

from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.rules import Rules

RULES: Rules
kernel: Callable[[Callable[..., Any]], Any]

player, legal, apply = RULES.player, RULES.legal, RULES.apply
MAX_BRANCH, MAX_MOVES, STATE_LEN = RULES.MAX_BRANCH, RULES.MAX_MOVES, RULES.STATE_LEN


@kernel
def perft(s, depth, merge_turns, free_action, counts):
    """Count the leaves ``depth`` plies below the row ``s``; chance events cost no ply and every outcome is a branch.

    Args:
        s: the root, not changed.
        depth: plies.
        merge_turns: True to count a player's consecutive actions (a mill and the removal) as one ply.
        free_action: an action that costs no ply (a pass), or -1.
        counts: int64[2], filled with the leaves at full depth and the games that ended before it.
    """
    counts[:] = 0
    levels = 2 * depth + 3 if not merge_turns and free_action < 0 else MAX_MOVES + 2
    rows = np.zeros((levels, STATE_LEN), np.int64)
    acts = np.zeros((levels, MAX_BRANCH), np.int64)
    size = np.zeros(levels, np.int64)
    at = np.zeros(levels, np.int64)
    left = np.zeros(levels, np.int64)
    rows[0] = s
    left[0] = depth
    level = 0
    bulk = not merge_turns and free_action < 0
    while level >= 0:
        row = rows[level]
        if at[level] == 0:
            p = player(row)
            if p == TERMINAL:
                counts[0 if left[level] == 0 else 1] += 1
                level -= 1
                continue
            if left[level] == 0:
                counts[0] += 1
                level -= 1
                continue
            size[level] = legal(row, acts[level])
            if bulk and left[level] == 1 and p != CHANCE:
                counts[0] += size[level]
                level -= 1
                continue
        if at[level] == size[level]:
            at[level] = 0
            level -= 1
            continue
        a = acts[level, at[level]]
        at[level] += 1
        before = player(row)
        rows[level + 1] = row
        apply(rows[level + 1], a)
        cost = 1
        if before == CHANCE or a == free_action or (merge_turns and player(rows[level + 1]) == before):
            cost = 0
        left[level + 1] = left[level] - cost
        level += 1
        at[level] = 0
