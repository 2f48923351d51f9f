"""One of the reference players of a game under one name, with stand-ins for what the game left out."""

import numpy as np
from numba import njit

from stammtisch.envs.core.loader import KernelModule

GIVEN: KernelModule  # an executed heuristic source
POLICY: str  # "random", or a policy of that source
EVALUATION: str  # the function of that source that values positions, where there is one of that name

_given = GIVEN.contents()

IS_RANDOM = POLICY == "random"
EVALUATES = "evaluate" in _given


@njit
def choose(s, r, acts):
    """Nothing to choose by: who plays at random draws a legal action itself."""
    return np.int64(0)


@njit
def evaluate(s, p):
    """Nothing is known of an unfinished position."""
    return 0.0


@njit
def evaluate_all(s, out):
    """Ask seat by seat; a game whose seats share the work may do it at once."""
    for p in range(len(out)):
        out[p] = evaluate(s, p)


globals().update(_given)
if EVALUATION in _given:
    evaluate = _given[EVALUATION]
if not IS_RANDOM:
    choose = _given[POLICY]
