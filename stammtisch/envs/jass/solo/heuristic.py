"""Reference players of Differenzler and Molotow; executed once per variant. They look only at what their seat may know.

Both games ask for a number of points: Differenzler for the number predicted, Molotow for none. ``heuristic``
estimates what its hand will still make by what each card makes on average, told by the number of unseen cards that
beat it; it predicts that estimate and then plays the card that keeps the expected distance from its goal smallest.
The averages were fitted to games of the heuristic against itself.

``greedy`` says its share of the points. While it has fewer than it said (in Molotow never) it takes every trick it can
with its dearest card and gives its cheapest card otherwise; then it gives its dearest card that does not take the
trick.
"""

import numpy as np
from numba import njit

from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.rules import OwnRules
from stammtisch.envs.core.ties import WHOLE, is_better
from stammtisch.envs.jass.family.cards import (
    COLOUR_OF,
    COLOUR_SET,
    DEAL_POINTS,
    OBEABE,
    POINTS,
    UNNAMED,
    beats,
    count,
    lowest,
    order_of,
)
from stammtisch.envs.jass.family.sense import above, can_beat, holds_none, unseen_by

RULES: OwnRules

player, legal, lead_colour, cost = RULES.player, RULES.legal, RULES.lead_colour, RULES.cost
MODE, SAID, PLAYED_COUNT = RULES.MODE, RULES.SAID, RULES.PLAYED_COUNT
WINNER, BEST, TABLE, POT, HAND = RULES.WINNER, RULES.BEST, RULES.TABLE, RULES.POT, RULES.HAND
SCORE, TOTAL, DEALS, PREDICTION = RULES.SCORE, RULES.TOTAL, RULES.DEALS, RULES.PREDICTION
PREDICTS, AT_ONCE, FIRST_PREDICTION = RULES.PREDICTS, RULES.AT_ONCE, RULES.FIRST_PREDICTION
N_PLAYERS, TRICKS = RULES.N_PLAYERS, RULES.TRICKS

SHARE = DEAL_POINTS // N_PLAYERS
# What a card makes on average, in units of an average trick, by the number of unseen cards that beat it in its own
# colour: a trump, a card of another colour, a card while no trumps are named.
_DIFFERENZLER = (
    (1.29, 0.78, 0.42, 0.32, 0.26, 0.20, 0.10, 0.10, 0.10),
    (0.49, 0.12, 0.08, 0.04, 0.04, 0.08, 0.08, 0.08, 0.08),
    (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
)
_MOLOTOW = (
    (1.42, 0.99, 0.56, 0.27, 0.11, 0.10, 0.0, -0.10, -0.10),
    (0.26, 0.13, 0.09, 0.03, 0.03, 0.05, 0.05, 0.05, 0.05),
    (0.46, 0.35, 0.30, 0.30, 0.19, 0.15, -0.05, -0.05, -0.15),
)
MAKES = np.array(_DIFFERENZLER if PREDICTS else _MOLOTOW)
A_TRUMP, A_PLAIN_CARD, UNDECIDED = 0, 1, 2
TO_COME = 4.0  # what a player still to come adds to a trick
EAGER = 0.6 if PREDICTS else 0.2  # how often a player who need not take the trick does so


@njit
def kind_of(order, card):
    """Return which row of MAKES holds for a card; in the order OBEABE no trumps are named."""
    if order == OBEABE:
        return UNDECIDED
    return A_TRUMP if COLOUR_OF[card] == order else A_PLAIN_CARD


@njit
def to_make(hand, order, unseen):
    """Estimate what a hand will make, in units of an average trick."""
    makes = 0.0
    while hand:
        card = lowest(hand)
        makes += MAKES[kind_of(order, card), count(above(order, card, unseen))]
        hand &= hand - 1
    return makes


@njit
def _open_points(s):
    """Points of the deal that nobody has yet."""
    return float(DEAL_POINTS - s[SCORE] - s[SCORE + 1] - s[SCORE + 2] - s[SCORE + 3])


@njit
def _goal(s, p):
    return s[PREDICTION + p] - 1 if PREDICTS else 0


@njit
def _predict(s, p):
    """Return the estimate of what the hand makes, as a prediction."""
    points = to_make(s[HAND + p], s[MODE], unseen_by(s, p)) * DEAL_POINTS / TRICKS
    return FIRST_PREDICTION + np.int64(min(points + 0.5, DEAL_POINTS))


@njit
def _mode_after(s, card):
    """Return the mode once ``card`` is played: it may name the trumps."""
    if not PREDICTS and s[MODE] == UNNAMED and s[TABLE] and COLOUR_OF[card] != lead_colour(s):
        return np.int64(COLOUR_OF[card])
    return s[MODE]


@njit
def _beaten(s, q, unseen, order, lead, card):
    """Probability that seat ``q``, still to play, beats ``card``: because it must, or because it wants to."""
    able = can_beat(s, q, unseen, order, lead, card)
    void = holds_none(s, q, unseen, COLOUR_SET[lead])
    forced = 0.0
    if COLOUR_OF[card] == lead:
        lower = COLOUR_SET[lead] & ~above(order, card, unseen)
        forced = holds_none(s, q, unseen, lower) - void
    if AT_ONCE and s[MODE] == UNNAMED and COLOUR_OF[card] == lead:
        forced += void
        able += void * (1.0 - able)
    return forced + EAGER * max(able - forced, 0.0)


@njit
def _win_chance(s, p, unseen, order, card):
    """Probability that seat ``p`` takes the trick with ``card``."""
    position = s[PLAYED_COUNT] & 3
    if position > 0 and not beats(order, card, s[BEST]):
        return 0.0
    lead = lead_colour(s) if position else COLOUR_OF[card]
    chance = 1.0
    for turn in range(1, 4 - position):
        chance *= 1.0 - _beaten(s, (p + turn) & 3, unseen, order, lead, card)
    return chance


@njit
def heuristic(s, r, acts):
    """Predict what the hand should make, or play the card that stays closest to the goal."""
    p = player(s)
    if PREDICTS and s[SAID] < N_PLAYERS:
        return _predict(s, p)
    n = legal(s, acts)
    if n == 1:
        return acts[0]
    unseen = unseen_by(s, p)
    trick, position = s[PLAYED_COUNT] >> 2, s[PLAYED_COUNT] & 3
    need = float(_goal(s, p) - s[SCORE + p])
    left = TRICKS - 1 - trick
    best, chosen, ties = -np.inf, acts[0], 0
    for i in range(n):
        card = acts[i]
        mode = _mode_after(s, card)
        order = order_of(mode if AT_ONCE or PREDICTS else s[MODE], trick)
        pot = s[POT] + POINTS[mode, card] + TO_COME * (3 - position)
        chance = _win_chance(s, p, unseen, order, card)
        later = 0.0
        if left > 0:
            hand = s[HAND + p] & ~(np.int64(1) << card)
            later = to_make(hand, order_of(mode, trick), unseen) * max(_open_points(s) - pot, 0.0) / left
        distance = chance * abs(need - pot - later) + (1.0 - chance) * abs(need - later)
        is_best, best, ties = is_better(-distance, best, ties, 1e-9, r, 1 + p)
        if is_best:
            chosen = card
    return chosen


@njit
def greedy(s, r, acts):
    """Say the fair share; take tricks while points are missing, then give dear cards to others."""
    p = player(s)
    if PREDICTS and s[SAID] < N_PLAYERS:
        return np.int64(FIRST_PREDICTION + SHARE)
    wants = s[SCORE + p] < _goal(s, p)
    best, chosen, ties = np.int64(-1000), np.int64(0), 0
    for i in range(legal(s, acts)):
        card = acts[i]
        mode = _mode_after(s, card)
        order = order_of(mode if AT_ONCE or PREDICTS else s[MODE], s[PLAYED_COUNT] >> 2)
        takes = s[TABLE] == 0 or beats(order, card, s[BEST])
        points = POINTS[mode, card]
        value = 1 + points if takes == wants else -points
        is_best, best, ties = is_better(value, best, ties, WHOLE, r, 1 + p)
        if is_best:
            chosen = card
    return chosen


@njit
def evaluate(s, p):
    """Value of a fully known position for seat ``p``, in hundreds of points; what its hand should make is added."""
    total, deals = float(s[TOTAL + p]), s[DEALS]
    if player(s) == TERMINAL:
        total += cost(s, p)
        deals += 1
    elif player(s) != CHANCE and s[SAID] == N_PLAYERS * PREDICTS:
        order = order_of(s[MODE], s[PLAYED_COUNT] >> 2)
        left = max(count(s[HAND + p]), 1)
        points = s[SCORE + p] + to_make(s[HAND + p], order, unseen_by(s, p)) * _open_points(s) / left
        total += abs(points - _goal(s, p))
        deals += 1
    return -total / 100.0 if PREDICTS else (deals * DEAL_POINTS - 4.0 * total) / 400.0
