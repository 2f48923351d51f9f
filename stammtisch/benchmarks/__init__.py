"""Measuring strength and speed: library code that the command line calls."""

from stammtisch.arena.match import MatchResult, play_match

__all__ = ["MatchResult", "play_match"]
