"""Kernels on a batch of rows: the single-agent and the vector face. One lane is one game.

``kinds[lane, seat]`` says who decides in a seat: a kernel policy (0 = random, 1.. = as bound), LEARNER, or an outside
agent (FIRST_OUTSIDE and below). A lane runs until a learner or an outside agent has to decide, or to the end.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit
from numba.np.numpy_support import carray

from stammtisch.envs.core.ahead import fetch_row, lines_of
from stammtisch.envs.core.borrow import borrowed, pointer_to
from stammtisch.envs.core.constants import (
    ALL_SEATS,
    ANY_SEAT,
    CHANCE,
    DEAL,
    LEARNER,
    NO_SEAT,
    RANDOM_POLICY,
    SKIP,
    TAKE,
    TERMINAL,
)
from stammtisch.envs.core.lent import room
from stammtisch.envs.core.rng import below, unit
from stammtisch.envs.core.rules import Policy, Rules
from stammtisch.envs.kernels import lane_arrays as at
from stammtisch.envs.kernels.lane_arrays import PREPARE, SETTLE, LaneArrays, Outputs, Seating

RULES: Rules
POLICIES: tuple[Policy, ...]
kernel: Callable[[Callable[..., Any]], Any]
short_kernel: Callable[[Callable[..., Any]], Any]
LENT = True

init, player, legal, apply = RULES.init, RULES.player, RULES.legal, RULES.apply
returns, observe = RULES.returns, RULES.observe
MAX_BRANCH, N_PLAYERS, N_ACTIONS = RULES.MAX_BRANCH, RULES.N_PLAYERS, RULES.N_ACTIONS
STATE_LEN, OBS_LEN, OBS_DTYPE = RULES.STATE_LEN, RULES.OBS_LEN, np.dtype(RULES.OBS_DTYPE)
LOSS, WIN = RULES.UTILITY
SEATING_STREAM = 1 + N_PLAYERS
N_STREAMS = 2 + N_PLAYERS
TEAMS = np.array(RULES.TEAMS, np.int64)
HAS_CHANCE, PAYS_ALONG = RULES.HAS_CHANCE, RULES.PAYS_ALONG
sample, rewards, draw = RULES.sample, RULES.rewards, RULES.draw
AHEAD = 12  # lanes
ROW_LINES, MASK_LINES, OBS_LINES = lines_of(8 * STATE_LEN), lines_of(N_ACTIONS), lines_of(OBS_DTYPE.itemsize * OBS_LEN)


@njit
def _random_policy(s, r, acts):
    return draw(s, r, 1 + player(s), acts)


policy_1 = POLICIES[0].choose if POLICIES else _random_policy
policy_2 = POLICIES[1].choose if len(POLICIES) > 1 else _random_policy


@njit
def _decide(kind, s, r, acts):
    if kind == RANDOM_POLICY:
        return _random_policy(s, r, acts)
    if kind == 1:
        return policy_1(s, r, acts)
    return policy_2(s, r, acts)


@kernel
def choose(kind, s, r):
    """Return the action of one kernel policy in one position; its draws come from the stream of the seat to move."""
    acts = room(MAX_BRANCH, np.int64)
    return np.int64(_decide(kind, s, r, acts))


@njit
def _seat(kinds, r, seat, pool, weights, partner):
    """Fill who decides in each seat of a new game; return the learner's seat, or NO_SEAT if it plays all of them."""
    if seat == ALL_SEATS:
        kinds[:] = LEARNER
        return np.int64(NO_SEAT)
    if seat == ANY_SEAT:
        seat = below(r, SEATING_STREAM, N_PLAYERS)
    drawn = pool[0]
    if len(pool) > 1:
        u = unit(r, SEATING_STREAM)
        k = 0
        while k < len(pool) - 1 and u >= weights[k]:
            k += 1
        drawn = pool[k]
    for p in range(N_PLAYERS):
        kinds[p] = drawn
        if len(partner) and TEAMS[p] == TEAMS[seat]:
            kinds[p] = partner[0]
    kinds[seat] = LEARNER
    return np.int64(seat)


@njit
def _run(s, r, kinds, acts):
    """Play chance and kernel policies until someone outside has to decide; return the seat to move."""
    p = player(s)
    while p != TERMINAL:
        if HAS_CHANCE and p == CHANCE:
            apply(s, sample(s, r))
        elif kinds[p] >= 0:
            apply(s, _decide(kinds[p], s, r, acts))
        else:
            break
        p = player(s)
    return p


@njit(inline="always")
def _advance(i, lanes, seating, allowed, outputs, acts, total):
    """Do in lane ``i`` what its ``todo`` says; ``acts`` and ``total`` are room to work in."""
    s, r, kinds = lanes.rows[i], lanes.streams[i], lanes.kinds[i]
    pay, mask, obs, paid = outputs.pay[i], outputs.masks[i], outputs.obs[i], lanes.paid[i]
    deals = lanes.todo[i] == DEAL
    mover = np.int64(NO_SEAT)
    forfeit = False
    if deals:
        lanes.seats[i] = _seat(kinds, r, seating.seats[i], seating.pool, seating.weights, seating.partner)
        init(s, r)
        paid[:] = 0.0
    else:
        mover = lanes.players[i]
        a = lanes.actions[i]
        forfeit = a < 0 or a >= N_ACTIONS or allowed[i, a] == 0
        if not forfeit:
            apply(s, a)
    seat = lanes.seats[i]
    if forfeit:
        for q in range(N_PLAYERS):
            pay[q] += (LOSS if TEAMS[q] == TEAMS[mover] else WIN) - paid[q]
        lanes.players[i] = TERMINAL
        mask[:] = 1
        observe(s, seat if seat >= 0 else mover, obs)
        return
    p = _run(s, r, kinds, acts)
    if deals:
        while p == TERMINAL:  # over before anyone outside could decide: deal again
            init(s, r)
            p = _run(s, r, kinds, acts)
    lanes.players[i] = p
    if PAYS_ALONG:
        rewards(s, total)
        for q in range(N_PLAYERS):
            pay[q] += total[q] - paid[q]
            paid[q] = total[q]
    elif p == TERMINAL:
        returns(s, total)
        for q in range(N_PLAYERS):
            pay[q] += total[q]
    if p == TERMINAL:
        mask[:] = 1
        observe(s, seat if seat >= 0 else mover, obs)
    else:
        mask[:] = 0
        for k in range(legal(s, acts)):
            mask[acts[k]] = 1
        observe(s, p, obs)


@njit(inline="always")
def _prepare(i, lanes, pay):
    """Let lane ``i`` take its action, or begin anew if its game was done."""
    lanes.movers[i] = lanes.players[i]
    lanes.todo[i] = DEAL if lanes.done[i] else TAKE
    lanes.taken[i] = 0 if lanes.done[i] else lanes.taken[i] + 1
    pay[i] = 0.0


@njit(inline="always")
def _settle(i, limit, lanes, outputs):
    """Tell what came of the step of lane ``i``."""
    seat, player_now = lanes.seats[i], lanes.players[i]
    over = player_now == TERMINAL
    late = limit > 0 and lanes.taken[i] >= limit and not over
    outputs.rewards[i] = outputs.pay[i, seat if seat >= 0 else max(lanes.movers[i], 0)]
    outputs.terminated[i], outputs.truncated[i] = over, late
    outputs.seats[i], outputs.players[i] = seat, player_now
    lanes.done[i] = over or late


@njit
def _drive(address, lo, hi, acts, total):
    """Do what ``drive`` says; ``acts`` and ``total`` are room to work in, which its caller owns.

    All arrays are made in this function: nobody counts references to them as long as that is plain to see.
    """
    acts, total = borrowed(acts), borrowed(total)
    book = carray(pointer_to(address), at.BOOK_SIZE, np.int64)
    n, k = book[at.LANES], book[at.OPPONENTS]
    lanes = LaneArrays(
        carray(pointer_to(book[at.ROWS]), (n, STATE_LEN), np.int64),
        carray(pointer_to(book[at.STREAMS]), (n, N_STREAMS), np.uint64),
        carray(pointer_to(book[at.KINDS]), (n, N_PLAYERS), np.int64),
        carray(pointer_to(book[at.SEATS]), n, np.int64),
        carray(pointer_to(book[at.PLAYERS]), n, np.int64),
        carray(pointer_to(book[at.PAID]), (n, N_PLAYERS), np.float64),
        carray(pointer_to(book[at.TODO]), n, np.int8),
        carray(pointer_to(book[at.ACTIONS]), n, np.int64),
        carray(pointer_to(book[at.TAKEN]), n, np.int64),
        carray(pointer_to(book[at.MOVERS]), n, np.int64),
        carray(pointer_to(book[at.DONE]), n, np.bool_),
    )
    seating = Seating(
        carray(pointer_to(book[at.ASKED]), n, np.int64),
        carray(pointer_to(book[at.POOL]), k, np.int64),
        carray(pointer_to(book[at.WEIGHTS]), k, np.float64),
        carray(pointer_to(book[at.PARTNER]), book[at.PARTNERS], np.int64),
    )
    outputs = Outputs(
        carray(pointer_to(book[at.PAY]), (n, N_PLAYERS), np.float64),
        carray(pointer_to(book[at.MASKS]), (n, N_ACTIONS), np.int8),
        carray(pointer_to(book[at.OBS]), (n, OBS_LEN), OBS_DTYPE),
        carray(pointer_to(book[at.REWARDS]), n, np.float64),
        carray(pointer_to(book[at.TERMINATED]), n, np.bool_),
        carray(pointer_to(book[at.TRUNCATED]), n, np.bool_),
        carray(pointer_to(book[at.SEATS_TOLD]), n, np.int64),
        carray(pointer_to(book[at.PLAYERS_TOLD]), n, np.int64),
    )
    allowed = carray(pointer_to(book[at.ALLOWED]), (n, N_ACTIONS), np.int8)
    mode, limit = book[at.MODE], book[at.LIMIT]
    for i in range(lo, hi):
        if i + AHEAD < hi:
            fetch_row(lanes.rows, i + AHEAD, ROW_LINES)
            fetch_row(outputs.masks, i + AHEAD, MASK_LINES)
            fetch_row(outputs.obs, i + AHEAD, OBS_LINES)
        if mode & PREPARE:
            _prepare(i, lanes, outputs.pay)
        if lanes.todo[i] != SKIP:
            _advance(i, lanes, seating, allowed, outputs, acts, total)
        if mode & SETTLE:
            _settle(i, limit, lanes, outputs)


@kernel
def drive(address, lo, hi):
    """Advance the lanes ``lo..hi-1`` that have something to do.

    An action that its lane's mask forbids forfeits the game for the team to move.

    Args:
        address: of a book (``lane_arrays.py``), whose arrays somebody keeps alive.
        lo: first lane.
        hi: one past the last lane.
    """
    acts = np.empty(MAX_BRANCH, np.int64)
    total = np.zeros(N_PLAYERS, np.float64)
    _drive(address, lo, hi, acts, total)


@short_kernel
def note_outputs(book, outputs):
    """Enter fresh arrays for what a step tells."""
    book[at.PAY], book[at.MASKS], book[at.OBS] = (
        outputs.pay.ctypes.data,
        outputs.masks.ctypes.data,
        outputs.obs.ctypes.data,
    )
    book[at.REWARDS], book[at.TERMINATED] = outputs.rewards.ctypes.data, outputs.terminated.ctypes.data
    book[at.TRUNCATED], book[at.SEATS_TOLD] = outputs.truncated.ctypes.data, outputs.seats.ctypes.data
    book[at.PLAYERS_TOLD] = outputs.players.ctypes.data


@kernel
def play_games(kinds, streams, opening, events, ends, moves, results):
    """Play games to the end, every seat decided by a kernel policy.

    Args:
        kinds: int64[n, players], kernel policy of each seat.
        streams: uint64[n, 2 + players]: chance, agents, opening.
        opening: the first so many moves are drawn uniformly from the last stream.
        events: int64[k], filled with actions and chance outcomes, game after game.
        ends: int64[n], filled with where the events of each game end.
        moves: int64[n], player actions among them.
        results: float64[n, players], utilities.
    """
    acts = np.empty(MAX_BRANCH, np.int64)
    s = np.zeros(STATE_LEN, np.int64)
    n = np.int64(0)
    for i in range(len(ends)):
        r = streams[i]
        init(s, r)
        made = 0
        p = player(s)
        while p != TERMINAL:
            if HAS_CHANCE and p == CHANCE:
                a = np.int64(sample(s, r))
            else:
                if made < opening:
                    a = np.int64(draw(s, r, SEATING_STREAM, acts))
                else:
                    a = np.int64(_decide(kinds[i, p], s, r, acts))
                made += 1
            apply(s, a)
            events[n] = a
            n += 1
            p = player(s)
        ends[i] = n
        moves[i] = made
        returns(s, results[i])
