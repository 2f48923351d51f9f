"""What a checkpoint says of searches and games under way, looked at before a kernel follows it.

Kernels take every number that leads to another place of an array as it is, so none may lead out of it, or in a circle.
The positions that trees begin with are believed; those below follow from them.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.baselines.kernels.deals_arrays import DealTables
from stammtisch.baselines.kernels.puct_arrays import BUDGET, DONE, DOUBTS, IS_FULL, KEPT, OPENING, PLY, RESIGNS, Forest
from stammtisch.baselines.kernels.puct_records import COUNT, MOVER, SearchRecords
from stammtisch.envs.core.constants import TERMINAL
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.loader import KernelModule
from stammtisch.envs.core.rules import Rules

_MOST = 1 << 40  # of counts that lead nowhere
_CERTAIN = 1.0  # no logarithm of a share, and no probability, is greater


def check_records(rules: Rules, records: SearchRecords, held: Any = True) -> None:
    """Refuse positions that a batch cannot be made of.

    Args:
        rules: of their game.
        records: the positions.
        held: which of them count, as many dimensions as they have.
    """
    facts, actions = records.facts, records.actions
    _within("seat", facts[..., MOVER], 0, rules.N_PLAYERS, held)
    _within("number of actions", facts[..., COUNT], 0, rules.MAX_BRANCH + 1, held)
    listed = np.arange(rules.MAX_BRANCH) < facts[..., COUNT, None]
    _within("action", actions, 0, rules.N_ACTIONS, listed & np.expand_dims(held, -1))


def check_games(
    game: Game, kernels: KernelModule, found: Forest | DealTables, notes: SearchRecords, simulations: int
) -> None:
    """Refuse searches and notes that kernels cannot go on with.

    Args:
        game: the game.
        kernels: of the search.
        found: searches that wait for an answer of the network.
        notes: of the games under way, [lanes, moves].
        simulations: of the largest search.
    """
    rules, lanes = game.rules, found.lanes
    moves = notes.facts.shape[1]
    for name, field, end in (
        ("length of the notes", KEPT, moves + 1),
        ("budget", BUDGET, simulations + 1),
        ("number of simulations", DONE, simulations + 1),
        ("kind of search", IS_FULL, 2),
        ("ply", PLY, _MOST),
        ("rest of an opening", OPENING, _MOST),
        ("mark of giving up", RESIGNS, 2),
        ("mark of doubt", DOUBTS, max(rules.TEAMS) + 2),
    ):
        _within(name, lanes[:, field], 0, end)
    check_records(rules, notes, np.arange(moves) < lanes[:, KEPT, None])
    if isinstance(found, Forest):
        _check_trees(game, kernels.TREE, found)
    else:
        _check_tries(rules, kernels.TREE, found)


def _check_trees(game: Game, at: Any, forest: Forest) -> None:
    rules, lanes = game.rules, forest.lanes
    room, edge_room = forest.nodes.shape[1], forest.edges.shape[1]
    size, edges = lanes[:, at.NODES, None], lanes[:, at.EDGES, None]
    _within("number of nodes", size, 1, room + 1)
    _within("number of edges", edges, 0, edge_room - rules.MAX_BRANCH + 1)  # the answer brings more
    _within("node that is asked about", lanes[:, at.PENDING, None], 0, size)
    _within("length of a path", lanes[:, at.LEVEL], 0, room + 1)
    _within("first outcome", lanes[:, at.SHIFT], 0, rules.MAX_BRANCH + 1)
    nodes, lives = forest.nodes, np.arange(room) < size
    count = nodes[..., at.COUNT]
    _within("number of edges of a node", count, 0, rules.MAX_BRANCH + 1, lives)
    _within("first edge of a node", nodes[..., at.FIRST], at.NONE, edges - count + 1, lives)
    _within("seat of a node", nodes[..., at.MOVER], TERMINAL, rules.N_PLAYERS, lives)
    _within("number of visits", nodes[..., at.VISITS], 0, _MOST, lives)
    used = np.arange(edge_room) < edges
    _within("number of visits", forest.edges[..., at.TRIED], 0, _MOST, used)
    _within("prior", forest.scores[..., at.PRIOR], -np.inf, _CERTAIN, used, closed=True)
    _within("node behind an edge", forest.edges[..., at.CHILD], at.NONE, size, used)
    steps = np.arange(room) < lanes[:, at.LEVEL, None]
    _within("node of a path", forest.path[..., 0], 0, size, steps)
    _within("edge of a path", forest.path[..., 1], 0, edges, steps)
    for lane, node in zip(*np.nonzero(lives & (nodes[..., at.FIRST] != at.NONE)), strict=True):
        _check_node(game, at, forest, lane, node)


def _check_node(game: Game, at: Any, forest: Forest, lane: int, node: int) -> None:
    """Refuse a node whose edges are not the legal actions, or do not lead to the positions behind it."""
    first, count, mover = forest.nodes[lane, node, [at.FIRST, at.COUNT, at.MOVER]]
    edges, rows = forest.edges[lane, first : first + count], forest.rows[lane]
    state = game.from_row(rows[node])
    if mover != state.player or edges[:, at.ACTION].tolist() != state.legal_actions():
        raise ValueError(f"node {node} of tree {lane} has other edges than its position has actions")
    for action, child in edges[edges[:, at.CHILD] != at.NONE][:, [at.ACTION, at.CHILD]].tolist():
        if child <= node or not np.array_equal(state.child(action).row, rows[child]):
            raise ValueError(f"node {child} of tree {lane} does not hold the position behind node {node}")


def _check_tries(rules: Rules, at: Any, tables: DealTables) -> None:
    lanes = tables.lanes
    count = lanes[:, at.COUNT, None]
    _within("number of actions", count, 1, rules.MAX_BRANCH + 1)
    _within("seat", lanes[:, at.MOVER], 0, rules.N_PLAYERS)
    _within("question", lanes[:, at.PENDING], at.ROOT, at.FLIGHT + 1)
    _within("action under way", lanes[:, at.EDGE, None], 0, rules.MAX_BRANCH)
    _within("number of actions in a simulation", lanes[:, at.ACTED], 0, _MOST)
    listed = np.arange(rules.MAX_BRANCH) < count
    _within("action", tables.actions, 0, rules.N_ACTIONS, listed)
    _within("number of visits", tables.visits, 0, _MOST, listed)
    _within("prior", tables.priors, -np.inf, _CERTAIN, listed, closed=True)


def _within(name: str, values: NDArray[Any], begin: Any, end: Any, held: Any = True, closed: bool = False) -> None:
    """Refuse numbers outside a range, which may be ``closed``, as far as they are held."""
    wrong = ((values < begin) | (values > end if closed else values >= end)) & held
    if wrong.any():
        raise ValueError(f"it has a {name} of {np.asarray(values)[wrong][0]}, which cannot be")
