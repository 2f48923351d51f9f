"""The server: WebSocket connections in front of a ``Lobby``."""

import asyncio
import logging
import pathlib
import socket
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from stammtisch.challenge.bots import BotGuest
from stammtisch.challenge.clerk import Clerk
from stammtisch.challenge.connection import websockets_server
from stammtisch.challenge.door import AT_ONCE, Door, room_for
from stammtisch.challenge.faults import Faults
from stammtisch.challenge.guest import Guest
from stammtisch.challenge.house import House, Settings
from stammtisch.challenge.lobby import Lobby
from stammtisch.challenge.messages import Message
from stammtisch.challenge.results import Results
from stammtisch.challenge.thinker import Thinker
from stammtisch.files import make_folder
from stammtisch.origins import OriginPolicy
from stammtisch.text import cut_to_bytes, printable

LONGEST_FRAME = 1 << 16
_QUEUE = 1024  # connections that wait to be accepted
_OPEN_TIMEOUT_S = 5
_PING_S, _PING_TIMEOUT_S, _CLOSE_TIMEOUT_S = 10, 20, 2
_MOST_UNSENT = 1 << 20  # bytes that a client may leave unread
_LONGEST_REASON = 123  # bytes that fit into a close frame

# The library logs every failed handshake with a traceback; the door counts them. Lower the level to see them.
_sockets_log = logging.getLogger("stammtisch.challenge.sockets")
_sockets_log.setLevel(logging.CRITICAL)


class _SocketGuest(Guest):
    """A guest at the other end of a WebSocket."""

    def __init__(self, connection: Any, faults: Faults):
        super().__init__(faults)
        self._connection = connection
        self._closing: asyncio.Task[None] | None = None

    def _send(self, message: Message) -> None:
        """Hand a message to the operating system; who does not read is cut off, and nobody waits for it."""
        transport = self._connection.transport
        if transport is None or transport.is_closing():
            return
        websockets_server().broadcast([self._connection], message.text)
        if transport.get_write_buffer_size() > _MOST_UNSENT:
            transport.abort()

    def _drop(self) -> None:
        self._connection.transport.abort()

    def _close(self, code: int, reason: str) -> None:
        self._closing = asyncio.create_task(self._say_goodbye(code, cut_to_bytes(printable(reason), _LONGEST_REASON)))

    async def _say_goodbye(self, code: int, reason: str) -> None:
        try:
            await self._connection.close(code, reason)
        except Exception as error:  # whoever cannot be told is gone all the same
            self._faults.note("closing a connection", error)
            self._drop()


class Server:
    """A challenge server.

    Attributes:
        lobby: the logic.
        port: where it listens, once ``start`` has returned.

    Args:
        settings: how it plays.
        bots: agent specs for the seats that bots fill, the first one for JOIN_BOT.
        results: file for the results, None to keep none; its folder is made when the server listens.
        tell: called with a line about what happens.
        allowed_origins: web pages that may connect, see ``OriginPolicy``.
    """

    results: Results
    lobby: Lobby

    def __init__(
        self,
        settings: Settings,
        bots: tuple[str, ...] = ("heuristic",),
        results: pathlib.Path | None = None,
        tell: Callable[[str], None] = print,
        allowed_origins: Iterable[str] = (),
    ):
        self.port = 0
        self._settings = settings
        self._bots = bots
        self._path = results
        self._tell = tell
        self._allowed_origins = tuple(allowed_origins)
        self._clerk = Clerk()
        self._listener: Any = None
        self._is_open = asyncio.Event()
        self._door: Door

    async def start(self, host: str = "127.0.0.1", port: int = 3000) -> None:
        """Begin to listen; if that fails nothing is left behind."""
        policy = OriginPolicy(host, self._allowed_origins)
        room = room_for(self._settings.most_guests)
        if room.guests < self._settings.most_guests:
            self._tell(f"this system's limit of open files has room for {room.guests} guests")
        self._settings = replace(self._settings, most_guests=room.guests)
        self._door = Door(policy, room, self._clerk.faults)
        self._listener = await self._bind(host, port)
        loop = asyncio.get_running_loop()
        if loop.get_exception_handler() is None:
            loop.set_exception_handler(self._note_error)
        try:
            game = self._settings.new_game()
            for thinker in [Thinker(spec, game, 0) for spec in self._bots]:
                thinker.warm()
                thinker.close()
            await self._listen(host, port)
            self._open_files()
        except BaseException:
            self._listener.close()
            self._clerk.close()
            raise
        house = House(self._settings, loop, self.results, self._make_bot, self._bots, self._tell, self._clerk)
        self.lobby = Lobby(house)
        self._is_open.set()
        self.port = self._listener.sockets[0].getsockname()[1]

    async def _bind(self, host: str, port: int) -> Any:
        """Take the port."""
        library = websockets_server()
        try:
            return await library.serve(
                self._attend,
                host,
                port,
                compression=None,
                max_size=LONGEST_FRAME,
                open_timeout=_OPEN_TIMEOUT_S,
                ping_interval=_PING_S,
                ping_timeout=_PING_TIMEOUT_S,
                close_timeout=_CLOSE_TIMEOUT_S,
                process_request=self._door.check,
                create_connection=self._door.connection_class(library.ServerConnection),
                logger=_sockets_log,
                backlog=AT_ONCE,
                start_serving=False,
            )
        except OSError as error:
            raise ValueError(f"cannot listen on {host}:{port}: {error.strerror}") from error

    async def _listen(self, host: str, port: int) -> None:
        try:
            await self._listener.start_serving()
            for each in self._listener.sockets:
                # To the event loop the backlog is also what it accepts in one turn; the queue can be longer.
                with socket.fromfd(each.fileno(), each.family, each.type) as same:
                    same.listen(_QUEUE)
        except OSError as error:
            raise ValueError(f"cannot listen on {host}:{port}: {error.strerror}") from error

    def _open_files(self) -> None:
        for folder in (self._settings.log, self._path.parent if self._path is not None else None):
            if folder is not None:
                make_folder(folder)
        self.results = Results(self._path, self._clerk)

    def _note_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Count what the system refuses to the event loop, such as one more open file, instead of a traceback each."""
        error = context.get("exception")
        if isinstance(error, OSError):
            self._clerk.faults.note("the event loop", error)
        else:
            loop.default_exception_handler(context)

    def _make_bot(self, spec: str) -> Guest:
        thinker = Thinker(spec, self.lobby.house.game, limit_s=0.8 * self._settings.limit_s)
        return BotGuest(thinker, self.lobby)

    async def _attend(self, connection: Any) -> None:
        self._door.enter(connection)
        await self._is_open.wait()
        guest = _SocketGuest(connection, self._clerk.faults)
        self.lobby.connect(guest)
        try:
            async for frame in connection:
                self.lobby.receive(guest, frame)
        except websockets_server().ConnectionClosed:
            pass
        except Exception as error:
            self._clerk.faults.note("a message could not be handled", error)
        finally:
            self.lobby.disconnect(guest)

    async def stop(self) -> None:
        """Close all connections, and the results file when all is in it."""
        if self._listener is not None:
            self._listener.close()
            await self._listener.wait_closed()
        await asyncio.to_thread(self.results.close)
