"""How the reference players of Jass value a hand and choose a card when partners play together; numba functions.

A mode is valued by the card values of the JassBot thesis (HSR, 2017). Every legal card is weighed by what the trick
would probably bring and by what the card is worth later. Who may still beat a card is counted from the cards not seen
and from what each player has shown not to hold. So Bock cards (the highest left of their colour) are played, trumps
drawn while opponents have some, points given to the partner's sure tricks (*schmieren*), the partner is not overtaken
for nothing and the Buur kept for tricks that pay. The weights were tuned by play against random, greedy and earlier
versions.
"""

import numpy as np
from numba import njit

from stammtisch.envs.core.ties import WHOLE, is_better
from stammtisch.envs.jass.family.cards import (
    BUUR,
    COLOUR_OF,
    COLOUR_SET,
    N_COLOURS,
    N_RANKS,
    NELL,
    OBEABE,
    POINTS,
    UNDEUFE,
    beats,
    count,
    lowest,
    order_of,
)
from stammtisch.envs.jass.family.play import (
    BARRED,
    BEST,
    HAND,
    MODE,
    N_PLAYERS,
    PLAYED_COUNT,
    POT,
    TABLE,
    WINNER,
    lead_colour,
)
from stammtisch.envs.jass.family.sense import above, can_beat, unseen_by

BUUR_VALUE, NELL_VALUE, TRUMP_ACE_VALUE, TRUMP_VALUE = 30, 15, 12, 10
TOP_CARD_VALUE, RUN_CARD_VALUE = 4, 11
ACE = N_RANKS - 1

# Later worth of a card by the number of unseen cards that beat it in its own colour.
KEEP_TRUMP = np.array((26.0, 20.0, 17.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0))
KEEP_PLAIN = np.array((12.0, 6.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
KEEP_NO_TRUMP = np.array((9.0, 3.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0))
POINTS_TO_COME = 2.0  # what a player still to come adds to a trick
DRAW_TRUMP = 2.0  # worth of drawing one trump from the opponents
MOST_DRAWN = 4
OVERTAKING = 4.0  # price of taking a trick from the partner


@njit
def top_run(hand, colour, undeufe):
    """Count the cards held from the top of a colour down without a gap (in Undeufe from the bottom up)."""
    n = 0
    while n < N_RANKS and (hand >> (N_RANKS * colour + (n if undeufe else ACE - n))) & 1:
        n += 1
    return n


@njit
def mode_value(hand, mode):
    """Value of a hand in a mode 0..5 by the thesis' numbers."""
    value = 0
    for colour in range(N_COLOURS):
        if mode >= OBEABE:
            value += RUN_CARD_VALUE * top_run(hand, colour, mode == UNDEUFE)
        elif colour != mode:
            value += TOP_CARD_VALUE * top_run(hand, colour, False)
    if mode < N_COLOURS:
        value += TRUMP_VALUE * count(hand & COLOUR_SET[mode])
        if (hand >> (N_RANKS * mode + BUUR)) & 1:
            value += BUUR_VALUE - TRUMP_VALUE
        if (hand >> (N_RANKS * mode + NELL)) & 1:
            value += NELL_VALUE - TRUMP_VALUE
        if (hand >> (N_RANKS * mode + ACE)) & 1:
            value += TRUMP_ACE_VALUE - TRUMP_VALUE
    return value


@njit
def _win_chance(s, p, unseen, order, card):
    """Probability that the own team takes the trick if seat ``p`` plays ``card``."""
    position = s[PLAYED_COUNT] & 3
    lead = lead_colour(s) if position else COLOUR_OF[card]
    best = s[BEST]
    ours = position > 0 and (s[WINNER] & 1) == (p & 1)
    if position == 0 or beats(order, card, best):
        best = card
        ours = True
    chance = 1.0 if ours else 0.0
    for turn in range(1, 4 - position):
        q = (p + turn) & 3
        beaten = can_beat(s, q, unseen, order, lead, best)
        if turn == 2:
            chance += (1.0 - chance) * beaten
        else:
            chance *= 1.0 - beaten
    return chance


@njit
def _drawn(s, p, unseen, order, card):
    """How many trumps the opponents may hold if ``card`` is led to draw them."""
    if s[TABLE] or COLOUR_OF[card] != order:
        return 0
    may_hold = ~s[BARRED + ((p + 1) & 3)] | ~s[BARRED + ((p + 3) & 3)]
    return min(count(unseen & COLOUR_SET[order] & may_hold), MOST_DRAWN)


@njit
def _keep(unseen, order, card):
    """What a card is worth later."""
    better = count(above(order, card, unseen))
    if order >= N_COLOURS:
        return KEEP_NO_TRUMP[better]
    if COLOUR_OF[card] == order:
        return KEEP_TRUMP[better]
    return KEEP_PLAIN[better]


@njit
def best_card(s, p, acts, n, r):
    """Return the one of ``n`` legal cards with the best balance of this trick and the later ones; ties at random."""
    if n == 1:
        return acts[0]
    unseen = unseen_by(s, p)
    order = order_of(s[MODE], s[PLAYED_COUNT] >> 2)
    to_come = POINTS_TO_COME * (3 - (s[PLAYED_COUNT] & 3))
    best, chosen, ties = -np.inf, acts[0], 0
    for i in range(n):
        card = acts[i]
        pot = s[POT] + POINTS[s[MODE], card] + to_come
        chance = _win_chance(s, p, unseen, order, card)
        value = (2.0 * chance - 1.0) * pot - _keep(unseen, order, card)
        value += DRAW_TRUMP * chance * _drawn(s, p, unseen, order, card)
        if s[TABLE] and (s[WINNER] & 1) == (p & 1) and beats(order, card, s[BEST]):
            value -= OVERTAKING
        is_best, best, ties = is_better(value, best, ties, 1e-9, r, 1 + p)
        if is_best:
            chosen = card
    return chosen


@njit
def greedy_card(s, p, acts, n, r):
    """Return the dearest of ``n`` legal cards that takes the trick, else the cheapest; ties at random."""
    order = order_of(s[MODE], s[PLAYED_COUNT] >> 2)
    best, chosen, ties = np.int64(-1000), acts[0], 0
    for i in range(n):
        if s[TABLE] == 0 or beats(order, acts[i], s[BEST]):
            value = 1 + POINTS[s[MODE], acts[i]]
        else:
            value = -POINTS[s[MODE], acts[i]]
        is_best, best, ties = is_better(value, best, ties, WHOLE, r, 1 + p)
        if is_best:
            chosen = acts[i]
    return chosen


@njit
def lead_in_strength(s):
    """Return how much stronger the cards of team 0 are than those of team 1, as a share of all strength, -1..1."""
    order = order_of(s[MODE], s[PLAYED_COUNT] >> 2)
    strength = np.zeros(2)
    held = s[HAND] | s[HAND + 1] | s[HAND + 2] | s[HAND + 3]
    for q in range(N_PLAYERS):
        rest = s[HAND + q]
        while rest:
            card = lowest(rest)
            weight = 2.0 if COLOUR_OF[card] == order else 1.0
            strength[q & 1] += weight / (1.0 + count(above(order, card, held & ~s[HAND + q])))
            rest &= rest - 1
    total = strength[0] + strength[1]
    return (strength[0] - strength[1]) / total if total > 0.0 else 0.0
