"""The messages of the course protocol as bytes, both ways; what breaks their form is refused before it is read."""

import asyncio
import struct
from collections.abc import Mapping
from typing import NamedTuple

from stammtisch.envs.reversixt.map import LONGEST_TEXT
from stammtisch.envs.reversixt.moves import Triple

GROUP, MAP, PLAYER, REQUEST, ANSWER, MOVE, DISQUALIFIED, PHASE_END, GAME_END = range(1, 10)
FROM_CLIENT: Mapping[int, tuple[int, int]] = {GROUP: (1, 1), ANSWER: (5, 5)}  # least and greatest length
FROM_SERVER: Mapping[int, tuple[int, int]] = {
    MAP: (1, LONGEST_TEXT),
    PLAYER: (1, 1),
    REQUEST: (5, 5),
    MOVE: (6, 6),
    DISQUALIFIED: (1, 1),
    PHASE_END: (0, 0),
    GAME_END: (0, 0),
}
LONGEST_LIMIT_MS = (1 << 32) - 1

_HEAD = struct.Struct(">BI")
_ANSWER = struct.Struct(">HHB")
_REQUEST = struct.Struct(">IB")
_MOVE = struct.Struct(">HHBB")


class BadBytes(ValueError):
    """A message that the protocol does not allow."""


class Packet(NamedTuple):
    """One message: its type and its payload."""

    type: int
    payload: bytes


async def read_frame(reader: asyncio.StreamReader, allowed: Mapping[int, tuple[int, int]]) -> Packet | None:
    """Read a message; None when the other side has closed the connection between two messages.

    Raises:
        BadBytes: the type or the length is none of those allowed, or the connection ends within the message.
    """
    try:
        head = await reader.readexactly(_HEAD.size)
        kind, length = _HEAD.unpack(head)
        if kind not in allowed:
            raise BadBytes(f"a message of type {kind}; allowed: {', '.join(map(str, allowed))}")
        least, most = allowed[kind]
        if not least <= length <= most:
            raise BadBytes(f"a message of type {kind} with {length} bytes; it has {least} to {most}")
        return Packet(kind, await reader.readexactly(length))
    except asyncio.IncompleteReadError as error:
        if error.partial or error.expected != _HEAD.size:
            raise BadBytes("the connection ended within a message") from None
        return None


def group_message(group: int) -> bytes:
    """Say who the client is."""
    return _written(GROUP, bytes([group]))


def map_message(text: str) -> bytes:
    """Send the map."""
    return _written(MAP, text.encode("ascii"))


def player_message(player: int) -> bytes:
    """Tell a client its number, from 1."""
    return _written(PLAYER, bytes([player]))


def request_message(limit_ms: int, depth: int) -> bytes:
    """Ask for a move; 0 sets no limit."""
    return _written(REQUEST, _REQUEST.pack(min(limit_ms, LONGEST_LIMIT_MS), depth))


def answer_message(move: Triple) -> bytes:
    """Answer a request."""
    return _written(ANSWER, _ANSWER.pack(*move))


def move_message(move: Triple, player: int) -> bytes:
    """Tell everybody of a move."""
    return _written(MOVE, _MOVE.pack(*move, player))


def disqualified_message(player: int) -> bytes:
    """Tell everybody who is out."""
    return _written(DISQUALIFIED, bytes([player]))


def phase_end_message() -> bytes:
    """Tell everybody that the first phase is over."""
    return _written(PHASE_END, b"")


def game_end_message() -> bytes:
    """Tell everybody that the game is over."""
    return _written(GAME_END, b"")


def read_answer(payload: bytes) -> Triple:
    """Return the move in an answer."""
    x, y, special = _ANSWER.unpack(payload)
    return x, y, special


def read_request(payload: bytes) -> tuple[int, int]:
    """Return the limits in a request: milliseconds and depth."""
    limit_ms, depth = _REQUEST.unpack(payload)
    return limit_ms, depth


def read_move(payload: bytes) -> tuple[Triple, int]:
    """Return a move and who made it, from 1."""
    x, y, special, player = _MOVE.unpack(payload)
    return (x, y, special), player


def read_text(payload: bytes) -> str:
    """Return the text of a map."""
    try:
        return payload.decode("ascii")
    except UnicodeDecodeError:
        raise BadBytes("the map is not plain text") from None


def _written(kind: int, payload: bytes) -> bytes:
    return _HEAD.pack(kind, len(payload)) + payload
