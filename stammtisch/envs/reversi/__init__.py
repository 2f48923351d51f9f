"""Reversi: turning discs, on boards of 4x4, 6x6, 8x8 and 10x10."""
