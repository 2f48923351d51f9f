"""``Faults``: what goes wrong beside the games is counted and told in a line, and reaches no game."""

import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from stammtisch.text import printable

_LONGEST_SHOWN = 300
_log = logging.getLogger(__name__)


class Faults:
    """Counts faults by what they are and logs the first, the tenth, the hundredth and so on: no flood fills a log."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def note(self, what: str, why: object = "") -> None:
        """Count a fault.

        Args:
            what: what failed; one of few texts, since each is remembered.
            why: an error or a text, which may come from anybody.
        """
        self._counts[what] += 1
        count = self._counts[what]
        if str(count).strip("0") == "1":
            reason = printable(str(why))[:_LONGEST_SHOWN] or type(why).__name__
            _log.warning("%s: %s%s", what, reason, "" if count == 1 else f" ({count} times so far)")

    def count(self, what: str) -> int:
        """Return how often something failed."""
        return self._counts[what]

    @contextmanager
    def harmless(self, what: str) -> Iterator[None]:
        """Let nothing that fails in a block go any further."""
        try:
            yield
        except Exception as error:  # whatever it is, games go on
            self.note(what, error)
            _log.debug("%s", what, exc_info=True)
