"""``Journal``: everything that was said in one game, in one JSON file, as the challenge server logs tournaments."""

import hashlib
import json
import pathlib
import time
from typing import Any

from stammtisch.challenge.clerk import Clerk
from stammtisch.challenge.messages import ABSENT, Message
from stammtisch.files import write_text

_LONGEST_RAW = 1000
_MOST_BEFORE = 100  # messages that are kept of those before the game begins: guests may come and go without end


class Journal:
    """Keeps the messages of one game and writes them at its end; without a folder it keeps nothing.

    The file is a JSON array. Every item has ``messageType`` and ``data`` and one of ``broadcast``, ``sentTo``,
    ``receivedFrom``; players are written as ``name#seat``. Names stand only inside the file: it is called
    ``DIGEST.MILLISECONDS.json``, with the same digest for all games of the same two names.

    Args:
        folder: where the files go, None for nowhere.
        clerk: writes them.
    """

    def __init__(self, folder: pathlib.Path | None, clerk: Clerk | None = None):
        self._folder = folder if clerk is not None else None
        self._clerk = clerk
        self._items: list[dict[str, Any]] = []
        self._title = ""

    def begin(self, names: list[str]) -> None:
        """Name the file after the players of seats 0 and 1."""
        self._title = hashlib.blake2b(json.dumps(names[:2]).encode(), digest_size=6).hexdigest()

    def note(self, how: str, who: Any, message: Message) -> None:
        """Keep a message."""
        if self._folder is not None:
            item = {how: who, "messageType": message.type}
            self._items.append(item if message.data is ABSENT else {**item, "data": message.data})
            if not self._title and len(self._items) > _MOST_BEFORE:
                del self._items[0]

    def note_nonsense(self, who: str, raw: str) -> None:
        """Keep the beginning of what was no message."""
        self.note("receivedFrom", who, Message("", raw[:_LONGEST_RAW]))

    def end(self) -> None:
        """Let the file be written; a full disk costs the file, not the games."""
        if self._folder is None or self._clerk is None:
            return
        folder, title, items, stamp = self._folder, self._title, self._items, int(time.time() * 1000)
        self._items = []
        self._clerk.do("writing the log of a game", lambda: _write(folder, title, stamp, items))


def _write(folder: pathlib.Path, title: str, stamp: int, items: list[dict[str, Any]]) -> None:
    while (path := folder / f"{title}.{stamp}.json").exists():
        stamp += 1
    write_text(path, json.dumps(items))
