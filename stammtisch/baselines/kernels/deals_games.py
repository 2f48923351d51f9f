"""Many games with hidden cards in lanes, each searched by ``deals``; the same calls as ``puct_games`` has."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from stammtisch.baselines.kernels.bindings import SharedSteps, TreeSteps
from stammtisch.baselines.kernels.puct_arrays import BUDGET, IS_FULL, PLY
from stammtisch.envs.core.borrow import borrowed
from stammtisch.envs.core.rules import Rules

RULES: Rules
SHARED: SharedSteps
TREE: TreeSteps
kernel: Callable[[Callable[..., Any]], Any]

player, apply, observe = RULES.player, RULES.apply, RULES.observe
MAX_BRANCH, N_PLAYERS, OBS_LEN, OBS_DTYPE = RULES.MAX_BRANCH, RULES.N_PLAYERS, RULES.OBS_LEN, np.dtype(RULES.OBS_DTYPE)
TEAM_COUNT = SHARED.TEAM_COUNT
settle, copy_row, team_of, note, finish = SHARED.settle, SHARED.copy_row, SHARED.team_of, SHARED.note, SHARED.finish
move_on, begin_game, plan_search = SHARED.move_on, SHARED.begin_game, SHARED.plan_search
new_scratch = SHARED.new_scratch
lay_out, simulate, improve, decide = TREE.lay_out, TREE.simulate, TREE.improve, TREE.decide
digest_root, digest_flight, found_value = TREE.digest_root, TREE.digest_flight, TREE.found_value

COUNT, MOVER, PENDING, ROOT = TREE.COUNT, TREE.MOVER, TREE.PENDING, TREE.ROOT
WRITTEN, GAMES, GIVEN_UP = SHARED.WRITTEN, SHARED.GAMES, SHARED.GIVEN_UP
CHECKED, WRONG, PLIES, COUNTS = SHARED.CHECKED, SHARED.WRONG, SHARED.PLIES, SHARED.COUNTS


@njit
def _ask(f, b, obs, questions):
    """Write what the seat that is asked sees into the lane's question."""
    f, obs, questions = borrowed((f, obs, questions))
    if f.lanes[b, PENDING] == ROOT:
        observe(f.rows[b], f.lanes[b, MOVER], obs)
    else:
        observe(f.flight[b], np.int64(player(f.flight[b])), obs)
    for i in range(OBS_LEN):
        questions[b, i] = obs[i]


@njit
def _begin_search(f, b, play):
    """Decide how many simulations the next move gets, and ask about it."""
    f = borrowed(f)
    plan_search(f.lanes[b], f.streams[b], play)
    lay_out(f, b)


@njit
def _digest(f, b, answers, search, acts, out, worth):
    """Take the answer of a lane; return whether its simulation asks again."""
    f, answers, acts, out, worth = borrowed((f, answers, acts, out, worth))
    if f.lanes[b, PENDING] == ROOT:
        digest_root(f, b, answers.logits[b], answers.values[b], search)
        return False
    return digest_flight(f, b, answers.logits[b], answers.values[b], acts, out, worth)


@kernel
def begin(f, play, questions):
    """Begin a game in every lane and ask the first questions.

    Args:
        f: ``DealTables``.
        play: ``Play``.
        questions: float32[lanes, OBS_LEN], filled.
    """
    acts = np.empty(MAX_BRANCH, np.int64)
    obs = np.empty(OBS_LEN, OBS_DTYPE)
    for b in range(len(f.lanes)):
        begin_game(f.rows[b], f.lanes[b], f.streams[b], play, acts)
        _begin_search(f, b, play)
        _ask(f, b, obs, questions)


@kernel
def play(f, answers, search, how, tables, notes, records, counts, questions):
    """Digest one answer per lane and go on to the next question of each; ``puct_games.play`` tells the arguments."""
    _play(f, answers, search, how, tables, notes, records, counts, questions, new_scratch(0))


@njit
def _play(f, answers, search, how, tables, notes, records, counts, questions, scratch):
    f, answers, notes, records, counts = borrowed((f, answers, notes, records, counts))
    tables, questions = borrowed((tables, questions))
    acts, out, _, scores, worth, obs, _ = borrowed(scratch)
    for b in range(len(f.lanes)):
        asks = _digest(f, b, answers, search, acts, out, worth)
        while not asks and not simulate(f, b, search, tables[f.lanes[b, IS_FULL]], acts, out, worth, scores):
            # The search is over: move, and ask about the next decision.
            if f.lanes[b, IS_FULL]:
                improve(f, b, search, scores)
                found_value(f, b, worth)
                n, mover = f.lanes[b, COUNT], f.lanes[b, MOVER]
                note(f.lanes[b], b, f.rows[b], mover, f.actions[b], scores, n, worth, notes)
            apply(f.rows[b], f.actions[b, decide(f, b, search, scores)])
            f.lanes[b, PLY] += 1
            if not move_on(f.rows[b], f.lanes[b], f.streams[b], acts):
                settle(f.rows[b], out, worth)
                finish(f.lanes[b], b, f.rows[b], notes, records, worth, counts)
                begin_game(f.rows[b], f.lanes[b], f.streams[b], how, acts)
            _begin_search(f, b, how)
            asks = True
        _ask(f, b, obs, questions)


@kernel
def put(f, b, row, budget, keeps, questions):
    """Put what a seat knows of its decision into a lane to be searched; nothing is kept of earlier ones.

    Args:
        f: ``DealTables``.
        b: the lane.
        row: int64[STATE_LEN].
        budget: simulations.
        keeps: not used.
        questions: float32[lanes, OBS_LEN], whose row ``b`` is filled.
    """
    copy_row(row, f.rows[b])
    f.lanes[b, BUDGET] = budget
    f.lanes[b, IS_FULL] = 1
    lay_out(f, b)
    _ask(f, b, np.empty(OBS_LEN, OBS_DTYPE), questions)
    return False


@kernel
def think(f, answers, search, table, questions, asking):
    """Digest the answers of the lanes that asked, and go on to the next questions; return how many ask.

    ``puct_games.think`` tells the arguments.
    """
    return _think(f, answers, search, table, questions, asking, new_scratch(0))


@njit
def _think(f, answers, search, table, questions, asking, scratch):
    f, answers, table, questions, asking = borrowed((f, answers, table, questions, asking))
    acts, out, _, scores, worth, obs, _ = borrowed(scratch)
    asked = np.int64(0)
    for b in range(len(f.lanes)):
        asks = asking[b] and _digest(f, b, answers, search, acts, out, worth)
        asking[b] = asks or simulate(f, b, search, table, acts, out, worth, scores)
        if asking[b]:
            _ask(f, b, obs, questions)
            asked += 1
    return asked


@kernel
def conclude(f, b, search, temperature, policy, values, visits, actions):
    """Return the place of the action to play, and how many there are; ``puct_games.conclude`` tells the arguments."""
    n = f.lanes[b, COUNT]
    place = decide(f, b, search, policy)
    improve(f, b, search, policy)
    mine = team_of(f.lanes[b, MOVER])
    for i in range(n):
        actions[i] = f.actions[b, i]
        visits[i] = f.visits[b, i]
        values[i] = f.totals[b, i, mine] / visits[i] if visits[i] > 0 else np.nan
    return np.int64(place), np.int64(n)
