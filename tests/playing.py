"""Random games for tests."""

from stammtisch.testing.playing import random_move, random_state, random_states

__all__ = ["random_move", "random_state", "random_states"]
