"""Batches for training a network from records of self-play, turned and mirrored as the game allows."""

from collections.abc import Callable
from typing import Any

import numpy as np

from stammtisch.baselines.kernels.puct_records import COUNT, MOVER
from stammtisch.envs.core.rules import Rules

RULES: Rules
kernel: Callable[[Callable[..., Any]], Any]

observe = RULES.observe
N_ACTIONS, OBS_LEN, OBS_DTYPE = RULES.N_ACTIONS, RULES.OBS_LEN, np.dtype(RULES.OBS_DTYPE)


@kernel
def fill(records, places, turns, cells, moves, mix, batch):
    """Fill a batch with records.

    Args:
        records: ``SearchRecords``.
        places: int64[n], which records.
        turns: int64[n], the symmetry of each.
        cells: int64[symmetries, OBS_LEN], where each value of a transformed observation comes from.
        moves: int64[symmetries, N_ACTIONS], what each action becomes.
        mix: share of the outcome in the value to be learned; the rest is what the search found.
        batch: ``Batch``, filled.
    """
    obs = np.empty(OBS_LEN, OBS_DTYPE)
    for k in range(len(places)):
        at, turn = places[k], turns[k]
        observe(records.rows[at], np.int64(records.facts[at, MOVER]), obs)
        for i in range(OBS_LEN):
            batch.observations[k, i] = obs[cells[turn, i]]
        for a in range(N_ACTIONS):
            batch.policies[k, a] = 0.0
            batch.legal[k, a] = False
        for i in range(records.facts[at, COUNT]):
            action = moves[turn, records.actions[at, i]]
            batch.policies[k, action] = records.policy[at, i]
            batch.legal[k, action] = True
        for h in range(records.outcome.shape[1]):
            batch.values[k, h] = mix * records.outcome[at, h] + (1.0 - mix) * records.found[at, h]
        if batch.last.shape[1] > 0:
            observe(records.last[at], np.int64(records.facts[at, MOVER]), obs)
            for i in range(OBS_LEN):
                batch.last[k, i] = obs[cells[turn, i]]
