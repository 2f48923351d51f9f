"""Formats that tell what was said at a table: logs of the challenge server, and captured exchanges of its clients."""

from collections.abc import Iterator, Mapping
from typing import Any

from stammtisch.training.jass.logs.drafts import Draft, Dropped, ToldTrick, seat_of
from stammtisch.training.jass.logs.lines import game_number

_COLORS = {"HEARTS": 0, "DIAMONDS": 1, "CLUBS": 2, "SPADES": 3}
_MODES = {"OBEABE": 4, "UNDEUFE": 5}


def wire_card(value: Any) -> int:
    """Return a card as the protocol writes it."""
    if not isinstance(value, dict):
        raise Dropped("unknown card")
    number, color = value.get("number"), value.get("color")
    if type(number) is not int or number not in range(6, 15) or not isinstance(color, str) or color not in _COLORS:
        raise Dropped("unknown card")
    return 9 * _COLORS[color] + number - 6


def wire_cards(value: Any) -> list[int]:
    """Return a list of cards."""
    if not isinstance(value, list) or len(value) > 36:
        raise Dropped("cards are no list")
    return [wire_card(item) for item in value]


class TableTalk:
    """Follows what is said at one table and makes deals of it.

    Args:
        game: tells this game from others.
    """

    def __init__(self, game: int):
        self.game = game
        self.number = 0
        self._deal: Draft | None = None
        self._fault: Dropped | None = None

    def hear(self, kind: str, data: Any, seat: int | None) -> Iterator[Draft | Dropped]:
        """Take a message; ``seat`` is to whom it was said, None if to everybody. Yields deals that have ended."""
        if kind == "DEAL_CARDS" and seat is not None:
            deal = self._deal
            if deal is None or deal.tricks or deal.mode is not None or deal.passed or deal.dealt[seat] is not None:
                yield from self.end()
                self._deal = deal = Draft(game=self.game, number=self.number)
                self._fault = None
            with_fault = self._guarded(lambda: wire_cards(data))
            deal.dealt[seat] = with_fault if with_fault is not None else None
        elif self._deal is not None:
            self._guarded(lambda: self._take(kind, data))

    def _guarded(self, work: Any) -> Any:
        """Do something; what is wrong with it costs this deal only."""
        try:
            return work()
        except Dropped as reason:
            self._fault = self._fault or reason
            return None

    def _take(self, kind: str, data: Any) -> None:
        deal = self._deal
        assert deal is not None
        if kind == "BROADCAST_TRUMPF":
            self._said(deal, data)
        elif kind == "PLAYED_CARDS":
            cards = wire_cards(data)
            running = deal.tricks[-1] if deal.tricks and len(deal.tricks[-1].cards) < 4 else None
            before = running.cards if running is not None else []
            if not cards or cards[:-1] != before:
                raise Dropped("cards on the table do not follow each other")
            if running is None:
                running = ToldTrick([])
                deal.tricks.append(running)
            running.cards.append(cards[-1])
        elif kind == "BROADCAST_STICH":
            if not isinstance(data, Mapping) or not deal.tricks or len(deal.tricks[-1].cards) != 4:
                raise Dropped("a trick ends that is not complete")
            if "playedCards" in data and wire_cards(data["playedCards"]) != deal.tricks[-1].cards:
                raise Dropped("cards on the table do not follow each other")
            deal.tricks[-1].winner = seat_of(data.get("seatId"))

    def _said(self, deal: Draft, data: Any) -> None:
        if not isinstance(data, Mapping):
            raise Dropped("unknown mode")
        mode = data.get("mode")
        if deal.mode is not None:
            raise Dropped("the mode is chosen twice")
        if mode == "SCHIEBE":
            if deal.passed:
                raise Dropped("a pass of who must choose")
            deal.passed = True
        elif mode == "TRUMPF" and data.get("trumpfColor") in _COLORS:
            deal.mode = _COLORS[data["trumpfColor"]]
        elif isinstance(mode, str) and mode in _MODES:
            deal.mode = _MODES[mode]
        else:
            raise Dropped("unknown mode")

    def end(self) -> Iterator[Draft | Dropped]:
        """Yield the deal under way as it is."""
        if self._deal is not None:
            yield self._fault if self._fault is not None else self._deal
            self._deal = None
            self.number += 1


def challenge(items: Any, name: str) -> Iterator[Draft | Dropped]:
    """Yield the deals of a log of the challenge server: one game, an array of messages."""
    if not isinstance(items, list):
        raise Dropped("not a record")
    talk = TableTalk(game_number("challenge", name, len(items)))
    for item in items:
        if not isinstance(item, dict) or not isinstance(item.get("messageType"), str):
            continue
        if "receivedFrom" in item:
            continue
        yield from talk.hear(item["messageType"], item.get("data"), _addressee(item.get("sentTo")))
    yield from talk.end()


def _addressee(who: Any) -> int | None:
    """Return the seat of ``name#seat``."""
    tail = who.rpartition("#")[2] if isinstance(who, str) else ""
    return int(tail) if tail in ("0", "1", "2", "3") else None


class Capture:
    """Joins what several clients of one table heard: each knows its own hand, together they know all."""

    def __init__(self, name: str):
        self._name = name
        self._talks: dict[str, tuple[TableTalk, int]] = {}  # by client: its table and its seat
        self._sessions: dict[tuple[str, str], int] = {}  # how often a client has come to a session
        self._found: dict[tuple[int, int], dict[str, Draft | Dropped]] = {}

    def hear(self, record: Any) -> None:
        """Take a line.

        Raises:
            Dropped: it is no line of a capture.
        """
        if not isinstance(record, dict) or not isinstance(record.get("client"), str):
            raise Dropped("not a record")
        message = record.get("msg")
        if record.get("dir") != "s2c" or not isinstance(message, dict) or not isinstance(message.get("type"), str):
            return
        client, kind, data = record["client"], message["type"], message.get("data")
        if kind == "BROADCAST_SESSION_JOINED":
            self._join(client, data)
        elif client in self._talks:
            talk, seat = self._talks[client]
            for deal in talk.hear(kind, data, seat if kind == "DEAL_CARDS" else None):
                self._keep(client, talk, deal)
            if kind == "BROADCAST_WINNER_TEAM":
                self._close(client)

    def _join(self, client: str, data: Any) -> None:
        """A client that joins a table hears of itself first."""
        if client in self._talks or not isinstance(data, dict) or not isinstance(data.get("player"), dict):
            return
        seat, session = data["player"].get("seatId"), str(data.get("sessionName"))
        if type(seat) is int and seat in range(4):
            visit = self._sessions.get((client, session), 0)
            self._sessions[client, session] = visit + 1
            self._talks[client] = TableTalk(game_number("capture", self._name, session, visit)), seat

    def _close(self, client: str) -> None:
        talk, _ = self._talks.pop(client)
        for deal in talk.end():
            self._keep(client, talk, deal)

    def _keep(self, client: str, talk: TableTalk, deal: Draft | Dropped) -> None:
        number = deal.number if isinstance(deal, Draft) else talk.number
        self._found.setdefault((talk.game, number), {})[client] = deal

    def end(self) -> Iterator[Draft | Dropped]:
        """Yield all deals, joined."""
        for client in list(self._talks):
            self._close(client)
        for heard in self._found.values():
            yield _joined(list(heard.values()))
        self._found = {}


def _joined(heard: list[Draft | Dropped]) -> Draft | Dropped:
    """Return one deal of what several clients heard of it; who was cut off earlier than others heard less."""
    for each in heard:
        if isinstance(each, Dropped):
            return each
    drafts = [each for each in heard if isinstance(each, Draft)]
    whole = max(drafts, key=lambda draft: sum(len(trick.cards) for trick in draft.tricks))
    cards = [card for trick in whole.tricks for card in trick.cards]
    for draft in drafts:
        mine = [card for trick in draft.tricks for card in trick.cards]
        if mine != cards[: len(mine)] or (draft.mode not in (None, whole.mode)):
            return Dropped("clients heard different things")
        for seat, hand in enumerate(draft.dealt):
            if hand is not None:
                if whole.dealt[seat] not in (None, hand):
                    return Dropped("clients heard different things")
                whole.dealt[seat] = hand
        for trick, other in zip(whole.tricks, draft.tricks, strict=False):
            if None not in (trick.winner, other.winner) and trick.winner != other.winner:
                return Dropped("clients heard different things")
            trick.winner = trick.winner if trick.winner is not None else other.winner
    return whole
