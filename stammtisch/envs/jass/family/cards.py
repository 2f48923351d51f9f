"""Jass cards as numba functions on bit sets: what the games of the Jass family share.

A card is ``9 * colour + rank`` with colours H, D, C, S = 0..3 and ranks 6, 7, 8, 9, 10, J, Q, K, A = 0..8. A
set of cards is an int64 with one bit per card. Modes 0..3 make that colour trumps, 4 is Obeabe, 5 Undeufe (6 is
the pass, "schieben"), 7 and 8 are Slalom and 9 and 10 Guschti, beginning with Obeabe or Undeufe; in mode 11 no
trumps are named yet. The *order* of a trick is the mode whose card order is in force: the mode itself, for Slalom
4 and 5 by turns, for Guschti the one in five tricks and the other in four, and 4 while no trumps are named.
"""

import numpy as np
from numba import njit

from stammtisch.envs.core.jit import modular
from stammtisch.envs.core.rng import below, next_word

N_CARDS, N_COLOURS, N_RANKS = 36, 4, 9
DECK = (1 << N_CARDS) - 1
OBEABE, UNDEUFE, SCHIEBEN, SLALOM_OBE, SLALOM_UNDE, GUSCHTI_OBE, GUSCHTI_UNDE, UNNAMED = 4, 5, 6, 7, 8, 9, 10, 11
N_ORDERS, N_MODES = 6, 12
GUSCHTI_TURN = 5  # tricks before Guschti turns the order
# Which trumps may go onto a plain lead that was trumped already: those above the highest; those above the trump that
# would be lowest in a plain colour, as jass-kit has it; any, for a player who holds none of the colour led.
HIGHEST_RULE, KIT_RULE, VOID_RULE = 0, 1, 2
NELL, BUUR = 3, 5  # ranks of the second highest and the highest trump
KING, QUEEN = 7, 6
LAST_TRICK, MATCH = 5, 100
DEAL_POINTS = 157  # of all cards and the last trick

_TRUMP_ORDER = (0, 1, 2, 4, 6, 7, 8, 3, 5)  # ranks, weakest first: 6 7 8 10 Q K A 9 J
_TRUMP_BONUS = 16
_POINTS = {
    "trump": (0, 0, 0, 14, 10, 20, 3, 4, 11),
    "plain": (0, 0, 0, 0, 10, 2, 3, 4, 11),
    "obeabe": (0, 0, 8, 0, 10, 2, 3, 4, 11),
    "undeufe": (11, 0, 8, 0, 10, 2, 3, 4, 0),
}


def _power_table() -> np.ndarray:
    """Strength of every card in every order; trumps are above everything else."""
    power = np.tile(np.arange(N_CARDS) % N_RANKS, (N_ORDERS, 1))
    power[UNDEUFE] = N_RANKS - 1 - power[UNDEUFE]
    for colour in range(N_COLOURS):
        for strength, rank in enumerate(_TRUMP_ORDER):
            power[colour, N_RANKS * colour + rank] = _TRUMP_BONUS + strength
    return power


def _points_table() -> np.ndarray:
    """Points of every card in every mode; Slalom and Guschti keep the table of their first trick."""
    points = np.zeros((N_MODES, N_CARDS), np.int64)
    points[:N_COLOURS] = points[UNNAMED] = np.tile(_POINTS["plain"], N_COLOURS)
    for colour in range(N_COLOURS):
        points[colour, N_RANKS * colour : N_RANKS * (colour + 1)] = _POINTS["trump"]
    points[OBEABE] = points[SLALOM_OBE] = points[GUSCHTI_OBE] = np.tile(_POINTS["obeabe"], N_COLOURS)
    points[UNDEUFE] = points[SLALOM_UNDE] = points[GUSCHTI_UNDE] = np.tile(_POINTS["undeufe"], N_COLOURS)
    return points


def _stronger_trumps() -> np.ndarray:
    """For every card, as a trump, the set of the trumps above it."""
    return np.array(
        [
            sum(1 << d for d in range(N_CARDS) if d // N_RANKS == c // N_RANKS and _beats_trump(d, c))
            for c in range(N_CARDS)
        ],
        np.int64,
    )


def _beats_trump(card: int, other: int) -> bool:
    return _TRUMP_ORDER.index(card % N_RANKS) > _TRUMP_ORDER.index(other % N_RANKS)


def _pascal(size: int) -> np.ndarray:
    """Binomial coefficients ``[n, k]`` for ``n, k < size``."""
    table = np.zeros((size, size), np.int64)
    table[:, 0] = 1
    for n in range(1, size):
        table[n, 1:] = table[n - 1, 1:] + table[n - 1, :-1]
    return table


POWER = _power_table()
POINTS = _points_table()
COLOUR_OF = np.arange(N_CARDS) // N_RANKS
COLOUR_SET = np.array([0x1FF << (N_RANKS * c) for c in range(N_COLOURS)], np.int64)
BUUR_SET = np.array([1 << (N_RANKS * c + BUUR) for c in range(N_COLOURS)], np.int64)
STRONGER = _stronger_trumps()
CHOOSE = _pascal(N_CARDS + 1)
# Multiplied by a de Bruijn number, a single bit 0..63 is known by the six highest bits of the product.
_DE_BRUIJN = 0x03F79D71B4CB0A89
_BIT_FACTOR, _BIT_SHIFT = np.uint64(_DE_BRUIJN), np.uint64(58)
_BIT_INDEX = np.zeros(64, np.int64)
_BIT_INDEX[[(_DE_BRUIJN << c) % 2**64 >> 58 for c in range(64)]] = np.arange(64)


@modular
def lowest(cards):
    """Return the lowest card of a set that is not empty."""
    return _BIT_INDEX[(np.uint64(cards & -cards) * _BIT_FACTOR) >> _BIT_SHIFT]


@njit
def count(cards):
    """Return how many cards a set has."""
    x = cards - ((cards >> 1) & 0x5555555555)
    x = (x & 0x3333333333) + ((x >> 2) & 0x3333333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F0F
    x += x >> 8
    x += x >> 16
    return (x + (x >> 32)) & 0xFF


@njit
def list_cards(cards, acts):
    """Fill ``acts`` with the cards of a set in ascending order; return how many."""
    n = 0
    while cards:
        acts[n] = lowest(cards)
        cards &= cards - 1
        n += 1
    return n


@njit
def order_of(mode, trick):
    """Return the order in force in trick 0..8."""
    if mode <= UNDEUFE:
        return mode
    if mode == UNNAMED:
        return OBEABE
    if mode >= GUSCHTI_OBE:
        return OBEABE + ((mode - GUSCHTI_OBE + (1 if trick >= GUSCHTI_TURN else 0)) & 1)
    return OBEABE + ((mode - SLALOM_OBE + trick) & 1)


@njit
def trump_of(order):
    """Return the colour that is trumps, -1 when there is none."""
    return order if order < N_COLOURS else -1


@njit
def beats(order, card, best):
    """Tell whether ``card``, played after ``best``, takes over the trick."""
    colour = COLOUR_OF[card]
    return (colour == COLOUR_OF[best] or colour == order) and POWER[order, card] > POWER[order, best]


@njit
def _ruffs_allowed(trump, best, table, rule):
    """Return the trumps that may go onto a plain lead instead of following it."""
    ruffs = table & COLOUR_SET[trump]
    if ruffs == 0:
        return COLOUR_SET[trump]
    return STRONGER[lowest(ruffs)] if rule == KIT_RULE else STRONGER[best]


@njit
def legal_set(hand, lead, trump, best, table, rule):
    """Return the cards of ``hand`` that may be played.

    Args:
        hand: the set of cards held.
        lead: colour of the first card of the trick, -1 when leading.
        trump: colour of the trumps, -1 in a mode without.
        best: the card that wins the trick so far.
        table: the set of cards on the table.
        rule: which trumps may go onto a ruff, HIGHEST_RULE, KIT_RULE or VOID_RULE.
    """
    if lead < 0:
        return hand
    follow = hand & COLOUR_SET[lead]
    if trump < 0:
        return follow if follow else hand
    if lead == trump:
        return follow if follow & ~BUUR_SET[trump] else hand
    trumps = hand & COLOUR_SET[trump]
    if trumps == hand or (rule == VOID_RULE and follow == 0):
        return hand
    plain = follow if follow else hand & ~trumps
    return plain | (trumps & _ruffs_allowed(trump, best, table, rule))


@njit
def ruled_out(card, lead, trump, best, table, rule):
    """Return the cards that a player who follows with ``card`` has shown not to hold.

    Exactly the hands without these cards may play ``card`` here; the arguments are those of ``legal_set``.
    """
    colour = COLOUR_OF[card]
    if colour == lead:
        return np.int64(0)
    if colour == trump:
        if (1 << card) & _ruffs_allowed(trump, best, table, rule):
            return np.int64(0)
        return COLOUR_SET[lead] if rule == VOID_RULE else DECK & ~COLOUR_SET[trump]
    if lead == trump:
        return COLOUR_SET[trump] & ~BUUR_SET[trump]
    return COLOUR_SET[lead]


@njit
def deal_pack(outcome, hands):
    """Fill ``hands`` (int64[4]) with nine cards each, decided by the number ``outcome`` alone."""
    r = np.empty(1, np.uint64)
    r[0] = np.uint64(outcome)
    rest = np.int64(DECK)
    for p in range(3):
        hands[p] = draw_cards(rest, 9, r)
        rest &= ~hands[p]
    hands[3] = rest


@njit
def draw_cards(cards, k, r):
    """Return ``k`` cards of a set, every choice equally likely; draws from stream 0 of ``r``."""
    n = count(cards)
    if k == n:
        return cards
    drawn = np.int64(0)
    while k > 0:
        bit = cards & -cards
        if below(r, 0, n) < k:
            drawn |= bit
            k -= 1
        cards ^= bit
        n -= 1
    return drawn


@njit
def deal_unseen(unseen, barred_0, barred_1, barred_2, size_0, size_1, size_2, r):
    """Deal the set ``unseen`` to three players, every deal that keeps the barred cards away equally likely.

    The cards fall into groups by who may hold them. How many of each group the first player gets is drawn
    with the number of deals that remain as weight; within a group all choices are alike. Some deal must be
    possible.

    Args:
        unseen: the cards to deal, as many as the sizes add up to.
        barred_0: cards that the first player cannot hold, and so on.
        barred_1: of the second player.
        barred_2: of the third player.
        size_0: number of cards of the first player, and so on.
        size_1: of the second player.
        size_2: of the third player.
        r: random streams; stream 0 is used.

    Returns:
        The three hands.
    """
    may_0, may_1, may_2 = unseen & ~barred_0, unseen & ~barred_1, unseen & ~barred_2
    hand_0 = may_0 & ~(may_1 | may_2)
    hand_1 = may_1 & ~(may_0 | may_2)
    not_2 = may_0 & may_1 & ~may_2
    not_1 = may_0 & may_2 & ~may_1
    not_0 = may_1 & may_2 & ~may_0
    free = may_0 & may_1 & may_2
    need_0 = size_0 - count(hand_0)
    need_1 = size_1 - count(hand_1)
    n_not_2, n_not_1, n_not_0, n_free = count(not_2), count(not_1), count(not_0), count(free)
    take_2, take_1 = 0, 0  # how many cards the first player gets of those barred to the third, to the second
    if not_2 | not_1:
        total = np.int64(0)
        for i in range(min(n_not_2, need_0) + 1):
            for j in range(min(n_not_1, need_0 - i) + 1):
                total += _ways(n_not_2, n_not_1, n_not_0, n_free, need_0, need_1, i, j)
        left = np.int64(next_word(r, 0) % np.uint64(total))
        for i in range(min(n_not_2, need_0) + 1):
            for j in range(min(n_not_1, need_0 - i) + 1):
                if left >= 0:
                    left -= _ways(n_not_2, n_not_1, n_not_0, n_free, need_0, need_1, i, j)
                    take_2, take_1 = i, j
    hand_0 |= draw_cards(not_2, take_2, r)
    hand_0 |= draw_cards(not_1, take_1, r)
    hand_0 |= draw_cards(free, need_0 - take_2 - take_1, r)
    hand_1 |= not_2 & ~hand_0
    hand_1 |= draw_cards((not_0 | free) & ~hand_0, need_1 - (n_not_2 - take_2), r)
    return hand_0, hand_1, unseen & ~(hand_0 | hand_1)


@njit
def _ways(n_not_2, n_not_1, n_not_0, n_free, need_0, need_1, take_2, take_1):
    """Count the deals that give the first player so many cards of the two groups it shares with one other."""
    take_free = need_0 - take_2 - take_1
    rest = need_1 - (n_not_2 - take_2)
    if take_free > n_free or rest < 0 or rest > n_not_0 + n_free - take_free:
        return np.int64(0)
    first = CHOOSE[n_not_2, take_2] * CHOOSE[n_not_1, take_1] * CHOOSE[n_free, take_free]
    return first * CHOOSE[n_not_0 + n_free - take_free, rest]
