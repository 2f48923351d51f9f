"""Schieber Jass, a single deal and the game to 2500."""
