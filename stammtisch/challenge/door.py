"""``Door``: counts every connection from the moment it is accepted, and lets in who may come in.

A connection costs a file descriptor long before it has said who it is. So the number of those that are still opening
is limited too, and the oldest of them goes when there are too many: who means it is through in milliseconds, who
connects slowly on purpose loses its own place and nobody else's.
"""

from typing import Any, NamedTuple

from stammtisch.challenge.faults import Faults
from stammtisch.origins import OriginPolicy

_MOST_OPENING = 256
AT_ONCE = 16  # connections that the event loop accepts in one turn, before any of them can be turned away
_OTHER_FILES = 64  # the results, logs, models, and what the interpreter needs
_FORBIDDEN = 403


class Room(NamedTuple):
    """How many connections there is room for.

    Attributes:
        guests: open ones.
        opening: those that have not yet said what they want.
    """

    guests: int
    opening: int

    @property
    def most(self) -> int:
        """All connections at a time, with some that are closing."""
        return self.guests + self.opening + AT_ONCE

    @property
    def files(self) -> int:
        """Open files that all this needs: accepted and turned away ones are counted a turn too late."""
        return self.most + 2 * AT_ONCE + _OTHER_FILES


class Door:
    """The connections of one server.

    Args:
        policy: which web pages may connect.
        room: how many connections there may be.
        faults: where those who do not come in are counted.
    """

    def __init__(self, policy: OriginPolicy, room: Room, faults: Faults):
        self._policy = policy
        self._room = room
        self._faults = faults
        self._all: set[Any] = set()
        self._opening: dict[Any, None] = {}

    def arrive(self, connection: Any) -> None:
        """Count a connection that was accepted."""
        self._all.add(connection)
        self._opening[connection] = None
        if len(self._all) > self._room.most:
            self._turn_away(connection, "there are too many")
        elif len(self._opening) > self._room.opening:
            self._turn_away(next(iter(self._opening)), "too many do not say what they want")

    def enter(self, connection: Any) -> None:
        """Count a connection as open."""
        self._opening.pop(connection, None)

    def leave(self, connection: Any) -> None:
        """Forget a connection that is lost."""
        self._all.discard(connection)
        if connection in self._opening:
            del self._opening[connection]
            self._faults.note("a connection has not come in", "it did not say, or may not do, what it wants")

    def check(self, connection: Any, request: Any) -> Any:
        """Return the answer that refuses a request, None to let it in."""
        headers = request.headers
        reason = self._policy.refusal(headers.get_all("Host"), headers.get_all("Origin"))
        if reason is None:
            return None
        self._opening.pop(connection, None)
        self._faults.note("a web page or a foreign name was refused", reason)
        return connection.respond(_FORBIDDEN, f"{reason}\n")

    def _turn_away(self, connection: Any, reason: str) -> None:
        self._opening.pop(connection, None)
        self._faults.note("a connection was turned away", reason)
        connection.transport.abort()

    def connection_class(self, base: Any) -> Any:
        """Return a class of connections that this door counts, made from that of the library."""
        door = self

        class CountedConnection(base):
            def connection_made(self, transport: Any) -> None:
                super().connection_made(transport)
                door.arrive(self)

            def connection_lost(self, exc: Exception | None) -> None:
                door.leave(self)
                super().connection_lost(exc)

        return CountedConnection


def room_for(guests: int) -> Room:
    """Return how many connections the limit of open files has room for; it is raised as far as that is allowed."""
    wanted = Room(guests, _MOST_OPENING)
    try:
        import resource
    except ImportError:  # a system without that limit
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted.files:
        soft = wanted.files if hard == resource.RLIM_INFINITY else min(wanted.files, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY or soft >= wanted.files:
        return wanted
    left = max(2, soft - Room(0, 0).files)
    opening = min(_MOST_OPENING, left // 2)
    return Room(min(guests, left - opening), opening)
