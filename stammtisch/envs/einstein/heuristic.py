"""Reference player of EinStein: one move ahead, by race, threats and flexibility; executed once per variant.

The value of a position for a team compares, player by player, how fast each side can be expected to arrive. For every
number of the die the best stone that may move counts with its distance to the goal corner, so that near stones,
and numbers that leave a choice, are worth more; stones that the next player may capture count less.
"""

import numpy as np
from numba import njit

from stammtisch.envs.core.constants import TERMINAL
from stammtisch.envs.core.rules import OwnRules
from stammtisch.envs.core.ties import is_better

RULES: OwnRules

player, legal, apply, returns = RULES.player, RULES.legal, RULES.apply, RULES.returns
N_PLAYERS, PIECES, SIZE = RULES.N_PLAYERS, RULES.PIECES, RULES.SIZE
LEFT, POS = RULES.LEFT, RULES.POS
MAX_BRANCH, STATE_LEN = RULES.MAX_BRANCH, RULES.STATE_LEN
FRAME = RULES.FRAME
TEAMS = np.array(RULES.TEAMS, np.int64)
GOALS = np.array(RULES.GOAL, np.int64)

WIN_VALUE = 100.0
RACE_WEIGHT = 6.0
WIPE_OUT_WEIGHT = 3.0
BALANCE_SCALE = 3.0


@njit
def _urgency(distance):
    """Worth of a stone that is ``distance`` king's steps from its goal; arriving next turn is worth most."""
    return 1.0 / (distance * distance)


@njit
def _race(s, p):
    """Mean over the die of the best urgency among the stones that may move."""
    total = 0.0
    for rolled in range(PIECES):
        best = 0.0
        if s[POS + p * PIECES + rolled] >= 0:
            best = _stone_urgency(s, p, rolled)
        else:
            lower = rolled - 1
            while lower >= 0 and s[POS + p * PIECES + lower] < 0:
                lower -= 1
            if lower >= 0:
                best = _stone_urgency(s, p, lower)
            higher = rolled + 1
            while higher < PIECES and s[POS + p * PIECES + higher] < 0:
                higher += 1
            if higher < PIECES:
                best = max(best, _stone_urgency(s, p, higher))
        total += best
    return total / PIECES


@njit
def _stone_urgency(s, p, piece):
    own = FRAME[p, s[POS + p * PIECES + piece]]
    distance = SIZE - 1 - min(own // SIZE, own % SIZE)
    return _urgency(max(distance, 1))


@njit
def _strength(s, p):
    """How close seat ``p`` is to winning by itself, and how far from being wiped out."""
    value = -WIPE_OUT_WEIGHT / s[LEFT + p]
    if GOALS[p] >= 0:
        value += RACE_WEIGHT * _race(s, p)
    return value


@njit
def evaluate(s, p):
    """Value of an unfinished position for seat ``p``, between -1 and 1 as the game's returns."""
    return np.tanh(_balance(s, p) / BALANCE_SCALE)


@njit
def _balance(s, p):
    """The strengths of all seats, partners of ``p`` with it, opponents against it."""
    value = 0.0
    for q in range(N_PLAYERS):
        strength = _strength(s, q)
        value += strength if TEAMS[q] == TEAMS[p] else -strength
    return value


@njit
def _outlook(s, p, row, acts, out):
    """Value of ``s`` for seat ``p`` after the next player's best answer, averaged over its die."""
    if player(s) == TERMINAL:
        returns(s, out)
        return WIN_VALUE * out[p]
    rolled = np.zeros(STATE_LEN, np.int64)
    total = 0.0
    for die in range(PIECES):
        rolled[:] = s
        apply(rolled, die)
        mover = player(rolled)
        sign = 1.0 if TEAMS[mover] == TEAMS[p] else -1.0
        best = -np.inf
        for i in range(legal(rolled, acts)):
            row[:] = rolled
            apply(row, acts[i])
            if player(row) == TERMINAL:
                returns(row, out)
                value = WIN_VALUE * out[p]
            else:
                value = _balance(row, p)
            best = max(best, sign * value)
        total += sign * best
    return total / PIECES


@njit
def heuristic(s, r, acts):
    """Choose the move with the best outlook; equal moves are drawn at random."""
    p = player(s)
    n = legal(s, acts)
    if n == 1:
        return acts[0]
    after = np.empty(STATE_LEN, np.int64)
    row = np.empty(STATE_LEN, np.int64)
    answers = np.empty(MAX_BRANCH, np.int64)
    out = np.empty(N_PLAYERS, np.float64)
    best = -np.inf
    chosen = acts[0]
    ties = 0
    for i in range(n):
        after[:] = s
        apply(after, acts[i])
        value = _outlook(after, p, row, answers, out)
        is_best, best, ties = is_better(value, best, ties, 1e-9, r, 1 + p)
        if is_best:
            chosen = acts[i]
    return chosen
