"""A studio in a process of its own, and ways to talk to it without a browser."""

import contextlib
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from websockets.sync.client import ClientConnection, connect

ROOT = pathlib.Path(__file__).parents[2]
PATIENCE_S = 300  # kernels may have to be compiled on a busy machine


class Served:
    """A running studio.

    Args:
        folder: where it keeps its things.
        port: where it listens; 0 for any.
    """

    def __init__(self, folder: pathlib.Path, port: int = 0):
        self.folder = folder
        self.start(port)

    def start(self, port: int = 0) -> None:
        command = [sys.executable, "-m", "stammtisch.cli", "studio", "--no-browser", "--dir", str(self.folder)]
        self._log = (self.folder.parent / "studio.log").open("ab")
        self.process = subprocess.Popen(
            [*command, "--port", str(port)],
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"},
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=(\S+)", line)
        assert found, line
        self.link, self.port, self.token = found[0], int(found[1]), found[2]

    def kill(self) -> None:
        """End it as hard as possible."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self._close()

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._close()

    def _close(self) -> None:
        if self.process.stdout is not None:
            self.process.stdout.close()
        self._log.close()

    def ask(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None, token: str | None = None
    ) -> tuple[int, Any]:
        """Send a request, and return status and answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        sent = {"x-studio-token": self.token if token is None else token, **(headers or {})}
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        with contextlib.closing(connection):
            connection.request(method, path, data, sent)
            answer = connection.getresponse()
            text = answer.read()
        kind = answer.headers.get("content-type", "")
        return answer.status, json.loads(text) if "json" in kind else text.decode(errors="replace")

    def socket(self, token: str | None = None, origin: str | None = None) -> ClientConnection:
        given = self.token if token is None else token
        return connect(
            f"ws://127.0.0.1:{self.port}/ws",
            subprotocols=["stammtisch", f"token.{given}"],  # type: ignore[list-item]
            origin=origin,  # type: ignore[arg-type]
            open_timeout=60,
            proxy=None,
        )

    def new_game(self, game: str, seats: list[dict[str, str]], **more: Any) -> str:
        status, answer = self.ask("POST", "/api/play/new", {"game": game, "seats": seats, **more})
        assert status == 200, answer
        return str(answer["name"])


PERSON = {"kind": "person"}


def machine(spec: str = "random") -> dict[str, str]:
    return {"kind": "agent", "spec": spec}


def follow(socket: ClientConnection, name: str) -> dict[str, Any]:
    """Follow a table, and return its first view."""
    tell(socket, name, "follow")
    return next_view(socket, name)


def tell(socket: ClientConnection, name: str, do: str, **more: Any) -> None:
    socket.send(json.dumps({"page": "play", "name": name, "do": do, **more}))


def messages(socket: ClientConnection) -> Iterator[dict[str, Any]]:
    while True:
        yield json.loads(socket.recv(timeout=PATIENCE_S))


def next_view(socket: ClientConnection, name: str, what: str = "table") -> dict[str, Any]:
    for message in messages(socket):
        assert message["what"] != "error", message
        if message["what"] == what and message["name"] == name:
            return message
    raise AssertionError
