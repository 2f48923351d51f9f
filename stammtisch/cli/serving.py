"""How a command serves: until Ctrl-C, or until its work is done."""

import asyncio
import contextlib
import signal
from collections.abc import Callable
from typing import Protocol

from stammtisch.cli.console import err

_LOOK_S = 0.2  # how often a server looks whether it is to stop


class _Server(Protocol):
    async def start(self, host: str, port: int) -> None: ...

    async def stop(self) -> None: ...


async def serve(server: _Server, host: str, port: int, ready: Callable[[], None], is_done: Callable[[], bool]) -> None:
    """Run a server.

    Args:
        server: what is started and stopped.
        host: where it listens.
        port: where it listens.
        ready: called when it does.
        is_done: whether there is nothing more to serve.
    """
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, stopped.set)
    with err.status("compiling"):
        await server.start(host, port)
    ready()
    while not stopped.is_set() and not is_done():
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stopped.wait(), _LOOK_S)
    await server.stop()
