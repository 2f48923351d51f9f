"""Tree search by a network, one simulation at a time: select, ask, and tell everyone on the way.

A search stops wherever it needs the network: the position of the pending leaf is the question, and the next call
brings the answer. Two ways to choose are here. ``GUMBEL`` (Danihelka, Guez, Schrittwieser and Silver 2022) tries the
actions of the root by sequential halving and completes the values of what it did not try; ``PUCT`` (Silver and others
2017) follows upper confidence bounds. Every team maximises its own value; dice are nodes whose outcomes are tried as
often as their probabilities demand, all root actions meeting the same ones first. ``puct_arrays`` tells how the arrays
look.
"""

import numpy as np
from numba import njit

from stammtisch.baselines.kernels.bindings import EndgameTables, SharedSteps
from stammtisch.baselines.kernels.puct_arrays import BUDGET, DONE, GUMBEL, LINE_NODES, OWN
from stammtisch.envs.core.borrow import borrowed
from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.rng import unit
from stammtisch.envs.core.rules import Rules

RULES: Rules
SHARED: SharedSteps
TABLES: EndgameTables

player, legal, apply, MAX_BRANCH = RULES.player, RULES.legal, RULES.apply, RULES.MAX_BRANCH
HAS_CHANCE, chance = RULES.HAS_CHANCE, RULES.chance
TEAM_COUNT, SEARCH_STREAM = SHARED.TEAM_COUNT, SHARED.SEARCH_STREAM
team_of, copy_row, settle, seen_by = SHARED.team_of, SHARED.copy_row, SHARED.settle, SHARED.seen_by
share_out, log_share, soften = SHARED.share_out, SHARED.log_share, SHARED.soften
HAS_TABLES, look_up = TABLES.HAS_TABLES, TABLES.look_up

FIRST, COUNT, MOVER, VISITS = 0, 1, 2, 3  # of nodes
ACTION, CHILD, TRIED = 0, 1, 2  # of edges
PRIOR, TOTAL = 0, 1  # of scores
NODES, EDGES, PENDING, LEVEL, SHIFT = range(OWN, OWN + 5)  # of a lane
NONE = -1


@njit
def open_node(f, b, node, acts, out, probabilities):
    """Make what stands in ``f.rows[b, node]`` a node: a leaf, the end of a line, or a chance event with outcomes.

    A line ends with the game, and, but for the root, where endgame tables know the rest of it.
    """
    f, acts, out, probabilities = borrowed((f, acts, out, probabilities))
    s = f.rows[b, node]
    p = player(s)
    f.nodes[b, node, FIRST] = NONE
    f.nodes[b, node, COUNT] = 0
    f.nodes[b, node, MOVER] = p
    f.nodes[b, node, VISITS] = 0
    for t in range(TEAM_COUNT):
        f.worth[b, node, t] = 0.0
        f.sums[b, node, t] = 0.0
    if p == TERMINAL:
        settle(s, out, f.worth[b, node])
    elif HAS_CHANCE and p == CHANCE:
        n = legal(s, acts)
        chance(s, probabilities)
        first = f.lanes[b, EDGES]
        for i in range(n):
            _add_edge(f, b, first + i, acts[i], probabilities[i])
        f.nodes[b, node, FIRST] = first
        f.nodes[b, node, COUNT] = n
        f.lanes[b, EDGES] = first + n
    elif HAS_TABLES and node > 0 and look_up(s, f.endgames, out):
        f.nodes[b, node, MOVER] = TERMINAL
        share_out(out, f.worth[b, node])


@njit
def _add_edge(f, b, edge, action, prior):
    f = borrowed(f)
    f.edges[b, edge, ACTION] = action
    f.edges[b, edge, CHILD] = NONE
    f.edges[b, edge, TRIED] = 0
    f.scores[b, edge, PRIOR] = prior
    f.scores[b, edge, TOTAL] = 0.0


@njit
def plant(f, b, acts, out, probabilities):
    """Begin a tree on the position in ``f.rows[b, 0]``, a decision."""
    f, acts, out, probabilities = borrowed((f, acts, out, probabilities))
    f.lanes[b, NODES] = 1
    f.lanes[b, EDGES] = 0
    f.lanes[b, DONE] = 0
    f.lanes[b, LEVEL] = 0
    f.lanes[b, PENDING] = 0
    open_node(f, b, 0, acts, out, probabilities)


@njit
def digest(f, b, node, logits, values, acts):
    """Give a leaf the network's answer: log priors of its legal actions, and its worth for every team.

    Args:
        f: ``Forest``.
        b: the lane.
        node: a decision without edges.
        logits: float32[N_ACTIONS].
        values: float32[HEADS].
        acts: int64[MAX_BRANCH], scratch.
    """
    f, logits, values, acts = borrowed((f, logits, values, acts))
    n = legal(f.rows[b, node], acts)
    first = f.lanes[b, EDGES]
    shift = log_share(logits, acts, n)
    for i in range(n):
        _add_edge(f, b, first + i, acts[i], logits[acts[i]] - shift)
    f.nodes[b, node, FIRST] = first
    f.nodes[b, node, COUNT] = n
    f.lanes[b, EDGES] = first + n
    seen_by(f.nodes[b, node, MOVER], values, f.worth[b, node])


@njit
def back_up(f, b, leaf):
    """Tell everyone on the way what the leaf is worth."""
    f = borrowed(f)
    worth = f.worth[b, leaf]
    f.nodes[b, leaf, VISITS] += 1
    for t in range(TEAM_COUNT):
        f.sums[b, leaf, t] += worth[t]
    for i in range(f.lanes[b, LEVEL]):
        node, edge = f.path[b, i, 0], f.path[b, i, 1]
        f.nodes[b, node, VISITS] += 1
        f.edges[b, edge, TRIED] += 1
        for t in range(TEAM_COUNT):
            f.sums[b, node, t] += worth[t]
        mover = f.nodes[b, node, MOVER]
        if mover >= 0:
            f.scores[b, edge, TOTAL] += worth[team_of(mover)]
    f.lanes[b, PENDING] = NONE


@njit
def has_room(f, b):
    """Whether the arrays can take one more simulation."""
    f = borrowed(f)
    return f.lanes[b, NODES] + LINE_NODES <= f.nodes.shape[1] and f.lanes[b, EDGES] + 2 * MAX_BRANCH <= f.edges.shape[1]


@njit
def completed(f, b, node, search, scores):
    """Fill log prior + scaled value of every edge; what was not tried counts as much as the mean of what is known.

    Args:
        f: ``Forest``.
        b: the lane.
        node: a decision with edges.
        search: ``Search``.
        scores: float64[MAX_BRANCH], filled.
    """
    f, scores = borrowed((f, scores))
    first, n = f.nodes[b, node, FIRST], f.nodes[b, node, COUNT]
    most = 0
    total = 0
    known = 0.0
    weighted = 0.0
    for i in range(n):
        visits = f.edges[b, first + i, TRIED]
        if visits > 0:
            share = np.exp(f.scores[b, first + i, PRIOR])
            known += share
            weighted += share * (f.scores[b, first + i, TOTAL] / visits)
            total += visits
            most = max(most, visits)
    mixed = np.float64(f.worth[b, node, team_of(f.nodes[b, node, MOVER])])
    if total > 0 and known > 0.0:
        mixed = (mixed + total * weighted / known) / (1.0 + total)
    weight = (search.c_visit + most) * search.c_scale * 0.5
    for i in range(n):
        visits = f.edges[b, first + i, TRIED]
        value = f.scores[b, first + i, TOTAL] / visits if visits > 0 else mixed
        scores[i] = f.scores[b, first + i, PRIOR] + weight * (value + 1.0)


@njit
def _halve(f, b, search, table, scores):
    """Choose the root's edge: the most promising among those with as many visits as sequential halving wants."""
    f, table, scores = borrowed((f, table, scores))
    first, n = f.nodes[b, 0, FIRST], f.nodes[b, 0, COUNT]
    completed(f, b, 0, search, scores)
    done = min(f.lanes[b, DONE], table.shape[1] - 1)
    wanted = table[min(search.considered, n), done]
    chosen = NONE
    best = -np.inf
    for i in range(n):
        if f.edges[b, first + i, TRIED] == wanted and scores[i] + f.noise[b, i] > best:
            best = scores[i] + f.noise[b, i]
            chosen = first + i
    if chosen == NONE:  # the budget was changed on the way
        chosen = _follow_improved(f, b, 0, search, scores)
    return chosen


@njit
def _follow_improved(f, b, node, search, scores):
    """Choose the edge that lags most behind the improved policy."""
    f, scores = borrowed((f, scores))
    first, n = f.nodes[b, node, FIRST], f.nodes[b, node, COUNT]
    completed(f, b, node, search, scores)
    soften(scores, n)
    total = 1
    for i in range(n):
        total += f.edges[b, first + i, TRIED]
    chosen = first
    best = -np.inf
    for i in range(n):
        lag = scores[i] - f.edges[b, first + i, TRIED] / total
        if lag > best:
            best = lag
            chosen = first + i
    return chosen


@njit
def _follow_bound(f, b, node, search):
    """Choose an edge by PUCT."""
    f = borrowed(f)
    first, n = f.nodes[b, node, FIRST], f.nodes[b, node, COUNT]
    mine = team_of(f.nodes[b, node, MOVER])
    attention = search.c * np.sqrt(np.float64(f.nodes[b, node, VISITS]))
    untried = f.sums[b, node, mine] / max(1, f.nodes[b, node, VISITS]) - search.first_play
    noisy = node == 0 and search.noise > 0.0
    chosen = first
    best = -np.inf
    for i in range(n):
        visits = f.edges[b, first + i, TRIED]
        prior = np.exp(f.scores[b, first + i, PRIOR])
        if noisy:
            prior = (1.0 - search.noise) * prior + search.noise * f.noise[b, i]
        value = f.scores[b, first + i, TOTAL] / visits if visits > 0 else untried
        bound = value + attention * prior / (1.0 + visits)
        if bound > best:
            best = bound
            chosen = first + i
    return chosen


@njit
def _next_outcome(f, b, node):
    """Choose the outcome that lags most behind its probability; the first of equals from a place drawn per search."""
    f = borrowed(f)
    first, n = f.nodes[b, node, FIRST], f.nodes[b, node, COUNT]
    visits = f.nodes[b, node, VISITS] + 1
    chosen = first
    best = -np.inf
    for k in range(n):
        edge = first + (k + f.lanes[b, SHIFT]) % n
        lag = f.scores[b, edge, PRIOR] * visits - f.edges[b, edge, TRIED]
        if lag > best + 1e-6:
            best = lag
            chosen = edge
    return chosen


@njit
def descend(f, b, search, table, acts, out, probabilities, scores):
    """Walk from the root to a node without edges, which may be the end of a line; make it if it is new."""
    f, table, acts, out, probabilities, scores = borrowed((f, table, acts, out, probabilities, scores))
    node = 0
    level = 0
    while f.nodes[b, node, FIRST] != NONE:
        if f.nodes[b, node, MOVER] == CHANCE:
            edge = _next_outcome(f, b, node)
        elif search.mode != GUMBEL:
            edge = _follow_bound(f, b, node, search)
        elif node == 0:
            edge = _halve(f, b, search, table, scores)
        else:
            edge = _follow_improved(f, b, node, search, scores)
        f.path[b, level, 0] = node
        f.path[b, level, 1] = edge
        level += 1
        child = f.edges[b, edge, CHILD]
        if child == NONE:
            child = f.lanes[b, NODES]
            f.lanes[b, NODES] += 1
            f.edges[b, edge, CHILD] = child
            copy_row(f.rows[b, node], f.rows[b, child])
            apply(f.rows[b, child], f.edges[b, edge, ACTION])
            open_node(f, b, child, acts, out, probabilities)
        node = child
    f.lanes[b, LEVEL] = level
    return node


@njit
def simulate(f, b, search, table, acts, out, probabilities, scores):
    """Run simulations until one needs the network or the budget is spent; return whether there is a question.

    The question is the position of node ``PENDING``.
    """
    f, table, acts, out, probabilities, scores = borrowed((f, table, acts, out, probabilities, scores))
    while f.lanes[b, DONE] < f.lanes[b, BUDGET] and has_room(f, b):
        leaf = descend(f, b, search, table, acts, out, probabilities, scores)
        f.lanes[b, DONE] += 1
        if f.nodes[b, leaf, MOVER] != TERMINAL:
            f.lanes[b, PENDING] = leaf
            return True
        back_up(f, b, leaf)
    return False


@njit
def make_noise(f, b, search):
    """Draw the noise of the root, and from which outcome dice are tried in this search."""
    f = borrowed(f)
    n = f.nodes[b, 0, COUNT]
    r = f.streams[b]
    f.lanes[b, SHIFT] = np.int64(unit(r, SEARCH_STREAM) * MAX_BRANCH)
    if search.mode == GUMBEL:
        for i in range(n):
            drawn = unit(r, SEARCH_STREAM)
            f.noise[b, i] = -search.noise * np.log(-np.log(max(drawn, 1e-300))) if search.noise > 0.0 else 0.0
    elif search.noise > 0.0:
        total = 0.0
        for i in range(n):
            f.noise[b, i] = _gamma(search.dirichlet / n, r)
            total += f.noise[b, i]
        for i in range(n):
            f.noise[b, i] = f.noise[b, i] / total if total > 0.0 else 1.0 / n


@njit
def _gamma(shape, r):
    """Draw from a gamma distribution of scale 1 (Marsaglia and Tsang 2000)."""
    boost = 1.0
    if shape < 1.0:
        boost = max(unit(r, SEARCH_STREAM), 1e-300) ** (1.0 / shape)
        shape += 1.0
    d = shape - 1.0 / 3.0
    c = 1.0 / np.sqrt(9.0 * d)
    while True:
        radius = np.sqrt(-2.0 * np.log(max(unit(r, SEARCH_STREAM), 1e-300)))
        x = radius * np.cos(2.0 * np.pi * unit(r, SEARCH_STREAM))
        v = (1.0 + c * x) ** 3
        if v > 0.0 and np.log(max(unit(r, SEARCH_STREAM), 1e-300)) < 0.5 * x * x + d - d * v + d * np.log(v):
            return d * v * boost


@njit
def improve(f, b, search, policy):
    """Fill the policy that the search recommends over the edges of the root, ``float64[MAX_BRANCH]``."""
    f, policy = borrowed((f, policy))
    first, n = f.nodes[b, 0, FIRST], f.nodes[b, 0, COUNT]
    if search.mode == GUMBEL:
        completed(f, b, 0, search, policy)
        soften(policy, n)
        return
    total = 0
    for i in range(n):
        total += f.edges[b, first + i, TRIED]
    for i in range(n):
        policy[i] = f.edges[b, first + i, TRIED] / total if total > 0 else np.exp(f.scores[b, first + i, PRIOR])


@njit
def found_value(f, b, search, policy, worth):
    """Fill what the search says of its root, for every team.

    Gumbel: the values of the actions that were tried, weighed by the improved policy, as halving also tries what nobody
    would play. PUCT: the mean of all simulations.

    Args:
        f: ``Forest``.
        b: the lane.
        search: ``Search``.
        policy: float64[MAX_BRANCH], what ``improve`` filled.
        worth: float32[TEAM_COUNT], filled.
    """
    f, policy, worth = borrowed((f, policy, worth))
    for t in range(TEAM_COUNT):
        worth[t] = f.sums[b, 0, t] / f.nodes[b, 0, VISITS]
    if search.mode != GUMBEL:
        return
    first = f.nodes[b, 0, FIRST]
    known = 0.0
    for i in range(f.nodes[b, 0, COUNT]):
        if f.edges[b, first + i, TRIED] > 0:
            known += policy[i]
    if known <= 0.0:
        return
    for t in range(TEAM_COUNT):
        total = 0.0
        for i in range(f.nodes[b, 0, COUNT]):
            if f.edges[b, first + i, TRIED] > 0:
                child = f.edges[b, first + i, CHILD]
                total += policy[i] * f.sums[b, child, t] / f.nodes[b, child, VISITS]
        worth[t] = total / known


@njit
def decide(f, b, search, temperature, scores):
    """Return the edge of the root to play.

    Gumbel: the most promising among the most visited, noise included. PUCT: at temperature 0 the most visited, better
    values first among equals; else drawn in proportion to visits^(1/temperature).
    """
    f, scores = borrowed((f, scores))
    first, n = f.nodes[b, 0, FIRST], f.nodes[b, 0, COUNT]
    most = 0
    for i in range(n):
        most = max(most, f.edges[b, first + i, TRIED])
    if search.mode != GUMBEL and temperature > 0.0 and most > 0:
        total = 0.0
        for i in range(n):
            scores[i] = (f.edges[b, first + i, TRIED] / most) ** (1.0 / temperature)
            total += scores[i]
        left = unit(f.streams[b], SEARCH_STREAM) * total
        for i in range(n):
            left -= scores[i]
            if left < 0.0:
                return first + i
    completed(f, b, 0, search, scores)
    chosen = first
    best = -np.inf
    for i in range(n):
        visits = f.edges[b, first + i, TRIED]
        if visits != most:
            continue
        if search.mode == GUMBEL:
            score = scores[i] + f.noise[b, i]
        elif visits > 0:
            score = np.float64(f.scores[b, first + i, TOTAL] / visits)
        else:
            score = np.float64(f.scores[b, first + i, PRIOR])
        if score > best:
            best = score
            chosen = first + i
    return chosen


@njit
def replant(f, b, node, keeps_visits, kept):
    """Make a decision with edges the root of its tree. Without visits, only its answer is kept.

    Args:
        f: ``Forest``.
        b: the lane.
        node: the new root.
        keeps_visits: keep everything below it; else only priors and worth.
        kept: int32[nodes], scratch.
    """
    f, kept = borrowed((f, kept))
    size = f.lanes[b, NODES]
    for i in range(size):
        kept[i] = NONE
    # Step 1. Mark what stays: nodes come after their parents, and edges lie in the order of their nodes.
    kept[node] = 0
    if keeps_visits:
        for i in range(node, size):
            if kept[i] != NONE:
                for edge in range(f.nodes[b, i, FIRST], f.nodes[b, i, FIRST] + f.nodes[b, i, COUNT]):
                    if f.edges[b, edge, CHILD] != NONE:
                        kept[f.edges[b, edge, CHILD]] = 0
    # Step 2. Number it anew, and move it to the front.
    nodes = 0
    for i in range(node, size):
        if kept[i] != NONE:
            kept[i] = nodes
            nodes += 1
    edges = 0
    for i in range(node, size):
        to = kept[i]
        if to == NONE:
            continue
        copy_row(f.rows[b, i], f.rows[b, to])
        first, n = f.nodes[b, i, FIRST], f.nodes[b, i, COUNT]
        for k in range(n):
            child = f.edges[b, first + k, CHILD]
            f.edges[b, edges + k, ACTION] = f.edges[b, first + k, ACTION]
            f.edges[b, edges + k, CHILD] = kept[child] if child != NONE and keeps_visits else NONE
            f.edges[b, edges + k, TRIED] = f.edges[b, first + k, TRIED] if keeps_visits else 0
            f.scores[b, edges + k, PRIOR] = f.scores[b, first + k, PRIOR]
            f.scores[b, edges + k, TOTAL] = f.scores[b, first + k, TOTAL] if keeps_visits else 0.0
        f.nodes[b, to, FIRST] = edges if first != NONE else NONE
        f.nodes[b, to, COUNT] = n
        f.nodes[b, to, MOVER] = f.nodes[b, i, MOVER]
        f.nodes[b, to, VISITS] = f.nodes[b, i, VISITS] if keeps_visits else 1
        for t in range(TEAM_COUNT):
            f.worth[b, to, t] = f.worth[b, i, t]
            f.sums[b, to, t] = f.sums[b, i, t] if keeps_visits else f.worth[b, i, t]
        edges += n
    f.lanes[b, NODES] = nodes
    f.lanes[b, EDGES] = edges
    f.lanes[b, DONE] = 0
    f.lanes[b, LEVEL] = 0
    f.lanes[b, PENDING] = NONE
