"""Search by a network where cards are hidden: the actions of a decision in sampled deals, one simulation at a time.

The actions are tried by sequential halving over deals that agree with everything the seat knows, the same deals for
every action. A simulation plays the action; then every seat, the searching one included, plays on by the network's
policy on what it sees itself in that deal, until each has acted once or the game is over; there the network says what
the position is worth for the seat to move. Nothing behind the decision uses a card that the acting seat cannot see, so
no strategy depends on what its player cannot know. The improved policy is that of Gumbel AlphaZero (Danihelka, Guez,
Schrittwieser and Silver 2022). ``deals_arrays`` tells how the arrays look.
"""

import numpy as np
from numba import njit

from stammtisch.baselines.kernels.bindings import SharedSteps
from stammtisch.baselines.kernels.deals_arrays import DEALS
from stammtisch.baselines.kernels.puct_arrays import BUDGET, DONE, OWN
from stammtisch.envs.core.borrow import borrowed
from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.rng import unit
from stammtisch.envs.core.rules import Rules

RULES: Rules
SHARED: SharedSteps

player, legal, apply = RULES.player, RULES.legal, RULES.apply
redact, resample_hidden = RULES.redact, RULES.resample_hidden
HAS_CHANCE, sample = RULES.HAS_CHANCE, RULES.sample
N_PLAYERS = RULES.N_PLAYERS
TEAM_COUNT, SEARCH_STREAM = SHARED.TEAM_COUNT, SHARED.SEARCH_STREAM
team_of, copy_row, settle, seen_by = SHARED.team_of, SHARED.copy_row, SHARED.settle, SHARED.seen_by
log_share, soften = SHARED.log_share, SHARED.soften

COUNT, MOVER, PENDING, EDGE, ACTED = range(OWN, OWN + 5)  # of a lane
NOBODY, ROOT, FLIGHT = -1, 0, 1  # what is asked: nothing, the decision itself, a position of the simulation


@njit
def lay_out(f, b):
    """Begin a search of the decision in ``f.rows[b]``, whose answer is asked first."""
    f = borrowed(f)
    f.lanes[b, MOVER] = player(f.rows[b])
    f.lanes[b, COUNT] = legal(f.rows[b], f.actions[b])
    f.lanes[b, DONE] = 0
    f.lanes[b, PENDING] = ROOT


@njit
def digest_root(f, b, logits, values, search):
    """Take the network's answer on the decision; draw noise, and the deals that all actions meet."""
    f, logits, values = borrowed((f, logits, values))
    n = f.lanes[b, COUNT]
    p = f.lanes[b, MOVER]
    shift = log_share(logits, f.actions[b], n)
    r = f.streams[b]
    for i in range(n):
        f.priors[b, i] = logits[f.actions[b, i]] - shift
        f.visits[b, i] = 0
        for t in range(TEAM_COUNT):
            f.totals[b, i, t] = 0.0
        drawn = unit(r, SEARCH_STREAM)
        f.noise[b, i] = -search.noise * np.log(-np.log(max(drawn, 1e-300))) if search.noise > 0.0 else 0.0
    seen_by(p, values, f.worth[b])
    for k in range(min(DEALS, f.lanes[b, BUDGET])):
        deal = f.deals[b, k]
        copy_row(f.rows[b], deal)
        redact(deal, p)
        resample_hidden(deal, p, r[SEARCH_STREAM:])
    f.lanes[b, PENDING] = NOBODY


@njit
def completed(f, b, search, scores):
    """Fill log prior + scaled value of every action; what was not tried counts as much as the mean of what is known."""
    f, scores = borrowed((f, scores))
    n = f.lanes[b, COUNT]
    mine = team_of(f.lanes[b, MOVER])
    most = 0
    total = 0
    known = 0.0
    weighted = 0.0
    for i in range(n):
        visits = f.visits[b, i]
        if visits > 0:
            share = np.exp(f.priors[b, i])
            known += share
            weighted += share * (f.totals[b, i, mine] / visits)
            total += visits
            most = max(most, visits)
    mixed = np.float64(f.worth[b, mine])
    if total > 0 and known > 0.0:
        mixed = (mixed + total * weighted / known) / (1.0 + total)
    weight = (search.c_visit + most) * search.c_scale * 0.5
    for i in range(n):
        visits = f.visits[b, i]
        value = f.totals[b, i, mine] / visits if visits > 0 else mixed
        scores[i] = f.priors[b, i] + weight * (value + 1.0)


@njit
def improve(f, b, search, policy):
    """Fill the policy that the search recommends, ``float64[MAX_BRANCH]``."""
    f, policy = borrowed((f, policy))
    completed(f, b, search, policy)
    soften(policy, f.lanes[b, COUNT])


@njit
def decide(f, b, search, scores):
    """Return the place of the action to play: the most promising among the most visited, noise included."""
    f, scores = borrowed((f, scores))
    completed(f, b, search, scores)
    n = f.lanes[b, COUNT]
    most = 0
    for i in range(n):
        most = max(most, f.visits[b, i])
    chosen = 0
    best = -np.inf
    for i in range(n):
        if f.visits[b, i] == most and scores[i] + f.noise[b, i] > best:
            best = scores[i] + f.noise[b, i]
            chosen = i
    return chosen


@njit
def found_value(f, b, worth):
    """Fill what the whole search says of the decision, for every team: the network's word and every simulation."""
    f, worth = borrowed((f, worth))
    total = 1
    for t in range(TEAM_COUNT):
        worth[t] = f.worth[b, t]
    for i in range(f.lanes[b, COUNT]):
        total += f.visits[b, i]
        for t in range(TEAM_COUNT):
            worth[t] += f.totals[b, i, t]
    for t in range(TEAM_COUNT):
        worth[t] /= total


@njit
def _next_action(f, b, search, table, scores):
    """Return the action of the next simulation: the most promising with as many visits as halving wants."""
    f, table, scores = borrowed((f, table, scores))
    n = f.lanes[b, COUNT]
    completed(f, b, search, scores)
    done = min(f.lanes[b, DONE], table.shape[1] - 1)
    wanted = table[min(search.considered, n), done]
    chosen = -1
    best = -np.inf
    for i in range(n):
        if f.visits[b, i] == wanted and scores[i] + f.noise[b, i] > best:
            best = scores[i] + f.noise[b, i]
            chosen = i
    if chosen < 0:  # the budget was changed on the way
        for i in range(n):
            if scores[i] + f.noise[b, i] > best:
                best = scores[i] + f.noise[b, i]
                chosen = i
    return chosen


@njit
def _tell(f, b, worth):
    """Give the action under way what its simulation found."""
    f, worth = borrowed((f, worth))
    edge = f.lanes[b, EDGE]
    f.visits[b, edge] += 1
    f.lanes[b, DONE] += 1
    for t in range(TEAM_COUNT):
        f.totals[b, edge, t] += worth[t]
    f.lanes[b, PENDING] = NOBODY


@njit
def _fly(f, b, acts, out, worth):
    """Play forced moves and chance events of the simulation; return whether the network is to be asked.

    A simulation that reaches the end of the game is told at once.
    """
    f, acts, out, worth = borrowed((f, acts, out, worth))
    s = f.flight[b]
    while True:
        p = player(s)
        if p == TERMINAL:
            settle(s, out, worth)
            _tell(f, b, worth)
            return False
        if HAS_CHANCE and p == CHANCE:
            apply(s, sample(s, f.streams[b, SEARCH_STREAM:]))
            continue
        if legal(s, acts) == 1:
            f.lanes[b, ACTED] += 1
            apply(s, acts[0])
            continue
        f.lanes[b, PENDING] = FLIGHT
        return True


@njit
def digest_flight(f, b, logits, values, acts, out, worth):
    """Take the network's answer inside a simulation: who has to act does, or the position is valued."""
    f, logits, values, acts, out, worth = borrowed((f, logits, values, acts, out, worth))
    s = f.flight[b]
    p = player(s)
    if f.lanes[b, ACTED] >= N_PLAYERS:
        seen_by(p, values, worth)
        _tell(f, b, worth)
        return False
    n = legal(s, acts)
    shift = log_share(logits, acts, n)
    left = unit(f.streams[b], SEARCH_STREAM)
    chosen = n - 1
    for i in range(n):
        left -= np.exp(logits[acts[i]] - shift)
        if left < 0.0:
            chosen = i
            break
    apply(s, acts[chosen])
    f.lanes[b, ACTED] += 1
    return _fly(f, b, acts, out, worth)


@njit
def simulate(f, b, search, table, acts, out, worth, scores):
    """Begin simulations until one needs the network or the budget is spent; return whether there is a question."""
    f, table, acts, out, worth, scores = borrowed((f, table, acts, out, worth, scores))
    while f.lanes[b, DONE] < f.lanes[b, BUDGET]:
        edge = _next_action(f, b, search, table, scores)
        f.lanes[b, EDGE] = edge
        f.lanes[b, ACTED] = 1
        copy_row(f.deals[b, f.visits[b, edge] % DEALS], f.flight[b])
        apply(f.flight[b], f.actions[b, edge])
        if _fly(f, b, acts, out, worth):
            return True
    return False
