"""Stand-ins for the event loop and for connections, and the captured exchanges."""

import functools
import gzip
import heapq
import itertools
import json
import pathlib

from stammtisch.challenge.guest import Guest
from stammtisch.challenge.house import House, Settings
from stammtisch.challenge.lobby import Lobby
from stammtisch.challenge.results import Results

DATA = pathlib.Path(__file__).parents[1] / "data"


class FakeTimer:
    def __init__(self, callback):
        self.callback = callback

    def cancel(self):
        self.callback = None


class FakeClock:
    """Time that passes only when told to."""

    def __init__(self):
        self.now = 0.0
        self._timers = []
        self._order = itertools.count()

    def time(self):
        return self.now

    def call_later(self, delay, callback):
        timer = FakeTimer(callback)
        heapq.heappush(self._timers, (self.now + delay, next(self._order), timer))
        return timer

    def advance(self, until):
        """Let time pass, timers going off in their order."""
        while self._timers and self._timers[0][0] <= until:
            self.now, _, timer = heapq.heappop(self._timers)
            if timer.callback is not None:
                timer.callback()
        self.now = max(self.now, until)

    def next_timer(self):
        """Return when the next timer goes off, None if there is none."""
        while self._timers and self._timers[0][2].callback is None:
            heapq.heappop(self._timers)
        return self._timers[0][0] if self._timers else None


class FakeGuest(Guest):
    """A connection that keeps what it was sent."""

    def __init__(self):
        super().__init__()
        self.sent = []
        self.farewell = None

    def _send(self, message):
        self.sent.append(json.loads(message.text))

    def _close(self, code, reason):
        self.farewell = (code, reason)

    def types(self):
        return [message["type"] for message in self.sent]


def new_lobby(house_class=House, **settings):
    """Return a lobby on a clock that stands still; nothing is filed."""
    clock = FakeClock()
    house = house_class(
        Settings(**settings), clock, Results(), lambda name: FakeGuest(), ("heuristic",), lambda line: None
    )
    return Lobby(house), clock


def say(lobby, guest, kind, data=None):
    """Let a guest send a message."""
    lobby.receive(guest, json.dumps({"type": kind} if data is None else {"type": kind, "data": data}))


def enter(lobby, name, **choice):
    """Return a new guest that has given its name and chosen its session."""
    guest = FakeGuest()
    lobby.connect(guest)
    say(lobby, guest, "CHOOSE_PLAYER_NAME", name)
    say(lobby, guest, "CHOOSE_SESSION", {"sessionChoice": "AUTOJOIN", **choice})
    return guest


@functools.cache
def captured(name):
    """Return the lines of a captured exchange."""
    with gzip.open(DATA / f"jass-challenge-{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def scenarios():
    """Return the captured edge cases by name."""
    found = {}
    for line in captured("edge-cases"):
        found.setdefault(line["scenario"], []).append(line)
    return found
