"""The server: seats clients in the order in which they come, referees a game, files it, and begins the next."""

import asyncio
import contextlib
import pathlib
from dataclasses import dataclass, field

from stammtisch.arena.plan import GameRecord, MatchPlan
from stammtisch.arena.store import Store
from stammtisch.challenge.reversixt import wire
from stammtisch.challenge.reversixt.referee import Contestant, Referee, Tell, TimeLimits
from stammtisch.envs.reversixt.game import ReversiXT
from stammtisch.envs.reversixt.moves import Triple

_READ_AHEAD = 64  # bytes of a client that are kept before anybody asks for them
_MOST_WAITING = 64  # connections that have not said who they are, or wait for the next game


@dataclass(frozen=True)
class CourseSettings:
    """How a server plays.

    Attributes:
        limits: how long players may think.
        games: games to play before the server stops; 0 goes on.
        join_s: seconds for the first message of a client.
        seed: names the match in the store.
    """

    limits: TimeLimits = field(default_factory=TimeLimits)
    games: int = 1
    join_s: float = 10.0
    seed: int = 0


class SeatedClient(Contestant):
    """A client that is connected. It may speak when it is asked and not otherwise."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, group: int):
        self._reader, self._writer = reader, writer
        self.name = f"group {group}"
        self.is_gone = False
        self._reason = "the connection is lost"
        self._answers: asyncio.Queue[wire.Packet | None] = asyncio.Queue(1)
        self._is_asked = False
        self._listener = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        """Read on; whoever speaks out of turn, breaks the form or leaves is gone."""
        try:
            while True:
                frame = await wire.read_frame(self._reader, {wire.ANSWER: wire.FROM_CLIENT[wire.ANSWER]})
                if frame is None:
                    break
                if not self._is_asked:
                    raise wire.BadBytes("it spoke without being asked")
                self._is_asked = False
                self._answers.put_nowait(frame)
        except wire.BadBytes as error:
            self._reason = str(error)
        except OSError:
            pass
        self._go()

    def _go(self) -> None:
        self.is_gone = True
        if self._is_asked:
            self._is_asked = False
            self._answers.put_nowait(None)

    def send(self, message: bytes) -> None:
        """Send a message if the client is still there; what it does not read waits in a buffer of bounded use."""
        if not self._writer.is_closing():
            self._writer.write(message)

    async def ask(self, message: bytes, limit_s: float) -> Triple:
        """Send a request and return the answer."""
        if self.is_gone:
            raise wire.BadBytes(self._reason)
        self._is_asked = True
        self.send(message)
        try:
            frame = await asyncio.wait_for(self._answers.get(), max(limit_s, 0.0))
        except TimeoutError:
            self._is_asked = False
            raise wire.BadBytes(f"no answer within {limit_s:.3g} s") from None
        if frame is None:
            raise wire.BadBytes(self._reason)
        return wire.read_answer(frame.payload)

    def leave(self) -> None:
        """Say what is still to be said and close the connection."""
        self._listener.cancel()
        self.is_gone = True
        with contextlib.suppress(OSError, RuntimeError):
            self._writer.close()

    def drop(self) -> None:
        """Close the connection at once, whatever has not been sent."""
        self._listener.cancel()
        self._writer.transport.abort()


class CourseServer:
    """Plays game after game among whoever connects.

    Attributes:
        played: finished games.
        disqualified: players that were disqualified in them.
        finished: set when all games are played.

    Args:
        game: ReversiXT with ``give_up=True``.
        settings: how to play.
        results: file of the arena's store, None to keep nothing.
        tell: called with a line about what happens.
    """

    def __init__(
        self,
        game: ReversiXT,
        settings: CourseSettings,
        results: pathlib.Path | None = None,
        tell: Tell = print,
    ):
        self._game, self._settings, self._tell = game, settings, tell
        self._store = Store(results) if results is not None else None
        before = [] if self._store is None else self._store.plans()
        self._first = max((plan.games for plan in before), default=0)
        self._opening = 0
        self._waiting: list[SeatedClient] = []
        self._arrived = asyncio.Event()
        self._listening: asyncio.Server | None = None
        self._playing: asyncio.Task[None] | None = None
        self.played = 0
        self.disqualified = 0
        self.finished = asyncio.Event()

    @property
    def port(self) -> int:
        """The port that the server listens on."""
        assert self._listening is not None
        return int(self._listening.sockets[0].getsockname()[1])

    async def start(self, host: str, port: int) -> None:
        """Begin to listen.

        Raises:
            ValueError: the address cannot be used.
        """
        state = self._game.new_state()  # compile before anybody waits
        if state.is_legal(action := next(iter(state.legal_actions()), -1)):
            state.apply(action)
        state.returns()
        try:
            self._listening = await asyncio.start_server(self._welcome, host, port, limit=_READ_AHEAD)
        except OSError as error:
            raise ValueError(f"cannot listen on {host}:{port}: {error.strerror or error}") from error
        self._playing = asyncio.create_task(self._play_games())

    async def stop(self) -> None:
        """Close everything; a game that is not finished is lost."""
        if self._listening is not None:
            self._listening.close()
        if self._playing is not None:
            self._playing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._playing
        for guest in self._waiting:
            guest.drop()
        if self._store is not None:
            self._store.close()

    async def _welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Wait for a client to say who it is."""
        self._forget_the_gone()
        if self._opening + len(self._waiting) >= _MOST_WAITING:
            writer.transport.abort()
            return
        self._opening += 1
        try:
            allowed = {wire.GROUP: wire.FROM_CLIENT[wire.GROUP]}
            frame = await asyncio.wait_for(wire.read_frame(reader, allowed), self._settings.join_s)
        except (wire.BadBytes, OSError, TimeoutError):
            frame = None
        finally:
            self._opening -= 1
        if frame is None:
            writer.transport.abort()
            return
        guest = SeatedClient(reader, writer, frame.payload[0])
        self._waiting.append(guest)
        self._tell(f"{guest.name} is here")
        self._arrived.set()

    async def _play_games(self) -> None:
        while not self._settings.games or self.played < self._settings.games:
            guests = await self._gather()
            table = Referee(self._game, list(guests), self._settings.limits, self._tell)
            try:
                await table.play()
            except asyncio.CancelledError:
                for guest in guests:
                    guest.drop()
                raise
            self._file(table, [guest.name for guest in guests])
            for guest in guests:
                guest.leave()
        self.finished.set()

    async def _gather(self) -> list[SeatedClient]:
        """Wait until enough clients are there, and take them in the order in which they came."""
        needed = self._game.info.num_players
        while True:
            self._forget_the_gone()
            if len(self._waiting) >= needed:
                seated, self._waiting = self._waiting[:needed], self._waiting[needed:]
                return seated
            self._arrived.clear()
            await self._arrived.wait()

    def _forget_the_gone(self) -> None:
        """Free the seats of those who left, or misbehaved, before their game began."""
        for guest in self._waiting:
            if guest.is_gone:
                guest.drop()
        self._waiting = [guest for guest in self._waiting if not guest.is_gone]

    def _file(self, table: Referee, names: list[str]) -> None:
        self.played += 1
        self.disqualified += len(table.reasons)
        if self._store is None:
            return
        labels = tuple(name if names.count(name) == 1 else f"{name} ({i})" for i, name in enumerate(names, 1))
        plan = MatchPlan(self._game.id, labels, 1, self._settings.seed, 0, self._game.changed_options())
        # Seats follow the order of arrival, so only the first game of each group is filled, where agent i has seat i.
        number = self._first + (self.played - 1) * len(names)
        number += -number % len(names)
        seating = tuple(range(len(names)))
        returns = tuple(table.state.returns().tolist())
        events, seconds = tuple(table.events), tuple(table.seconds)
        record = GameRecord(number, number // len(names), seating, returns, events, len(events), seconds)
        try:
            self._store.add(plan, [record])
        except ValueError as error:
            self._tell(f"a game is lost: {error}")
