"""What self-play by tree search writes down: what the arrays are called."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stammtisch.baselines.kernels.puct_arrays import head_count
from stammtisch.envs.core.rules import Rules

MOVER, COUNT, GAME, VERSION, PLY = 0, 1, 2, 3, 4  # facts of a position
FACTS = 5


class SearchRecords(NamedTuple):
    """Positions with what a search found there, one row each; per lane for games under way, then of finished games.

    Attributes:
        rows: int64[n, STATE_LEN], what the seat that moves may know of the position.
        facts: int32[n, FACTS], seat that moves, number of legal actions, number of the game, version of the network,
            ply.
        actions: int16[n, MAX_BRANCH], the legal actions.
        policy: float32[n, MAX_BRANCH], what the search recommends.
        found: float32[n, heads], value of the root after the search, seen from the team that moves.
        outcome: float32[n, heads], how the game ended, likewise.
        last: int64[n, STATE_LEN or 0], what the seat that moves may know of the last position of the game.
    """

    rows: Any
    facts: Any
    actions: Any
    policy: Any
    found: Any
    outcome: Any
    last: Any


class Play(NamedTuple):
    """How games of self-play go on.

    Attributes:
        full: simulations of a search whose position is written down.
        cheap: simulations of the other searches; see ``full_share``.
        full_share: share of the moves that get a full search (playout-cap randomisation); 1 for all.
        opening: up to so many moves at random begin a game, see ``opening_share``.
        opening_share: share of the games that begin at random.
        temperature: PUCT: of the moves of the first ``warm_plies`` plies.
        cool: PUCT: temperature afterwards.
        warm_plies: see ``temperature``.
        resign: a team that is worth less than this after a search gives up; -2 for never. Two teams only.
        resign_check: share of the games that are played on all the same, to see how often giving up is wrong.
        keeps: what is kept of a tree after a move: 0 nothing, 1 the network's answer, 2 everything.
        version: of the network, written into the records.
    """

    full: int
    cheap: int
    full_share: float
    opening: int
    opening_share: float
    temperature: float
    cool: float
    warm_plies: int
    resign: float
    resign_check: float
    keeps: int
    version: int


class Batch(NamedTuple):
    """Samples to learn from.

    Attributes:
        observations: float32[n, OBS_LEN].
        policies: float32[n, N_ACTIONS], to be learned.
        legal: bool[n, N_ACTIONS].
        values: float32[n, heads], to be learned.
        last: float32[n, OBS_LEN or 0], what the seat that moves will see at the end of the game.
    """

    observations: NDArray[np.float32]
    policies: NDArray[np.float32]
    legal: NDArray[np.bool_]
    values: NDArray[np.float32]
    last: NDArray[np.float32]


def new_batch(rules: Rules, size: int, with_last: bool = False) -> Batch:
    """Return an empty batch, with or without the ends of the games."""
    return Batch(
        np.zeros((size, rules.OBS_LEN), np.float32),
        np.zeros((size, rules.N_ACTIONS), np.float32),
        np.zeros((size, rules.N_ACTIONS), np.bool_),
        np.zeros((size, head_count(rules)), np.float32),
        np.zeros((size, rules.OBS_LEN if with_last else 0), np.float32),
    )


def new_records(rules: Rules, *shape: int, with_last: bool = False) -> SearchRecords:
    """Return empty records of this shape, such as ``(lanes, moves)``, with or without the ends of the games."""
    heads = head_count(rules)

    def zeros(dtype: type[Any], *inner: int) -> NDArray[Any]:
        return np.zeros((*shape, *inner), dtype)

    return SearchRecords(
        rows=zeros(np.int64, rules.STATE_LEN),
        facts=zeros(np.int32, FACTS),
        actions=zeros(np.int16, rules.MAX_BRANCH),
        policy=zeros(np.float32, rules.MAX_BRANCH),
        found=zeros(np.float32, heads),
        outcome=zeros(np.float32, heads),
        last=zeros(np.int64, rules.STATE_LEN if with_last else 0),
    )
