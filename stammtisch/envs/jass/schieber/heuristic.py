"""Reference players of Schieber Jass; executed once per variant. They look only at what their seat may know.

``heuristic`` chooses the most valuable mode, or passes a poor hand on, and plays the cards of ``jass_teams``. Where
modes count double or threefold, it chooses by the points that each promises.

``greedy`` makes its longest colour trumps, takes every trick it can with its dearest card and gives its cheapest card
otherwise.
"""

import numpy as np
from numba import njit

from stammtisch.envs.core.constants import TERMINAL
from stammtisch.envs.core.rules import OwnRules
from stammtisch.envs.core.ties import WHOLE, is_better
from stammtisch.envs.jass.family.cards import COLOUR_SET, DEAL_POINTS, N_COLOURS, UNDEUFE, count
from stammtisch.envs.jass.family.partners import best_card, greedy_card, lead_in_strength, mode_value

RULES: OwnRules

player, legal, points_of = RULES.player, RULES.legal, RULES.points_of
MODE, NO_MODE, PUSHED, HAND, SCORE = RULES.MODE, RULES.NO_MODE, RULES.PUSHED, RULES.HAND, RULES.SCORE
FIRST_MODE, PASS, FACTOR = RULES.FIRST_MODE, RULES.PASS, RULES.FACTOR

ENOUGH_TO_CHOOSE = 55
# Where modes count differently: points that the declarer's team makes more than the other, by the value of its hand in
# the mode. Lines through 1,500 deals played out in every mode; a team that is behind loses as many times as it counts.
PER_VALUE_TRUMPS, BASE_TRUMPS = 2.27, -77.0
PER_VALUE_OTHERS, BASE_OTHERS = 1.93, -33.0
ENOUGH_POINTS = 75.0  # what the partner makes of a hand that is passed on, about
IS_MULTIPLIED = bool(FACTOR[0] != FACTOR[UNDEUFE])


@njit
def _expected_points(hand, mode):
    """Points, multiplied, by which the declarer's team will probably lead."""
    value = mode_value(hand, mode)
    if mode < N_COLOURS:
        return (PER_VALUE_TRUMPS * value + BASE_TRUMPS) * FACTOR[mode]
    return (PER_VALUE_OTHERS * value + BASE_OTHERS) * FACTOR[mode]


@njit
def _choose_multiplied_mode(s, p, r):
    """Choose the mode that promises most points, or pass on a hand that promises fewer than the partner's may."""
    best, chosen, ties = -np.inf, FIRST_MODE, 0
    for mode in range(UNDEUFE + 1):
        is_best, best, ties = is_better(_expected_points(s[HAND + p], mode), best, ties, 1e-9, r, 1 + p)
        if is_best:
            chosen = FIRST_MODE + mode
    if not s[PUSHED] and best < ENOUGH_POINTS:
        return PASS
    return chosen


@njit
def _choose_mode(s, p, r):
    """Choose the most valuable mode, or pass on a hand without a good one."""
    best, chosen, ties = -1, FIRST_MODE, 0
    for mode in range(UNDEUFE + 1):
        value = mode_value(s[HAND + p], mode)
        is_best, best, ties = is_better(value, best, ties, WHOLE, r, 1 + p)
        if is_best:
            chosen = FIRST_MODE + mode
    if not s[PUSHED] and mode_value(s[HAND + p], chosen - FIRST_MODE) < ENOUGH_TO_CHOOSE:
        return PASS
    return chosen


@njit
def heuristic(s, r, acts):
    """Choose the best mode, or the card with the best balance of this trick and the later ones."""
    p = player(s)
    if s[MODE] == NO_MODE:
        return _choose_multiplied_mode(s, p, r) if IS_MULTIPLIED else _choose_mode(s, p, r)
    return best_card(s, p, acts, legal(s, acts), r)


@njit
def greedy(s, r, acts):
    """Make the longest colour trumps; take tricks with the dearest card, else give the cheapest."""
    p = player(s)
    n = legal(s, acts)
    if s[MODE] != NO_MODE:
        return greedy_card(s, p, acts, n, r)
    best, chosen, ties = -1, acts[0], 0
    for colour in range(N_COLOURS):
        length = count(s[HAND + p] & COLOUR_SET[colour])
        is_best, best, ties = is_better(length, best, ties, WHOLE, r, 1 + p)
        if is_best:
            chosen = acts[colour]
    return chosen


@njit
def evaluate(s, p):
    """Value of a fully known position for seat ``p``, in hundreds of points; strength shares what is left."""
    difference = float(points_of(s, 0) - points_of(s, 1))
    if player(s) != TERMINAL and s[MODE] != NO_MODE:
        difference += (DEAL_POINTS * FACTOR[s[MODE]] - s[SCORE] - s[SCORE + 1]) * lead_in_strength(s)
    return -difference / 100.0 if p & 1 else difference / 100.0
