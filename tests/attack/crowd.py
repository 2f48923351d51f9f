"""Crowds of connections against a server that runs as a program of its own, as it does for everybody."""

import asyncio
import contextlib
import json
import pathlib
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.attack.kill import STAMMTISCH, Run

_READY = r"ws://127\.0\.0\.1:(\d+)"


@dataclass
class Listening:
    """A server that listens: the run of its program, and its port."""

    run: Run
    port: int

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.port}"


@contextlib.contextmanager
def server_program(folder: pathlib.Path, *words: str, **popen: Any) -> Iterator[Listening]:
    """Run ``jass-server`` on a free port; results go to ``folder / "results"``, what it writes to ``run.output``."""
    folder.mkdir(exist_ok=True)
    command = [*STAMMTISCH, "jass-server", "--port", "0", "--out", str(folder / "results"), *words]
    with (folder / "output.txt").open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, **popen)
    run = Run(folder, process)
    try:
        yield Listening(run, int(run.wait_for(_READY, 120)[1]))
        process.send_signal(signal.SIGINT)
        process.wait(60)
    finally:
        process.kill()
        process.wait()


def frame(kind: str, data: Any = None) -> str:
    """Return the text of a message."""
    return json.dumps({"type": kind} if data is None else {"type": kind, "data": data})


async def enter(url: str, name: str, **choice: Any) -> ClientConnection:
    """Connect, give a name and choose a session."""
    socket = await connect(url, compression=None, max_size=None, ping_interval=None)
    await socket.recv()
    await socket.send(frame("CHOOSE_PLAYER_NAME", name))
    await socket.recv()
    await socket.send(frame("CHOOSE_SESSION", {"sessionType": "TOURNAMENT", **choice}))
    return socket


@dataclass
class Flight:
    """What a mass disconnect cost the others: the longest that a ping took, until when, and what the chair was sent."""

    longest_ping_s: float = 0.0
    seconds: float = 0.0
    tables: int = 0
    characters: int = 0
    last_table: Any = None


async def mass_disconnect(url: str, bots: int, watchers: int = 0, session: str = "cup", name: str = "bot") -> Flight:
    """Begin a tournament of so many bots and let all of them leave at once, while others look on."""
    flight = Flight()
    chair = await enter(url, "chair", sessionChoice="CREATE_NEW", sessionName=session, asSpectator=True)
    names = [f"{name}{i // 2}" for i in range(2 * bots)]
    crowd = [await enter(url, each, sessionChoice="JOIN_EXISTING", sessionName=session) for each in names]
    watching = {"sessionChoice": "SPECTATOR", "sessionName": session}
    idle = [await enter(url, f"watcher {i}", **watching) for i in range(watchers)]
    listeners = [asyncio.create_task(_ignore_all(socket)) for socket in [*crowd, *idle]]
    ready = False
    while not ready:
        data = json.loads(await asyncio.wait_for(chair.recv(), 60)).get("data", {})
        rows = data.get("ranking", [])
        ready = len(rows) == bots and all(row["connectedClients"] == 2 for row in rows)
    await chair.send(frame("START_TOURNAMENT"))
    while "STARTED" not in str(await asyncio.wait_for(chair.recv(), 60)):
        pass
    bystander = await connect(url, ping_interval=None)
    pinging = asyncio.create_task(_ping(bystander, flight))
    began = time.monotonic()
    leaving = [asyncio.create_task(socket.close()) for socket in crowd]
    with contextlib.suppress(ConnectionClosed):
        async for text in chair:
            flight.tables += "RANKING" in text[:60]
            flight.characters += len(text)
            flight.last_table = json.loads(text).get("data")
    flight.seconds = time.monotonic() - began
    pinging.cancel()
    await asyncio.gather(bystander.close(), *leaving, *listeners)
    return flight


async def _ignore_all(socket: ClientConnection) -> None:
    with contextlib.suppress(ConnectionClosed):
        async for _ in socket:
            pass


async def _ping(socket: ClientConnection, flight: Flight) -> None:
    while True:
        flight.longest_ping_s = max(flight.longest_ping_s, await (await socket.ping()))
        await asyncio.sleep(0.01)
