"""Perfect information Monte Carlo by networks: they play on in every world, and say how likely each world is.

A kernel source. Worlds are drawn among deals that agree with everything public; with beliefs, more of them than are
played, and each is played as often as it is likely. Everybody plays on by the network on what it would see itself, so
that nobody uses a card that it cannot see; few tricks before the end worlds are solved.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from stammtisch.baselines.kernels.bindings import JassNets
from stammtisch.envs.core.rng import next_word, unit
from stammtisch.envs.core.rules import OwnRules, Solver

RULES: OwnRules
NETS: JassNets
SOLVER: Solver
kernel: Callable[[Callable[..., Any]], Any]

apply, legal, resample_hidden, points_of = RULES.apply, RULES.legal, RULES.resample_hidden, RULES.points_of
TURN, TOTAL = RULES.TURN, RULES.TOTAL
STATE_LEN, MAX_BRANCH = RULES.STATE_LEN, RULES.MAX_BRANCH
choose, log_likelihood = NETS.choose, NETS.log_likelihood
value_cards: Any = SOLVER.value_cards
value_of: Any = SOLVER.value_of
tricks_left: Any = SOLVER.tricks_left


@njit
def _copy(s, to):
    for i in range(STATE_LEN):
        to[i] = s[i]


@njit
def play_on(s, before, exact, w, nets, room):
    """Play the deal to its end by the networks, or to where it is solved; return team 0's lead in it, in hundreds.

    ``before`` is the lead in the deals before.
    """
    while s[TURN] >= 0:
        if tricks_left(s) <= exact:
            return value_of(s, w)
        apply(s, choose(s, nets, room))
    return (points_of(s, 0) - points_of(s, 1) - before) / 100.0


@kernel
def weigh_worlds(root, streams, nets, room, worlds, weights):
    """Deal what the seat to move cannot see, and weigh every deal by how likely it makes what was played.

    Args:
        root: what the seat to move knows, not changed.
        streams: uint64[1].
        nets: ``Nets``.
        room: ``NetRoom``.
        worlds: int64[n, STATE_LEN], filled.
        weights: float64[n], filled; they add up to one.
    """
    r = np.empty(1, np.uint64)
    r[0] = next_word(streams, 0)
    s = np.empty(STATE_LEN, np.int64)
    p = root[TURN]
    top = -np.inf
    for k in range(len(worlds)):
        _copy(root, worlds[k])
        resample_hidden(worlds[k], p, r)
        weights[k] = log_likelihood(worlds[k], p, nets, room, s)
        top = max(top, weights[k])
    total = 0.0
    for k in range(len(worlds)):
        weights[k] = np.exp(weights[k] - top)
        total += weights[k]
    for k in range(len(worlds)):
        weights[k] /= total


@kernel
def try_by_nets(root, drawn, exact, streams, w, nets, room, worlds, weights, actions, totals):
    """Add up the values of the legal cards in worlds; return how many cards there are.

    Args:
        root: what the seat to move knows, in the play; not changed.
        drawn: worlds to play, by lot among ``worlds`` as likely as their weights say; with no weights, new deals.
        exact: with at most so many tricks left, worlds are solved.
        streams: uint64[1].
        w: arrays of the solver.
        nets: ``Nets``.
        room: ``NetRoom``.
        worlds: int64[k, STATE_LEN].
        weights: float64[k], or of length 0.
        actions: int64[MAX_BRANCH], filled with the legal cards.
        totals: float64[MAX_BRANCH], filled with the sums for the seat to move, in hundreds of points.
    """
    r = np.empty(1, np.uint64)
    r[0] = next_word(streams, 0)
    world = np.empty(STATE_LEN, np.int64)
    s = np.empty(STATE_LEN, np.int64)
    values = np.empty(MAX_BRANCH, np.float64)
    p = root[TURN]
    sign = -1.0 if p & 1 else 1.0
    before = root[TOTAL] - root[TOTAL + 1]
    n = legal(root, actions)
    totals[:] = 0.0
    # Systematic resampling: one draw, then even steps through the weights.
    at, passed, step = 0, 0.0, unit(r, 0)
    for k in range(drawn):
        if len(weights):
            wanted = (k + step) / drawn
            while at < len(weights) - 1 and passed + weights[at] < wanted:
                passed += weights[at]
                at += 1
            _copy(worlds[at], world)
        else:
            _copy(root, world)
            resample_hidden(world, p, r)
        if tricks_left(world) <= exact:
            value_cards(world, w, actions, values)
            for i in range(n):
                totals[i] += sign * values[i]
            continue
        for i in range(n):
            _copy(world, s)
            apply(s, actions[i])
            totals[i] += sign * play_on(s, before, exact, w, nets, room)
    return np.int64(n)
