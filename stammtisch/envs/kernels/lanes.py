"""Kernels on a batch of rows: the single-agent and the vector face. One lane is one game.

``kinds[lane, seat]`` says who decides in a seat: a kernel policy (0 = random, 1.. = as bound), LEARNER, or an outside
agent (FIRST_OUTSIDE and below). A lane runs until a learner or an outside agent has to decide, or to the end.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from stammtisch.envs.core.ahead import fetch_row
from stammtisch.envs.core.borrow import borrowed
from stammtisch.envs.core.constants import (
    ALL_SEATS,
    ANY_SEAT,
    CHANCE,
    DEAL,
    LEARNER,
    NO_SEAT,
    RANDOM_POLICY,
    SKIP,
    TERMINAL,
)
from stammtisch.envs.core.rng import below, unit
from stammtisch.envs.core.rules import Policy, Rules

RULES: Rules
POLICIES: tuple[Policy, ...]
kernel: Callable[[Callable[..., Any]], Any]

init, player, legal, apply = RULES.init, RULES.player, RULES.legal, RULES.apply
returns, observe = RULES.returns, RULES.observe
MAX_BRANCH, N_PLAYERS, N_ACTIONS = RULES.MAX_BRANCH, RULES.N_PLAYERS, RULES.N_ACTIONS
STATE_LEN = RULES.STATE_LEN
LOSS, WIN = RULES.UTILITY
SEATING_STREAM = 1 + N_PLAYERS
N_STREAMS = 2 + N_PLAYERS
TEAMS = np.array(RULES.TEAMS, np.int64)
HAS_CHANCE, PAYS_ALONG = RULES.HAS_CHANCE, RULES.PAYS_ALONG
sample, rewards = RULES.sample, RULES.rewards
AHEAD = 12  # lanes


@njit
def _random_policy(s, r, acts):
    n = legal(s, acts)
    return acts[below(r, 1 + player(s), n)]


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
    acts = np.empty(MAX_BRANCH, np.int64)
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


@njit
def _drive(lo, hi, lanes, seating, allowed, outputs, acts, total):
    """Do what ``drive`` says; ``acts`` and ``total`` are room to work in, which its caller owns."""
    acts, total = borrowed(acts), borrowed(total)
    rows, streams, kinds = borrowed(lanes.rows), borrowed(lanes.streams), borrowed(lanes.kinds)
    seats, players, paid = borrowed(lanes.seats), borrowed(lanes.players), borrowed(lanes.paid)
    todo, actions, allowed = borrowed(lanes.todo), borrowed(lanes.actions), borrowed(allowed)
    asked, pool = borrowed(seating.seats), borrowed(seating.pool)
    weights, partner = borrowed(seating.weights), borrowed(seating.partner)
    pay, masks, obs = borrowed(outputs.pay), borrowed(outputs.masks), borrowed(outputs.obs)
    for i in range(lo, hi):
        if i + AHEAD < hi:
            fetch_row(rows, i + AHEAD)
            fetch_row(masks, i + AHEAD)
            fetch_row(obs, i + AHEAD)
        if todo[i] == SKIP:
            continue
        s = rows[i]
        r = streams[i]
        mover = np.int64(NO_SEAT)
        forfeit = False
        if todo[i] == DEAL:
            seats[i] = _seat(kinds[i], r, asked[i], pool, weights, partner)
            init(s, r)
            paid[i] = 0.0
        else:
            mover = players[i]
            a = actions[i]
            forfeit = a < 0 or a >= N_ACTIONS or allowed[i, a] == 0
            if not forfeit:
                apply(s, a)
        if forfeit:
            for q in range(N_PLAYERS):
                pay[i, q] += (LOSS if TEAMS[q] == TEAMS[mover] else WIN) - paid[i, q]
            players[i] = TERMINAL
            masks[i] = 1
            observe(s, seats[i] if seats[i] >= 0 else mover, obs[i])
            continue
        p = _run(s, r, kinds[i], acts)
        if todo[i] == DEAL:
            while p == TERMINAL:  # over before anyone outside could decide: deal again
                init(s, r)
                p = _run(s, r, kinds[i], acts)
        players[i] = p
        if PAYS_ALONG:
            rewards(s, total)
            for q in range(N_PLAYERS):
                pay[i, q] += total[q] - paid[i, q]
                paid[i, q] = total[q]
        elif p == TERMINAL:
            returns(s, total)
            for q in range(N_PLAYERS):
                pay[i, q] += total[q]
        if p == TERMINAL:
            masks[i] = 1
            observe(s, seats[i] if seats[i] >= 0 else mover, obs[i])
        else:
            masks[i] = 0
            for k in range(legal(s, acts)):
                masks[i, acts[k]] = 1
            observe(s, p, obs[i])


@kernel
def drive(lo, hi, lanes, seating, allowed, outputs):
    """Advance the lanes ``lo..hi-1`` that have something to do.

    Args:
        lo: first lane.
        hi: one past the last lane.
        lanes: ``LaneArrays``; an action that its lane's mask forbids forfeits the game for the team to move.
        seating: ``Seating`` of the games that begin.
        allowed: int8[n, num_actions], the masks that the actions answer; may be those of ``outputs``.
        outputs: ``Outputs``, filled.
    """
    acts = np.empty(MAX_BRANCH, np.int64)
    total = np.zeros(N_PLAYERS, np.float64)
    _drive(lo, hi, lanes, seating, allowed, outputs, acts, total)


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
                    a = acts[below(r, SEATING_STREAM, legal(s, acts))]
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
