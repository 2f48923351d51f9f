"""What suits ReversiXT in trainings."""

from typing import Any

TRAINING: dict[str, dict[str, dict[str, Any]]] = {"sb3": {"reversixt": {"gamma": 1.0, "eval_opening": 4}}}
