"""What searches by a network share, whether all is in sight or cards are hidden: teams, worths and finished games."""

import numpy as np
from numba import njit

from stammtisch.baselines.kernels import puct_records
from stammtisch.baselines.kernels.puct_arrays import (
    BUDGET,
    DOUBTS,
    GAME,
    IS_FULL,
    KEPT,
    OPENING,
    PLY,
    RESIGNS,
    VERSION,
    Workspace,
)
from stammtisch.envs.core.borrow import borrowed
from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.rng import below, unit
from stammtisch.envs.core.rules import Rules

RULES: Rules
TEAM_COUNT: int
HEADS: int  # values that the network says of a position
SCALE: float  # utility that counts as 1

init, player, legal, apply, returns = RULES.init, RULES.player, RULES.legal, RULES.apply, RULES.returns
MAX_BRANCH, OBS_LEN, OBS_DTYPE = RULES.MAX_BRANCH, RULES.OBS_LEN, np.dtype(RULES.OBS_DTYPE)
HAS_CHANCE, sample, HAS_HIDDEN, redact = RULES.HAS_CHANCE, RULES.sample, RULES.HAS_HIDDEN, RULES.redact
N_PLAYERS, STATE_LEN, TEAMS = RULES.N_PLAYERS, RULES.STATE_LEN, RULES.TEAMS
MOVER, COUNT = puct_records.MOVER, puct_records.COUNT
WRITTEN, GAMES, GIVEN_UP, CHECKED, WRONG, PLIES = 0, 1, 2, 3, 4, 5  # of ``counts``
COUNTS = 6
SEARCH_STREAM = 1  # what a search draws from; the first stream is for chance events


@njit
def new_scratch(nodes):
    """Return arrays to work in; who makes them owns them, and lends them to what it calls."""
    return Workspace(
        np.empty(MAX_BRANCH, np.int64),
        np.empty(N_PLAYERS, np.float64),
        np.empty(MAX_BRANCH, np.float64),
        np.empty(MAX_BRANCH, np.float64),
        np.empty(TEAM_COUNT, np.float32),
        np.empty(OBS_LEN, OBS_DTYPE),
        np.empty(nodes, np.int32),
    )


@njit
def team_of(p):
    """Return the team of a seat."""
    return TEAMS[p]


@njit
def copy_row(row, to):
    """Copy a row."""
    for i in range(STATE_LEN):
        to[i] = row[i]


@njit
def settle(s, out, worth):
    """Fill the worth of a finished position for every team.

    Args:
        s: the position.
        out: float64[N_PLAYERS], scratch.
        worth: float32[TEAM_COUNT].
    """
    returns(s, out)
    share_out(out, worth)


@njit
def share_out(out, worth):
    """Fill the worth for every team, ``float32[TEAM_COUNT]``, of what every seat gets."""
    for t in range(TEAM_COUNT):
        total = 0.0
        members = 0
        for p in range(N_PLAYERS):
            if TEAMS[p] == t:
                total += out[p]
                members += 1
        worth[t] = total / (members * SCALE)


@njit
def seen_by(p, values, worth):
    """Fill the worth of a position for every team from the values that the network said for seat ``p``."""
    mine = team_of(p)
    for t in range(TEAM_COUNT):
        if HEADS == 1:
            worth[t] = values[0] if t == mine else -values[0]
        else:
            worth[t] = values[(t - mine) % TEAM_COUNT]


@njit
def log_share(logits, acts, n):
    """Return what is to be taken from a logit to make it the logarithm of its share among ``n`` actions."""
    highest = -np.inf
    for i in range(n):
        highest = max(highest, logits[acts[i]])
    total = 0.0
    for i in range(n):
        total += np.exp(logits[acts[i]] - highest)
    return highest + np.log(total)


@njit
def soften(scores, n):
    """Turn scores into shares that add up to one."""
    highest = -np.inf
    for i in range(n):
        highest = max(highest, scores[i])
    total = 0.0
    for i in range(n):
        scores[i] = np.exp(scores[i] - highest)
        total += scores[i]
    for i in range(n):
        scores[i] /= total


@njit
def move_on(s, lane, r, acts):
    """Play chance events, forced moves and the rest of an opening at random; return whether the game goes on.

    Args:
        s: the position, changed.
        lane: int64[LANE_FIELDS], of the game.
        r: uint64[1 + N_PLAYERS], its streams.
        acts: int64[MAX_BRANCH], scratch.
    """
    p = player(s)
    while p != TERMINAL:
        if HAS_CHANCE and p == CHANCE:
            apply(s, sample(s, r))
        else:
            n = legal(s, acts)
            if lane[OPENING] > 0:
                lane[OPENING] -= 1
                apply(s, acts[below(r, SEARCH_STREAM, n)])
            elif n == 1:
                apply(s, acts[0])
            else:
                return True
            lane[PLY] += 1
        p = player(s)
    return False


@njit
def begin_game(s, lane, r, play, acts):
    """Set up a new game and go on to its first decision; ``play`` is ``Play``, the rest as in ``move_on``."""
    lane[KEPT] = 0
    lane[DOUBTS] = 0
    while True:
        lane[GAME] += 1
        lane[PLY] = 0
        lane[OPENING] = 0
        if play.opening > 0 and unit(r, SEARCH_STREAM) < play.opening_share:
            lane[OPENING] = 1 + below(r, SEARCH_STREAM, play.opening)
        lane[RESIGNS] = play.resign > -2.0 and unit(r, SEARCH_STREAM) >= play.resign_check
        init(s, r)
        if move_on(s, lane, r, acts):
            return


@njit
def plan_search(lane, r, play):
    """Decide how many simulations the next move gets."""
    is_full = play.full_share >= 1.0 or unit(r, SEARCH_STREAM) < play.full_share
    lane[IS_FULL] = is_full
    lane[BUDGET] = play.full if is_full else play.cheap
    lane[VERSION] = play.version


@njit
def note(lane, b, row, mover, actions, policy, n, found, notes):
    """Write a decision and what its search found into the notes of a game under way, as its seat may know it.

    Args:
        lane: int64[LANE_FIELDS], of the game.
        b: its number.
        row: the position.
        mover: the seat that decides.
        actions: int64[n or more], the legal actions.
        policy: float64[n or more], what the search recommends.
        n: how many.
        found: float32[TEAM_COUNT], value of the position after the search.
        notes: ``SearchRecords``, [lanes, moves].
    """
    lane, row, actions, policy, found, notes = borrowed((lane, row, actions, policy, found, notes))
    at = lane[KEPT]
    if at == notes.facts.shape[1]:
        return
    lane[KEPT] += 1
    copy_row(row, notes.rows[b, at])
    if HAS_HIDDEN:
        redact(notes.rows[b, at], mover)
    for i in range(n):
        notes.actions[b, at, i] = actions[i]
        notes.policy[b, at, i] = policy[i]
    facts = notes.facts[b, at]
    facts[MOVER] = mover
    facts[COUNT] = n
    facts[puct_records.GAME] = lane[GAME]
    facts[puct_records.VERSION] = lane[VERSION]
    facts[puct_records.PLY] = lane[PLY]
    for h in range(HEADS):
        notes.found[b, at, h] = found[(team_of(mover) + h) % TEAM_COUNT]


@njit
def finish(lane, b, row, notes, records, worth, counts):
    """Copy the notes of a finished game, which ended in ``row``, to the records, each with what its mover got."""
    lane, row, notes, records, worth, counts = borrowed((lane, row, notes, records, worth, counts))
    at = counts[WRITTEN]
    for k in range(lane[KEPT]):
        copy_row(notes.rows[b, k], records.rows[at])
        for i in range(records.facts.shape[1]):
            records.facts[at, i] = notes.facts[b, k, i]
        for i in range(notes.facts[b, k, COUNT]):
            records.actions[at, i] = notes.actions[b, k, i]
            records.policy[at, i] = notes.policy[b, k, i]
        mine = team_of(notes.facts[b, k, MOVER])
        for h in range(HEADS):
            records.found[at, h] = notes.found[b, k, h]
            records.outcome[at, h] = worth[(mine + h) % TEAM_COUNT]
        if records.last.shape[1] > 0:
            copy_row(row, records.last[at])
            if HAS_HIDDEN:
                redact(records.last[at], notes.facts[b, k, MOVER])
        at += 1
    counts[WRITTEN] = at
    counts[GAMES] += 1
    counts[PLIES] += lane[PLY]
