"""Renamings of suits: the symmetries of a game in which no suit is worth more than another."""

import itertools
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core.game import Symmetry
from stammtisch.envs.jass.family.cards import N_CARDS, N_COLOURS, N_RANKS

Renaming = tuple[int, ...]  # the suit that each of the four suits becomes


def renamings(kinds: Sequence[object]) -> list[Renaming]:
    """Return the permutations of the four suits that keep the kind of every suit, the identity first.

    Example:
        >>> len(renamings("aaaa")), len(renamings("aabb")), len(renamings("abbb"))
        (24, 4, 6)
    """
    orders = itertools.permutations(range(N_COLOURS))
    return [order for order in orders if all(kinds[c] == kinds[order[c]] for c in range(N_COLOURS))]


def renamed_cards(renaming: Renaming) -> NDArray[np.int64]:
    """Return what every card becomes, ``int64[36]``."""
    cards = np.arange(N_CARDS)
    return np.array(renaming)[cards // N_RANKS] * N_RANKS + cards % N_RANKS


def suit_symmetry(
    renaming: Renaming, length: int, cards_at: Iterable[int], suits_at: Iterable[int], actions: int
) -> Symmetry:
    """Return a renaming of suits as a symmetry.

    Args:
        renaming: of the suits.
        length: of an observation.
        cards_at: where its blocks of 36 cards begin.
        suits_at: where its blocks of four suits begin.
        actions: number of actions; cards come first, then the four suits as trumps.
    """
    cards, suits = renamed_cards(renaming), np.array(renaming)
    observation, action = np.arange(length), np.arange(actions)
    for at in cards_at:
        observation[at + cards] = at + np.arange(N_CARDS)
    for at in suits_at:
        observation[at + suits] = at + np.arange(N_COLOURS)
    action[:N_CARDS] = cards
    action[N_CARDS : N_CARDS + N_COLOURS] = N_CARDS + suits
    return Symmetry(observation, action)
