"""The client: seats an agent at a challenge server, comes back when the line breaks, and keeps the exchange on file."""

import asyncio
import contextlib
import json
import pathlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO, Any

from stammtisch.challenge.connection import websockets_client
from stammtisch.challenge.messages import SINGLE_GAME, TOURNAMENT, BadMessage, Message, read_message
from stammtisch.challenge.player import Choice, Player
from stammtisch.challenge.thinker import Thinker
from stammtisch.envs.core.game import Game
from stammtisch.text import printable

_LIMITS = {"max_size": 1 << 22, "close_timeout": 2, "compression": None}
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.2, 5.0
_LONGEST_REFUSAL = 200  # bytes of the page with which a server refuses a connection
_MOST_COMPLAINTS = 20  # lines about what is wrong with a server
_STALE = ("BROADCAST_WINNER_TEAM", "BROADCAST_SESSION_JOINED", "REQUEST_TRUMPF", "REQUEST_CARD")

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Seat:
    """Where a client sits down.

    Attributes:
        url: address of the server, ``ws://host:port``.
        name: the player's name; two connections of one name are a tournament's bot.
        session: name of the session, None to take the first that waits.
        tournament: whether to play a tournament.
        team: wanted team of a single game, 0 or 1.
        retry_s: how long to go on trying to reach a server that does not answer.
        reconnections: how often to come back to one that breaks the connection.
    """

    url: str
    name: str
    session: str | None = None
    tournament: bool = False
    team: int | None = None
    retry_s: float = 30.0
    reconnections: int = 5

    def choice(self) -> Message:
        """Return the message that chooses the session."""
        data: dict[str, Any] = {"sessionChoice": "AUTOJOIN" if self.session is None else "JOIN_EXISTING"}
        if self.session is not None:
            data["sessionName"] = self.session
        data["sessionType"] = TOURNAMENT if self.tournament else SINGLE_GAME
        if self.team is not None:
            data["chosenTeamIndex"] = self.team
        return Message("CHOOSE_SESSION", data)


@dataclass
class Outcome:
    """What came of one connection's games."""

    name: str
    games: int = 0
    won: int = 0
    late: int = 0
    failed: int = 0
    connections: int = 0
    ended: str = ""
    ranking: list[dict[str, Any]] = field(default_factory=list)


class ExchangeLog:
    """Every message of every connection, one JSON object per line: ``t``, ``client``, ``dir``, ``msg``.

    Args:
        path: the file; it is added to.
        tell: called with a line when the file can no longer be written; the games go on without it.
    """

    def __init__(self, path: pathlib.Path | None, tell: Tell = print):
        self._path = path
        self._tell = tell
        self._start = time.monotonic()
        self._file: IO[str] | None = None
        if path is not None:
            try:
                self._file = path.open("a", encoding="utf-8")
            except OSError as error:
                raise ValueError(f"cannot write the log {path}: {error.strerror}") from error

    def note(self, client: str, direction: str, frame: str | bytes) -> None:
        """Keep a frame that was sent (``c2s``) or received (``s2c``)."""
        if self._file is None:
            return
        text = frame if isinstance(frame, str) else frame.decode("utf-8", "replace")
        try:
            content = json.loads(text)
            json.dumps(content, allow_nan=False)
        except (ValueError, RecursionError):
            content = text
        self._write({"t": self._now(), "client": client, "dir": direction, "msg": content})

    def note_close(self, client: str, code: int | None, reason: str | None) -> None:
        """Keep the end of a connection."""
        if self._file is not None:
            self._write({"t": self._now(), "client": client, "dir": "close", "code": code, "reason": reason})

    def _now(self) -> float:
        return round(time.monotonic() - self._start, 4)

    def _write(self, line: dict[str, Any]) -> None:
        assert self._file is not None
        try:
            self._file.write(json.dumps(line) + "\n")
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        self._tell(f"cannot write the log {self._path}: {error.strerror}; playing on without it")
        file, self._file = self._file, None
        with contextlib.suppress(OSError):  # what it still holds cannot be written either
            if file is not None:
                file.close()

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            try:
                self._file.close()
            except OSError as error:
                self._give_up(error)


class _Connection:
    """What all connections do: reach the server, give name and session, listen until the end."""

    def __init__(self, seat: Seat, label: str, log: ExchangeLog, tell: Tell):
        self.seat = seat
        self.label = label
        self.tell: Tell = lambda line: tell(printable(line))
        self.outcome = Outcome(seat.name)
        self._complaints = 0
        self._log = log
        self._socket: Any = None
        self._playing = False

    async def run(self) -> Outcome:
        """Stay until the server ends the session; come back when the line breaks before that."""
        library = websockets_client()
        clock = asyncio.get_running_loop()
        unreached_since, pause = clock.time(), _FIRST_PAUSE_S
        while True:
            try:
                async with library.connect(self.seat.url, **_LIMITS) as socket:
                    self.outcome.connections += 1
                    if await self._attend(socket) or self.outcome.connections > self.seat.reconnections:
                        return self.outcome
                unreached_since, pause = clock.time(), _FIRST_PAUSE_S
                self.tell(f"{self.label}: the connection broke ({self.outcome.ended}); connecting again")
            except (library.InvalidURI, OverflowError) as error:
                raise ValueError(f'cannot use "{self.seat.url}"; give an address like ws://localhost:3000') from error
            except (OSError, TimeoutError, library.InvalidHandshake, library.InvalidMessage) as error:
                if clock.time() - unreached_since >= self.seat.retry_s:
                    raise ValueError(f"no challenge server at {self.seat.url}: {_reason(error)}") from error
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_S)

    async def _attend(self, socket: Any) -> bool:
        """Listen on a connection until it closes; tell whether that was the end."""
        self._socket = socket
        self._playing = False
        self.begin()
        library = websockets_client()
        try:
            async for frame in socket:
                self._log.note(self.label, "s2c", frame)
                try:
                    message = read_message(frame, "S")
                except BadMessage as error:
                    self._complain(str(error))
                    continue
                await self._hear(message)
        except library.ConnectionClosedError:
            pass
        finally:
            self.end()
        code = socket.close_code
        self._log.note_close(self.label, code, socket.close_reason)
        self.outcome.ended = _ending(socket)
        if code != library.NORMAL and self._playing and self.seat.tournament:
            self.tell(f"{self.label}: lost the connection in a running tournament, which counts as crashed there")
            return True
        return bool(code == library.NORMAL)

    async def _hear(self, message: Message) -> None:
        match message.type:
            case "REQUEST_PLAYER_NAME":
                await self.send(Message("CHOOSE_PLAYER_NAME", self.seat.name))
            case "REQUEST_SESSION_CHOICE":
                await self.send(self.session_choice())
            case "BROADCAST_TOURNAMENT_STARTED":
                self._playing = True
            case "BROADCAST_TOURNAMENT_RANKING_TABLE":
                self.outcome.ranking = message.data["ranking"]
            case "ERROR" | "BAD_MESSAGE":
                self._complain(f"{message.type} {message.data!r:.300}")
        await self.hear(message)

    def _complain(self, text: str) -> None:
        """Tell what is wrong with the server, unless that has been told often enough."""
        self._complaints += 1
        if self._complaints <= _MOST_COMPLAINTS:
            self.tell(f"{self.label}: {text}")
            if self._complaints == _MOST_COMPLAINTS:
                self.tell(f"{self.label}: what else is wrong with this server is not shown")

    async def send(self, message: Message) -> None:
        """Send a message; what can no longer be sent is dropped."""
        self._log.note(self.label, "c2s", message.text)
        with contextlib.suppress(websockets_client().ConnectionClosed):
            await self._socket.send(message.text)

    def session_choice(self) -> Message:
        """Return the message that chooses the session."""
        return self.seat.choice()

    def begin(self) -> None:
        """Prepare for a new connection."""

    async def hear(self, message: Message) -> None:
        """Take in a message."""
        raise NotImplementedError

    def end(self) -> None:
        """Clean up after a connection."""


class SeatedAgent(_Connection):
    """One connection at which an agent plays.

    Args:
        seat: where.
        label: name of this connection in the log and in what is told.
        game: the game by which the agent thinks.
        thinker: the agent.
        log: where the exchange is kept.
        tell: called with a line about what happens.
    """

    def __init__(self, seat: Seat, label: str, game: Game, thinker: Thinker, log: ExchangeLog, tell: Tell):
        super().__init__(seat, label, log, tell)
        self._game = game
        self._thinker = thinker
        self._player = Player(game)
        self._thought: asyncio.Task[None] | None = None

    def begin(self) -> None:
        self._player = Player(self._game)

    async def hear(self, message: Message) -> None:
        if message.type in _STALE:
            self._drop_thought()
        choice = self._player.receive(message)
        if choice is not None and self._thinker.is_instant:
            await self.send(choice.answer(self._thinker.choose_now(choice)))
        elif choice is not None:
            self._thought = asyncio.create_task(self._think(choice))
        if message.type == "BROADCAST_WINNER_TEAM":
            self.outcome.games += 1
            won = self._player.won[-1:] == [True]
            self.outcome.won += won
            points = f"{message.data['name']} wins with {message.data['points']:g} points"
            self.tell(f"{self.label}: game {self.outcome.games} {'won' if won else 'lost'}, {points}")

    async def _think(self, choice: Choice) -> None:
        await self.send(choice.answer(await self._thinker.choose(choice)))

    def _drop_thought(self) -> None:
        if self._thought is not None:
            self._thought.cancel()
            self._thought = None

    def end(self) -> None:
        self._drop_thought()
        self.outcome.late, self.outcome.failed = self._thinker.late, self._thinker.failed


class Chair(_Connection):
    """A spectator who starts a tournament as soon as so many bots have two connections each.

    Args:
        seat: where.
        bots: number of bots to wait for.
        log: where the exchange is kept.
        tell: called with a line about what happens.
    """

    def __init__(self, seat: Seat, bots: int, log: ExchangeLog, tell: Tell):
        super().__init__(seat, seat.name, log, tell)
        self._bots = bots
        self._asked = False

    def begin(self) -> None:
        self._asked = False

    def session_choice(self) -> Message:
        data = {"sessionChoice": "SPECTATOR", "sessionName": self.seat.session, "sessionType": TOURNAMENT}
        return Message("CHOOSE_SESSION", {**data, "asSpectator": True})

    async def hear(self, message: Message) -> None:
        if message.type != "BROADCAST_TOURNAMENT_RANKING_TABLE" or self._asked:
            return
        ranking = message.data["ranking"]
        if len(ranking) >= self._bots and all(row["connectedClients"] == 2 for row in ranking):
            self._asked = True
            await self.send(Message("START_TOURNAMENT"))


async def run_client(
    seat: Seat,
    game: Game,
    thinkers: list[Thinker],
    start_with: int = 0,
    log_path: pathlib.Path | None = None,
    tell: Tell = print,
) -> list[Outcome]:
    """Play until the server ends the session.

    Args:
        seat: where to sit down.
        game: the game by which the agents think.
        thinkers: one agent per connection.
        start_with: start the tournament when so many bots are complete; 0 leaves that to somebody else.
        log_path: file for the whole exchange.
        tell: called with a line about what happens.

    Returns:
        What came of each connection; with ``start_with`` the chair's last.
    """
    log = ExchangeLog(log_path, tell)
    many = len(thinkers) > 1
    connections: list[_Connection] = [
        SeatedAgent(seat, f"{seat.name}#{i + 1}" if many else seat.name, game, thinker, log, tell)
        for i, thinker in enumerate(thinkers)
    ]
    if start_with:
        chair = Seat(seat.url, f"chair of {seat.session}", seat.session, True, None, seat.retry_s)
        connections.append(Chair(chair, start_with, log, tell))
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(connection.run()) for connection in connections]
    except ExceptionGroup as errors:  # not except*: before Python 3.11.4 that packs what it raises into a group again
        refused, others = errors.split(ValueError)
        if refused is None or others is not None:
            raise
        raise refused.exceptions[0] from None
    finally:
        log.close()
        for thinker in thinkers:
            thinker.close()
    return [task.result() for task in tasks]


def _reason(error: Exception) -> str:
    """Return in one line why a server could not be reached; a server can have written it."""
    response = getattr(error, "response", None)
    said = (getattr(response, "body", None) or b"")[:_LONGEST_REFUSAL].decode("utf-8", "replace").strip()
    return printable(f"{error}: {said}" if said else str(error) or type(error).__name__)


def _ending(socket: Any) -> str:
    """Return in one line who closed a connection and why."""
    protocol = socket.protocol
    received, sent = protocol.close_rcvd, protocol.close_sent
    if received is not None and (sent is None or protocol.close_rcvd_then_sent):
        return printable(received.reason) or f"code {int(received.code)}"
    if sent is not None:
        return printable(f"closed by this side: {sent.reason or f'code {int(sent.code)}'}")
    return "the line broke"
