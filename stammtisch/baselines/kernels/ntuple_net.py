"""The arrays of n-tuple learning: what they are called.

A *tap* is one tuple laid over the board: its cells, read as the digits of a number, point into a table. Taps that a
symmetry of the board maps onto each other share their table.
"""

from typing import Any, NamedTuple

UNITS = 1 << 20  # searches take weights as whole numbers of so many parts
BEHIND_TAPS = 2  # what stands behind the taps of a search: the block that they point into, and the sum of the weights


class Net(NamedTuple):
    """A value function: the hyperbolic tangent of the sum of one weight per tap.

    Attributes:
        weights: float32[n], all tables, one block per set of seats and stage of the game.
        sums: float32[n], sum of the steps asked of each weight, for temporal coherence; float32[0] without it.
        norms: float32[n], sum of their absolute values; float32[0] without temporal coherence.
        first: int64[CELLS + 1], where the taps of each cell begin in the next two arrays.
        taps: int64[k], a tap that reads the cell.
        powers: int64[k], what one unit of the cell's value adds to the index of this tap.
        offsets: int64[taps], where the table of each tap begins in its block.
        blocks: int64[SETS, PHASES], where the block of a set and phase begins.
    """

    weights: Any
    sums: Any
    norms: Any
    first: Any
    taps: Any
    powers: Any
    offsets: Any
    blocks: Any


class SearchNet(NamedTuple):
    """A value function as searches read it, see ``Net``; functions of a search take it apart at every call.

    Attributes:
        weights: int32[n], weights as whole numbers, in parts of ``UNITS``.
        first: as there.
        taps: as there.
        powers: as there.
        offsets: as there.
        blocks: as there.
    """

    weights: Any
    first: Any
    taps: Any
    powers: Any
    offsets: Any
    blocks: Any


class Memory(NamedTuple):
    """Transitions to learn from again; all arrays have the same capacity.

    Attributes:
        before: int64[capacity, STATE_LEN], afterstates.
        after: int64[capacity, STATE_LEN], the next decision that counts for each, or the end.
        seats: int64[capacity], who moved into the afterstate.
        tree: float64[2 * capacity], sums of priorities over a binary tree whose leaves are the second half; place 0
            keeps the greatest priority so far.
        pushed: int64[1], transitions pushed so far.
    """

    before: Any
    after: Any
    seats: Any
    tree: Any
    pushed: Any


class Scratch(NamedTuple):
    """What valuing the moves of a position writes into.

    Attributes:
        acts: int64[MAX_BRANCH], the legal actions.
        values: float64[MAX_BRANCH], the value of each afterstate, or the result if the game ends there.
        ends: bool[MAX_BRANCH], whether it does.
        indices: int64[MAX_BRANCH + 1, taps], where the taps point in each afterstate that is no end.
        row: int64[STATE_LEN].
        boards: int64[2, CELLS].
        out: float64[N_PLAYERS].
    """

    acts: Any
    values: Any
    ends: Any
    indices: Any
    row: Any
    boards: Any
    out: Any


class TrainingArrays(NamedTuple):
    """Everything that a training changes or reads.

    Attributes:
        net: the value function, changed.
        frozen: float32[n], older weights that replay takes its targets from, or float32[0] for the present ones.
        memory: transitions for replay; its capacity is 0 without.
        numbers: float64[NUMBERS], parameters.
        counts: int64[COUNTS], episodes and moves so far, changed.
        statistics: float64[STATISTICS], added to.
        streams: uint64[1], random stream, changed.
    """

    net: Net
    frozen: Any
    memory: Memory
    numbers: Any
    counts: Any
    statistics: Any
    streams: Any


# Numbers of a training, in one float64 array.
ALPHA, ALPHA_FINAL, EPSILON, EPSILON_FINAL = 0, 1, 2, 3
GAMMA, LAMBDA, EPISODES, OWN_TARGET, OPENING = 4, 5, 6, 7, 8
BATCH, EVERY, PRIORITY_POWER, IMPORTANCE, REFRESH = 9, 10, 12, 13, 14
NOISE, ENDGAME, ONLINE, INSERTION, SELECTION, SEARCH = 15, 16, 17, 18, 19, 20
NUMBERS = 21

# Counts of a training, in one int64 array: what a resumed one must know, beside weights and random stream.
DONE, MOVES = 0, 1
COUNTS = 2

# Statistics since they were last emptied, in one float64 array.
GAMES, PLIES, ERROR, STEPS, FIRST_RESULT = 0, 1, 2, 3, 4
STATISTICS = 5
