"""Reference players of Coiffeur Jass; executed once per variant. They look only at what their seat may know.

``heuristic`` estimates what its hand makes in every mode and chooses the contract that gains most against what that
contract makes on average, times its factor; without a gain it passes the choice on. It plays the cards of
``jass_teams``. Estimates and averages were fitted to games of the heuristic against itself.

``greedy`` plays the contract with the highest factor that it has left, in its longest colour where it may choose, takes
every trick it can with its dearest card and gives its cheapest card otherwise.
"""

import numpy as np
from numba import njit

from stammtisch.envs.core.constants import TERMINAL
from stammtisch.envs.core.rules import OwnRules
from stammtisch.envs.core.ties import WHOLE, is_better
from stammtisch.envs.jass.family.cards import COLOUR_SET, DEAL_POINTS, N_COLOURS, OBEABE, UNDEUFE, count
from stammtisch.envs.jass.family.partners import best_card, greedy_card, lead_in_strength, mode_value

RULES: OwnRules

player, legal, difference = RULES.player, RULES.legal, RULES.difference
MODE, NO_MODE, HAND, SCORE, LEFT = RULES.MODE, RULES.NO_MODE, RULES.HAND, RULES.SCORE, RULES.LEFT
CONTRACT, DECLARER = RULES.CONTRACT, RULES.DECLARER
PASS, FIRST_CHOICE, CHOICES, N_CONTRACTS = RULES.PASS, RULES.FIRST_CHOICE, RULES.CHOICES, RULES.N_CONTRACTS
CONTRACT_FACTOR = RULES.CONTRACT_FACTOR

# Points of the team that chose: at least, and per unit of the hand's value, with trumps, in Obeabe, Undeufe, in Slalom
# and Guschti, whose value is the mean of both directions.
WITH_TRUMPS, OBE, UNDE, TURNING = 0, 1, 2, 3
BASE = np.array((42.0, 65.0, 65.0, 71.0))
PER_VALUE = np.array((1.12, 0.92, 1.0, 1.5))
# What a contract makes on average: colours, Obeabe, Undeufe, jokers, Slalom, Guschti.
AVERAGE = np.array((103.0, 108.0, 98.0, 98.0, 95.0, 95.0, 120.0, 128.0, 102.0, 108.0))
LEAST_GAIN = 0.0  # below, the choice is passed on


@njit
def expected_points(hand, mode):
    """Estimate the points of the own team if this hand chooses a mode."""
    kind = WITH_TRUMPS
    if mode == OBEABE:
        kind = OBE
    elif mode == UNDEUFE:
        kind = UNDE
    elif mode > UNDEUFE:
        kind = TURNING
    if kind == TURNING:
        value = 0.5 * (mode_value(hand, OBEABE) + mode_value(hand, UNDEUFE))
    else:
        value = float(mode_value(hand, mode))
    return BASE[kind] + PER_VALUE[kind] * value


@njit
def _choose_contract(s, p, acts, r):
    """Choose the contract with the greatest gain, or pass without one."""
    n = legal(s, acts)
    can_pass = acts[n - 1] == PASS
    best, chosen, ties = -np.inf, acts[0], 0
    for i in range(n - 1 if can_pass else n):
        contract, mode = CHOICES[acts[i] - FIRST_CHOICE]
        gain = (expected_points(s[HAND + p], mode) - AVERAGE[contract]) * CONTRACT_FACTOR[contract]
        is_best, best, ties = is_better(gain, best, ties, 1e-9, r, 1 + p)
        if is_best:
            chosen = acts[i]
    if can_pass and best < LEAST_GAIN:
        return np.int64(PASS)
    return chosen


@njit
def heuristic(s, r, acts):
    """Choose the contract that gains most, or the card with the best balance of this trick and the later ones."""
    p = player(s)
    if s[MODE] == NO_MODE:
        return _choose_contract(s, p, acts, r)
    return best_card(s, p, acts, legal(s, acts), r)


@njit
def greedy(s, r, acts):
    """Choose the highest factor, then the longest colour; take tricks with the dearest card, else give the cheapest."""
    p = player(s)
    n = legal(s, acts)
    if s[MODE] != NO_MODE:
        return greedy_card(s, p, acts, n, r)
    best, chosen, ties = -1, acts[0], 0
    for i in range(n):
        if acts[i] == PASS:
            continue
        contract, mode = CHOICES[acts[i] - FIRST_CHOICE]
        value = 10 * CONTRACT_FACTOR[contract]
        if mode < N_COLOURS:
            value += count(s[HAND + p] & COLOUR_SET[mode])
        is_best, best, ties = is_better(value, best, ties, WHOLE, r, 1 + p)
        if is_best:
            chosen = acts[i]
    return chosen


@njit
def evaluate(s, p):
    """Value of a fully known position for seat ``p``, in hundreds of points; contracts left count their average."""
    value = float(difference(s))
    over = player(s) == TERMINAL
    for contract in range(N_CONTRACTS):
        running = s[MODE] != NO_MODE and s[CONTRACT] == contract
        for team in range(2):
            if (s[LEFT + team] >> contract) & 1 and not (running and (s[DECLARER] & 1) == team):
                worth = AVERAGE[contract] * CONTRACT_FACTOR[contract]
                value += -worth if team else worth
    if s[MODE] != NO_MODE and not over:
        team = s[DECLARER] & 1
        share = lead_in_strength(s)
        open_points = DEAL_POINTS - s[SCORE] - s[SCORE + 1]
        points = s[SCORE + team] + open_points * 0.5 * (1.0 - share if team else 1.0 + share)
        value += (-points if team else points) * CONTRACT_FACTOR[s[CONTRACT]]
    return -value / 100.0 if p & 1 else value / 100.0
