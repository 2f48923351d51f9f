"""Many games in lanes, each searched by ``puct``: one call digests all answers of the network and asks all questions.

``play`` is self-play: a lane whose search is over moves, writes down what was found, and begins again after the end, so
that every lane always has a question. ``think`` searches positions that were put into the lanes, and stops.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from stammtisch.baselines.kernels.bindings import SharedSteps, TreeSteps
from stammtisch.baselines.kernels.puct_arrays import BUDGET, DONE, DOUBTS, IS_FULL, PLY, RESIGNS
from stammtisch.envs.core.borrow import borrowed
from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.rules import Rules

RULES: Rules
SHARED: SharedSteps
TREE: TreeSteps
kernel: Callable[[Callable[..., Any]], Any]

player, legal, apply, observe = RULES.player, RULES.legal, RULES.apply, RULES.observe
HAS_CHANCE, sample = RULES.HAS_CHANCE, RULES.sample
MAX_BRANCH, N_PLAYERS, OBS_LEN, OBS_DTYPE = RULES.MAX_BRANCH, RULES.N_PLAYERS, RULES.OBS_LEN, np.dtype(RULES.OBS_DTYPE)
TEAM_COUNT, HEADS = SHARED.TEAM_COUNT, SHARED.HEADS
settle, copy_row, team_of, note, finish = SHARED.settle, SHARED.copy_row, SHARED.team_of, SHARED.note, SHARED.finish
begin_game, plan_search, new_scratch = SHARED.begin_game, SHARED.plan_search, SHARED.new_scratch
plant, digest, back_up, simulate = TREE.plant, TREE.digest, TREE.back_up, TREE.simulate
improve, decide, replant, make_noise = TREE.improve, TREE.decide, TREE.replant, TREE.make_noise
found_value = TREE.found_value

FIRST, COUNT, MOVER, VISITS = TREE.FIRST, TREE.COUNT, TREE.MOVER, TREE.VISITS
ACTION, CHILD, TRIED, TOTAL = TREE.ACTION, TREE.CHILD, TREE.TRIED, TREE.TOTAL
NODES, PENDING, SHIFT, NONE = TREE.NODES, TREE.PENDING, TREE.SHIFT, TREE.NONE
WRITTEN, GAMES, GIVEN_UP = SHARED.WRITTEN, SHARED.GAMES, SHARED.GIVEN_UP
CHECKED, WRONG, PLIES, COUNTS = SHARED.CHECKED, SHARED.WRONG, SHARED.PLIES, SHARED.COUNTS


@njit
def _ask(f, b, obs, questions):
    """Write what the seat to move of the pending node sees into the lane's question."""
    f, obs, questions = borrowed((f, obs, questions))
    node = f.lanes[b, PENDING]
    observe(f.rows[b, node], f.nodes[b, node, MOVER], obs)
    for i in range(OBS_LEN):
        questions[b, i] = obs[i]


@njit
def _begin(f, b, play, acts, out, probabilities):
    """Begin a new game in a lane, with the first decision as its question."""
    begin_game(f.rows[b, 0], f.lanes[b], f.streams[b], play, acts)
    plan_search(f.lanes[b], f.streams[b], play)
    plant(f, b, acts, out, probabilities)


@njit
def _list_root(f, b, acts):
    """Fill the actions of the root; return how many there are."""
    f, acts = borrowed((f, acts))
    first, n = f.nodes[b, 0, FIRST], f.nodes[b, 0, COUNT]
    for i in range(n):
        acts[i] = f.edges[b, first + i, ACTION]
    return n


@njit
def _gives_up(f, b, play, worth, counts):
    """Whether the team to move gives up; where it may not, remember that it would have."""
    f, worth, counts = borrowed((f, worth, counts))
    mine = team_of(f.nodes[b, 0, MOVER])
    if HEADS > 1 or f.sums[b, 0, mine] >= play.resign * f.nodes[b, 0, VISITS]:
        return False
    if not f.lanes[b, RESIGNS]:
        if f.lanes[b, DOUBTS] == 0:
            f.lanes[b, DOUBTS] = 1 + mine
        return False
    for t in range(TEAM_COUNT):
        worth[t] = -1.0 if t == mine else 1.0
    counts[GIVEN_UP] += 1
    return True


@njit
def _take(f, b, edge, acts, keeps, kept):
    """Play an edge of the root, and everything up to the next decision; keep the tree as far as it is wanted.

    Returns:
        Whether the game goes on; then the root is the next decision, planted or not (PENDING tells).
    """
    f, acts, kept = borrowed((f, acts, kept))
    s = f.rows[b, 0]
    node = np.int64(0)
    p = player(s)
    action = np.int64(f.edges[b, edge, ACTION])
    while True:
        # Step 1. Take the action, in the tree as far as it goes. Rows of nodes stay as they are: the first is the game.
        if node != NONE:
            node = _child_by(f, b, node, action)
        apply(s, action)
        if p >= 0:
            f.lanes[b, PLY] += 1
        # Step 2. Go on to the next decision that has a choice.
        p = player(s)
        if p == TERMINAL:
            return False
        if HAS_CHANCE and p == CHANCE:
            action = np.int64(sample(s, f.streams[b]))
            continue
        if legal(s, acts) > 1:
            break
        action = acts[0]
    # Step 3. What is known of it becomes the new tree.
    f.lanes[b, PENDING] = 0
    if keeps > 0 and node > 0 and f.nodes[b, node, FIRST] != NONE:
        replant(f, b, node, keeps > 1, kept)
    return True


@njit
def _child_by(f, b, node, action):
    """Return the node behind an action, or NONE."""
    f = borrowed(f)
    first = f.nodes[b, node, FIRST]
    if first == NONE:
        return np.int64(NONE)
    for edge in range(first, first + f.nodes[b, node, COUNT]):
        if f.edges[b, edge, ACTION] == action:
            return np.int64(f.edges[b, edge, CHILD])
    return np.int64(NONE)


@kernel
def begin(f, play, questions):
    """Begin a game in every lane and ask the first questions.

    Args:
        f: ``Forest``.
        play: ``Play``.
        questions: float32[lanes, OBS_LEN], filled.
    """
    acts = np.empty(MAX_BRANCH, np.int64)
    out = np.empty(N_PLAYERS, np.float64)
    probabilities = np.empty(MAX_BRANCH, np.float64)
    obs = np.empty(OBS_LEN, OBS_DTYPE)
    for b in range(len(f.lanes)):
        _begin(f, b, play, acts, out, probabilities)
        _ask(f, b, obs, questions)


@kernel
def play(f, answers, search, how, tables, notes, records, counts, questions):
    """Digest one answer per lane and go on to the next question of each.

    Args:
        f: ``Forest``.
        answers: ``NetworkAnswers``.
        search: ``Search``.
        how: ``Play``.
        tables: int32[2, considered + 1, simulations], halving of cheap and full searches.
        notes: ``SearchRecords`` of games under way, [lanes, moves].
        records: ``SearchRecords`` of finished games, [n]; there must be room for one more game of every lane.
        counts: int64[COUNTS], added to: records written, games, given up, checked, wrongly, plies.
        questions: float32[lanes, OBS_LEN], filled.
    """
    _play(f, answers, search, how, tables, notes, records, counts, questions, new_scratch(f.nodes.shape[1]))


@njit
def _play(f, answers, search, how, tables, notes, records, counts, questions, scratch):
    f, answers, notes, records, counts = borrowed((f, answers, notes, records, counts))
    tables, questions = borrowed((tables, questions))
    acts, out, probabilities, scores, worth, obs, kept = borrowed(scratch)
    for b in range(len(f.lanes)):
        # Step 1. The answer.
        leaf = f.lanes[b, PENDING]
        digest(f, b, leaf, answers.logits[b], answers.values[b], acts)
        back_up(f, b, leaf)
        if leaf == 0:
            make_noise(f, b, search)
        # Step 2. Search; where a search is over, move, until something is to be asked.
        while not simulate(f, b, search, tables[f.lanes[b, IS_FULL]], acts, out, probabilities, scores):
            if f.lanes[b, IS_FULL]:
                improve(f, b, search, scores)
                found_value(f, b, search, scores, worth)
                n = _list_root(f, b, acts)
                note(f.lanes[b], b, f.rows[b, 0], f.nodes[b, 0, MOVER], acts, scores, n, worth, notes)
            over = _gives_up(f, b, how, worth, counts)
            if not over:
                warmth = how.temperature if f.lanes[b, PLY] < how.warm_plies else how.cool
                edge = decide(f, b, search, warmth, scores)
                over = not _take(f, b, edge, acts, how.keeps, kept)
                if over:
                    settle(f.rows[b, 0], out, worth)
                    if f.lanes[b, DOUBTS] > 0:
                        counts[CHECKED] += 1
                        counts[WRONG] += worth[f.lanes[b, DOUBTS] - 1] > -1.0
            if over:
                finish(f.lanes[b], b, f.rows[b, 0], notes, records, worth, counts)
                _begin(f, b, how, acts, out, probabilities)
                break
            plan_search(f.lanes[b], f.streams[b], how)
            if f.lanes[b, PENDING] == 0:
                plant(f, b, acts, out, probabilities)
                break
            make_noise(f, b, search)
        # Step 3. The question.
        _ask(f, b, obs, questions)


@kernel
def put(f, b, row, budget, keeps, questions):
    """Put a position, a decision, into a lane to be searched; return whether something of its tree was kept.

    Args:
        f: ``Forest``.
        b: the lane.
        row: int64[STATE_LEN].
        budget: simulations.
        keeps: look for the position in the tree of the lane: 0 no, 1 for its answer, 2 for everything below.
        questions: float32[lanes, OBS_LEN], whose row ``b`` is filled where nothing was kept.
    """
    acts = np.empty(MAX_BRANCH, np.int64)
    out = np.empty(N_PLAYERS, np.float64)
    probabilities = np.empty(MAX_BRANCH, np.float64)
    f.lanes[b, BUDGET] = budget
    f.lanes[b, IS_FULL] = 1
    if keeps > 0:
        for node in range(1, f.lanes[b, NODES]):
            if f.nodes[b, node, FIRST] != NONE and f.nodes[b, node, MOVER] >= 0 and _is_same(f.rows[b, node], row):
                replant(f, b, node, keeps > 1, np.empty(f.nodes.shape[1], np.int32))
                return True
    copy_row(row, f.rows[b, 0])
    plant(f, b, acts, out, probabilities)
    _ask(f, b, np.empty(OBS_LEN, OBS_DTYPE), questions)
    return False


@njit
def _is_same(first, second):
    same = True
    for i in range(len(second)):
        same &= first[i] == second[i]
    return same


@kernel
def think(f, answers, search, table, questions, asking):
    """Digest the answers of the lanes that asked, and go on to the next questions; return how many ask.

    Args:
        f: ``Forest``.
        answers: ``NetworkAnswers``.
        search: ``Search``.
        table: int32[considered + 1, simulations], halving.
        questions: float32[lanes, OBS_LEN], filled where something is asked.
        asking: bool[lanes], which lanes asked before; then which ask now.
    """
    return _think(f, answers, search, table, questions, asking, new_scratch(0))


@njit
def _think(f, answers, search, table, questions, asking, scratch):
    f, answers, table, questions, asking = borrowed((f, answers, table, questions, asking))
    acts, out, probabilities, scores, _, obs, _ = borrowed(scratch)
    asked = np.int64(0)
    for b in range(len(f.lanes)):
        leaf = f.lanes[b, PENDING]
        if asking[b]:
            digest(f, b, leaf, answers.logits[b], answers.values[b], acts)
            back_up(f, b, leaf)
        if (leaf == 0 and asking[b]) or (leaf == NONE and f.lanes[b, DONE] == 0):
            make_noise(f, b, search)
        asking[b] = simulate(f, b, search, table, acts, out, probabilities, scores)
        if asking[b]:
            _ask(f, b, obs, questions)
            asked += 1
    return asked


@kernel
def conclude(f, b, search, temperature, policy, values, visits, actions):
    """Return the place of the action to play among those of the root, and how many there are.

    Args:
        f: ``Forest``.
        b: the lane.
        search: ``Search``.
        temperature: see ``decide``.
        policy: float64[MAX_BRANCH], filled with what the search recommends.
        values: float64[MAX_BRANCH], filled with the value of each action for the team that moves; NaN if not tried.
        visits: int64[MAX_BRANCH], filled.
        actions: int64[MAX_BRANCH], filled.
    """
    first, n = f.nodes[b, 0, FIRST], f.nodes[b, 0, COUNT]
    edge = decide(f, b, search, temperature, policy)
    improve(f, b, search, policy)
    for i in range(n):
        actions[i] = f.edges[b, first + i, ACTION]
        visits[i] = f.edges[b, first + i, TRIED]
        values[i] = f.scores[b, first + i, TOTAL] / visits[i] if visits[i] > 0 else np.nan
    return np.int64(edge - first), np.int64(n)
