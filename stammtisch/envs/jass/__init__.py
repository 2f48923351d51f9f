"""Jass: the card game of Switzerland, as Schieber, Differenzler, Coiffeur and Molotow.

The names here are small helpers on card ids for scripts and lessons.
"""

from stammtisch.envs.jass.family.names import CARDS, COLOURS, LEGAL_RULES, MODES, RANKS, card_id, legal_cards

__all__ = ["CARDS", "COLOURS", "LEGAL_RULES", "MODES", "RANKS", "card_id", "legal_cards"]
