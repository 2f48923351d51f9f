"""What suits Reversi in trainings, for the family and for single boards."""

from typing import Any

TRAINING: dict[str, dict[str, dict[str, Any]]] = {
    "ntuple": {
        "reversi": {"stages": 6, "sharing": "cells", "alpha": 0.3, "episodes": 500_000},
        "reversi-8x8": {"episodes": 1_500_000},
    },
    "sb3": {
        "reversi": {
            "steps": 8_000_000,
            "layers": [128, 128],
            "learning_rate": 1e-3,
            "gamma": 1.0,
            "symmetry": True,
            "eval_opening": 4,
            "opponents": {"latest": 0.2, "pool": 0.1, "heuristic": 0.2, "random": 0.5},
        }
    },
}
