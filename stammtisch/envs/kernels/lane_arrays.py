"""The arrays of a batch of games: what they are called. One lane is one game."""

from typing import Any, NamedTuple


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
    """

    rows: Any
    streams: Any
    kinds: Any
    seats: Any
    players: Any
    paid: Any
    todo: Any
    actions: Any


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
        pay: float64[n, players], rewards, added to; the caller clears it.
        masks: int8[n, num_actions], filled with the legal actions of the seat that has to decide; ones after the end.
        obs: flat observations [n, OBS_LEN] of the seat that has to decide, of the learner after the end.
    """

    pay: Any
    masks: Any
    obs: Any
