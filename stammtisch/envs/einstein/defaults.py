"""What suits EinStein in trainings, for the family and for single boards."""

from typing import Any

TRAINING: dict[str, dict[str, dict[str, Any]]] = {
    # Values that expect some moves at random play better against everyone, and much exploration shows the positions
    # into which weak opponents lead. Games begin from random layouts, so that the network knows those too; it plays
    # from the fixed layout as well, a little weaker than one that has seen nothing else.
    "ntuple": {
        "einstein": {
            "options": {"random_start": True},
            "coding": 2,
            "noise": 0.2,
            "alpha_final": 0.05,
            "episodes": 500_000,
        },
        "einstein-4x4": {"tuples": "wide"},
        "einstein-5x5": {
            "episodes": 4_000_000,
            "alpha_final": 0.02,
            "epsilon": 0.5,
            "epsilon_final": 0.5,
            "noise": 0.35,
        },
        "einstein-6x6-3p": {"tuples": "small"},
        "einstein-6x6-4p": {"tuples": "small"},
    },
    # Every layout of the cubes, stages by cubes left, and fewer moves at random: a search finds the mistakes itself.
    "ntuple strength": {
        "einstein": {
            "options": {"random_start": True},
            "coding": 2,
            "tuples": "small",
            "stages": 6,
            "coherence": 1,
            "alpha": 1.0,
            "alpha_final": 0.3,
            "epsilon": 0.3,
            "epsilon_final": 0.1,
            "lam": 0.5,
            "noise": 0.1,
            "opponents": ["mctse:iterations=100,max_nodes=100"],
            "eval_plies": 1,
        },
        "einstein-3x3": {"tuples": "fixed", "stages": 1},
        "einstein-4x4": {"tuples": "wide", "stages": 1},
        "einstein-4x4-4p": {"tuples": "fixed"},
    },
    "sb3": {
        "einstein": {
            "steps": 12_000_000,
            "envs": 512,
            "layers": [128, 128],
            "learning_rate": 1e-3,
            "final_rate": 0.05,
            "gamma": 1.0,
            "gae_lambda": 0.9,
            "rollout": 32,
            "epochs": 4,
            "entropy": 0.003,
            "eval_every": 500_000,
            "opponents": {"latest": 0.3, "pool": 0.2, "heuristic": 0.4, "random": 0.1},
        }
    },
    # Games are short, and there are neither phases nor mills.
    "dqn": {"einstein": {"games": 60_000}},
}
