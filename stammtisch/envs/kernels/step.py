"""Kernels on one row: what ``State`` and the AEC face call. Arguments are checked here only where the name says so."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from stammtisch.envs.core.constants import CHANCE, ILLEGAL, TERMINAL
from stammtisch.envs.core.lent import room
from stammtisch.envs.core.rules import Rules

RULES: Rules
short_kernel: Callable[[Callable[..., Any]], Any]
LENT = True

init, player, legal, apply = RULES.init, RULES.player, RULES.legal, RULES.apply
returns, observe = RULES.returns, RULES.observe
MAX_BRANCH, N_PLAYERS, N_ACTIONS = RULES.MAX_BRANCH, RULES.N_PLAYERS, RULES.N_ACTIONS
OBS_SHAPE, OBS_LEN, OBS_DTYPE = RULES.OBS_SHAPE, RULES.OBS_LEN, np.dtype(RULES.OBS_DTYPE)
HAS_CHANCE, HAS_HIDDEN, PAYS_ALONG = RULES.HAS_CHANCE, RULES.HAS_HIDDEN, RULES.PAYS_ALONG
LISTS_CHANCE, chance = RULES.LISTS_CHANCE, RULES.chance
sample, rewards, redact, resample_hidden = RULES.sample, RULES.rewards, RULES.redact, RULES.resample_hidden


@short_kernel
def start(s, seed):
    """Set up the start position; return the seat to move."""
    r = room(1, np.uint64)
    r[0] = np.uint64(seed)
    init(s, r)
    return player(s)


@short_kernel
def start_from(s, r):
    """Set up the start position with draws from a chance stream."""
    init(s, r)


@short_kernel
def seat_to_move(s):
    """Return the seat to move, CHANCE or TERMINAL."""
    return player(s)


@short_kernel
def list_legal(s, acts):
    """Fill ``acts`` with the legal actions or outcomes; return how many."""
    return legal(s, acts)


@short_kernel
def fill_mask(s, p, mask):
    """Fill the mask ``int8[num_actions]`` of seat ``p``: zeros when it is not its turn."""
    mask[:] = 0
    if player(s) == p:
        acts = room(MAX_BRANCH, np.int64)
        for i in range(legal(s, acts)):
            mask[acts[i]] = 1


@short_kernel
def fill_own_mask(s, mask):
    """Fill the mask of the seat to move: zeros at a chance node and after the end."""
    mask[:] = 0
    if player(s) >= 0:
        acts = room(MAX_BRANCH, np.int64)
        for i in range(legal(s, acts)):
            mask[acts[i]] = 1


@short_kernel
def play_checked(s, a):
    """Apply a legal action or outcome and return the seat to move; leave the row alone and say ILLEGAL otherwise."""
    if player(s) == TERMINAL:
        return np.int64(ILLEGAL)
    acts = room(MAX_BRANCH, np.int64)
    for i in range(legal(s, acts)):
        if acts[i] == a:
            apply(s, a)
            return np.int64(player(s))
    return np.int64(ILLEGAL)


@short_kernel
def play(s, a):
    """Apply an action or outcome that is known to be legal; return the seat to move."""
    apply(s, a)
    return np.int64(player(s))


@short_kernel
def roll(s, seed):
    """Draw one outcome at a chance node and apply it; return the outcome and the seat to move."""
    outcome = np.int64(0)
    if HAS_CHANCE:
        r = room(1, np.uint64)
        r[0] = np.uint64(seed)
        outcome = np.int64(sample(s, r))
        apply(s, outcome)
    return outcome, np.int64(player(s))


@short_kernel
def list_chances(s, probabilities):
    """Fill the probabilities of the outcomes at a chance node whose outcomes can be listed; return how many."""
    return np.int64(chance(s, probabilities)) if LISTS_CHANCE else np.int64(0)


@short_kernel
def fill_returns(s, out):
    """Fill the utilities ``float64[num_players]``: zeros before the end."""
    out[:] = 0.0
    if player(s) == TERMINAL:
        returns(s, out)


@short_kernel
def fill_observation(s, p, obs):
    """Fill the observation of seat ``p``, an array of OBS_SHAPE."""
    observe(s, p, obs.reshape(OBS_LEN))


@short_kernel
def hide(s, p):
    """Blank what seat ``p`` cannot see."""
    if HAS_HIDDEN:
        redact(s, p)


@short_kernel
def deal_hidden(s, p, seed):
    """Deal what seat ``p`` cannot see anew, consistently with everything public."""
    if HAS_HIDDEN:
        r = room(1, np.uint64)
        r[0] = np.uint64(seed)
        resample_hidden(s, p, r)


@njit
def _play_on(s, r, a, paid, pay, outcomes):
    """Do what ``step`` says."""
    for q in range(N_PLAYERS):
        pay[q] = 0.0
    if a < 0:
        init(s, r)
        for q in range(N_PLAYERS):
            paid[q] = 0.0
    else:
        apply(s, a)
    n = np.int64(0)
    p = player(s)
    if HAS_CHANCE:
        while p == CHANCE:
            outcome = sample(s, r)
            apply(s, outcome)
            if n < len(outcomes):
                outcomes[n] = outcome
                n += 1
            p = player(s)
    if PAYS_ALONG:
        rewards(s, pay)
        for q in range(N_PLAYERS):
            total = pay[q]
            pay[q] = total - paid[q]
            paid[q] = total
    elif p == TERMINAL:
        returns(s, pay)
    return np.int64(p), n


@short_kernel
def step(s, r, a, paid, pay, outcomes):
    """Apply action ``a`` (or set up when negative), then play chance until a seat or the end is reached.

    Args:
        s: the row.
        r: random streams; chance draws from stream 0.
        a: an action known to be legal, or -1 for a new game.
        paid: float64[num_players], rewards paid so far, kept between calls.
        pay: float64[num_players], filled with the rewards of this step.
        outcomes: int64 buffer for the chance outcomes of this step.

    Returns:
        The seat to move (or TERMINAL), and the number of chance outcomes.
    """
    return _play_on(s, r, a, paid, pay, outcomes)


@short_kernel
def turn(s, r, a, paid, pay, outcomes, mask, obs):
    """Do what ``step`` does with an action that is checked, and show what came of it.

    ``mask``, int8[num_actions], is filled with the legal actions of the seat to move, with zeros after the end; ``obs``
    with the observation of the seat to move, after the end with that of the seat after the one that moved. The other
    arguments are those of ``step``.

    Returns:
        The seat to move, TERMINAL, or ILLEGAL when nothing was done; the number of chance outcomes; whether anything
        was paid.
    """
    acts = room(MAX_BRANCH, np.int64)
    mover = player(s)
    if a >= 0:
        is_legal = False
        for i in range(legal(s, acts)):
            is_legal |= acts[i] == a
        if not is_legal:
            return np.int64(ILLEGAL), np.int64(0), False
    p, n = _play_on(s, r, a, paid, pay, outcomes)
    has_paid = False
    for q in range(N_PLAYERS):
        has_paid |= pay[q] != 0.0
    mask[:] = 0
    if p == TERMINAL:
        observe(s, (mover + 1) % N_PLAYERS, obs.reshape(OBS_LEN))
    else:
        for i in range(legal(s, acts)):
            mask[acts[i]] = 1
        observe(s, p, obs.reshape(OBS_LEN))
    return p, n, has_paid
