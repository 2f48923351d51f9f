"""What suits Jass in trainings, for the family and for single games."""

from typing import Any

TRAINING: dict[str, dict[str, dict[str, Any]]] = {
    "sb3": {
        "jass": {
            "steps": 10_000_000,
            "envs": 512,
            "layers": [128, 128],
            "learning_rate": 1e-3,
            "final_rate": 0.05,
            "gamma": 1.0,
            "rollout": 32,
            "epochs": 2,
            "slots": 1,
            "eval_every": 500_000,
            "opponents": {"latest": 0.4, "pool": 0.2, "heuristic": 0.2, "random": 0.2},
        },
        "jass-schieber": {"options": {"pay": "trick"}},
    },
    "dqn": {
        "jass": {
            "parallel": 256,
            "layers": [256, 256],
            "gamma": 1.0,
            "n_step": 9,
            "train_every": 1,
            "epsilon_decay": 0.9998,
            "memory": 300_000,
            "reward_win": 1.0,
            "validate_opening": 0,
            "validate_games": 400,
        },
        "jass-schieber": {"options": {"pay": "trick"}},
    },
}
