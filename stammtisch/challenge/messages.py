"""Every message of the protocol and its schema; nothing is read from the wire that has not passed here."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from stammtisch.challenge.wire import COLOURS, MODES, NUMBERS
from stammtisch.text import is_printable, printable

SESSION_CHOICES = ("AUTOJOIN", "CREATE_NEW", "JOIN_EXISTING", "SPECTATOR")
SESSION_TYPES = ("SINGLE_GAME", "TOURNAMENT")
SINGLE_GAME, TOURNAMENT = SESSION_TYPES
LONGEST_NAME = 100

Errors = dict[str, list[str]]
Check = Callable[[Any, str, Errors], Any]
ABSENT: Any = None  # what ``data`` is when a message has none
_LARGEST = 10**15  # of a number, either way
_MOST_ERRORS = 20
_ENCODE = json.JSONEncoder(separators=(",", ":")).encode


class Message:
    """One message; ``text`` is its frame.

    Args:
        type: one of the names in ``SCHEMAS``.
        data: what JSON can write, ``ABSENT`` for none.
    """

    __slots__ = ("_text", "data", "type")

    def __init__(self, type: str, data: Any = ABSENT):
        self.type = type
        self.data = data
        self._text: str | None = None

    @property
    def text(self) -> str:
        """The message as one JSON object; plain ASCII, written once however many get it."""
        if self._text is None:
            whole = {"type": self.type} if self.data is ABSENT else {"type": self.type, "data": self.data}
            self._text = _ENCODE(whole)
        return self._text

    def __repr__(self) -> str:
        return f"Message({self.type!r}, {self.data!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Message) and (self.type, self.data) == (other.type, other.data)

    def __hash__(self) -> int:
        return hash(self.text)


class BadMessage(ValueError):
    """A frame that is no message of the protocol.

    Attributes:
        reply: data of the BAD_MESSAGE that answers it: the raw text, or the texts for every field that is wrong.
    """

    def __init__(self, reply: str | Errors):
        super().__init__(f"not a message of the protocol: {reply!r:.300}")
        self.reply = reply


class _TooManyErrors(Exception):
    """So much is wrong with a message that there is no point in looking further."""


class Schema(NamedTuple):
    """Who may send a message (C client, S server) and what its data must be."""

    sender: str
    check: Check


# Checks: each returns the value, cleaned of what the protocol does not know, or notes what is wrong


def _wrong(errors: Errors, path: str, text: str) -> None:
    if len(errors) == _MOST_ERRORS:
        raise _TooManyErrors
    errors.setdefault(path, []).append(text)


def _missing(errors: Errors, path: str) -> None:
    label = path.replace(".", " ").capitalize()
    _wrong(errors, path, f"{label} can't be blank")


def _anything(value: Any, path: str, errors: Errors) -> Any:
    _ENCODE(value)  # what is nested too deeply to be written is refused by the caller
    return value


def _nothing(value: Any, path: str, errors: Errors) -> Any:
    return ABSENT


def _boolean(value: Any, path: str, errors: Errors) -> Any:
    if not isinstance(value, bool):
        _wrong(errors, path, f"{_short(value)} is not true or false")
    return value


def _number(value: Any, path: str, errors: Errors) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        _wrong(errors, path, f"{_short(value)} is not a number")
    elif not -_LARGEST <= value <= _LARGEST:
        _wrong(errors, path, "is too large a number")
    return value


def _name(value: Any, path: str, errors: Errors) -> Any:
    """Check a name that a client chooses: others will have to show it."""
    if not isinstance(value, str):
        _wrong(errors, path, f"{_short(value)} is not a text")
    elif not value:
        _missing(errors, path)
    elif len(value) > LONGEST_NAME:
        _wrong(errors, path, f"longer than {LONGEST_NAME} characters")
    elif not is_printable(value):
        _wrong(errors, path, "has characters that cannot be shown")
    return value


def _text(value: Any, path: str, errors: Errors) -> Any:
    """Check a text of a server; what it lets others call themselves is made printable, and is no reason to refuse."""
    if not isinstance(value, str):
        _wrong(errors, path, f"{_short(value)} is not a text")
        return value
    if not value:
        _missing(errors, path)
    return printable(value)


def _one_of(choices: Sequence[Any]) -> Check:
    def check(value: Any, path: str, errors: Errors) -> Any:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, str | int) or value not in choices:
            _wrong(errors, path, f"{_short(value)} is not included in the list")
        return value

    return check


def _list_of(item: Check, least: int = 0, most: int = 10_000) -> Check:
    def check(value: Any, path: str, errors: Errors) -> Any:
        if not isinstance(value, list) or not least <= len(value) <= most:
            _wrong(errors, path, f"is not a list of {least} to {most} entries")
            return value
        return [item(entry, f"{path}.{i}", errors) for i, entry in enumerate(value)]

    return check


def _record(required: Mapping[str, Check], optional: Mapping[str, Check] | None = None) -> Check:
    extra = optional or {}

    def check(value: Any, path: str, errors: Errors) -> Any:
        found = value if isinstance(value, dict) else {}
        clean = {}
        for name, inner in required.items():
            if found.get(name) is None:
                _missing(errors, f"{path}.{name}")
            else:
                clean[name] = inner(found[name], f"{path}.{name}", errors)
        for name, inner in extra.items():
            if found.get(name) is not None:
                clean[name] = inner(found[name], f"{path}.{name}", errors)
        return clean

    return check


def _game_type(value: Any, path: str, errors: Errors) -> Any:
    """Check a mode that a server announces; trumps without a colour are taken, as the original sends them."""
    clean = _record({"mode": _one_of(MODES)}, {"trumpfColor": _one_of(COLOURS)})(value, path, errors)
    if clean.get("mode") != "TRUMPF":
        clean.pop("trumpfColor", None)
    return clean


def _choice_of_trumps(value: Any, path: str, errors: Errors) -> Any:
    """Check a mode that a client chooses: trumps need a colour."""
    clean = _game_type(value, path, errors)
    if clean.get("mode") == "TRUMPF" and "trumpfColor" not in clean:
        _missing(errors, f"{path}.trumpfColor")
    return clean


def _quick_card(thorough: Check) -> Check:
    """Look a card up, which is what most messages are made of; say what is wrong when there is no such card."""
    known = {(number, color): {"number": number, "color": color} for number in NUMBERS for color in COLOURS}

    def check(value: Any, path: str, errors: Errors) -> Any:
        try:
            return known[value["number"], value["color"]]
        except (KeyError, TypeError, IndexError):
            return thorough(value, path, errors)

    return check


def _short(value: Any) -> str:
    return value[:60] if isinstance(value, str) else repr(value)[:60]


_CARD = _quick_card(_record({"number": _one_of(NUMBERS), "color": _one_of(COLOURS)}))
_PLAYER = _record({"id": _text, "seatId": _one_of(range(4)), "name": _text})
_SCORE = _record({"name": _text, "points": _number, "currentRoundPoints": _number})
_SCORES = _list_of(_SCORE, 2, 2)
_TEAM = _record({"name": _text, "players": _list_of(_PLAYER, 2, 2)})
_JOINED = _record({"sessionName": _text, "playersInSession": _list_of(_PLAYER, 0, 4)}, {"player": _PLAYER})
_STICH = _record(
    {
        "name": _text,
        "id": _text,
        "seatId": _one_of(range(4)),
        "playedCards": _list_of(_CARD, 4, 4),
        "teams": _SCORES,
    }
)
_RANK = _record(
    {"playerName": _text, "connectedClients": _number}, {"rating": _number, "rank": _number, "crashed": _boolean}
)
_PAIRING = _record({"player1": _text, "player2": _text, "firstPlayerWon": _boolean, "id": _number})
_SESSION = _record(
    {"sessionChoice": _one_of(SESSION_CHOICES)},
    {
        "sessionName": _name,
        "sessionType": _one_of(SESSION_TYPES),
        "asSpectator": _boolean,
        "chosenTeamIndex": _one_of(range(2)),
    },
)
_TEAM_INDEX = {"chosenTeamIndex": _one_of(range(2))}
_BOT = _record({"name": _name})

SCHEMAS: dict[str, Schema] = {
    "REQUEST_PLAYER_NAME": Schema("S", _nothing),
    "CHOOSE_PLAYER_NAME": Schema("C", _name),
    "REQUEST_SESSION_CHOICE": Schema("S", _list_of(_text)),
    "CHOOSE_SESSION": Schema("C", _SESSION),
    "BROADCAST_SESSION_JOINED": Schema("S", _JOINED),
    "SESSION_JOINED": Schema("S", _JOINED),
    "BROADCAST_TEAMS": Schema("S", _list_of(_TEAM, 2, 2)),
    "DEAL_CARDS": Schema("S", _list_of(_CARD, 9, 9)),
    "REQUEST_TRUMPF": Schema("S", _boolean),
    "CHOOSE_TRUMPF": Schema("C", _choice_of_trumps),
    "REJECT_TRUMPF": Schema("S", _game_type),
    "BROADCAST_TRUMPF": Schema("S", _game_type),
    "REQUEST_CARD": Schema("S", _list_of(_CARD, 0, 3)),
    "CHOOSE_CARD": Schema("C", _CARD),
    "REJECT_CARD": Schema("S", _CARD),
    "PLAYED_CARDS": Schema("S", _list_of(_CARD, 1, 4)),
    "BROADCAST_STICH": Schema("S", _STICH),
    "BROADCAST_GAME_FINISHED": Schema("S", _SCORES),
    "BROADCAST_WINNER_TEAM": Schema("S", _SCORE),
    "BROADCAST_TOURNAMENT_RANKING_TABLE": Schema(
        "S", _record({"ranking": _list_of(_RANK), "pairingResults": _list_of(_PAIRING, most=1_000_000)})
    ),
    "BROADCAST_TOURNAMENT_STARTED": Schema("S", _nothing),
    "START_TOURNAMENT": Schema("C", _nothing),
    "BAD_MESSAGE": Schema("S", _anything),
    "ERROR": Schema("S", _anything),
    "JOIN_BOT": Schema("C", _record({"sessionName": _name}, _TEAM_INDEX)),
    "REQUEST_REGISTRY_BOTS": Schema("C", _nothing),
    "SEND_REGISTRY_BOTS": Schema("S", _list_of(_BOT)),
    "ADD_BOT_FROM_REGISTRY": Schema("C", _record({"sessionName": _name, "bot": _BOT}, _TEAM_INDEX)),
}


def _no_constants(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


_DECODE = json.JSONDecoder(parse_constant=_no_constants).decode


def read_message(frame: str | bytes, sender: str) -> Message:
    """Return the message in a frame.

    Args:
        frame: what came over the wire.
        sender: who sent it, ``"C"`` for a client, ``"S"`` for a server.

    Raises:
        BadMessage: the frame is not JSON, of no type that the sender may send, or a field is wrong.
    """
    text = frame if isinstance(frame, str) else frame.decode("utf-8", "replace")
    try:
        whole = _DECODE(text)
    except (ValueError, RecursionError):
        raise BadMessage(text) from None
    kind = whole.get("type") if isinstance(whole, dict) else None
    schema = SCHEMAS.get(kind) if isinstance(kind, str) else None
    if schema is None or schema.sender != sender:
        raise BadMessage(text)
    data = whole.get("data")
    errors: Errors = {}
    try:
        if data is None and schema.check not in (_nothing, _anything):
            _missing(errors, "data")
        else:
            data = schema.check(data, "data", errors)
    except _TooManyErrors:
        pass
    except RecursionError:
        raise BadMessage(text) from None
    if errors:
        raise BadMessage(errors)
    return Message(str(kind), data)
