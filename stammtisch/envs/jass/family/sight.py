"""What networks see of a Jass deal with partners, in a frame without names of colours; numba functions.

Trumps come first and the other colours are put in the order of what the observer knows of them, so that positions that
differ in the names of colours only look the same: every renaming that keeps the rules is used, and none has to be
learned. Seats are counted from the observer on. ``order[new]`` is the colour that was renamed to ``new``.

Three sights: ``card_sight`` of a player who has to play a card, ``trump_sight`` of one who chooses the mode, and
``open_sight`` of somebody who sees all hands, for critics in training and for worlds inside of a search, in which the
hidden cards are dealt anew. No player is ever shown the third of the deal it plays in.
"""

import numpy as np
from numba import njit

from stammtisch.envs.jass.family.cards import (
    COLOUR_OF,
    N_CARDS,
    N_COLOURS,
    N_RANKS,
    OBEABE,
    beats,
    lowest,
    order_of,
    trump_of,
)
from stammtisch.envs.jass.family.play import (
    BARRED,
    BEST,
    FOREHAND,
    HAND,
    MODE,
    N_PLAYERS,
    PLAYED,
    PLAYED_COUNT,
    POT,
    SAID,
    TABLE,
    TRICKS,
    WINNER,
    mark,
)
from stammtisch.envs.jass.family.sense import above, unseen_by

_RANKS_MASK = (1 << N_RANKS) - 1
_POT_STEPS = np.array((1, 5, 10, 15, 20, 30, 40), np.int64)
N_KINDS = 3  # of modes: with trumps, Obeabe, Undeufe

# Sets of cards: own hand, table of the three others, played by all four, ruled out of the three others; then without a
# say in the order of colours: the winning card, cards that would take over, and cards that nothing unseen can beat.
N_CARD_SETS, _N_CARD_KEYS = 14, 11
_N_FACTS = N_KINDS + TRICKS + N_PLAYERS + 3 + N_PLAYERS + 1 + 2 + len(_POT_STEPS)
CARD_LEN = N_CARD_SETS * N_CARDS + _N_FACTS
# Own hand and those of the three others, table of the three others, the winning card.
N_OPEN_SETS, _N_OPEN_KEYS = 8, 7
OPEN_LEN = N_OPEN_SETS * N_CARDS + _N_FACTS
TRUMP_LEN = N_CARDS + 1
TRUMP_OUT = 7  # the four colours in the order of the frame, Obeabe, Undeufe, passing on


@njit
def sort_colours(sets, n_keys, trump, order):
    """Fill the frame of some sets of cards: trumps first, then the colours with the greatest patterns in the sets."""
    n = 0
    if trump >= 0:
        order[0] = trump
        n = 1
    for colour in range(N_COLOURS):
        if colour == trump:
            continue
        at = n
        while at > (1 if trump >= 0 else 0) and _is_greater(sets, n_keys, colour, order[at - 1]):
            order[at] = order[at - 1]
            at -= 1
        order[at] = colour
        n += 1


@njit
def _is_greater(sets, n_keys, colour, other):
    for k in range(n_keys):
        mine = (sets[k] >> (N_RANKS * colour)) & _RANKS_MASK
        its = (sets[k] >> (N_RANKS * other)) & _RANKS_MASK
        if mine != its:
            return mine > its
    return False


@njit
def renamed(cards, order):
    """Return a set of cards in a frame."""
    found = np.int64(0)
    for new in range(N_COLOURS):
        found |= ((cards >> (N_RANKS * order[new])) & _RANKS_MASK) << (N_RANKS * new)
    return found


@njit
def original(card, order):
    """Return the card that a frame calls ``card``."""
    return N_RANKS * order[COLOUR_OF[card]] + card % N_RANKS


@njit
def in_frame(card, order):
    """Return what a frame calls ``card``."""
    new = 0
    while order[new] != COLOUR_OF[card]:
        new += 1
    return N_RANKS * new + card % N_RANKS


@njit
def _mark_facts(s, p, own_tricks, their_tricks, obs, at):
    """Mark what is no set of cards: kind of mode, trick, position, who wins, who chose, open matches, points there."""
    trick = s[PLAYED_COUNT] >> 2
    position = s[PLAYED_COUNT] & 3
    obs[at + max(order_of(s[MODE], trick) - OBEABE + 1, 0)] = 1
    at += N_KINDS
    obs[at + trick] = 1
    at += TRICKS
    obs[at + position] = 1
    at += N_PLAYERS
    if position > 0:
        obs[at + ((s[WINNER] - p) & 3) - 1] = 1
    at += 3
    obs[at + ((s[FOREHAND] + 2 * s[SAID] - p) & 3)] = 1
    at += N_PLAYERS
    obs[at] = s[SAID]
    obs[at + 1] = 1 if their_tricks == 0 else 0
    obs[at + 2] = 1 if own_tricks == 0 else 0
    at += 3
    for k in range(len(_POT_STEPS)):
        if s[POT] >= _POT_STEPS[k]:
            obs[at + k] = 1


@njit
def card_sight(s, p, legal, own_tricks, their_tricks, sets, order, obs):
    """Fill what seat ``p``, to play a card, knows.

    Args:
        s: a row in the play; of the hands only that of ``p`` is read.
        p: the seat.
        legal: set of the cards that it may play.
        own_tricks: tricks of its team so far.
        their_tricks: those of the other team.
        sets: int64[N_CARD_SETS], scratch.
        order: int64[4], filled with the frame.
        obs: int8[CARD_LEN], filled.
    """
    unseen = unseen_by(s, p)
    power_order = order_of(s[MODE], s[PLAYED_COUNT] >> 2)
    sets[0] = s[HAND + p]
    for j in range(1, N_PLAYERS):
        q = (p + j) & 3
        sets[j] = s[PLAYED + q] & s[TABLE]
        sets[7 + j] = s[BARRED + q] & unseen
    for j in range(N_PLAYERS):
        sets[4 + j] = s[PLAYED + ((p + j) & 3)] & ~s[TABLE]
    sets[11] = np.int64(1) << s[BEST] if s[TABLE] else np.int64(0)
    takes = legal
    if s[TABLE]:
        takes = np.int64(0)
        rest = legal
        while rest:
            card = lowest(rest)
            if beats(power_order, card, s[BEST]):
                takes |= rest & -rest
            rest &= rest - 1
    sets[12] = takes
    highest = np.int64(0)
    rest = s[HAND + p]
    while rest:
        if above(power_order, lowest(rest), unseen | s[TABLE]) == 0:
            highest |= rest & -rest
        rest &= rest - 1
    sets[13] = highest
    sort_colours(sets, _N_CARD_KEYS, trump_of(s[MODE]), order)
    obs[:] = 0
    for k in range(N_CARD_SETS):
        mark(obs, k * N_CARDS, renamed(sets[k], order))
    _mark_facts(s, p, own_tricks, their_tricks, obs, N_CARD_SETS * N_CARDS)


@njit
def open_sight(s, p, own_tricks, their_tricks, sets, order, obs):
    """Fill what somebody who sees all hands knows, from seat ``p``, which is to play; else as ``card_sight``."""
    for j in range(N_PLAYERS):
        q = (p + j) & 3
        sets[j] = s[HAND + q]
        if j > 0:
            sets[3 + j] = s[PLAYED + q] & s[TABLE]
    sets[7] = np.int64(1) << s[BEST] if s[TABLE] else np.int64(0)
    sort_colours(sets, _N_OPEN_KEYS, trump_of(s[MODE]), order)
    obs[:] = 0
    for k in range(N_OPEN_SETS):
        mark(obs, k * N_CARDS, renamed(sets[k], order))
    _mark_facts(s, p, own_tricks, their_tricks, obs, N_OPEN_SETS * N_CARDS)


@njit
def trump_sight(hand, pushed, sets, order, obs):
    """Fill what a seat that chooses the mode knows: its hand, and whether the choice was passed on to it."""
    sets[0] = hand
    sort_colours(sets, 1, -1, order)
    obs[:] = 0
    mark(obs, 0, renamed(hand, order))
    obs[N_CARDS] = pushed
