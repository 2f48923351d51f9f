"""The process of a job: ``python -m stammtisch.studio.jobs.worker FOLDER MODELS``.

It keeps ``run.json`` up to date, and is alone in its folder. ``SIGTERM`` asks it to stop: it writes a checkpoint and
ends; started again, it goes on.
"""

import os
import pathlib
import signal
import sys
import time
import traceback
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from stammtisch.errors import BadFile
from stammtisch.files import write_text
from stammtisch.files.documents import read_json
from stammtisch.files.locks import FileLock
from stammtisch.json_text import json_text
from stammtisch.studio.jobs.processes import birth_of

if TYPE_CHECKING:
    from stammtisch.studio.jobs.progress import ProgressLog

JOB, RUN, PROGRESS, LOG, PAUSED = "job.json", "run.json", "progress.jsonl", "log.txt", "paused"
RESULTS, REPORT = "results.sqlite", "report.html"
PROGRAM = (sys.executable, "-m", f"{__package__.partition('.')[0]}.cli")  # trainings of suites are commands
_NICE = 5  # games of people come first


class _Run:
    """What ``run.json`` says."""

    def __init__(self, folder: pathlib.Path):
        self._path = folder / RUN
        self._facts = {"pid": os.getpid(), "birth": birth_of(os.getpid()), "begun": time.time()}
        self._log: ProgressLog | None = None
        self._stop_wanted = False
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        if hasattr(signal, "SIGCONT"):
            signal.signal(signal.SIGCONT, self._go_on)

    def listen(self, log: "ProgressLog") -> None:
        """Let signals reach the job; one may have come already."""
        self._log = log
        log.stop_wanted = self._stop_wanted

    def _stop(self, *_: object) -> None:
        self._stop_wanted = True
        if self._log is not None:
            self._log.stop_wanted = True
        self.tell("stopping")

    def _go_on(self, *_: object) -> None:
        if self._log is not None:
            self._log.skip_pause()

    def tell(self, state: str, **facts: Any) -> None:
        """Write how it goes; on a full disk the file stays as it was, and whoever looks sees that nobody runs."""
        with suppress(BadFile):
            write_text(self._path, json_text({**self._facts, "state": state, "at": time.time(), **facts}))


def main(words: list[str]) -> int:
    """Do a job and say how it went."""
    folder, models_folder = map(pathlib.Path, words)
    try:
        lock = FileLock(folder / JOB)
    except BadFile as error:
        print(error)
        return 1
    (folder / PAUSED).unlink(missing_ok=True)
    run = _Run(folder)
    run.tell("running")
    with suppress(OSError):
        os.nice(_NICE)
    try:
        return _do(folder, models_folder, run)
    finally:
        lock.release()


def _do(folder: pathlib.Path, models_folder: pathlib.Path, run: _Run) -> int:
    from stammtisch.studio.jobs.progress import ProgressLog, ProgressReader
    from stammtisch.studio.jobs.work import RUNS, Stopped, Work
    from stammtisch.studio.models import Models

    reader = ProgressReader(folder / PROGRESS)
    reader.look()
    job = read_json(folder / JOB, "job")
    log = ProgressLog(folder / PROGRESS, job["total"], 0, reader.last["s"])
    run.listen(log)
    work = Work(folder, job["plan"], Models(models_folder), log)
    try:
        RUNS[job["kind"]](work)
    except Stopped:
        run.tell("stopped", facts=work.facts)
    except (ValueError, OSError, MemoryError, ImportError) as error:
        print(f"failed: {error}")
        run.tell("failed", message=str(error).splitlines()[0][:500] if str(error) else type(error).__name__)
        return 1
    except BaseException as error:
        traceback.print_exc()
        run.tell("failed", message=f"{type(error).__name__}: {error}"[:500])
        return 1
    else:
        run.tell("done", facts=work.facts)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
