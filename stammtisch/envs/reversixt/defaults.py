"""What suits ReversiXT in trainings and in search."""

from typing import Any

TRAINING: dict[str, dict[str, dict[str, Any]]] = {"sb3": {"reversixt": {"gamma": 1.0, "eval_opening": 4}}}

# Dozens of moves for few simulations: the evaluation says which are worth a look.
AGENTS: dict[str, dict[str, Any]] = {"mcts": {"prior": 0.1, "depth": 1}}
