"""What can be read off a Jass row: tricks, table, scores; and the views, what one player may know."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core.constants import TERMINAL
from stammtisch.envs.core.rules import OwnRules, own, uncompiled
from stammtisch.envs.core.state import View
from stammtisch.envs.jass.family.cards import (
    COLOUR_OF,
    LAST_TRICK,
    N_CARDS,
    N_COLOURS,
    POINTS,
    POWER,
    UNNAMED,
)

Row = NDArray[np.int64]
CONTRACTS = (
    "hearts",
    "diamonds",
    "clubs",
    "spades",
    "obeabe",
    "undeufe",
    "joker1",
    "joker2",
    "slalom",
    "guschti",
)


class Trick(NamedTuple):
    """A finished trick.

    Attributes:
        leader: seat that led.
        cards: four card ids in playing order.
        winner: seat that took it.
        points: what it counted, the last trick's five and Schieber's multiplier included, a match bonus not.
    """

    leader: int
    cards: tuple[int, ...]
    winner: int
    points: int


def cards_in(bits: int) -> list[int]:
    """Return the cards of a bit set in ascending order."""
    return [card for card in range(N_CARDS) if int(bits) >> card & 1]


def plays(rules: OwnRules, row: Row) -> list[int]:
    """Return the cards of this deal in the order they were played."""
    return [(int(row[rules.TRICK + i // 4]) >> (6 * (i % 4)) & 63) - 1 for i in range(int(row[rules.PLAYED_COUNT]))]


def table(rules: OwnRules, row: Row) -> list[tuple[int, int]]:
    """Return ``(seat, card)`` of the running trick in playing order."""
    cards = plays(rules, row)
    return [(_seat(rules, row, card), card) for card in cards[len(cards) // 4 * 4 :]]


def tricks(rules: OwnRules, row: Row) -> list[Trick]:
    """Return the finished tricks of this deal."""
    cards = plays(rules, row)
    mode = int(row[rules.MODE])
    found = []
    for k in range(len(cards) // 4):
        four = tuple(cards[4 * k : 4 * k + 4])
        leader = _seat(rules, row, four[0])
        order = int(uncompiled(rules.trick_order)(row, k))
        able = [i for i in range(4) if COLOUR_OF[four[i]] in (COLOUR_OF[four[0]], order)]
        winner = (leader + max(able, key=lambda i: POWER[order, four[i]])) % 4
        points = int(POINTS[mode, list(four)].sum()) + (LAST_TRICK if k == rules.TRICKS - 1 else 0)
        found.append(Trick(leader, four, winner, points * int(rules.FACTOR[mode])))
    return found


def _seat(rules: OwnRules, row: Row, card: int) -> int:
    return next(p for p in range(4) if int(row[rules.PLAYED + p]) >> card & 1)


class DealView(View):
    """What one player may know of a Jass deal; the redacted row behind it holds nothing else."""

    __slots__ = ()

    @property
    def _rules(self) -> OwnRules:
        return own(self.game.rules)

    def _at(self, name: str, offset: int = 0) -> int:
        return int(self._state._row[getattr(self._rules, name) + offset])

    @property
    def hand(self) -> list[int]:
        """The player's own cards."""
        return cards_in(self._at("HAND", self.player))

    @property
    def table(self) -> list[tuple[int, int]]:
        """``(seat, card)`` of the running trick in playing order."""
        return table(self._rules, self._state._row)

    @property
    def history(self) -> list[Trick]:
        """The finished tricks of this deal."""
        return tricks(self._rules, self._state._row)

    @property
    def mode(self) -> int | None:
        """Mode of this deal, None as long as there is none."""
        mode = self._at("MODE")
        return None if mode in (-1, UNNAMED) else mode

    @property
    def forehand(self) -> int:
        """Seat that begins: it has the first say."""
        return self._at("FOREHAND")

    @property
    def barred(self) -> list[list[int]]:
        """For every seat the cards that it has shown not to hold: by its plays, and by what others showed."""
        return [cards_in(self._at("BARRED", p)) for p in range(4)]

    @property
    def voids(self) -> list[list[int]]:
        """For every seat the colours of which it has shown to hold no card; the Buur may still be there."""
        is_void, row = uncompiled(self._rules.is_void), self._state._row
        return [[c for c in range(N_COLOURS) if is_void(row, p, c)] for p in range(4)]


class JassView(DealView):
    """What one player may know of Schieber."""

    __slots__ = ()

    @property
    def pushed(self) -> bool:
        """Whether forehand passed the choice on to its partner."""
        return bool(self._at("PUSHED"))

    @property
    def declarer(self) -> int | None:
        """Seat that chose the mode, None before the choice."""
        return None if self.mode is None else (self.forehand + 2 * self.pushed) % 4

    @property
    def shown(self) -> list[list[int]]:
        """For every seat the cards of the melds that it has shown."""
        if not self._rules.WEIS:
            return [[] for _ in range(4)]
        return [cards_in(self._at("SHOWN", p)) for p in range(4)]

    @property
    def scores(self) -> tuple[int, int]:
        """Points of both teams in this deal so far."""
        return self._at("SCORE") + self._at("EXTRA"), self._at("SCORE", 1) + self._at("EXTRA", 1)

    @property
    def totals(self) -> tuple[int, int]:
        """Points of both teams in the whole game so far; in a single deal the same as ``scores``."""
        return self._at("TOTAL") + self.scores[0], self._at("TOTAL", 1) + self.scores[1]


class SoloView(DealView):
    """What one player may know of a game in which everyone plays alone."""

    __slots__ = ()

    @property
    def scores(self) -> tuple[int, ...]:
        """Points of every seat in this deal so far."""
        return tuple(self._at("SCORE", p) for p in range(4))

    @property
    def totals(self) -> tuple[int, ...]:
        """What the finished deals cost every seat: penalties in Differenzler, points in Molotow."""
        cost, row = uncompiled(self._rules.cost), self._state._row
        over = self.to_move == TERMINAL
        return tuple(self._at("TOTAL", p) + (int(cost(row, p)) if over else 0) for p in range(4))

    @property
    def deal(self) -> int:
        """Number of the running deal, from 0."""
        return self._at("DEALS")

    @property
    def predictions(self) -> list[int | None]:
        """For every seat the points that it said to make; None before, while they are secret, and in Molotow."""
        if not self._rules.PREDICTS:
            return [None] * 4
        said = [self._at("PREDICTION", p) for p in range(4)]
        return [points - 1 if points else None for points in said]


class CoiffeurView(DealView):
    """What one player may know of Coiffeur."""

    __slots__ = ()

    @property
    def passes(self) -> int:
        """How many players have passed the choice on in this deal."""
        return self._at("SAID")

    @property
    def contract(self) -> str | None:
        """Contract of this deal, None before the choice."""
        return None if self.mode is None else CONTRACTS[self._at("CONTRACT")]

    @property
    def declarer(self) -> int | None:
        """Seat that chose the contract, None before the choice."""
        return None if self.mode is None else self._at("DECLARER")

    @property
    def left(self) -> list[list[str]]:
        """For both teams the contracts that they have not finished, the running one included."""
        return [[name for k, name in enumerate(CONTRACTS) if self._at("LEFT", team) >> k & 1] for team in (0, 1)]

    @property
    def scores(self) -> tuple[int, int]:
        """Card points of both teams in this deal so far; only those of the declarer's team will be recorded."""
        return self._at("SCORE"), self._at("SCORE", 1)

    @property
    def totals(self) -> tuple[int, int]:
        """Points recorded for both teams, those of the last deal when the game is over."""
        found = [self._at("TOTAL"), self._at("TOTAL", 1)]
        if self.to_move == TERMINAL:
            found[self._at("DECLARER") % 2] += int(uncompiled(self._rules.recorded)(self._state._row))
        return found[0], found[1]
