"""What a Jass player can tell from its own cards and the play so far, in any game of the family; numba functions."""

import numpy as np
from numba import njit

from stammtisch.envs.jass.family.cards import CHOOSE, COLOUR_OF, COLOUR_SET, DECK, N_COLOURS, POWER, count, lowest
from stammtisch.envs.jass.family.play import BARRED, HAND, HAND_SIZE, PLAYED

RUFF_ANYWAY = 0.8  # how often a player who could follow suit prefers a winning trump


@njit
def unseen_by(s, p):
    """Return the cards that seat ``p`` has not seen: those in the other hands."""
    return DECK & ~(s[HAND + p] | s[PLAYED] | s[PLAYED + 1] | s[PLAYED + 2] | s[PLAYED + 3])


@njit
def above(order, card, cards):
    """Return those of ``cards`` that are stronger than ``card`` in its own colour."""
    stronger = np.int64(0)
    rest = cards & COLOUR_SET[COLOUR_OF[card]]
    while rest:
        other = lowest(rest)
        if POWER[order, other] > POWER[order, card]:
            stronger |= rest & -rest
        rest &= rest - 1
    return stronger


@njit
def holds_none(s, q, unseen, cards):
    """Probability that seat ``q``, dealt from the unseen cards it may hold, has none of ``cards``."""
    possible = unseen & ~s[BARRED + q]
    n = count(possible)
    size = HAND_SIZE - count(s[PLAYED + q])
    k = count(possible & cards)
    if k == 0:
        return 1.0
    if n - k < size:
        return 0.0
    return CHOOSE[n - k, size] / CHOOSE[n, size]


@njit
def can_beat(s, q, unseen, order, lead, best):
    """Probability that seat ``q``, still to play, can beat the card ``best``."""
    high = 1.0 - holds_none(s, q, unseen, above(order, best, unseen))
    if order >= N_COLOURS or lead == order:
        return high
    void = holds_none(s, q, unseen, COLOUR_SET[lead])
    ruffs = void + (1.0 - void) * RUFF_ANYWAY
    if COLOUR_OF[best] == order:
        return high * ruffs
    return high + (1.0 - high) * ruffs * (1.0 - holds_none(s, q, unseen, COLOUR_SET[order]))
