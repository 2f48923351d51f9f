"""What suits Mühle and its relatives in trainings, for the family and for single boards."""

from typing import Any

_SMALLER: dict[str, Any] = {"steps": 1_000_000}

TRAINING: dict[str, dict[str, dict[str, Any]]] = {
    "ntuple": {"muehle": {"stages": 14, "sharing": "cells", "gamma": 0.99, "opening": 4, "episodes": 700_000}},
    "ntuple strength": {
        "muehle": {
            "stages": 14,
            "sharing": "cells",
            "coherence": 1,
            "gamma": 0.99,
            "alpha": 1.0,
            "alpha_final": 0.3,
            "epsilon": 0.1,
            "epsilon_final": 0.05,
            "lam": 0.5,
            "opening": 8,
            "opponents": ["alphabeta:depth=3"],
            "eval_plies": 1,
            "eval_games": 60,
            "compact_steps": 64,
        },
    },
    "sb3": {
        "muehle": {"steps": 2_000_000, "symmetry": True, "eval_opening": 4},
        "morris-3": {**_SMALLER, "eval_opening": 2},
        "morris-6": _SMALLER,
        "morris-12": _SMALLER,
    },
}
