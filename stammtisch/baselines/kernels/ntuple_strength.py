"""Learning of afterstates for strength: whole games of self-play, adapted backwards from their ends.

An afterstate learns what the next decision is worth, mixed (lambda) with what came of it as long as the best moves were
played. From ``endgame`` empty cells on a decision is worth what the exact solver says, so that values rest on perfect
play instead of on the player's own mistakes at the end.

In a share ``search`` of the positions every move is looked at one turn further, and its afterstate learns what the best
answer is worth (TreeStrap: Veness, Silver, Uther and Blair 2009). A search meets the moves that nobody would play more
often than the others, and a value that was only ever learned along games knows little about them.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from stammtisch.baselines.kernels.bindings import Value
from stammtisch.baselines.kernels.ntuple_net import (
    ALPHA,
    ALPHA_FINAL,
    DONE,
    ENDGAME,
    EPISODES,
    EPSILON,
    EPSILON_FINAL,
    ERROR,
    FIRST_RESULT,
    GAMES,
    GAMMA,
    LAMBDA,
    MOVES,
    NOISE,
    OPENING,
    PLIES,
    SEARCH,
    STEPS,
)
from stammtisch.baselines.kernels.ntuple_steps import adapt, best_of, scheduled, target_of
from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.rng import below, unit
from stammtisch.envs.core.rules import Endgame, Rules

RULES: Rules
VALUE: Value
SOLVER: Endgame | None  # exact solver of the last empty cells
kernel: Callable[[Callable[..., Any]], Any]

init, player, apply, returns = RULES.init, RULES.player, RULES.apply, RULES.returns
MAX_BRANCH, MAX_MOVES, N_PLAYERS, STATE_LEN = RULES.MAX_BRANCH, RULES.MAX_MOVES, RULES.N_PLAYERS, RULES.STATE_LEN
TEAMS = np.array(RULES.TEAMS, np.int64)
HAS_CHANCE, sample = RULES.HAS_CHANCE, RULES.sample
copy, value_at, value_moves, CELLS = VALUE.copy, VALUE.value_at, VALUE.value_moves, VALUE.CELLS
SOLVES = SOLVER is not None
if SOLVER is not None:
    empties, score, worth = RULES.empties, SOLVER.score, SOLVER.worth
    LEAST, MOST = np.int64(-SOLVER.MOST), np.int64(SOLVER.MOST)  # typed, see the solver


@njit
def _exact(s, endgame, boards):
    """Return whether a position is solved, and what it is then worth to the seat to move."""
    if SOLVES and empties(s) <= endgame:
        return True, worth(score(s, LEAST, MOST, boards))
    return False, 0.0


@kernel
def train(episodes, arrays, boards):
    """Play and learn from so many episodes.

    Args:
        episodes: how many.
        arrays: ``TrainingArrays``; memory and frozen weights are not used.
        boards: what the solver works with, or an empty tuple.
    """
    net, _, _, numbers, counts, statistics, r = arrays
    taps = len(net.offsets)
    gamma, lam, noise, share_searched = numbers[GAMMA], numbers[LAMBDA], numbers[NOISE], numbers[SEARCH]
    endgame = np.int64(numbers[ENDGAME])
    s = np.empty(STATE_LEN, np.int64)
    row = np.empty(STATE_LEN, np.int64)
    acts = np.empty(MAX_BRANCH, np.int64)
    values = np.empty(MAX_BRANCH, np.float64)
    ends = np.empty(MAX_BRANCH, np.bool_)
    indices = np.empty((MAX_BRANCH + 1, taps), np.int64)
    cells = np.empty((2, CELLS), np.int64)
    out = np.empty(N_PLAYERS, np.float64)
    answers = np.empty(MAX_BRANCH, np.int64)  # the same for the answers to a move, where they are looked at
    answer_values = np.empty(MAX_BRANCH, np.float64)
    answer_ends = np.empty(MAX_BRANCH, np.bool_)
    answer_indices = np.empty((MAX_BRANCH + 1, taps), np.int64)
    target_row = np.empty(STATE_LEN, np.int64)
    targets = np.empty(MAX_BRANCH, np.float64)  # what each move learns
    after = np.empty((MAX_MOVES, taps), np.int64)  # of every decision: where the taps point after it,
    worths = np.empty(MAX_MOVES, np.float64)  # what it is worth to the seat,
    seats = np.empty(MAX_MOVES, np.int64)
    follows = np.empty(MAX_MOVES, np.bool_)  # and whether what comes then tells more about it
    for _ in range(episodes):
        share = counts[DONE] / max(1.0, numbers[EPISODES] - 1.0)
        rate = scheduled(numbers[ALPHA], numbers[ALPHA_FINAL], share) / taps
        epsilon = scheduled(numbers[EPSILON], numbers[EPSILON_FINAL], share)
        random_moves = below(r, 0, np.int64(numbers[OPENING]) + 1)
        init(s, r)
        n_moves = 0
        # Step 1. Play.
        while True:
            p = player(s)
            while HAS_CHANCE and p == CHANCE:
                apply(s, sample(s, r))
                p = player(s)
            if p == TERMINAL:
                break
            n = value_moves(s, p, net, net.weights, acts, values, ends, indices, row, cells, out)
            is_searched = share_searched > 0.0 and unit(r, 0) < share_searched
            if is_searched:
                for i in range(n):
                    targets[i] = values[i]
                    if ends[i]:
                        continue
                    copy(s, target_row)
                    apply(target_row, acts[i])
                    q = player(target_row)
                    while HAS_CHANCE and q == CHANCE:
                        apply(target_row, sample(target_row, r))
                        q = player(target_row)
                    is_solved, found = _exact(target_row, endgame, boards)
                    if not is_solved:
                        m = value_moves(
                            target_row,
                            q,
                            net,
                            net.weights,
                            answers,
                            answer_values,
                            answer_ends,
                            answer_indices,
                            row,
                            cells,
                            out,
                        )
                        reply = 0
                        for j in range(1, m):
                            if answer_values[j] > answer_values[reply]:
                                reply = j
                        found = target_of(answer_values, answer_ends, m, reply, gamma, noise)
                    targets[i] = found if TEAMS[p] == TEAMS[q] else -found
            # One throw of the die is enough to learn from, but not to choose a move by.
            judged = targets if is_searched and not HAS_CHANCE else values
            best = best_of(judged, n, r)
            is_solved, value = _exact(s, endgame, boards)
            worths[n_moves] = value if is_solved else target_of(judged, ends, n, best, gamma, noise)
            chosen = best
            if n_moves < random_moves or (epsilon > 0.0 and unit(r, 0) < epsilon):
                chosen = below(r, 0, n)
            seats[n_moves] = p
            follows[n_moves] = chosen == best and not is_solved and not ends[chosen]
            if not ends[chosen]:
                copy(indices[chosen], after[n_moves])
            if is_searched:
                for i in range(n):
                    if i != chosen and not ends[i]:
                        value = value_at(net.weights, indices[i])
                        adapt(net, indices[i], rate, (targets[i] - value) * (1.0 - value * value))
            apply(s, acts[chosen])
            n_moves += 1
        # Step 2. Learn, the last afterstate first; the one at the very end needs no value.
        returns(s, out)
        found = worths[n_moves - 1]
        for k in range(n_moves - 2, -1, -1):
            target = found if TEAMS[seats[k]] == TEAMS[seats[k + 1]] else -found
            value = value_at(net.weights, after[k])
            error = target - value
            adapt(net, after[k], rate, error * (1.0 - value * value))
            statistics[ERROR] += np.abs(error)
            found = (1.0 - lam) * worths[k] + lam * gamma * target if follows[k] else worths[k]
        statistics[STEPS] += n_moves - 1
        statistics[FIRST_RESULT] += out[0]
        statistics[GAMES] += 1.0
        statistics[PLIES] += n_moves
        counts[MOVES] += n_moves
        counts[DONE] += 1
