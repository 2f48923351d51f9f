"""The reference policies and evaluation of a game that has none."""
