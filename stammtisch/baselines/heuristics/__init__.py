"""The one game-aware corner of the baselines: reference policies and evaluation, one file per game."""
