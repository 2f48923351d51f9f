"""What networks say of one choice in Schieber; a kernel source."""

from collections.abc import Callable
from typing import Any

import numpy as np

from stammtisch.baselines.kernels.bindings import JassNets
from stammtisch.envs.core.rules import OwnRules

RULES: OwnRules
NETS: JassNets
kernel: Callable[[Callable[..., Any]], Any]

say = NETS.say


@kernel
def advise(root, nets, room, actions, scores):
    """Fill the choices of the seat to move and what the networks say of them; return how many there are.

    Args:
        root: what the seat to move knows, not changed.
        nets: ``Nets``.
        room: ``NetRoom``.
        actions: int64[MAX_BRANCH].
        scores: float64[MAX_BRANCH], in tens of points more than the mean of them.
    """
    n = say(root, nets, room)
    for i in range(n):
        actions[i] = room.acts[i]
        scores[i] = room.scores[i]
    return np.int64(n)
