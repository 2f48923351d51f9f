"""The arrays of searches over sampled deals, many games side by side: what they are called and how large they are."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stammtisch.baselines.kernels.puct_arrays import LANE_FIELDS, team_count
from stammtisch.envs.core.rules import Rules

DEALS = 32  # deals that the actions of one decision are compared in


class DealTables(NamedTuple):
    """One decision per lane, tried in deals that agree with what its seat sees.

    Attributes:
        rows: int64[lanes, STATE_LEN], the game of each lane, or what its seat may know of it.
        deals: int64[lanes, DEALS, STATE_LEN], the same with hidden cards dealt anew; all actions meet the same ones.
        flight: int64[lanes, STATE_LEN], the position of the simulation under way.
        actions: int64[lanes, MAX_BRANCH], the legal actions.
        priors: float32[lanes, MAX_BRANCH], logarithms of their priors.
        visits: int64[lanes, MAX_BRANCH].
        totals: float32[lanes, MAX_BRANCH, teams], sums of what was found behind each.
        worth: float32[lanes, teams], what the network says of the decision.
        noise: float32[lanes, MAX_BRANCH].
        lanes: int64[lanes, LANE_FIELDS], what each lane is about.
        streams: uint64[lanes, 1 + N_PLAYERS]; chance draws from the first, the search from the second.
    """

    rows: Any
    deals: Any
    flight: Any
    actions: Any
    priors: Any
    visits: Any
    totals: Any
    worth: Any
    noise: Any
    lanes: Any
    streams: Any


def new_tables(rules: Rules, lanes: int, streams: NDArray[np.uint64]) -> DealTables:
    """Return arrays for searches of so many decisions side by side."""
    teams = team_count(rules)

    def zeros(dtype: type[Any], *shape: int) -> NDArray[Any]:
        return np.zeros((lanes, *shape), dtype)

    return DealTables(
        rows=zeros(np.int64, rules.STATE_LEN),
        deals=zeros(np.int64, DEALS, rules.STATE_LEN),
        flight=zeros(np.int64, rules.STATE_LEN),
        actions=zeros(np.int64, rules.MAX_BRANCH),
        priors=zeros(np.float32, rules.MAX_BRANCH),
        visits=zeros(np.int64, rules.MAX_BRANCH),
        totals=zeros(np.float32, rules.MAX_BRANCH, teams),
        worth=zeros(np.float32, teams),
        noise=zeros(np.float32, rules.MAX_BRANCH),
        lanes=zeros(np.int64, LANE_FIELDS),
        streams=streams,
    )
