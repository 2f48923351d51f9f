"""Ready-made studies of n-tuple training: settings by their labels."""

from typing import Any

# How the thesis on EinStein learned: from each player's own next turn, greedily at first.
_THESIS = {"target": "own", "noise": 0.0, "lam": 0.1, "alpha": 0.3, "alpha_final": 0.1}
_THESIS |= {"epsilon": 0.0, "epsilon_final": 0.3, "sharing": "none", "tuples": "fixed"}
_WALK = {"tuples": "random-walk", "count": 25, "length": 4}
_POINT = {**_WALK, "tuples": "random-point"}
# Its replay: nothing is learned but from the buffer, a batch after every game.
_ONLY = {"online": False, "replay": "uniform", "buffer": 5000, "every": 0, "target": "own", "noise": 0.0, "lam": 0.0}
_ONLY |= {"alpha": 0.2, "alpha_final": 0.1, "epsilon": 0.1, "epsilon_final": 0.1}
_ONLINE = {**_ONLY, "online": True, "replay": "none"}

# The thesis tried a buffer of 5000 with batches of 5, 25 and 50, and found no gain. Its random tuples hardly won more
# than a random player: the study takes away from ours, one by one, what might make the difference.
STUDIES: dict[str, dict[str, dict[str, Any]]] = {
    "replay": {
        "no replay": {},
        "uniform, batch 5": {"replay": "uniform", "buffer": 5000, "batch": 5, "every": 1},
        "uniform, batch 25": {"replay": "uniform", "buffer": 5000, "batch": 25, "every": 5},
        "uniform, frozen targets": {"replay": "uniform", "buffer": 5000, "batch": 5, "every": 1, "freeze": 1000},
        "prioritized, batch 5": {"replay": "prioritized", "buffer": 5000, "batch": 5, "every": 1},
    },
    "replay-only": {
        "no replay": _ONLINE,
        "only replay, batch 5": {**_ONLY, "batch": 5},
        "only replay, batch 25": {**_ONLY, "batch": 25},
        "only replay, batch 50": {**_ONLY, "batch": 50},
        "only replay, batch 50, random one forgotten": {**_ONLY, "batch": 50, "insertion": "random"},
        "only replay, batch 50, least error forgotten": {**_ONLY, "batch": 50, "insertion": "least"},
        "only replay, batch 50, prioritized": {**_ONLY, "batch": 50, "replay": "prioritized"},
        "only replay, batch 50, newest": {**_ONLY, "batch": 50, "replay": "newest"},
        "replay on top, batch 50": {**_ONLY, "batch": 50, "online": True},
    },
    "tuples": {
        "fixed": {"tuples": "fixed"},
        "random walk": _WALK,
        "random point": _POINT,
        "random walk, no symmetry": {**_WALK, "sharing": "none"},
        "random walk, thirds of numbers": {**_WALK, "coding": 1},
        "random walk, owners only": {**_WALK, "coding": 0},
        "random walk, learning of the thesis": {**_THESIS, **_WALK},
        "random point, learning of the thesis": {**_THESIS, **_POINT},
        "random walk, that and owners only": {**_THESIS, **_WALK, "coding": 0},
        "random point, that and owners only": {**_THESIS, **_POINT, "coding": 0},
    },
    # Why figures of the thesis differ from ours, one reason at a time; the first row is its best setting.
    "why": {
        "learning of the thesis": _THESIS,
        "nothing learned": {**_THESIS, "alpha": 0.0, "alpha_final": 0.0},
        "lambda 1": {**_THESIS, "lam": 1.0},
        "gamma 0": {**_THESIS, "gamma": 0.0},
        "target: next decision of anybody": {**_THESIS, "target": "next"},
        "symmetry used": {**_THESIS, "sharing": "orders"},
        "weights begin at random": {**_THESIS, "init": 0.1},
        "no exploration": {**_THESIS, "epsilon_final": 0.0},
        "owners only": {**_THESIS, "coding": 0},
        "settings of ours": {},
    },
}
