"""What kernel sources are bound into each other as."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core.rules import Actions, Int, Row, Streams, Utilities


class Rollout(Protocol):
    """How a simulation ends, and what is known of a move before one: ``rollout`` or ``ntuple_rollout``."""

    def rollout(self, s: Row, r: Streams, acts: Actions, depth: int, out: Utilities, net: Any) -> None:
        """Play the row on, or value it, and fill the utility of every seat."""

    def guess(self, s: Row, p: Int, net: Any, softness: float, guesses: NDArray[np.float64]) -> None:
        """Fill value and share of attention of every legal move of seat ``p``, ``float64[n, 2]``."""


class Horizon(Protocol):
    """How a simulation of a game with hidden cards ends."""

    def own_streams(self, streams: Streams) -> Streams:
        """Return the random streams of a search, which follow from the agent's."""

    def play_on(self, s: Row, r: Streams, acts: Actions, out: Utilities) -> None:
        """Play the row to the next chance event or the end, and fill what it is worth for every seat."""


class JassNets(Protocol):
    """Networks that play Schieber; shapes are told in ``jass_nets``."""

    def new_room(self, widest: int) -> Any:
        """Return arrays to work in."""

    def say(self, s: Row, nets: Any, room: Any) -> int:
        """Fill the choices of the seat to move and what the networks say of them; return how many there are."""

    def choose(self, s: Row, nets: Any, room: Any) -> int:
        """Return the choice that the networks like best."""

    def log_likelihood(self, world: Row, observer: Int, nets: Any, room: Any, s: Row) -> float:
        """Return the logarithm of how likely all that others have chosen is, were these their hands."""


class NetWorldsKernel(Protocol):
    """Play in worlds by networks: ``pimc_nets``."""

    def play_on(self, s: Row, before: Int, exact: Int, w: Any, nets: Any, room: Any) -> float:
        """Play a deal to its end, or to where it is solved; return the lead of team 0 in it, in hundreds."""


class InformationTree(Protocol):
    """The tree of ``ismcts``: places in a node, and how one is added."""

    ACTION: int
    VISITS: int
    AVAILABLE: int
    FIRST: int
    NEXT: int
    NONE: int

    def add_child(self, node: Int, action: Int, at: Int, nodes: Any, totals: Any) -> None:
        """Put a new child in front of the others."""


class EndgameTables(Protocol):
    """Endgame tables, or the stand-in for none.

    Attributes:
        HAS_TABLES: there are some; ``look_up`` is real.
    """

    HAS_TABLES: bool

    def look_up(self, s: Row, tables: Any, out: Utilities) -> bool:
        """Fill what a position at a player's turn pays every seat, if it is known; return whether it is."""


class Value(Protocol):
    """Values of afterstates by n-tuples; shapes are told in ``ntuple_value``.

    Attributes:
        CELLS: cells of a board.
    """

    CELLS: int

    def copy(self, row: NDArray[Any], to: NDArray[Any]) -> None:
        """Copy a row."""

    def point(self, s: Row, p: Int, net: Any, board: NDArray[np.int64], indices: NDArray[np.int64]) -> None:
        """Fill where each tap reads its weight."""

    def value_at(self, weights: NDArray[np.float32], indices: NDArray[np.int64]) -> float:
        """Return the value of the afterstate whose taps point at ``indices``."""

    def value_moves(self, s: Row, p: Int, net: Any, weights: NDArray[np.float32], acts: Actions, *work: Any) -> int:
        """Value every legal move of seat ``p``; return how many there are."""


class Track(Protocol):
    """Values of positions along the path of a search; shapes are told in ``ntuple_track``.

    Attributes:
        GRID: values are multiples of ``1 / GRID``.
        SCRATCH: length of the arrays that take what a move changed.
    """

    GRID: int
    SCRATCH: int

    def point(self, s: Row, p: Int, net: Any, taps: NDArray[np.int64], board: NDArray[np.int64]) -> None:
        """Fill where the taps of one seat point."""

    def point_all(self, s: Row, net: Any, taps: NDArray[np.int64], board: NDArray[np.int64]) -> None:
        """Fill where the taps of every seat point."""

    def worth(self, taps: NDArray[np.int64]) -> float:
        """Return the value of an afterstate whose taps point at ``taps``."""

    def worth_here(self, s: Row, p: Int, net: Any, taps: NDArray[np.int64], board: NDArray[np.int64]) -> float:
        """Return the value of an afterstate at the present level of a search."""

    def follow(self, s: Row, after: Row, p: Int, net: Any, before: NDArray[np.int64], *work: Any) -> float:
        """Return the value of the afterstate that follows ``s``."""

    def follow_all(self, s: Row, after: Row, net: Any, before: NDArray[np.int64], *work: Any) -> None:
        """Let the taps of all seats follow to the next position."""

    def loudness(self, s: Row) -> int:
        """Return 0 if a position may be valued as it stands, 1 if one action more would tell, 2 if it is needed."""


class SharedSteps(Protocol):
    """What searches by a network share: ``network_games``, which tells what each name means."""

    def __getattr__(self, name: str) -> Any: ...


class TreeSteps(Protocol):
    """The steps of a search by a network: ``puct`` or ``deals``, which tell what each name means."""

    def __getattr__(self, name: str) -> Any: ...
