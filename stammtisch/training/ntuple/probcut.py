"""``fit_probcut``: how far a shallow search of a network tells what a deep one would find, for cuts that are safe.

The values of searches are compared where the hyperbolic tangent of the network has been taken off again; there they
differ by about the same amount whoever is ahead.
"""

from typing import Any

import numpy as np

from stammtisch.baselines.learned.ntuple.network import Network
from stammtisch.baselines.search.alphabeta_learned import LearnedSearch
from stammtisch.envs.core.streams import seed_streams

# Deep and shallow searches that end with the same side to move. What is too deep to fit is taken from another pair.
PAIRS = {3: 1, 4: 2, 5: 1, 6: 2, 7: 3, 8: 4}
DEEPER = {9: (7, 3), 10: (8, 4), 11: (7, 5), 12: (8, 6), 13: (7, 5), 14: (8, 6)}
_WIDER = 1.15  # spread of a pair that was not fitted itself
MARGIN = 1.4  # spreads by which a shallow value must lie outside of the window
_SURE = 0.98  # values beyond say little about the rest
_RANDOM_MOVES, _RANDOM_SHARE = 8, 0.15
_OPTIONS = {"table_mb": 8, "threads": 1, "endgame": 0, "nodes": 0, "exact": False, "selective": False}


def fit_probcut(network: Network, positions: int, seed: int) -> list[dict[str, float]]:
    """Search positions of the network's own games to all depths and return what ``alphabeta`` needs to know.

    Args:
        network: the network.
        positions: how many positions to search.
        seed: decides the games.
    """
    deepest = max(PAIRS)
    search = LearnedSearch(network, _OPTIONS, deepest)
    values = np.array([_values(search, state, deepest) for state in _positions(network, search, positions, seed)])
    found = []
    for deep, shallow in PAIRS.items():
        pairs = values[:, [shallow - 1, deep - 1]]
        pairs = np.arctanh(pairs[(np.abs(pairs) < _SURE).all(axis=1)])
        if len(pairs) < positions // 4:
            continue
        slope, offset = np.polyfit(pairs[:, 0], pairs[:, 1], 1)
        spread = float(np.std(pairs[:, 1] - slope * pairs[:, 0] - offset))
        found.append(_row(deep, shallow, float(slope), float(offset), spread))
    fitted = {int(row["depth"]): row for row in found}
    for deep, (like, shallow) in DEEPER.items():
        if like in fitted:
            row = fitted[like]
            found.append(_row(deep, shallow, row["slope"], row["offset"], _WIDER * row["spread"]))
    return found


def _row(depth: int, shallow: int, slope: float, offset: float, spread: float) -> dict[str, float]:
    return {
        "depth": depth,
        "shallow": shallow,
        "slope": slope,
        "offset": offset,
        "spread": spread,
        "margin": MARGIN,
    }


def _positions(network: Network, search: LearnedSearch, count: int, seed: int) -> list[Any]:
    """Return positions of games that the network plays against itself, with some moves at random."""
    rng = np.random.default_rng(seed)
    streams = seed_streams(seed, 1)
    found: list[Any] = []
    while len(found) < count:
        state = network.game.new_state()
        game: list[Any] = []
        while state.player >= 0:
            legal = state.legal_actions()
            if len(game) >= _RANDOM_MOVES and len(legal) > 1:
                game.append(state.clone())
            elif len(legal) > 1:
                game.append(None)
            is_random = len(game) < _RANDOM_MOVES or rng.random() < _RANDOM_SHARE
            action = rng.choice(legal) if is_random else search.search(state._row, streams, 2, 0.0).action
            state.apply(int(action))
        kept = [position for position in game if position is not None]
        found += [kept[i] for i in rng.choice(len(kept), min(5, len(kept)), replace=False)]
    return found[:count]


def _values(search: LearnedSearch, state: Any, deepest: int) -> list[float]:
    """Return the value of a position at every depth; what ends before keeps its last value."""
    values: list[float] = []
    search.reset()
    for depth in range(1, deepest + 1):
        values.append(float(search.search(state._row, np.zeros(1, np.uint64), depth, 0.0).values.max()))
    return values
