"""The arrays of tree searches by a network, many games side by side: what they are called and how large they are."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core.rules import Rules

GUMBEL, PUCT = 0, 1  # modes of a search
LINE_NODES = 4  # nodes that one simulation may add at the most
LANE_FIELDS = 16
BUDGET, DONE, IS_FULL, PLY, GAME, VERSION, KEPT, OPENING, RESIGNS, DOUBTS = range(10)  # of a lane, in every search
OWN = 10  # from here on, what a kind of search has beside it
NODE_FIELDS = 4
EDGE_FIELDS = 3


class Forest(NamedTuple):
    """One tree per lane; the root of each is node 0, and the edges of a node lie together.

    Attributes:
        rows: int64[lanes, nodes, STATE_LEN], the position of each node.
        nodes: int32[lanes, nodes, NODE_FIELDS], first edge (-1 before the answer), number of edges, who moves, visits.
        worth: float32[lanes, nodes, teams], what the network (or the end of the game) says of a node.
        sums: float32[lanes, nodes, teams], the sum of all that was found below a node, its own worth included.
        edges: int32[lanes, edges, EDGE_FIELDS], action, node behind it (-1 before it is reached), visits.
        scores: float32[lanes, edges, 2], logarithm of the prior (at dice: probability), and the sum of results for the
            team that moves.
        path: int32[lanes, nodes, 2], node and edge of each level of the simulation that waits for an answer.
        noise: float32[lanes, MAX_BRANCH], of the edges of the root: Gumbel noise, or a share of the prior.
        lanes: int64[lanes, LANE_FIELDS], what each lane is about.
        streams: uint64[lanes, 1 + N_PLAYERS]; chance draws from the first, the search from the second.
        endgames: what ``TABLES`` looks up; an empty tuple without tables.
    """

    rows: Any
    nodes: Any
    worth: Any
    sums: Any
    edges: Any
    scores: Any
    path: Any
    noise: Any
    lanes: Any
    streams: Any
    endgames: Any = ()


class Workspace(NamedTuple):
    """Arrays to work in.

    Attributes:
        acts: int64[MAX_BRANCH].
        out: float64[N_PLAYERS].
        probabilities: float64[MAX_BRANCH].
        scores: float64[MAX_BRANCH].
        worth: float32[teams].
        obs: OBS_DTYPE[OBS_LEN].
        kept: int32[nodes].
    """

    acts: Any
    out: Any
    probabilities: Any
    scores: Any
    worth: Any
    obs: Any
    kept: Any


class Search(NamedTuple):
    """How trees are searched.

    Attributes:
        mode: GUMBEL or PUCT.
        considered: Gumbel: root actions that are tried at all.
        c_visit: Gumbel: visits added to those of the most visited action before values are scaled.
        c_scale: Gumbel: weight of values, which lie in 0..1, per visit.
        c: PUCT: exploration constant.
        first_play: PUCT: how much less than its parent an untried action is thought to be worth.
        dirichlet: PUCT: sum of the parameters of the noise on the priors of the root.
        noise: Gumbel: scale of the noise at the root; PUCT: share of the noise in the prior; 0 for play without chance.
    """

    mode: int
    considered: int
    c_visit: float
    c_scale: float
    c: float
    first_play: float
    dirichlet: float
    noise: float


class NetworkAnswers(NamedTuple):
    """What the network says of the questions, one row per lane.

    Attributes:
        logits: float32[lanes, N_ACTIONS].
        values: float32[lanes, heads], in units of the greatest utility: of the team that moves, then of the next ones;
            only of the team that moves where two teams play for the same points.
    """

    logits: NDArray[np.float32]
    values: NDArray[np.float32]


def team_count(rules: Rules) -> int:
    """Return how many teams there are."""
    return max(rules.TEAMS) + 1


def head_count(rules: Rules) -> int:
    """Return how many values a network says of a position: one where the other team has the opposite."""
    return 1 if rules.ZERO_SUM and team_count(rules) == 2 else team_count(rules)


def utility_scale(rules: Rules) -> float:
    """Return the utility that counts as 1 in trees and networks."""
    return float(max(abs(bound) for bound in rules.UTILITY)) or 1.0


def new_forest(rules: Rules, lanes: int, simulations: int, streams: NDArray[np.uint64]) -> Forest:
    """Return empty trees with room for searches of so many simulations, with what is kept of the last one.

    Args:
        rules: the game.
        lanes: trees side by side.
        simulations: of the largest search.
        streams: uint64[lanes, 1 + N_PLAYERS].
    """
    listed = 2 if rules.HAS_CHANCE else 1  # a chance event stands before a decision
    nodes = listed * (2 * simulations + 2) + LINE_NODES
    edges = min(nodes * rules.MAX_BRANCH, nodes * 24 + 2 * rules.MAX_BRANCH)
    teams = team_count(rules)
    return Forest(
        rows=np.zeros((lanes, nodes, rules.STATE_LEN), np.int64),
        nodes=np.zeros((lanes, nodes, NODE_FIELDS), np.int32),
        worth=np.zeros((lanes, nodes, teams), np.float32),
        sums=np.zeros((lanes, nodes, teams), np.float32),
        edges=np.zeros((lanes, edges, EDGE_FIELDS), np.int32),
        scores=np.zeros((lanes, edges, 2), np.float32),
        path=np.zeros((lanes, nodes, 2), np.int32),
        noise=np.zeros((lanes, rules.MAX_BRANCH), np.float32),
        lanes=np.zeros((lanes, LANE_FIELDS), np.int64),
        streams=streams,
    )


def halving_table(considered: int, simulations: int) -> NDArray[np.int32]:
    """Return how sequential halving spends its simulations (Karnin, Koren and Somekh 2013), ``int32[m + 1, n]``.

    Row ``m`` is for ``m`` considered actions: simulation ``i`` goes to an action that has had ``table[m, i]`` visits so
    far. Every phase gives the same number of visits to each action that is still considered, then drops half of them.
    """
    table = np.zeros((considered + 1, simulations), np.int32)
    for m in range(1, considered + 1):
        phases = max(1, int(np.ceil(np.log2(m))))
        left, visits, at = m, 0, 0
        while at < simulations:
            rounds = 1 if m == 1 else max(1, simulations // (phases * left))
            for _ in range(rounds):
                end = min(at + left, simulations)
                table[m, at:end] = visits
                at, visits = end, visits + 1
            left = max(2, left // 2) if m > 1 else 1
    return table
