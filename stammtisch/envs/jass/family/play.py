"""The play of one Jass deal as numba functions on the front of a row: what the games of the family share.

Row: seat to move (or CHANCE, TERMINAL), forehand, what was said before the play (each game has its own use for it),
mode, cards played in this deal, then of the running trick the winner so far, its card, the cards on the table and
their points; per seat the hand, the cards played and the cards it has shown not to hold; the nine tricks (six bits
per card in playing order, 1 + card). The rest of a row, from FRONT_LEN on, belongs to each game.
"""

import numpy as np
from numba import njit

from stammtisch.envs.core.constants import CHANCE
from stammtisch.envs.jass.family.cards import (
    BUUR_SET,
    COLOUR_OF,
    COLOUR_SET,
    DECK,
    N_CARDS,
    N_COLOURS,
    beats,
    count,
    deal_unseen,
    legal_set,
    lowest,
    ruled_out,
)

N_PLAYERS = 4
HAND_SIZE, TRICKS = 9, 9

TURN, FOREHAND, SAID, MODE, PLAYED_COUNT = 0, 1, 2, 3, 4
WINNER, BEST, TABLE, POT = 5, 6, 7, 8
HAND, PLAYED, BARRED = 9, 13, 17
TRICK = 21
FRONT_LEN = TRICK + TRICKS

# What every complete observation begins with, seats counted from the observer on.
AT_HAND = 0
AT_PLAYED = AT_HAND + N_CARDS
AT_TABLE = AT_PLAYED + N_PLAYERS * N_CARDS
AT_VOIDS = AT_TABLE + N_PLAYERS * N_CARDS
OBS_FRONT_LEN = AT_VOIDS + (N_PLAYERS - 1) * N_COLOURS


@njit
def lead_colour(s):
    """Return the colour that was led to the running trick, -1 when a card is to be led."""
    if s[TABLE] == 0:
        return np.int64(-1)
    return COLOUR_OF[(s[TRICK + (s[PLAYED_COUNT] >> 2)] & 63) - 1]


@njit
def legal_hand(s, p, trump, rule):
    """Return the set of cards that seat ``p``, to move in the play, may play; arguments as in ``legal_set``."""
    return legal_set(s[HAND + p], lead_colour(s), trump, s[BEST], s[TABLE], rule)


@njit
def put_card(s, p, card, order, trump, rule, points):
    """Put a card of seat ``p`` on the table and give the turn to the next seat; tell whether the trick is complete.

    Args:
        s: the row.
        p: the seat.
        card: one of its cards.
        order: the order in which the card competes for the trick.
        trump: the trumps by which its legality was judged, -1 when there were none.
        rule: which trumps may go onto a ruff, as in ``legal_set``.
        points: what the card adds to the trick.
    """
    bit = np.int64(1) << card
    trick = s[PLAYED_COUNT] >> 2
    position = s[PLAYED_COUNT] & 3
    if position == 0:
        s[WINNER] = p
        s[BEST] = card
    else:
        s[BARRED + p] |= ruled_out(card, lead_colour(s), trump, s[BEST], s[TABLE], rule)
        if beats(order, card, s[BEST]):
            s[WINNER] = p
            s[BEST] = card
    s[HAND + p] ^= bit
    s[PLAYED + p] |= bit
    s[TABLE] |= bit
    s[POT] += points
    s[TRICK + trick] |= (card + 1) << (6 * position)
    s[PLAYED_COUNT] += 1
    s[TURN] = (p + 1) & 3
    return position == 3


@njit
def take_trick(s):
    """Clear the table and let the winner lead; return the winner and the points of the cards."""
    winner, pot = s[WINNER], s[POT]
    s[TURN] = winner
    s[WINNER] = 0
    s[BEST] = 0
    s[TABLE] = 0
    s[POT] = 0
    return winner, pot


@njit
def hide_hands(s, p):
    """Blank the hands that seat ``p`` does not see."""
    for q in range(N_PLAYERS):
        if q != p:
            s[HAND + q] = 0


@njit
def deal_hands_anew(s, p, r):
    """Deal the cards that seat ``p`` does not see; all deals in which every card so far was legal are equally likely.

    The legality of a play rules out single cards only (``ruled_out``), so such deals are drawn directly.
    """
    if s[TURN] == CHANCE:
        return
    a, b, c = (p + 1) & 3, (p + 2) & 3, (p + 3) & 3
    seen = s[HAND + p] | s[PLAYED] | s[PLAYED + 1] | s[PLAYED + 2] | s[PLAYED + 3]
    s[HAND + a], s[HAND + b], s[HAND + c] = deal_unseen(
        DECK & ~seen,
        s[BARRED + a],
        s[BARRED + b],
        s[BARRED + c],
        HAND_SIZE - count(s[PLAYED + a]),
        HAND_SIZE - count(s[PLAYED + b]),
        HAND_SIZE - count(s[PLAYED + c]),
        r,
    )


@njit
def is_void(s, p, colour):
    """Tell whether seat ``p`` has shown to hold no card of a colour, or of trumps at most the Buur."""
    cards = COLOUR_SET[colour]
    if colour == s[MODE]:
        cards &= ~BUUR_SET[colour]
    return (cards & ~s[BARRED + p]) == 0


@njit
def seat_of(s, card):
    """Return the seat that played a card in this deal."""
    for p in range(N_PLAYERS - 1):
        if (s[PLAYED + p] >> card) & 1:
            return p
    return N_PLAYERS - 1


@njit
def mark(obs, at, cards):
    """Write ones for the cards of a set, or for the binary digits of a number below 2**36."""
    while cards:
        obs[at + lowest(cards)] = 1
        cards &= cards - 1


@njit
def observe_front(s, p, obs):
    """Clear an observation and fill what seat ``p`` sees of the cards: hand, tricks, table, voids."""
    obs[:] = 0
    mark(obs, AT_HAND, s[HAND + p])
    for j in range(N_PLAYERS):
        q = (p + j) & 3
        mark(obs, AT_PLAYED + j * N_CARDS, s[PLAYED + q] & ~s[TABLE])
        mark(obs, AT_TABLE + j * N_CARDS, s[PLAYED + q] & s[TABLE])
        if j > 0 and s[BARRED + q]:
            for colour in range(N_COLOURS):
                if is_void(s, q, colour):
                    obs[AT_VOIDS + (j - 1) * N_COLOURS + colour] = 1
