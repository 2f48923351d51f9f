"""Gymnasium and PettingZoo environments for the games people play at a regulars' table."""

from stammtisch.envs import load_game

__version__ = "0.1.0"
__all__ = ["__version__", "load_game"]
