"""Many finished games in a few arrays, so that playing, sending and counting them costs little beside their moves."""

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from stammtisch.arena.plan import GameRecord
from stammtisch.envs.core.scores import scores

_LOOKS = 5  # events by which most games differ already
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class Records(Sequence[GameRecord]):
    """A sequence of ``GameRecord`` kept as columns; records are made when they are asked for.

    It equals any sequence of the same records; as with single records, thinking times do not count.

    Attributes:
        numbers: int64[n], number of each game in its match.
        groups: int64[n], number of the group that it belongs to.
        seatings: int64[n, seats], index of the agent in each seat.
        returns: float64[n, seats], utility of each seat.
        moves: int64[n], player actions among the events.
        events: int64[k], the events of all games one after the other.
        ends: int64[n], where the events of each game end.
        seconds: float64[n, agents], thinking time of each agent; NaN in games that were not timed.
    """

    numbers: NDArray[np.int64]
    groups: NDArray[np.int64]
    seatings: NDArray[np.int64]
    returns: NDArray[np.float64]
    moves: NDArray[np.int64]
    events: NDArray[np.int64]
    ends: NDArray[np.int64]
    seconds: NDArray[np.float64]

    @classmethod
    def of(cls, records: Sequence[GameRecord]) -> "Records":
        """Gather records of games with the same number of seats."""
        if isinstance(records, Records):
            return records
        seats = len(records[0].seating) if records else 0
        timed = max((len(record.seconds) for record in records), default=0)
        untimed = (math.nan,) * timed
        n = len(records)
        return cls(
            np.array([record.number for record in records], np.int64),
            np.array([record.group for record in records], np.int64),
            np.array([record.seating for record in records], np.int64).reshape(n, seats),
            np.array([record.returns for record in records], np.float64).reshape(n, seats),
            np.array([record.moves for record in records], np.int64),
            np.array([event for record in records for event in record.events], np.int64),
            np.cumsum([len(record.events) for record in records], dtype=np.int64),
            np.array([record.seconds or untimed for record in records], np.float64).reshape(n, timed),
        )

    @classmethod
    def joined(cls, parts: Sequence["Records"]) -> "Records":
        """Join parts of a match into one, in the order of their numbers."""
        full = [part for part in parts if len(part)]
        if not full:
            return cls.of([])
        if len(full) == 1 and full[0]._is_in_order():
            return full[0]
        before = np.cumsum([0] + [len(part.events) for part in full[:-1]])
        timed = max(part.seconds.shape[1] for part in full)
        whole = cls(
            np.concatenate([part.numbers for part in full]),
            np.concatenate([part.groups for part in full]),
            np.concatenate([part.seatings for part in full]),
            np.concatenate([part.returns for part in full]),
            np.concatenate([part.moves for part in full]),
            np.concatenate([part.events for part in full]),
            np.concatenate([part.ends + start for part, start in zip(full, before, strict=True)]),
            np.concatenate([part._seconds_of(timed) for part in full]),
        )
        if whole._is_in_order():
            return whole
        return whole._taken(np.argsort(whole.numbers, kind="stable"))

    def scores(self, agent: int = 0) -> NDArray[np.float64]:
        """Return 1, 0.5 or 0 for each win, draw or loss of an agent, ``float64[n]``."""
        return scores(self.returns, self._first_seats(agent))

    def first_seat_scores(self) -> NDArray[np.float64]:
        """Return 1, 0.5 or 0 for each win, draw or loss of whoever sat in the first seat, ``float64[n]``."""
        return scores(self.returns, 0)

    def values(self, agent: int = 0) -> NDArray[np.float64]:
        """Return the utility of an agent's first seat in each game, ``float64[n]``."""
        return self.returns[np.arange(len(self)), self._first_seats(agent)]

    def group_sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add up a value of each game over the games of each group, in the order of the groups."""
        return np.bincount(self._group_places, values).astype(np.float64)

    @functools.cached_property
    def _group_places(self) -> NDArray[np.intp]:
        """Place of each game's group among the groups in order."""
        new = self.groups[1:] != self.groups[:-1]
        if (self.groups[1:][new] > self.groups[:-1][new]).all():  # in order, as most matches are: no need to sort
            return np.concatenate([np.zeros(min(1, len(self)), np.intp), np.cumsum(new)])
        return np.unique(self.groups, return_inverse=True)[1]

    def timed(self) -> NDArray[np.bool_]:
        """Return in which games the agents' thinking time was taken, ``bool[n]``."""
        timed: NDArray[np.bool_] = np.isfinite(self.seconds).sum(axis=1) > 0
        return timed

    def forfeits(self) -> int:
        """Return how many games ended by the fault of a side."""
        ends = self.ends
        if (some := ends > self._starts()).all():
            return int((self.events[ends - 1] < 0).sum())
        return int((self.events[ends[some] - 1] < 0).sum())

    def distinct(self) -> int:
        """Return how many games differ in their events."""
        starts = self._starts()
        lengths = self.ends - starts
        marks = np.zeros(len(self), np.uint64)
        some: NDArray[np.bool_] | slice = slice(None) if (lengths > 0).all() else lengths > 0
        for part in range(1, _LOOKS + 1):
            looks = self.events[(starts + lengths * part // (_LOOKS + 1))[some]]
            marks[some] = marks[some] * _FACTOR + looks.view(np.uint64)
        order = np.argsort(marks)
        ordered = marks[order]
        repeated = np.flatnonzero(ordered[1:] == ordered[:-1])
        if not len(repeated):
            return len(self)
        doubtful = {*order[repeated].tolist(), *order[repeated + 1].tolist()}
        whole = {self.events[starts[game] : self.ends[game]].tobytes() for game in doubtful}
        return len(self) - len(doubtful) + len(whole)

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, index: int) -> GameRecord: ...

    @overload
    def __getitem__(self, index: slice) -> "Records": ...

    def __getitem__(self, index: int | slice) -> "GameRecord | Records":
        chosen = np.arange(len(self))[index]
        if isinstance(index, slice):
            return self._taken(chosen)
        return next(iter(self._taken(np.array([chosen]))))

    def __iter__(self) -> Iterator[GameRecord]:
        columns = (self.numbers, self.groups, self.seatings, self.returns, self.moves, self.seconds)
        extent = (self.timed(), self._starts(), self.ends)
        rows = zip(*(column.tolist() for column in (*columns, *extent)), strict=True)
        for number, group, seating, returns, moves, seconds, timed, start, end in rows:
            events = tuple(self.events[start:end].tolist())
            spent = tuple(seconds) if timed else ()
            yield GameRecord(number, group, tuple(seating), tuple(returns), events, moves, spent)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def _is_in_order(self) -> bool:
        return bool((self.numbers[1:] > self.numbers[:-1]).all())

    def _first_seats(self, agent: int) -> NDArray[np.int64]:
        seats: NDArray[np.int64] = (self.seatings == agent).argmax(axis=1)
        return seats

    def _starts(self) -> NDArray[np.int64]:
        return np.concatenate([np.zeros(1, np.int64), self.ends])[:-1]

    def _taken(self, places: NDArray[np.int64]) -> "Records":
        """Return the records at these places, in this order."""
        starts = self._starts()[places]
        lengths = self.ends[places] - starts
        ends = np.cumsum(lengths)
        return Records(
            self.numbers[places],
            self.groups[places],
            self.seatings[places],
            self.returns[places],
            self.moves[places],
            self.events[np.repeat(starts - ends + lengths, lengths) + np.arange(lengths.sum())],
            ends,
            self.seconds[places],
        )

    def _seconds_of(self, agents: int) -> NDArray[np.float64]:
        return self.seconds if self.seconds.shape[1] else np.full((len(self), agents), math.nan)
