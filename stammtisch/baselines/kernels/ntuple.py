"""TD(lambda) on afterstates by self-play, whole episodes inside one kernel, for any number of seats in two teams.

The target of an afterstate is what the next decision is worth, usually its best move: with ``OWN_TARGET`` the next
decision of the same seat, and when the game ends every seat's last afterstate is adapted to its result (the final
adaptation of TD-FARL); otherwise that of whoever moves next, negated if it is an opponent. Moves drawn at random thus
never spoil a target; they end the traces.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from stammtisch.baselines.kernels.bindings import Value
from stammtisch.baselines.kernels.ntuple_net import (
    ALPHA,
    ALPHA_FINAL,
    BATCH,
    DONE,
    EPISODES,
    EPSILON,
    EPSILON_FINAL,
    ERROR,
    EVERY,
    FIRST_RESULT,
    GAMES,
    GAMMA,
    IMPORTANCE,
    INSERTION,
    LAMBDA,
    MOVES,
    NOISE,
    ONLINE,
    OPENING,
    OWN_TARGET,
    PLIES,
    PRIORITY_POWER,
    REFRESH,
    SELECTION,
    STEPS,
    Scratch,
)
from stammtisch.baselines.kernels.ntuple_replay import LEAST, PRIORITIZED, note_error, push, select
from stammtisch.baselines.kernels.ntuple_steps import adapt, best_of, scheduled, target_of
from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.rng import below, unit
from stammtisch.envs.core.rules import Rules

RULES: Rules
VALUE: Value
kernel: Callable[[Callable[..., Any]], Any]

init, player, apply, returns = RULES.init, RULES.player, RULES.apply, RULES.returns
MAX_BRANCH, N_PLAYERS, STATE_LEN = RULES.MAX_BRANCH, RULES.N_PLAYERS, RULES.STATE_LEN
TEAMS = np.array(RULES.TEAMS, np.int64)
HAS_CHANCE, sample = RULES.HAS_CHANCE, RULES.sample
copy, point, value_at = VALUE.copy, VALUE.point, VALUE.value_at
value_moves, CELLS = VALUE.value_moves, VALUE.CELLS


@njit
def _learn(net, trace, slopes, seats, newest, length, target, rate, decay):
    """Adapt the newest afterstate of a trace to ``target``, and the earlier ones by their share; return the error."""
    error = target - value_at(net.weights, trace[newest])
    team = TEAMS[seats[newest]]
    share = 1.0
    at = newest
    for _ in range(length):
        sign = 1.0 if TEAMS[seats[at]] == team else -1.0
        adapt(net, trace[at], rate, sign * share * error * slopes[at])
        share *= decay
        at = at - 1 if at > 0 else len(trace) - 1
    return error


@kernel
def train(episodes, depth, arrays):
    """Play and learn from so many episodes.

    Args:
        episodes: how many.
        depth: afterstates that a trace reaches back.
        arrays: ``TrainingArrays``.
    """
    net, frozen, memory, numbers, counts, statistics, r = arrays
    taps = len(net.offsets)
    gamma, decay = numbers[GAMMA], numbers[GAMMA] * numbers[LAMBDA]
    is_own = numbers[OWN_TARGET] > 0.0
    replays = len(memory.seats) > 0
    learns, insertion, every = numbers[ONLINE] > 0.0, np.int64(numbers[INSERTION]), np.int64(numbers[EVERY])
    chains = N_PLAYERS if is_own else 1
    s = np.empty(STATE_LEN, np.int64)
    row = np.empty(STATE_LEN, np.int64)
    acts = np.empty(MAX_BRANCH, np.int64)
    values = np.empty(MAX_BRANCH, np.float64)
    ends = np.empty(MAX_BRANCH, np.bool_)
    indices = np.empty((MAX_BRANCH + 1, taps), np.int64)
    boards = np.empty((2, CELLS), np.int64)
    out = np.empty(N_PLAYERS, np.float64)
    scratch = Scratch(acts, values, ends, indices, row, boards, out)
    trace = np.empty((chains, depth, taps), np.int64)
    slopes = np.empty((chains, depth), np.float64)
    seats = np.empty((chains, depth), np.int64)
    newest = np.zeros(chains, np.int64)
    length = np.zeros(chains, np.int64)
    before = np.empty((chains, STATE_LEN), np.int64)
    batch = np.empty(np.int64(numbers[BATCH]), np.int64)
    importance = np.empty(len(batch), np.float64)
    for _ in range(episodes):
        share = counts[DONE] / max(1.0, numbers[EPISODES] - 1.0)
        alpha = scheduled(numbers[ALPHA], numbers[ALPHA_FINAL], share)
        epsilon = scheduled(numbers[EPSILON], numbers[EPSILON_FINAL], share)
        rate = alpha / taps
        random_moves = below(r, 0, np.int64(numbers[OPENING]) + 1)
        length[:] = 0
        init(s, r)
        plies = 0
        mover = -1
        while True:
            p = player(s)
            while HAS_CHANCE and p == CHANCE:
                apply(s, sample(s, r))
                p = player(s)
            if p == TERMINAL:
                break
            # Step 1. Value all moves and find the best.
            n = value_moves(s, p, net, net.weights, acts, values, ends, indices, row, boards, out)
            best = best_of(values, n, r)
            target = target_of(values, ends, n, best, gamma, numbers[NOISE])
            # Step 2. Adapt the afterstate that led here.
            chain = p if is_own else 0
            if length[chain] > 0:
                last = seats[chain, newest[chain]]
                sign = 1.0 if TEAMS[last] == TEAMS[p] else -1.0
                if learns:
                    error = _learn(
                        net,
                        trace[chain],
                        slopes[chain],
                        seats[chain],
                        newest[chain],
                        length[chain],
                        sign * target,
                        rate,
                        decay,
                    )
                    statistics[ERROR] += np.abs(error)
                    statistics[STEPS] += 1.0
                if replays:
                    push(memory, before[chain], last, s, r, insertion)
            # Step 3. Move, sometimes at random.
            chosen = best
            explores = plies < random_moves or (epsilon > 0.0 and unit(r, 0) < epsilon)
            if explores:
                chosen = below(r, 0, n)
            apply(s, acts[chosen])
            plies += 1
            mover = p
            if not ends[chosen]:
                at = newest[chain] + 1 if newest[chain] + 1 < depth else 0
                newest[chain] = at
                length[chain] = 1 if explores and chosen != best else min(length[chain] + 1, depth)
                copy(indices[chosen], trace[chain, at])
                slopes[chain, at] = 1.0 - values[chosen] * values[chosen]
                seats[chain, at] = p
                if replays:
                    copy(s, before[chain])
            # Step 4. Learn again from what is remembered.
            counts[MOVES] += 1
            if replays and every > 0 and counts[MOVES] % every == 0:
                _replay(arrays, rate, share, batch, importance, scratch)
        # Step 5. The end: with targets of their own, all seats but the last mover are adapted to the result.
        returns(s, out)
        statistics[FIRST_RESULT] += out[0]
        if is_own:
            for q in range(N_PLAYERS):
                if q != mover and length[q] > 0:
                    if learns:
                        error = _learn(net, trace[q], slopes[q], seats[q], newest[q], length[q], out[q], rate, decay)
                        statistics[ERROR] += np.abs(error)
                        statistics[STEPS] += 1.0
                    if replays:
                        push(memory, before[q], q, s, r, insertion)
        if replays and every == 0:
            _replay(arrays, rate, share, batch, importance, scratch)
        statistics[GAMES] += 1.0
        statistics[PLIES] += plies
        counts[DONE] += 1
        if len(frozen) > 0 and counts[DONE] % np.int64(numbers[REFRESH]) == 0:
            copy(net.weights, frozen)


@njit
def _replay(arrays, rate, share, batch, importance, scratch):
    """Learn once more from some of what is remembered, as soon as there is enough of it."""
    memory, numbers, r = arrays.memory, arrays.numbers, arrays.streams
    if memory.pushed[0] < len(batch):
        return
    rule = np.int64(numbers[SELECTION])
    select(memory, r, rule, scheduled(numbers[IMPORTANCE], 1.0, share), batch, importance)
    for k in range(len(batch)):
        error = _relearn(arrays, batch[k], importance[k], rate, scratch)
        if numbers[ONLINE] == 0.0:
            arrays.statistics[ERROR] += np.abs(error)
            arrays.statistics[STEPS] += 1.0
        if rule == PRIORITIZED or numbers[INSERTION] == LEAST:
            note_error(memory, batch[k], error, numbers[PRIORITY_POWER])


@njit
def _relearn(arrays, at, importance, rate, scratch):
    """Adapt one remembered afterstate to the target that the present (or frozen) weights give it; return the error."""
    net, frozen, memory, numbers = arrays.net, arrays.frozen, arrays.memory, arrays.numbers
    acts, values, ends, indices, row, boards, out = scratch
    after, seat = memory.after[at], memory.seats[at]
    q = player(after)
    if q == TERMINAL:
        returns(after, out)
        target = out[seat]
    else:
        weights = frozen if len(frozen) > 0 else net.weights
        n = value_moves(after, q, net, weights, acts, values, ends, indices, row, boards, out)
        best = 0
        for i in range(1, n):
            if values[i] > values[best]:
                best = i
        target = target_of(values, ends, n, best, numbers[GAMMA], numbers[NOISE])
        if TEAMS[q] != TEAMS[seat]:
            target = -target
    point(memory.before[at], seat, net, boards[0], indices[0])
    value = value_at(net.weights, indices[0])
    error = target - value
    adapt(net, indices[0], rate, importance * error * (1.0 - value * value))
    return error
