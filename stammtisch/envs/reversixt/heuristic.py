"""Reference player of ReversiXT: one move ahead, by place, mobility, stock and, late, stones; once per map.

A field is a corner if it can never be in the middle of a line: in each of the four pairs of opposite directions a
neighbour is missing. Such stones change hands only by override stones, choice and inversion, and the fields beside a
free corner give it away; both are found from the table of neighbours, whatever the shape of the board. Mobility counts
the lines that lead to a free field, exposure the free fields beside own stones. The value of a position is how a
player's strength compares with each of the others, as the reward by rank does with stones.
"""

import numpy as np
from numba import njit

from stammtisch.envs.core.constants import TERMINAL
from stammtisch.envs.core.rules import OwnRules
from stammtisch.envs.core.ties import is_better

RULES: OwnRules

player, legal, apply, returns = RULES.player, RULES.legal, RULES.apply, RULES.returns
N_PLAYERS, STATE_LEN, CELLS, FIELDS = RULES.N_PLAYERS, RULES.STATE_LEN, RULES.CELLS, RULES.FIELDS
NEXT, BOARD, OVERRIDES, BOMBS = RULES.NEXT, RULES.BOARD, RULES.OVERRIDES, RULES.BOMBS
OUT, PHASE, PLACING, PENDING = RULES.OUT, RULES.PHASE, RULES.PLACING, RULES.PENDING
EMPTY, EXPANSION, HOLE, CHOICE, INVERSION = RULES.EMPTY, RULES.EXPANSION, RULES.HOLE, RULES.CHOICE, RULES.INVERSION
MAX_BRANCH, TWO_STEPS, MAY_GIVE_UP, GIVE_UP = RULES.MAX_BRANCH, RULES.TWO_STEPS, RULES.MAY_GIVE_UP, RULES.GIVE_UP
MOST_SPECIALS = RULES.SPECIALS + 1
target = RULES.target

WIN_VALUE = 2.0  # a finished game counts more than any opinion
CORNER, EDGE, BESIDE = 6.0, 1.2, 2.0
MOBILITY, EXPOSURE = 0.5, 0.12
STONE_EARLY = 0.15  # worth of a stone on an empty board; 1 on a full one
SWAP = 0.4  # how much each choice that is left takes off the worth of stones
OVERRIDE_WORTH = 0.3 * (RULES.WIDTH + RULES.HEIGHT)
BOMB_WORTH = min((2.0 * RULES.STRENGTH + 1.0) ** 2, FIELDS) / (2.0 * N_PLAYERS)
LATE, MOST_WARY = 20, 60  # free fields and own moves up to which every answer is looked at
SCALE = 1.2 * FIELDS**0.5


def _place_values() -> tuple[np.ndarray, np.ndarray]:
    """Return what a stone on each cell is worth by place, ``float32[cells]``, and the corners, ``int64[k]``."""
    neighbours = NEXT.reshape(CELLS, 8) >= 0
    axes = (neighbours[:, :4] & neighbours[:, 4:]).sum(axis=1)
    values = np.where(axes == 0, CORNER, np.where(axes == 1, EDGE, 0.0)).astype(np.float32)
    fields = RULES.START != HOLE
    return values, np.flatnonzero((axes == 0) & fields)


VALUES, CORNERS = _place_values()
N_CORNERS = len(CORNERS)


@njit
def _copy(row, to):
    for i in range(STATE_LEN):
        to[i] = row[i]


@njit
def _is_free(content):
    return content == EMPTY or content > EXPANSION


@njit
def _add_lines(s, cell, own, strength, weight):
    """Add the mobility and the exposure of one stone."""
    for start in range(cell * 8, cell * 8 + 8):
        place = np.int64(NEXT[start])
        if place < 0:
            continue
        content = s[BOARD + (place >> 3)]
        if _is_free(content):
            strength[own - 1] -= weight * EXPOSURE
            continue
        while content != own and not _is_free(content):
            place = np.int64(NEXT[place])
            if place < 0:
                break
            content = s[BOARD + (place >> 3)]
            if _is_free(content):
                strength[own - 1] += weight * MOBILITY


@njit
def _add_corners(s, strength, weight):
    """Take off what lies beside free corners."""
    for i in range(N_CORNERS):
        corner = CORNERS[i]
        if _is_free(s[BOARD + corner]):
            for start in range(corner * 8, corner * 8 + 8):
                place = np.int64(NEXT[start])
                if place >= 0:
                    owner = s[BOARD + (place >> 3)]
                    if EMPTY < owner < EXPANSION:
                        strength[owner - 1] -= weight * BESIDE


@njit
def _strengths(s, strength):
    """Fill the strength of every player, in stones."""
    occupied = 0
    choices = 0
    inversions = 0
    for i in range(BOARD, BOARD + CELLS):
        occupied += EMPTY < s[i] < EXPANSION
        choices += s[i] == CHOICE
        inversions += s[i] == INVERSION
    full = occupied / FIELDS
    early = 1.0 - full
    stone = STONE_EARLY + (1.0 - STONE_EARLY) * full * full
    placing = s[PHASE] == PLACING
    for p in range(N_PLAYERS):
        strength[p] = 0.0
    for cell in range(CELLS):
        owner = s[BOARD + cell]
        if EMPTY < owner < EXPANSION:
            if placing:
                # Sooner or later all inversions are taken: count a stone for whom it will belong to then.
                strength[(owner - 1 + inversions) % N_PLAYERS] += stone + VALUES[cell]
                _add_lines(s, cell, owner, strength, early)
            else:
                strength[owner - 1] += 1.0
    if placing:
        _add_corners(s, strength, early)
    for p in range(N_PLAYERS):
        if placing:
            # What lies on the board may change hands as long as there are choices left; what is owned does not.
            strength[p] = strength[p] / (1.0 + SWAP * choices) + OVERRIDE_WORTH * s[OVERRIDES + p]
        strength[p] += BOMB_WORTH * s[BOMBS + p]


@njit
def evaluate_all(s, out):
    """Fill the value of an unfinished position for every seat, between -1 and 1; they add up to zero."""
    strength = np.empty(N_PLAYERS, np.float64)
    _strengths(s, strength)
    for p in range(N_PLAYERS):
        out[p] = 0.0
    for p in range(N_PLAYERS):
        for q in range(p):
            if s[OUT + p] == s[OUT + q]:
                lead = np.tanh((strength[p] - strength[q]) / SCALE)
            else:
                lead = 1.0 if s[OUT + q] else -1.0
            out[p] += lead / (N_PLAYERS - 1)
            out[q] -= lead / (N_PLAYERS - 1)


@njit
def evaluate(s, p):
    """Value of an unfinished position for seat ``p``."""
    out = np.empty(N_PLAYERS, np.float64)
    evaluate_all(s, out)
    return out[p]


@njit
def _value(s, p, out):
    """Value of a position for seat ``p``; a finished game counts more than any opinion."""
    if player(s) == TERMINAL:
        returns(s, out)
        return WIN_VALUE * out[p]
    evaluate_all(s, out)
    return out[p]


@njit
def _best_special(s, p, row, out):
    """Value for seat ``p`` of a field whose special it is still to choose."""
    acts = np.empty(MOST_SPECIALS, np.int64)
    best = -np.inf
    for i in range(legal(s, acts)):
        if acts[i] != GIVE_UP:
            _copy(s, row)
            apply(row, acts[i])
            best = max(best, _value(row, p, out))
    return best


@njit
def _outlook(s, p, wary, row, acts, out):
    """Value of ``s`` for seat ``p`` after the answer by which the next player gains most.

    Unless ``wary``, only answers that exchange or invert the stones are looked at.
    """
    value = _value(s, p, out)
    q = player(s)
    if q < 0 or q == p or s[PHASE] != PLACING:
        return value
    hope = -np.inf if wary else out[q]
    for i in range(legal(s, acts)):
        cell = target(s, acts[i])
        if cell >= 0 and (wary or s[BOARD + cell] == CHOICE or s[BOARD + cell] == INVERSION):
            _copy(s, row)
            apply(row, acts[i])
            answer = _value(row, p, out)
            if out[q] > hope:
                hope = out[q]
                value = answer
    return value


@njit
def _is_late(s):
    """Whether so few fields are free that every answer can be looked at."""
    free = 0
    for i in range(BOARD, BOARD + CELLS):
        free += s[i] != HOLE and _is_free(s[i])
    return free <= LATE


@njit
def heuristic(s, r, acts):
    """Choose the move with the best outlook; equal moves are drawn by lot."""
    p = player(s)
    n = legal(s, acts)
    after = np.empty(STATE_LEN, np.int64)
    row = np.empty(STATE_LEN, np.int64)
    answers = np.empty(MAX_BRANCH, np.int64)
    out = np.empty(N_PLAYERS, np.float64)
    wary = n <= MOST_WARY and _is_late(s)
    best = -np.inf
    chosen = acts[0]
    ties = 0
    for i in range(n):
        if MAY_GIVE_UP and acts[i] == GIVE_UP and n > 1:
            continue
        _copy(s, after)
        apply(after, acts[i])
        if TWO_STEPS and after[PENDING] >= 0:
            value = _best_special(after, p, row, out)
        else:
            value = _outlook(after, p, wary, row, answers, out)
        is_best, best, ties = is_better(value, best, ties, 1e-9, r, 1 + p)
        if is_best:
            chosen = acts[i]
    return chosen
