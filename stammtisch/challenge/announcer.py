"""``Announcer``: tells a crowd how things stand, as often as a budget allows."""

from collections.abc import Callable

from stammtisch.challenge.guest import Clock, Timer

BURST = 1 << 20  # bytes that may be sent at once
RATE = 4 << 20  # bytes per second


class Announcer:
    """Announces every change at once while that costs little; when it costs much, several changes in one.

    What has been sent lowers an account that time fills again. While it is overdrawn changes wait, and one
    announcement then speaks for all of them: however many changes there are, and however many listen, no more than
    ``BURST`` and ``RATE`` and one announcement are spent.

    Args:
        clock: tells and keeps the time.
        announce: tells everybody how things stand and returns how many bytes that took.
    """

    def __init__(self, clock: Clock, announce: Callable[[], int]):
        self._clock = clock
        self._announce = announce
        self._account = float(BURST)
        self._since = clock.time()
        self._timer: Timer | None = None

    def changed(self) -> None:
        """Announce a change now or, with others, as soon as the budget allows."""
        if self._timer is not None:
            return
        now = self._clock.time()
        self._account = min(BURST, self._account + RATE * (now - self._since))
        self._since = now
        if self._account > 0:
            self._account -= self._announce()
        else:
            self._timer = self._clock.call_later((1 - self._account) / RATE, self._catch_up)

    def stop(self) -> None:
        """Forget what still waits."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _catch_up(self) -> None:
        self._timer = None
        self.changed()
