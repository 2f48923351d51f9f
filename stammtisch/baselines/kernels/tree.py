"""The arrays and limits of a tree search: what they are called."""

from typing import Any, NamedTuple


class Tree(NamedTuple):
    """A tree; the root is node 0, and the children of a node lie together, those already tried first.

    Attributes:
        nodes: int64[k, FIELDS].
        totals: float64[k], sum of the results of the seat that chose the node.
        guesses: float64[k, 2], what a value function thinks of a node before it is tried, its value and its share of
            the attention; float64[0, 2] without a prior.
        size: int64[2], nodes and expanded nodes.
        moments: float64[3], number of results so far, their sum and that of their squares, for the seat at the root.
    """

    nodes: Any
    totals: Any
    guesses: Any
    size: Any
    moments: Any


class Limits(NamedTuple):
    """How a tree is searched.

    Attributes:
        c: exploration constant.
        depth: player actions before the game below the tree is cut, negative for none.
        tree_depth: levels below the root, chance events included.
        max_nodes: expanded nodes from which on the tree grows no more.
        softness: temperature of the prior.
    """

    c: float
    depth: int
    tree_depth: int
    max_nodes: int
    softness: float
