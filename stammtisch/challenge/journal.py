"""``Journal``: everything that was said in one game, in one JSON file, as the challenge server logs tournaments."""

import json
import logging
import pathlib
import re
import time
from typing import Any

from stammtisch.challenge.messages import ABSENT, Message
from stammtisch.files import write_text

_LONGEST_NAME = 60
_log = logging.getLogger(__name__)


class Journal:
    """Keeps the messages of one game and writes them at its end; without a folder it keeps nothing.

    The file is a JSON array. Every item has ``messageType`` and ``data`` and one of ``broadcast``, ``sentTo``,
    ``receivedFrom``; players are written as ``name#seat``.

    Args:
        folder: where the files go, None for nowhere.
    """

    def __init__(self, folder: pathlib.Path | None):
        self._folder = folder
        self._items: list[dict[str, Any]] = []
        self._title = ""

    def begin(self, names: list[str]) -> None:
        """Name the file after the players of seats 0 and 1."""
        first, second = (re.sub(r"[^\w.#+=,-]", "_", name)[:_LONGEST_NAME] for name in names[:2])
        self._title = f"{first} vs {second}"

    def note(self, how: str, who: Any, message: Message) -> None:
        """Keep a message."""
        if self._folder is not None:
            item = {how: who, "messageType": message.type}
            self._items.append(item if message.data is ABSENT else {**item, "data": message.data})

    def end(self) -> None:
        """Write the file; a full disk costs the file, not the games."""
        if self._folder is None:
            return
        stamp = int(time.time() * 1000)
        while (path := self._folder / f"{self._title}.{stamp}.json").exists():
            stamp += 1
        try:
            write_text(path, json.dumps(self._items))
        except ValueError as error:
            _log.warning("%s", error)
        self._items = []
