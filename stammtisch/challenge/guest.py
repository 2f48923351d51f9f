"""``Guest``: one connection as the server's logic sees it, and the clock that the logic is given."""

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from stammtisch.challenge.faults import Faults
from stammtisch.challenge.messages import BadMessage, Message

if TYPE_CHECKING:
    from stammtisch.challenge.sessions import Session

NORMAL, POLICY, TRY_LATER = 1000, 1008, 1013
_WASTE = 200
_REMEMBERED_DEBTS = 4


class Timer(Protocol):
    """A call that is still to come."""

    def cancel(self) -> Any:
        """Forget the call."""


class Clock(Protocol):
    """What the logic needs of an event loop."""

    def time(self) -> float:
        """Return seconds that only grow."""

    def call_later(self, delay: float, callback: Callable[[], None], /) -> Timer:
        """Call a function after so many seconds."""


class Debt(NamedTuple):
    """An answer that may still come to a question that is over.

    Attributes:
        kind: type of the answer.
        legal: actions that would have been legal.
        certain: whether the question was never answered; otherwise it was asked twice.
    """

    kind: str
    legal: frozenset[int]
    certain: bool


class Frame(NamedTuple):
    """What a guest sent: the raw text, and the message in it or what is wrong with it."""

    raw: str
    content: Message | BadMessage


class Guest:
    """A connection. How it sends and closes is up to a subclass.

    Attributes:
        name: the player's name, "" before it was chosen.
        session: where the guest sits or watches, None before and after.
        closed: whether nothing more can be sent.
        debts: answers that may come too late, the oldest first.

    Args:
        faults: where failures to send and close are counted.
    """

    is_bot = False

    def __init__(self, faults: Faults | None = None) -> None:
        self._faults = faults if faults is not None else Faults()
        self.name = ""
        self.session: Session | None = None
        self.closed = False
        self.debts: deque[Debt] = deque(maxlen=_REMEMBERED_DEBTS)
        self._waste_left = _WASTE

    def send(self, message: Message) -> None:
        """Send a message unless the connection is closed."""
        if not self.closed:
            try:
                self._send(message)
            except Exception as error:  # one guest's trouble is none of those who share its game
                self._faults.note("sending to a guest", error)
                self._drop()

    def close(self, reason: str, code: int = NORMAL) -> None:
        """Close the connection after what was sent before."""
        if not self.closed:
            self.closed = True
            self.session = None
            with self._faults.harmless("closing a connection"):
                self._close(code, reason)

    def charge(self, useful: bool) -> bool:
        """Count a message of the guest; tell whether it has sent too many that nobody asked for."""
        self._waste_left = min(_WASTE, self._waste_left + 1) if useful else self._waste_left - 1
        return self._waste_left < 0

    def _send(self, message: Message) -> None:
        raise NotImplementedError

    def _drop(self) -> None:
        """Let the guest be gone, soon but not within this call: its game is in the middle of something."""

    def _close(self, code: int, reason: str) -> None:
        raise NotImplementedError
