"""The arrays of a batch of games: what they are called, and the book that tells a kernel where they are.

One lane is one game. Kernels take the address of one book instead of two dozen arrays: a call from Python is then
short, and a part of a batch can be handed to another thread without Python.
"""

from typing import Any, NamedTuple

# What a kernel does with a lane besides what its ``todo`` says; numbers to be added.
PREPARE = 1  # first find out what to do: take the action, or deal if the game was done
SETTLE = 2  # at last tell what came of it

# Places in a book, int64[BOOK_SIZE]: numbers ...
LANES, MODE, LIMIT, OPPONENTS, PARTNERS = range(5)
# ... and addresses of arrays.
ROWS, STREAMS, KINDS, SEATS, PLAYERS, PAID, TODO, ACTIONS, TAKEN, MOVERS, DONE = range(5, 16)
ASKED, POOL, WEIGHTS, PARTNER = range(16, 20)
ALLOWED, PAY, MASKS, OBS, REWARDS, TERMINATED, TRUNCATED, SEATS_TOLD, PLAYERS_TOLD = range(20, 29)
BOOK_SIZE = 29


class LaneArrays(NamedTuple):
    """What a lane is and does; kept from step to step.

    Attributes:
        rows: int64[n, STATE_LEN].
        streams: uint64[n, 2 + players]: chance, agents, seating.
        kinds: int64[n, players], who decides in each seat.
        seats: int64[n], the learner's seat, NO_SEAT when it plays all of them.
        players: int64[n], seat that has to decide now, or TERMINAL.
        paid: float64[n, players], rewards paid so far in this game.
        todo: int8[n], what to do next: SKIP leaves the lane alone, TAKE takes its action, DEAL begins a new game.
        actions: int64[n], the actions to take.
        taken: int64[n], actions of the learner in this game.
        movers: int64[n], who had to decide before the last step.
        done: bool[n], whether the game is over, or was cut short.
    """

    rows: Any
    streams: Any
    kinds: Any
    seats: Any
    players: Any
    paid: Any
    todo: Any
    actions: Any
    taken: Any
    movers: Any
    done: Any


class Seating(NamedTuple):
    """Who sits where in the next games.

    Attributes:
        seats: int64[n], the seat asked for in each lane, ANY_SEAT or ALL_SEATS.
        pool: int64[k], kinds to draw the opponents of a game from.
        weights: float64[k], cumulative probabilities of the pool.
        partner: int64[0 or 1], kind of the learner's partners if it differs from the opponents.
    """

    seats: Any
    pool: Any
    weights: Any
    partner: Any


class Outputs(NamedTuple):
    """What a step tells of every lane.

    Attributes:
        pay: float64[n, players], rewards, added to; cleared by PREPARE, otherwise by the caller.
        masks: int8[n, num_actions], filled with the legal actions of the seat that has to decide; ones after the end.
        obs: flat observations [n, OBS_LEN] of the seat that has to decide, of the learner after the end.
        rewards: float64[n], of the learner, or of the seat that moved when it plays all of them.
        terminated: bool[n], whether the game is over.
        truncated: bool[n], whether it has lasted LIMIT actions of the learner without an end; a LIMIT of 0 is none.
        seats: int64[n], a copy of the learner's seats.
        players: int64[n], a copy of the seats that have to decide.
    """

    pay: Any
    masks: Any
    obs: Any
    rewards: Any
    terminated: Any
    truncated: Any
    seats: Any
    players: Any
