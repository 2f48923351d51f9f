"""What the rules of a game are: the names that every rules source defines, and what each must do.

A rules source is a file of numba functions on one row of integers (see ``loader``). ``RequiredRules`` is what it must
define. What it may leave out is in ``OptionalRules``; ``kernels/complete.py`` fills the gaps with stand-ins and says by
flags what is real, once for all who read the rules. ``Rules`` is the result: the type of ``game.rules`` and of the free
name ``RULES`` in kernel sources.

Rules check nothing, keep nothing between calls and draw only from the streams that they are given. Arrays that a
function fills belong to the caller.
"""

from collections.abc import Callable
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

Int = int | np.int64  # as Python or a kernel hands it over
Row = NDArray[np.int64]  # [STATE_LEN], C-contiguous: a whole position
Streams = NDArray[np.uint64]  # [1 or more] random streams; chance draws from the first
Actions = NDArray[np.int64]  # [MAX_BRANCH] to be filled with actions or outcomes
Utilities = NDArray[np.float64]  # [N_PLAYERS]


class RequiredRules(Protocol):
    """What every rules source defines.

    Attributes:
        N_PLAYERS: number of seats.
        TEAMS: team of each seat; two teams, or every seat its own.
        N_ACTIONS: actions are ``0..N_ACTIONS - 1``.
        MAX_BRANCH: no position has more legal actions or listed outcomes.
        MAX_MOVES: no game has more player actions.
        STATE_LEN: integers in a row.
        UTILITY: least and greatest return of a seat.
        OBS_SHAPE: shape of an observation.
        OBS_LEN: number of its values.
        OBS_DTYPE: their type, a numpy scalar class.
        OBS_RANGE: least and greatest of them.
    """

    N_PLAYERS: int
    TEAMS: tuple[int, ...]
    N_ACTIONS: int
    MAX_BRANCH: int
    MAX_MOVES: int
    STATE_LEN: int
    UTILITY: tuple[float, float]
    OBS_SHAPE: tuple[int, ...]
    OBS_LEN: int
    OBS_DTYPE: type[Any]
    OBS_RANGE: tuple[float, float]

    def init(self, s: Row, r: Streams) -> None:
        """Set up the start position, before any chance event; only a random layout draws from stream 0."""

    def player(self, s: Row) -> int:
        """Return the seat to move, CHANCE or TERMINAL."""

    def legal(self, s: Row, acts: Actions) -> int:
        """Fill the legal actions in ascending order and return how many, before the end at least one.

        At a chance node they are the outcomes; none are listed if they are too many.
        """

    def apply(self, s: Row, a: Int) -> None:
        """Take a legal action, or an outcome at a chance node."""

    def returns(self, s: Row, out: Utilities) -> None:
        """Fill the utilities of all seats after the end."""

    def observe(self, s: Row, p: Int, obs: NDArray[Any]) -> None:
        """Fill what seat ``p`` sees, flat: ``OBS_DTYPE[OBS_LEN]``; nothing that is hidden from it."""


class OptionalRules(Protocol):
    """What a rules source may define; the stand-ins do nothing, and no kernel calls one but that of ``draw``.

    Attributes:
        ZERO_SUM: whether the returns of the teams always add up to zero; by default they do.
        POINTS_PER_UNIT: points of the game that one unit of return stands for; by default None: a win or a loss.
    """

    ZERO_SUM: bool
    POINTS_PER_UNIT: int | None

    def sample(self, s: Row, r: Streams) -> int:
        """Draw an outcome at a chance node from stream 0."""

    def chance(self, s: Row, probabilities: NDArray[np.float64]) -> int:
        """Fill the probability of each outcome that ``legal`` lists, ``float64[MAX_BRANCH]``; return how many."""

    def draw(self, s: Row, r: Streams, i: Int, acts: Actions) -> int:
        """Draw a legal action at random: faster than, and the same as, ``acts[below(r, i, legal(s, acts))]``."""

    def rewards(self, s: Row, out: Utilities) -> None:
        """Fill what every seat has been paid since the start; after the end these are its returns."""

    def redact(self, s: Row, p: Int) -> None:
        """Blank what seat ``p`` cannot see."""

    def resample_hidden(self, s: Row, p: Int, r: Streams) -> None:
        """Deal what seat ``p`` cannot see anew from stream 0, consistently with everything public."""

    def canonical_key(self, s: Row) -> int:
        """Return a number other than 0 that the symmetric positions share, seen from the seat to move."""

    def empties(self, s: Row) -> int:
        """Return how many cells are left, in games that fill a board with every move."""


class Rules(RequiredRules, OptionalRules, Protocol):
    """The rules of one variant of a game, complete.

    Attributes:
        HAS_CHANCE: there are chance events; ``sample`` is real.
        LISTS_CHANCE: their outcomes can be listed; ``chance`` is real.
        PAYS_ALONG: rewards are paid before the end; ``rewards`` is real.
        HAS_HIDDEN: a seat sees less than the row; ``redact`` and ``resample_hidden`` are real.
        HAS_SYMMETRIES: ``canonical_key`` is real.
        FILLS_BOARD: ``empties`` is real.
    """

    HAS_CHANCE: bool
    LISTS_CHANCE: bool
    PAYS_ALONG: bool
    HAS_HIDDEN: bool
    HAS_SYMMETRIES: bool
    FILLS_BOARD: bool


class OwnRules(Rules, Protocol):
    """The rules of a game as its own room reads them: places in the row and other names that only it knows."""

    def __getattr__(self, name: str) -> Any: ...


class Policy(Protocol):
    """A reference player and the evaluation of its game, complete; what a heuristic source defines under their names.

    Attributes:
        IS_RANDOM: the policy is ``"random"``, which no heuristic source defines; ``choose`` is a stand-in.
        EVALUATES: ``evaluate`` is real.
    """

    IS_RANDOM: bool
    EVALUATES: bool

    def choose(self, s: Row, r: Streams, acts: Actions) -> int:
        """Return the action of the seat to move; it draws from stream ``1 + seat``, and ``acts`` is scratch."""

    def evaluate(self, s: Row, p: Int) -> float:
        """Return what an unfinished position is worth for seat ``p``, in units of its utility."""

    def evaluate_all(self, s: Row, out: Utilities) -> None:
        """Fill what an unfinished position is worth for every seat; a source need not define it beside ``evaluate``."""


class Features(Protocol):
    """What n-tuples see of a position.

    Searches also ask for what a source may leave out, see ``ntuple_track``: ``changes(s, after, p, changed)``, the
    cells that a move touched, if following them is faster than looking anew, and ``loudness(s)``.

    Attributes:
        CELLS: number of cells.
        VALUES: a cell has a value in ``0..VALUES - 1``.
        PHASES: stages of a game that may have tables of their own.
        SETS: sets of seats that have tables of their own.
        SYMMETRIES: renamings of the cells under which a position keeps its value, the identity first.
        NEIGHBOURS: the cells next to each cell, for tuples drawn at random.
        TUPLE_SETS: tuples of cells by name.
    """

    CELLS: int
    VALUES: int
    PHASES: int
    SETS: int
    SYMMETRIES: tuple[tuple[int, ...], ...]
    NEIGHBOURS: tuple[tuple[int, ...], ...]
    TUPLE_SETS: dict[str, list[tuple[int, ...]]]

    def table_set(self, p: Int) -> int:
        """Return the set of tables of seat ``p``."""

    def phase(self, s: Row, p: Int) -> int:
        """Return the stage of an afterstate of seat ``p``."""

    def fill(self, s: Row, p: Int, board: NDArray[np.int64]) -> None:
        """Fill the value of every cell as seat ``p`` sees it, ``int64[CELLS]``."""


class Solver(Protocol):
    """An exact solver of positions with everything in sight."""

    def new_work(self, places: int) -> Any:
        """Return the arrays of a search, with a table of ``places`` entries, a power of two."""

    def tricks_left(self, s: Row) -> int:
        """Return how many tricks are not finished yet; more than all before they can be solved."""

    def value_cards(self, s: Row, w: Any, acts: Actions, values: NDArray[np.float64]) -> int:
        """Fill the legal cards and the value of each for team 0, ``float64[MAX_BRANCH]``; return how many."""

    def value_of(self, s: Row, w: Any) -> float:
        """Return the value of a position for team 0."""

    def solve_all(self, s: Row, w: Any, acts: Actions, values: NDArray[np.float64]) -> int:
        """Do what ``value_cards`` does, for callers outside of kernels."""

    def solve_best(self, s: Row, w: Any) -> tuple[float, int]:
        """Return the value of a position for team 0, and the first best card."""


class Endgame(Protocol):
    """An exact solver of positions with few empty cells.

    Attributes:
        MOST: more than any score.
    """

    MOST: int

    def new_boards(self, places: int) -> Any:
        """Return the arrays of a search, with a table of ``places`` entries."""

    def score(self, s: Row, alpha: Int, beta: Int, boards: Any) -> int:
        """Return the score for the seat to move within ``alpha..beta``, else a bound beyond them."""

    def worth(self, found: int) -> float:
        """Return what a score is worth to a learner, in units of utility."""

    def solve(self, s: Row, alpha: Int, beta: Int, boards: Any) -> tuple[int, bool]:
        """Do what ``score`` does, for callers outside of kernels; tell whether the budget sufficed."""


def own(rules: Rules) -> OwnRules:
    """Return the rules of a game to code that belongs to its room and knows the names there."""
    return cast(OwnRules, rules)


def uncompiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the Python function of a rule, for a single call that is not worth compiling."""
    return cast(Callable[..., Any], getattr(function, "py_func", function))


def required_names() -> list[str]:
    """Return the names that every rules source defines."""
    names = (*RequiredRules.__annotations__, *vars(RequiredRules))
    return [name for name in names if not name.startswith("_")]
