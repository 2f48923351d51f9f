"""The server: WebSocket connections in front of a ``Lobby``."""

import asyncio
import contextlib
import pathlib
from collections.abc import Callable
from typing import Any

from stammtisch.challenge.bots import BotGuest
from stammtisch.challenge.connection import websockets_server
from stammtisch.challenge.guest import Guest
from stammtisch.challenge.house import House, Settings
from stammtisch.challenge.lobby import Lobby
from stammtisch.challenge.messages import Message
from stammtisch.challenge.results import Results
from stammtisch.challenge.thinker import Thinker

LONGEST_FRAME = 1 << 16
_PING_S, _PING_TIMEOUT_S, _CLOSE_TIMEOUT_S = 10, 20, 2
_MOST_UNSENT = 1 << 20  # bytes that a client may leave unread


class _SocketGuest(Guest):
    """A guest at the other end of a WebSocket."""

    def __init__(self, socket: Any):
        super().__init__()
        self._socket = socket
        self._closing: asyncio.Task[None] | None = None

    def _send(self, message: Message) -> None:
        """Hand a message to the operating system; who does not read is cut off, and nobody waits for it."""
        websockets_server().broadcast([self._socket], message.text)
        transport = self._socket.transport
        if transport is not None and transport.get_write_buffer_size() > _MOST_UNSENT:
            transport.abort()

    def _close(self, code: int, reason: str) -> None:
        self._closing = asyncio.create_task(self._socket.close(code, reason[:100]))


class Server:
    """A challenge server.

    Attributes:
        lobby: the logic.
        port: where it listens, once ``start`` has returned.

    Args:
        settings: how it plays.
        bots: agent specs for the seats that bots fill, the first one for JOIN_BOT.
        results: file for the results, None to keep none.
        tell: called with a line about what happens.
    """

    def __init__(
        self,
        settings: Settings,
        bots: tuple[str, ...] = ("heuristic",),
        results: pathlib.Path | None = None,
        tell: Callable[[str], None] = print,
    ):
        self.results = Results(results)
        self.port = 0
        self._settings = settings
        self._bots = bots
        self._tell = tell
        self._listener: Any = None
        self.lobby: Lobby

    async def start(self, host: str = "127.0.0.1", port: int = 3000) -> None:
        """Begin to listen."""
        library = websockets_server()
        house = House(self._settings, asyncio.get_running_loop(), self.results, self._make_bot, self._bots, self._tell)
        self.lobby = Lobby(house)
        warm = [Thinker(spec, house.game, 0) for spec in self._bots]
        for thinker in warm:
            thinker.warm()
            thinker.close()
        try:
            self._listener = await library.serve(
                self._attend,
                host,
                port,
                compression=None,
                max_size=LONGEST_FRAME,
                ping_interval=_PING_S,
                ping_timeout=_PING_TIMEOUT_S,
                close_timeout=_CLOSE_TIMEOUT_S,
            )
        except OSError as error:
            raise ValueError(f"cannot listen on {host}:{port}: {error.strerror}") from error
        self.port = self._listener.sockets[0].getsockname()[1]

    def _make_bot(self, spec: str) -> Guest:
        thinker = Thinker(spec, self.lobby.house.game, limit_s=0.8 * self._settings.limit_s)
        return BotGuest(thinker, self.lobby.receive)

    async def _attend(self, socket: Any) -> None:
        guest = _SocketGuest(socket)
        self.lobby.connect(guest)
        try:
            with contextlib.suppress(websockets_server().ConnectionClosed):
                async for frame in socket:
                    self.lobby.receive(guest, frame)
        finally:
            self.lobby.disconnect(guest)

    async def stop(self) -> None:
        """Close all connections and the results file."""
        if self._listener is not None:
            self._listener.close()
            await self._listener.wait_closed()
        self.results.close()
