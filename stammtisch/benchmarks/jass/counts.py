"""Counts opportunities and events of weak card play in Jass; executed once per set of rules and policies.

Each habit has a column: A1 A2 B1 C1 D1 D2 E1 F1 G1 G1b G2 H1 I1, as ``jass_stats`` explains them. True hands are
looked at where a habit asks for them, so the counts are for judging players, not for playing.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from stammtisch.envs.core.loader import KernelModule
from stammtisch.envs.core.rng import CHANCE_STREAM, next_word
from stammtisch.envs.core.rules import OwnRules
from stammtisch.envs.jass.family.cards import (
    BUUR,
    BUUR_SET,
    COLOUR_OF,
    COLOUR_SET,
    DECK,
    N_COLOURS,
    N_RANKS,
    NELL,
    POINTS,
    POWER,
    beats,
    count,
    lowest,
    order_of,
)

RULES: OwnRules
LANES: KernelModule
kernel: Callable[[Callable[..., Any]], Any]

choose = LANES.choose
init, player, apply = RULES.init, RULES.player, RULES.apply
lead_colour, legal_cards_of = RULES.lead_colour, RULES.legal_cards_of
MODE, NO_MODE, PLAYED_COUNT, TRICK = RULES.MODE, RULES.NO_MODE, RULES.PLAYED_COUNT, RULES.TRICK
WINNER, BEST, POT, HAND, PLAYED = RULES.WINNER, RULES.BEST, RULES.POT, RULES.HAND, RULES.PLAYED
STATE_LEN = RULES.STATE_LEN

COLUMNS = ("A1", "A2", "B1", "C1", "D1", "D2", "E1", "F1", "G1", "G1b", "G2", "H1", "I1")
A1, A2, B1, C1, D1, D2, E1, F1, G1, G1B, G2, H1, I1 = range(len(COLUMNS))
CHEAP_TRICK, POOR_TRICK = 5, 10
DEAR_CARD, CHEAP_CARD = 10, 4


@njit
def _tick(counts, column, event):
    counts[column, 0] += 1
    if event:
        counts[column, 1] += 1


@njit
def _beating(order, cards, best):
    found = np.int64(0)
    while cards:
        card = lowest(cards)
        if beats(order, card, best):
            found |= np.int64(1) << card
        cards &= cards - 1
    return found


@njit
def _extreme_points(mode, cards):
    """Return the least and the greatest number of points of a card in a set."""
    least, most = np.int64(100), np.int64(-1)
    while cards:
        value = POINTS[mode, lowest(cards)]
        least, most = min(least, value), max(most, value)
        cards &= cards - 1
    return least, most


@njit
def _top(order, cards):
    """Return the greatest strength of a card in a set, -1 for the empty set."""
    best = np.int64(-1)
    while cards:
        best = max(best, POWER[order, lowest(cards)])
        cards &= cards - 1
    return best


@njit
def _bocks(order, hand, unseen):
    """Return the cards of a hand that no unseen card of their colour beats."""
    found = np.int64(0)
    for colour in range(N_COLOURS):
        highest = _top(order, unseen & COLOUR_SET[colour])
        rest = hand & COLOUR_SET[colour]
        while rest:
            if POWER[order, lowest(rest)] > highest:
                found |= rest & -rest
            rest &= rest - 1
    return found


@njit
def _discarded_before(s, p, trump):
    """Tell whether a seat has given a card that was neither the colour led nor a trump."""
    for trick in range(s[PLAYED_COUNT] >> 2):
        word = s[TRICK + trick]
        lead = COLOUR_OF[(word & 63) - 1]
        for position in range(1, 4):
            card = ((word >> (6 * position)) & 63) - 1
            colour = COLOUR_OF[card]
            if (s[PLAYED + p] >> card) & 1 and colour != lead and colour != trump:
                return True
    return False


@njit
def _note_lead(s, p, card, counts):
    order = order_of(s[MODE], s[PLAYED_COUNT] >> 2)
    hand = s[HAND + p]
    if order >= N_COLOURS:
        seen = hand | s[PLAYED] | s[PLAYED + 1] | s[PLAYED + 2] | s[PLAYED + 3]
        bocks = _bocks(order, hand, DECK & ~seen)
        if bocks and bocks != hand:
            _tick(counts, E1, not (bocks >> card) & 1)
        return
    trumps = COLOUR_SET[order]
    leads_trump = COLOUR_OF[card] == order
    opponents = s[HAND + ((p + 1) & 3)] | s[HAND + ((p + 3) & 3)]
    if hand & trumps and hand & ~trumps and not opponents & trumps:
        _tick(counts, A1, leads_trump)
        if s[HAND + ((p + 2) & 3)] & trumps:
            _tick(counts, A2, leads_trump)
    nell = np.int64(1) << (N_RANKS * order + NELL)
    others = s[HAND + ((p + 1) & 3)] | s[HAND + ((p + 2) & 3)] | s[HAND + ((p + 3) & 3)]
    if hand & nell and hand != nell and others & BUUR_SET[order]:
        _tick(counts, F1, card == N_RANKS * order + NELL)


@njit
def _note_last(s, p, card, legal, order, counts, excess):
    mode = s[MODE]
    value = POINTS[mode, card]
    winning = _beating(order, legal, s[BEST])
    losing = legal & ~winning
    wins = (winning >> card) & 1 == 1
    if (s[WINNER] & 1) == (p & 1):
        if winning and losing:
            _tick(counts, B1, wins)
        most = _extreme_points(mode, losing)[1]
        if most >= DEAR_CARD and _extreme_points(mode, legal)[0] < DEAR_CARD:
            _tick(counts, H1, not wins and value < DEAR_CARD)
        return
    least, most = _extreme_points(mode, legal)
    if winning == 0 and least < most:
        _tick(counts, C1, value > least)
        excess[0] += value - least
    if winning == 0 and most >= DEAR_CARD and least <= CHEAP_CARD:
        _tick(counts, G2, value >= DEAR_CARD)
    if order < N_COLOURS:
        big = BUUR_SET[order] | (np.int64(1) << (N_RANKS * order + NELL))
        if winning & big and s[POT] <= CHEAP_TRICK and _extreme_points(mode, losing)[0] == 0:
            _tick(counts, D1, (big >> card) & 1 == 1)
    if count(winning) >= 2:
        weakest = np.int64(0)
        for_weakest = np.int64(1000)
        rest = winning
        while rest:
            if POWER[order, lowest(rest)] < for_weakest:
                for_weakest = POWER[order, lowest(rest)]
                weakest = lowest(rest)
            rest &= rest - 1
        _tick(counts, D2, wins and card != weakest)


@njit
def _note_follow(s, p, card, counts, excess):
    order = order_of(s[MODE], s[PLAYED_COUNT] >> 2)
    position = s[PLAYED_COUNT] & 3
    hand, lead = s[HAND + p], lead_colour(s)
    last = position == 3
    if order < N_COLOURS and lead == order and (hand & COLOUR_SET[order]) == BUUR_SET[order] and count(hand) > 1:
        shown = card == N_RANKS * order + BUUR
        _tick(counts, G1, shown)
        if last and s[POT] <= POOR_TRICK:
            _tick(counts, G1B, shown)
    colour = COLOUR_OF[card]
    trump = order if order < N_COLOURS else -1
    if colour != lead and colour != trump and not _discarded_before(s, p, trump):
        colours, best = 0, np.int64(-1)
        for c in range(N_COLOURS):
            if c != trump and hand & COLOUR_SET[c]:
                colours += 1
                best = max(best, _top(order, hand & COLOUR_SET[c]))
        if colours >= 2:
            _tick(counts, I1, _top(order, hand & COLOUR_SET[colour]) < best)
    if last:
        _note_last(s, p, card, legal_cards_of(s, p), order, counts, excess)


@kernel
def note(s, a, counts, excess):
    """Count what the action ``a``, about to be played in the full position ``s``, tells about its player.

    Args:
        s: the row.
        a: a legal action.
        counts: int64[13, 2], opportunities and events per habit, added to.
        excess: float64[1], points given away beyond need in C1, added to.
    """
    p = player(s)
    if s[MODE] == NO_MODE:
        return
    if s[PLAYED_COUNT] & 3 == 0:
        _note_lead(s, p, a, counts)
    else:
        _note_follow(s, p, a, counts, excess)


@kernel
def play_deals(deals, kind, r, counts, excess):
    """Let a kernel policy play all four seats of so many deals and count its habits; see ``note``.

    Args:
        deals: how many.
        kind: 0 random, 1 the policy that the lane kernels were made with.
        r: uint64[5], streams of chance and of the seats.
        counts: as in ``note``.
        excess: as in ``note``.
    """
    s = np.zeros(STATE_LEN, np.int64)
    for _ in range(deals):
        init(s, r)
        apply(s, np.int64(next_word(r, CHANCE_STREAM) >> np.uint64(1)))
        while player(s) >= 0:
            a = choose(kind, s, r)
            note(s, a, counts, excess)
            apply(s, a)
