"""Frozen players: the strongest of each game with their files, and the ladders that others are measured on."""

from stammtisch.models.index import Model, model_file, models_of
from stammtisch.models.ladders import Ladder, Rung, ladder_of

__all__ = ["Ladder", "Model", "Rung", "ladder_of", "model_file", "models_of"]
