"""What the pages of the studio share: ``Page``, ``Tab`` with the topics that it follows, and ``Studio`` itself."""

import asyncio
import json
import logging
import pathlib
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from stammtisch.files import make_folder

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

_MOST_WAITING = 512  # messages that a tab may be behind
_NAME = re.compile(r"[a-z][a-z0-9-]*")
_log = logging.getLogger(__name__)


class Tab:
    """An open page: what is sent to it waits in a queue of limited length, so that a slow one costs nobody else."""

    def __init__(self) -> None:
        self.topics: set[str] = set()
        self.notes: dict[str, Any] = {}  # what pages remember of this tab
        self.is_lost = False
        self._queue: asyncio.Queue[str] = asyncio.Queue(_MOST_WAITING)

    def send(self, message: dict[str, Any]) -> None:
        """Send a message; a tab that does not read is given up."""
        self.send_text(json.dumps(message, separators=(",", ":")))

    def send_text(self, text: str) -> None:
        """Send a message that is written already."""
        try:
            self._queue.put_nowait(text)
        except asyncio.QueueFull:
            self.is_lost = True

    async def next_text(self) -> str:
        """Return the next message to be sent."""
        return await self._queue.get()

    def follow(self, topic: str) -> None:
        """From now on this tab gets what is published under a topic."""
        self.topics.add(topic)

    def leave(self, topic: str) -> None:
        """From now on it does not."""
        self.topics.discard(topic)


Receive = Callable[["Studio", Tab, dict[str, Any]], Awaitable[None]]
Hook = Callable[["Studio"], Awaitable[None]]


@dataclass(frozen=True)
class Page:
    """A page of the studio; see the docstring of the package.

    Attributes:
        name: also that of its files and of its messages.
        order: its place in the navigation; pages with 0 are not listed there.
        routes: what the server answers for it, under ``/api/<name>``.
        receive: takes the messages of tabs.
        start: called when the server starts; it returns quickly and leaves long work to tasks.
        stop: called when the server ends.
        left: called when a tab is closed.
    """

    name: str
    order: int = 0
    routes: Sequence["BaseRoute"] = ()
    receive: Receive | None = None
    start: Hook | None = None
    stop: Hook | None = None
    left: Callable[["Studio", Tab], None] | None = None

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(f'a page is called by small letters, not "{self.name}"')


@dataclass
class Studio:
    """The running studio.

    Attributes:
        folder: where everything is kept.
        token: what a page must know to be heard.
        trusted: whether agents may be files that run code when they are loaded, and programs.
        tabs: the open pages.
        parts: what pages keep for each other, by name.
    """

    folder: pathlib.Path
    token: str
    trusted: bool = False
    tabs: set[Tab] = field(default_factory=set)
    parts: dict[str, Any] = field(default_factory=dict)
    _tasks: set[asyncio.Task[Any]] = field(default_factory=set)

    def subfolder(self, name: str) -> pathlib.Path:
        """Return a folder of the studio, made if it is not there."""
        return make_folder(self.folder / name)

    @property
    def models(self) -> pathlib.Path:
        """The folder of trained models, the only one that agents may be loaded from."""
        return self.subfolder("models")

    def publish(self, topic: str, message: dict[str, Any]) -> None:
        """Send a message to all tabs that follow a topic."""
        listeners = [tab for tab in self.tabs if topic in tab.topics]
        if listeners:
            text = json.dumps(message, separators=(",", ":"))
            for tab in listeners:
                tab.send_text(text)

    def spawn(self, work: Awaitable[Any]) -> asyncio.Task[Any]:
        """Do something in the background of the event loop; its failure is logged, not lost."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("a task of the studio failed", exc_info=error)

    async def close(self) -> None:
        """Cancel what still runs in the background."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
