"""What suits Reversi in trainings, for the family and for single boards."""

from typing import Any

TRAINING: dict[str, dict[str, dict[str, Any]]] = {
    "ntuple": {
        "reversi": {"stages": 6, "sharing": "cells", "alpha": 0.3, "episodes": 500_000},
        "reversi-8x8": {"episodes": 1_500_000},
    },
    # Values rest on the last cells played perfectly; every game begins otherwise.
    "ntuple strength": {
        "reversi": {
            "stages": 15,
            "sharing": "cells",
            "coherence": 1,
            "alpha": 1.0,
            "alpha_final": 0.3,
            "epsilon": 0.1,
            "epsilon_final": 0.02,
            "lam": 0.5,
            "opening": 12,
            "endgame": 8,
            "probcut": 200,
            "opponents": ["alphabeta:depth=3,endgame=0"],
            "eval_plies": 1,
            "eval_games": 100,
        },
        "reversi-4x4": {"stages": 6, "opening": 4, "endgame": 6},
        "reversi-10x10": {"endgame": 0},
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
