"""Formats with a record per line: Swisslos, jass-kit's games and observations, tables of trump choices."""

import hashlib
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from stammtisch.files.documents import parse_json
from stammtisch.training.jass.deals import NO_DATE
from stammtisch.training.jass.logs.drafts import Draft, Dropped, ToldTrick, cards_of, number_of, seat_of

KIT_VERSION = "V0.2"
DATE_FORMAT = "%d.%m.%y %H:%M:%S"
_DATE_LENGTH = 17
# Diamonds, hearts, spades, clubs, Obeabe, Undeufe of Swisslos and jass-kit in our numbers; our suits of theirs.
KIT_MODES = (1, 0, 3, 2, 4, 5)
_KIT_SUITS = (1, 0, 3, 2)
_PASSES = (6, 10, 42)
_COLUMNS = 39


def our_seat(seat: Any) -> int:
    """Return our number of a seat that is numbered clockwise: play goes down there and up here."""
    return (4 - seat_of(seat)) % 4


def our_card(card: int) -> int:
    """Return our number of a card of jass-kit: suits D, H, S, C, aces first."""
    return 9 * _KIT_SUITS[card // 9] + 8 - card % 9


def kit_card(card: int) -> int:
    """Return jass-kit's number of a card."""
    return 9 * _KIT_SUITS[card // 9] + 8 - card % 9


def our_mode(code: Any) -> int:
    """Return our number of a mode."""
    if type(code) is not int or code not in range(6):
        raise Dropped("unknown mode")
    return KIT_MODES[code]


def seconds_of(text: Any) -> int:
    """Return a date as seconds, -1 if it is none."""
    try:
        return int(datetime.strptime(str(text).strip(), DATE_FORMAT).replace(tzinfo=UTC).timestamp())
    except ValueError:
        return NO_DATE


def game_number(*parts: Any) -> int:
    """Return a number that is the same for the same game, wherever its deals stand."""
    text = json.dumps(parts, default=str).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest()) >> 1


def _object(text: str) -> dict[str, Any]:
    try:
        found = parse_json(text)
    except ValueError:
        raise Dropped("not a record") from None
    if not isinstance(found, dict):
        raise Dropped("not a record")
    return found


def swisslos(line: str, place: int) -> Iterator[Draft | Dropped]:
    """Yield the deals of one session of the Swisslos portal; ``place`` tells sessions apart."""
    begin = line.find("{")
    if begin < 0:
        raise Dropped("not a record")
    session = _object(line[begin:])
    rounds = session.get("rounds")
    if not isinstance(rounds, list):
        raise Dropped("not a record")
    date = seconds_of(line[:_DATE_LENGTH]) if begin >= _DATE_LENGTH else NO_DATE
    game = game_number("swisslos", place, line[:begin])
    for number, told in enumerate(rounds):
        try:
            draft = _deal(told)
            draft.game, draft.number, draft.date = game, number, date
            draft.players = _players(session.get("players"))
            yield draft
        except Dropped as reason:
            yield reason


def jass_kit(line: str, place: int) -> Iterator[Draft | Dropped]:
    """Yield the deal of a line of jass-kit's game log."""
    entry = _object(line)
    told = entry.get("game")
    if not isinstance(told, dict):
        raise Dropped("not a record")
    _check_version(told)
    draft = _deal(told)
    draft.date, draft.players = seconds_of(entry.get("date")), _players(entry.get("player_ids"))
    told_apart = draft.date != NO_DATE or any(draft.players)
    draft.game = game_number("jass-kit", entry.get("date"), draft.players) if told_apart else game_number(place)
    yield draft


def jass_kit_observations(line: str, place: int) -> Iterator[Draft | Dropped]:
    """Yield one decision: what a player saw, and what it did."""
    entry = _object(line)
    told, action = entry.get("obs"), entry.get("action")
    if not isinstance(told, dict) or type(action) is not int:
        raise Dropped("not a record")
    if "version" not in told:
        raise Dropped("unknown version")
    _check_version(told)
    seat = our_seat(told.get("playerView"))
    draft = _deal(told, may_be_open=True)
    held = draft.left[seat]
    draft.left = [None] * 4
    draft.left[seat], draft.views = held, 1 << seat
    draft.date = seconds_of(entry.get("date"))
    draft.players[seat] = number_of(entry.get("player_id"))
    # All decisions of a deal have its date; without one, neighbours stay together.
    draft.game = game_number("obs", draft.date if draft.date != NO_DATE else place // 1000)
    if held is None:
        raise Dropped("hands are missing")
    if draft.mode is None:
        _choose(draft, seat, action)
    else:
        _play(draft, seat, action)
    yield draft


def _choose(draft: Draft, seat: int, action: int) -> None:
    """Let an observation be a choice of the mode."""
    assert draft.forehand is not None
    is_partner = seat == (draft.forehand + 2) % 4
    if seat != draft.forehand and not (is_partner and draft.passed):
        raise Dropped("not the turn of this player")
    if action in _PASSES:
        if is_partner:
            raise Dropped("a pass of who must choose")
        draft.passed = True
    else:
        draft.passed = is_partner
        draft.mode = our_mode(action - 36 if action >= 36 else action)


def _play(draft: Draft, seat: int, action: int) -> None:
    """Let an observation be a card: it is the last of the deal, and the only sample."""
    if action not in range(36):
        raise Dropped("unknown card")
    card = our_card(action)
    held = draft.left[seat]
    if held is None or card not in held:
        raise Dropped("a card is played by who does not hold it")
    if not draft.tricks or len(draft.tricks[-1].cards) == 4:
        draft.tricks.append(ToldTrick([]))
    draft.tricks[-1].cards.append(card)
    count = sum(len(trick.cards) for trick in draft.tricks)
    draft.first, draft.choice = count - 1, False
    draft.left[seat] = [other for other in held if other != card]
    if draft.tricks[-1].first is not None and (draft.tricks[-1].first + len(draft.tricks[-1].cards) - 1) % 4 != seat:
        raise Dropped("not the turn of this player")


def trump_csv(line: str, place: int) -> Iterator[Draft | Dropped]:
    """Yield a choice of the mode: 36 bits of a hand, whether it may be passed on, the player, the choice."""
    parts = line.strip().split(",")
    if len(parts) != _COLUMNS or not all(part.strip().isascii() and part.strip().isdigit() for part in parts):
        raise Dropped("not a record")
    if max(map(len, parts)) > 18:
        raise Dropped("not a record")
    values = [int(part) for part in parts]
    bits, may_pass, player, said = values[:36], values[36], values[37], values[38]
    if max(bits) > 1 or may_pass > 1:
        raise Dropped("not a record")
    if sum(bits) != 9:
        raise Dropped("a hand is not nine different cards")
    hand = [our_card(card) for card in range(36) if bits[card]]
    seat = 0 if may_pass else 2
    draft = Draft(forehand=0, passed=not may_pass, views=1 << seat, game=game_number("csv", player, place // 1000))
    draft.dealt[seat] = hand
    draft.players[seat] = player
    if said in _PASSES:
        if not may_pass:
            raise Dropped("a pass of who must choose")
        draft.passed = True
    else:
        draft.mode = our_mode(said)
    yield draft


def _check_version(told: dict[str, Any]) -> None:
    if told.get("version", KIT_VERSION) != KIT_VERSION:
        raise Dropped("unknown version")


def _players(told: Any) -> list[int]:
    """Return the ids of players by our seats."""
    players = [0] * 4
    if isinstance(told, list) and len(told) == 4:
        for seat, player in enumerate(told):
            players[our_seat(seat)] = number_of(player)
    return players


def _deal(told: Any, may_be_open: bool = False) -> Draft:
    """Return a deal as Swisslos and jass-kit write it."""
    if told is None:
        raise Dropped("null instead of a deal")
    if not isinstance(told, dict):
        raise Dropped("not a deal")
    if told.get("jassTyp", "SCHIEBER") not in ("SCHIEBER", "SCHIEBER_1000", "SCHIEBER_2500", None):
        raise Dropped("another kind of Jass")
    forehand = (our_seat(told.get("dealer")) + 1) % 4
    draft = Draft(forehand=forehand)
    code = told.get("trump", -1)
    said = told.get("forehand")
    draft.passed = said == 0 if type(said) is int else told.get("tss") == 1
    tricks = _list(told.get("tricks", []))
    if code is not None and code != -1:
        draft.mode = our_mode(code)
    else:
        is_begun = any(isinstance(trick, dict) and trick.get("cards") for trick in tricks)
        if is_begun or not (draft.passed or may_be_open):
            raise Dropped("no mode chosen")
    for trick in tricks:
        if not isinstance(trick, dict):
            raise Dropped("not a deal")
        draft.tricks.append(_trick(trick))
    while draft.tricks and not draft.tricks[-1].cards:
        draft.tricks.pop()
    seats = _list(told.get("player", []))
    if len(seats) not in (0, 4):
        raise Dropped("not four players")
    for seat, player in enumerate(seats):
        hand = player.get("hand") if isinstance(player, dict) else None
        draft.left[our_seat(seat)] = None if hand is None else cards_of(hand)
    complete = sum(len(trick.cards) for trick in draft.tricks) == 36
    if not complete and not any(draft.left):  # nobody's hand was written down
        draft.left = [None] * 4
    return draft


def _trick(told: dict[str, Any]) -> ToldTrick:
    trick = ToldTrick(cards_of(told.get("cards") or []))
    if told.get("first") is not None:
        trick.first = our_seat(told["first"])
    if told.get("win") is not None and len(trick.cards) == 4:
        trick.winner = our_seat(told["win"])
    if type(told.get("points")) is int:
        trick.points = told["points"]
    return trick


def _list(value: Any) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list) or len(value) > 36:
        raise Dropped("not a deal")
    return value
