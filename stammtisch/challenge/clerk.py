"""``Clerk``: writes what the server keeps, in a thread of its own, so that no game waits for a disk."""

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from stammtisch.challenge.faults import Faults

_MOST_WAITING = 500
_LONGEST_FAREWELL_S = 30.0
Answer = TypeVar("Answer")
_Job = Callable[[], object]


class Clerk:
    """Does jobs one after the other, all in the same thread; the thread starts with the first job.

    Attributes:
        faults: where jobs that fail are counted.
    """

    def __init__(self) -> None:
        self.faults = Faults()
        self._jobs: queue.Queue[tuple[str, _Job] | None] = queue.Queue(_MOST_WAITING)
        self._thread: threading.Thread | None = None

    def do(self, what: str, job: _Job) -> bool:
        """Do a job some time soon; when it fails, or when too many wait already, that is logged.

        Args:
            what: what it is, for the log.
            job: called without arguments in the clerk's thread.

        Returns:
            Whether the job was taken.
        """
        self._begin()
        try:
            self._jobs.put_nowait((what, job))
        except queue.Full:
            self.faults.note(what, f"left out: {_MOST_WAITING} others wait for the disk")
            return False
        return True

    def ask(self, job: Callable[[], Answer]) -> Answer:
        """Do a job now, wait for it and return its result; what it raises is raised here."""
        self._begin()
        answer: Future[Answer] = Future()

        def ask() -> None:
            try:
                answer.set_result(job())
            except BaseException as error:
                answer.set_exception(error)

        self._jobs.put(("a question", ask))
        return answer.result()

    def close(self) -> None:
        """Do what still waits; a disk that does not answer is not waited for without end."""
        if self._thread is None:
            return
        self._jobs.put(None)
        self._thread.join(_LONGEST_FAREWELL_S)
        if self._thread.is_alive():
            self.faults.note("writing results and logs", "the disk does not answer; what still waited is lost")
        self._thread = None

    def _begin(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="jass-clerk", daemon=True)
            self._thread.start()

    def _work(self) -> None:
        while (entry := self._jobs.get()) is not None:
            what, job = entry
            with self.faults.harmless(what):
                job()
