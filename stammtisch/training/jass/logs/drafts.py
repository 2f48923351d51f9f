"""A deal as a log tells it, and the way from there to a deal that is believed: every card is played by the rules."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stammtisch.envs.jass.family.cards import COLOUR_OF, LAST_TRICK, POINTS, POWER
from stammtisch.envs.jass.family.names import CARDS
from stammtisch.training.jass.deals import KIT_RULE, N_CARDS, N_MODES, NO_DATE, SERVER_RULE, Deals
from stammtisch.training.jass.samples import replay_kernels

_IDS = {name: card for card, name in enumerate(CARDS)}
_LARGEST = 2**63 - 1
_POWER, _COLOUR = POWER.tolist(), COLOUR_OF.tolist()


class Dropped(ValueError):
    """A deal or line that cannot be used; the message is the reason, the same for all of its kind."""


@dataclass
class ToldTrick:
    """A trick of a log: cards in playing order, who led, who won, points; None where it does not say."""

    cards: list[int]
    first: int | None = None
    winner: int | None = None
    points: int | None = None


@dataclass
class Draft:
    """A deal of a log in our numbers.

    Attributes:
        tricks: the tricks, the last perhaps unfinished.
        forehand: seat that begins, None if it follows from the cards.
        mode: 0..5, None when none was chosen.
        passed: whether forehand passed the choice on.
        dealt: hands as dealt by seat, None where they are not known.
        left: cards not yet played by seat, None where they are not known.
        first: cards before this one are no samples.
        choice: whether the choice of the mode is a sample.
        views: seats whose hands count as known although the log knows more, None for all that are known.
        game: what tells its game from others, for splits.
        number: of the deal in its game.
        date: seconds since 1970.
        players: ids by seat.
    """

    tricks: list[ToldTrick] = field(default_factory=list)
    forehand: int | None = None
    mode: int | None = None
    passed: bool = False
    dealt: list[list[int] | None] = field(default_factory=lambda: [None] * 4)
    left: list[list[int] | None] = field(default_factory=lambda: [None] * 4)
    first: int = 0
    choice: bool = True
    views: int | None = None
    game: int = 0
    number: int = 0
    date: int = NO_DATE
    players: list[int] = field(default_factory=lambda: [0] * 4)


def card_of(name: Any) -> int:
    """Return the card of a name such as "H10"."""
    if not isinstance(name, str) or name.upper() not in _IDS:
        raise Dropped("unknown card")
    return _IDS[name.upper()]


def cards_of(names: Any) -> list[int]:
    """Return the cards of a list of names."""
    if not isinstance(names, list) or len(names) > N_CARDS:
        raise Dropped("cards are no list")
    return [card_of(name) for name in names]


def seat_of(value: Any) -> int:
    """Return a seat of a log, 0..3."""
    if type(value) is not int or value not in range(4):
        raise Dropped("unknown seat")
    return value


def number_of(value: Any) -> int:
    """Return a number that fits into 64 bits, 0 for anything else: ids of players are no reason to lose a deal."""
    return value if type(value) is int and 0 <= value <= _LARGEST else 0


def winner_of(cards: Sequence[int], leader: int, mode: int) -> int:
    """Return who takes a trick of four cards."""
    best = 0
    for place in range(1, 4):
        card, top = cards[place], cards[best]
        follows = _COLOUR[card] == _COLOUR[top] or _COLOUR[card] == mode
        if follows and _POWER[mode][card] > _POWER[mode][top]:
            best = place
    return (leader + best) % 4


def points_of(cards: Sequence[int], mode: int, is_last: bool) -> int:
    """Return what a trick counts, without a match bonus."""
    return int(POINTS[mode, list(cards)].sum()) + (LAST_TRICK if is_last else 0)


class DealBuilder:
    """Gathers drafts that pass every check, as arrays.

    Attributes:
        notes: what is odd but no reason to drop a deal, and how often.
    """

    def __init__(self) -> None:
        self._rows: list[dict[str, Any]] = []
        self.notes: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, draft: Draft, source: int = 0) -> None:
        """Check a deal and keep it.

        Raises:
            Dropped: it is not a deal that can have been played like that.
        """
        self._rows.append(self._row(draft, source))

    def take(self) -> Deals:
        """Return the deals gathered so far, and forget them."""
        deals = Deals.empty(len(self._rows))
        for place, row in enumerate(self._rows):
            for name, value in row.items():
                getattr(deals, name)[place] = value
        self._rows = []
        return deals

    def _row(self, draft: Draft, source: int) -> dict[str, Any]:
        cards = _played(draft.tricks)
        mode = draft.mode
        if mode is None and (cards or not draft.passed):
            raise Dropped("no mode chosen")
        if mode is not None and mode not in range(N_MODES):
            raise Dropped("unknown mode")
        forehand = _forehand(draft)
        seats = _seats(draft, forehand)
        hands, views = _hands(draft, cards, seats)
        wanted = views if draft.views is None else views & draft.views
        row: dict[str, Any] = {
            "hands": hands,
            "views": wanted,
            "played": len(cards),
            "first": draft.first,
            "forehand": forehand,
            "mode": -1 if mode is None else mode,
            "passed": draft.passed,
            "choice": draft.choice,
            "game": draft.game,
            "number": draft.number % (1 << 31),
            "date": draft.date,
            "players": draft.players,
            "source": source,
            "cards": np.array(cards + [255] * (N_CARDS - len(cards)), np.uint8),
        }
        if not wanted:
            raise Dropped("hands are missing")
        if mode is not None:
            row["rule"] = _legal_rule(draft, row, views)
            self._compare_points(draft, mode)
        return row

    def _compare_points(self, draft: Draft, mode: int) -> None:
        for place, trick in enumerate(draft.tricks):
            is_told = trick.points is not None and len(trick.cards) == 4
            if is_told and trick.points != points_of(trick.cards, mode, place == 8):
                self.notes["trick points differ"] = self.notes.get("trick points differ", 0) + 1


def _played(tricks: Sequence[ToldTrick]) -> list[int]:
    """Return the cards in playing order."""
    if len(tricks) > 9:
        raise Dropped("too many tricks")
    cards: list[int] = []
    for place, trick in enumerate(tricks):
        if len(trick.cards) > 4:
            raise Dropped("too many cards in a trick")
        if len(trick.cards) < 4 and place < len(tricks) - 1 and any(later.cards for later in tricks[place + 1 :]):
            raise Dropped("too few cards in a trick")
        cards += trick.cards
    if len(set(cards)) != len(cards):
        raise Dropped("a card is played twice")
    return cards


def _forehand(draft: Draft) -> int:
    """Return who begins: as told, or the holder of the first card, or as the place of any known card tells."""
    if draft.forehand is not None:
        return draft.forehand
    if draft.tricks and draft.tricks[0].cards:
        for place, card in enumerate(draft.tricks[0].cards):
            for seat, hand in enumerate(draft.dealt):
                if hand is not None and card in hand:
                    return (seat - place) % 4
    raise Dropped("nobody knows who began")


def _seats(draft: Draft, forehand: int) -> list[int]:
    """Return who played each card; leaders and winners must be as the log says."""
    seats: list[int] = []
    leader = forehand
    for trick in draft.tricks:
        if trick.first is not None and trick.first != leader:
            raise Dropped("wrong leader")
        seats += [(leader + place) % 4 for place in range(len(trick.cards))]
        if len(trick.cards) == 4:
            assert draft.mode is not None
            leader = winner_of(trick.cards, leader, draft.mode)
            if trick.winner is not None and trick.winner != leader:
                raise Dropped("wrong winner")
    return seats


def _hands(draft: Draft, cards: Sequence[int], seats: Sequence[int]) -> tuple[list[int], int]:
    """Return the hands as sets, and the seats whose hands are known."""
    hands, views = [], 0
    for seat in range(4):
        played = [card for card, who in zip(cards, seats, strict=True) if who == seat]
        dealt, left = draft.dealt[seat], draft.left[seat]
        if dealt is None and left is not None:
            dealt = left + played
        if dealt is None and len(played) == 9:
            dealt = played
        if dealt is not None:
            if len(dealt) != 9 or len(set(dealt)) != 9:
                raise Dropped("a hand is not nine different cards")
            if not set(played) <= set(dealt):
                raise Dropped("a card is played by who does not hold it")
            views |= 1 << seat
        hands.append(sum(1 << card for card in (dealt if dealt is not None else played)))
    if sum(hand.bit_count() for hand in hands) != (hands[0] | hands[1] | hands[2] | hands[3]).bit_count():
        raise Dropped("two players hold the same card")
    return hands, views


def _legal_rule(draft: Draft, row: dict[str, Any], views: int) -> int:
    """Return the rule under which all cards were legal, the server's if possible."""
    hands = np.array(row["hands"], np.int64)
    winners = np.full(9, -1, np.int8)
    for rule in (SERVER_RULE, KIT_RULE):
        kernels = replay_kernels(rule=rule)
        what, _ = kernels.check(hands, views, row["forehand"], row["mode"], row["cards"], row["played"], winners)
        if what == kernels.FINE:
            return rule
    raise Dropped("a card is not legal")
