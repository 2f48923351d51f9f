"""Frozen players: the strongest of each game with their files, and the ladders that others are measured on."""

from stammtisch.models.index import FrozenModel, model_file, models_of
from stammtisch.models.ladders import Ladder, Rung, ladder_of

__all__ = ["FrozenModel", "Ladder", "Rung", "ladder_of", "model_file", "models_of"]
