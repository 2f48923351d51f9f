"""Perfect information Monte Carlo: hidden cards are dealt many times, and every action valued in each world."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from stammtisch.baselines.kernels.bindings import Horizon
from stammtisch.envs.core.rules import Rules, Solver

RULES: Rules
HORIZON: Horizon
SOLVER: Solver | None  # double-dummy solver of the game, if it has one
kernel: Callable[[Callable[..., Any]], Any]

player, legal, apply, resample_hidden = RULES.player, RULES.legal, RULES.apply, RULES.resample_hidden
MAX_BRANCH, N_PLAYERS, STATE_LEN = RULES.MAX_BRANCH, RULES.N_PLAYERS, RULES.STATE_LEN
TEAMS = np.array(RULES.TEAMS, np.int64)
play_on, own_streams = HORIZON.play_on, HORIZON.own_streams
SOLVES = SOLVER is not None
value_cards: Any = SOLVER and SOLVER.value_cards
tricks_left: Any = SOLVER and SOLVER.tricks_left


@njit
def _copy(s, to):
    for i in range(STATE_LEN):  # assigning the row compiles for seconds
        to[i] = s[i]


@njit
def _simulate(world, p, r, n, actions, totals, s, acts, out):
    """Add the outcome of one simulation per action."""
    for i in range(n):
        _copy(world, s)
        apply(s, actions[i])
        play_on(s, r, acts, out)
        totals[i] += out[p]


@kernel
def try_worlds(root, worlds, exact, streams, work, actions, totals):
    """Deal the hidden cards and add up the values of the legal actions; return how many actions there are.

    Args:
        root: what the seat to move knows, not changed.
        worlds: number of deals.
        exact: with at most so many tricks left, worlds are solved; before, simulated.
        streams: uint64[1], the agent's stream.
        work: the arrays of the solver, an empty tuple without one.
        actions: int64[MAX_BRANCH], filled with the legal actions.
        totals: float64[MAX_BRANCH], filled with the sum of the values for the seat to move.
    """
    r = own_streams(streams)
    p = player(root)
    world = np.empty(STATE_LEN, np.int64)
    s = np.empty(STATE_LEN, np.int64)
    acts = np.empty(MAX_BRANCH, np.int64)
    values = np.empty(MAX_BRANCH, np.float64)
    out = np.empty(N_PLAYERS, np.float64)
    n = legal(root, actions)
    totals[:] = 0.0
    for _ in range(worlds):
        _copy(root, world)
        resample_hidden(world, p, r)
        solved = False
        if SOLVES:
            solved = tricks_left(world) <= exact
            if solved:
                value_cards(world, work, acts, values)
                for i in range(n):
                    totals[i] += values[i] if TEAMS[p] == 0 else -values[i]
        if not solved:
            _simulate(world, p, r, n, actions, totals, s, acts, out)
    return np.int64(n)


@kernel
def try_open(root, rounds, streams, actions, totals):
    """Add up the outcomes of simulations of every legal action in the very position; return how many actions there are.

    Args:
        root: the position with everything that is hidden, not changed.
        rounds: simulations per action.
        streams: uint64[1], the agent's stream.
        actions: int64[MAX_BRANCH], filled with the legal actions.
        totals: float64[MAX_BRANCH], filled with the sum of the outcomes for the seat to move.
    """
    r = own_streams(streams)
    s = np.empty(STATE_LEN, np.int64)
    acts = np.empty(MAX_BRANCH, np.int64)
    out = np.empty(N_PLAYERS, np.float64)
    n = legal(root, actions)
    totals[:] = 0.0
    for _ in range(rounds):
        _simulate(root, player(root), r, n, actions, totals, s, acts, out)
    return np.int64(n)
