"""``Jobs``: starts, pauses, stops, resumes and deletes jobs, and finds them again after a restart of the studio."""

import json
import os
import pathlib
import re
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from stammtisch.errors import BadFile
from stammtisch.files import make_folder, write_text
from stammtisch.files.documents import fits, read_json
from stammtisch.studio.jobs import processes
from stammtisch.studio.jobs.kinds import KINDS, order
from stammtisch.studio.jobs.progress import ProgressReader
from stammtisch.studio.jobs.worker import JOB, LOG, PAUSED, PROGRESS, RUN
from stammtisch.studio.models import move_to_bin, take_from_bin
from stammtisch.studio.trust import Trust

_ID = re.compile(r"\d{8}-\d{6}-[0-9a-f]{6}")
_BIN = ".bin"
_MOST_JOBS = 500  # folders in all
_MOST_WAITING = 24  # that are to run and have not begun
_MOST_ALIVE = 8  # processes, paused ones included
_LEAST_FREE = 64 << 20  # bytes on the disk
_STARTING_S = 60.0  # a process says that it runs within this time
_LOG_BYTES = 1 << 15

ALIVE = ("starting", "running", "stopping", "paused")
OVER = ("done", "stopped", "failed", "interrupted")


@dataclass(frozen=True)
class Job:
    """A job as it is now.

    Attributes:
        id: its name.
        kind: ``training``, ``validation`` or ``suite``.
        title: for lists.
        game: id of its game, or "".
        total: all its work.
        unit: what that is counted in.
        plan: all that its process needs.
        model: the model that it learns, or "".
        created: seconds since 1970.
        state: ``waiting``, ``starting``, ``running``, ``paused``, ``stopping``, ``done``, ``stopped``, ``failed``, or
            ``interrupted`` if its process died.
        run: what its process said last.
        folder: where all that lies.
    """

    id: str
    kind: str
    title: str
    game: str
    total: int
    unit: str
    plan: dict[str, Any]
    model: str
    created: float
    state: str
    run: dict[str, Any]
    folder: pathlib.Path

    @property
    def is_alive(self) -> bool:
        """Whether there is a process."""
        return self.state in ALIVE


class Jobs:
    """All jobs of a studio.

    Args:
        folder: where their folders lie.
        trust: checks what is asked for, and knows the models.
        most_running: so many run at a time, the others wait; by default one per processor.
    """

    def __init__(self, folder: pathlib.Path, trust: Trust, most_running: int | None = None):
        self.folder = make_folder(folder).resolve()
        self._trust = trust
        self._most_running = most_running or max(1, os.cpu_count() or 1)
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._readers: dict[str, ProgressReader] = {}

    # Looking

    def listed(self) -> list[Job]:
        """Return all jobs, the newest first."""
        found = []
        for name in sorted(
            (entry.name for entry in os.scandir(self.folder) if _ID.fullmatch(entry.name)), reverse=True
        ):
            with suppress(ValueError):
                found.append(self._read(self.folder / name))
        return found

    def job(self, name: Any) -> Job:
        """Return one job.

        Raises:
            ValueError: there is none of this name.
        """
        if not isinstance(name, str) or not _ID.fullmatch(name) or not (self.folder / name / JOB).is_file():
            raise ValueError(f'there is no job "{str(name)[:40]}"')
        return self._read(self.folder / name)

    def progress(self, name: str) -> ProgressReader:
        """Return the progress of a job; ``look`` at it for what is new."""
        if name not in self._readers:
            self._readers[name] = ProgressReader(self.folder / name / PROGRESS)
        return self._readers[name]

    def log(self, name: str) -> str:
        """Return the end of what a job wrote."""
        try:
            with (self.job(name).folder / LOG).open("rb") as file:
                file.seek(max(0, file.seek(0, 2) - _LOG_BYTES))
                text = file.read(_LOG_BYTES).decode("utf-8", "replace")
        except OSError:
            return ""
        return text

    # Doing

    def create(self, kind: str, request: Mapping[str, Any]) -> Job:
        """Take a job; it begins as soon as there is room.

        Raises:
            ValueError: it is not allowed, or there are too many already.
        """
        known = self.listed()
        if sum(job.state == "waiting" for job in known) >= _MOST_WAITING:
            raise ValueError(f"{_MOST_WAITING} jobs wait already; let them begin, or delete some")
        if len(known) >= _MOST_JOBS:
            raise ValueError(f"there are {_MOST_JOBS} jobs already; delete some first")
        self._check_disk()
        wanted = order(kind, request, self._trust)
        name = f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(3)}"
        folder = make_folder(self.folder / name)
        if wanted.model:
            settings = wanted.plan["settings"]
            facts = {"job": name, "settings": settings}
            self._trust.models.create(
                wanted.model, wanted.plan["learner"], wanted.game, settings.get("options", {}), facts
            )
        about = {key: getattr(wanted, key) for key in ("title", "game", "total", "unit", "plan", "model")}
        write_text(folder / RUN, json.dumps({"state": "waiting", "at": time.time()}))
        write_text(folder / JOB, json.dumps({**about, "kind": kind, "created": time.time()}, indent=1))
        self.tick()
        return self.job(name)

    def recover(self) -> None:
        """Let those go on whose processes died with the machine, or with the studio."""
        for job in self.listed():
            if job.state == "interrupted":
                self._wait(job)
        self.tick()

    def tick(self) -> None:
        """Begin what waits, as far as there is room; called about once a second."""
        for name, child in list(self._children.items()):
            if child.poll() is not None:
                del self._children[name]
        known = self.listed()
        alive = [job for job in known if job.is_alive]
        running = sum(job.state != "paused" for job in alive)
        for job in sorted((job for job in known if job.state == "waiting"), key=lambda job: job.run["at"]):
            if running >= self._most_running or len(alive) >= _MOST_ALIVE:
                break
            self._begin(job)
            alive.append(job)
            running += 1

    def pause(self, name: str) -> Job:
        """Hold a job where it is; it keeps its memory and takes no time."""
        job = self._in(name, "running")
        write_text(job.folder / PAUSED, "")
        self._send(job, signal.SIGSTOP)
        return self.job(name)

    def resume(self, name: str) -> Job:
        """Let a paused job go on, or one that was stopped, died or failed begin again where its checkpoint is."""
        job = self._in(name, "paused", "stopped", "failed", "interrupted")
        if job.state == "paused":
            (job.folder / PAUSED).unlink(missing_ok=True)
            self._send(job, signal.SIGCONT)
        else:
            self._check_disk()
            self._wait(job)
            self.tick()
        return self.job(name)

    def stop(self, name: str) -> Job:
        """Ask a job to write its checkpoint and end; asked again, it is ended at once."""
        job = self._in(name, "waiting", "running", "paused", "stopping", "starting")
        if job.state == "waiting":
            write_text(job.folder / RUN, json.dumps({"state": "stopped", "at": time.time()}))
        elif job.state == "stopping":
            self._send(job, signal.SIGKILL)
        elif job.state == "starting":
            raise ValueError("it is just beginning; stop it in a moment")
        else:
            (job.folder / PAUSED).unlink(missing_ok=True)
            self._send(job, signal.SIGTERM, signal.SIGCONT)
        return self.job(name)

    def delete(self, name: str) -> str:
        """Put a job that is over into the bin, with its games; return the mark by which it can be taken back.

        The model that it learned stays.
        """
        job = self._in(name, "waiting", *OVER)
        self._readers.pop(name, None)
        return move_to_bin(job.folder, self.folder / _BIN)

    def restore(self, mark: str) -> Job:
        """Take a job back out of the bin."""
        return self.job(take_from_bin(mark, self.folder / _BIN, self.folder))

    def learner_of(self, model: str) -> Job | None:
        """Return the job that has a model in its hands now."""
        return next((job for job in self.listed() if job.model == model and job.state in (*ALIVE, "waiting")), None)

    # Inside

    def _in(self, name: str, *states: str) -> Job:
        job = self.job(name)
        if job.state not in states:
            raise ValueError(f"this job is {job.state}; that can be done when it is {' or '.join(states)}")
        return job

    def _wait(self, job: Job) -> None:
        write_text(job.folder / RUN, json.dumps({"state": "waiting", "at": time.time()}))

    def _begin(self, job: Job) -> None:
        write_text(job.folder / RUN, json.dumps({"state": "starting", "at": time.time()}))
        models = str(self._trust.models.folder)
        command = [sys.executable, "-m", "stammtisch.studio.jobs.worker", str(job.folder), models]
        try:
            self._children[job.id] = processes.start_detached(command, job.folder, job.folder / LOG)
        except OSError as error:
            message = f"its process cannot be started: {error.strerror}"
            write_text(job.folder / RUN, json.dumps({"state": "failed", "at": time.time(), "message": message}))

    def _send(self, job: Job, *signals: signal.Signals) -> None:
        if not processes.send(job.run.get("pid", 0), job.run.get("birth", ""), *signals):
            raise ValueError("its process is gone")

    def _check_disk(self) -> None:
        if shutil.disk_usage(self.folder).free < _LEAST_FREE:
            raise ValueError(f"less than {_LEAST_FREE >> 20} MB are free on the disk; make room first")

    def _read(self, folder: pathlib.Path) -> Job:
        about = read_json(folder / JOB, "job", 1 << 20)
        kinds: dict[str, Any] = {"kind": str, "title": str, "game": str, "total": int, "unit": str}
        kinds |= {"plan": dict[str, Any], "model": str, "created": float}
        if not isinstance(about, dict) or not all(fits(about.get(key), kind) for key, kind in kinds.items()):
            raise BadFile(f'"{folder / JOB}" does not tell about a job')
        plan, told = about["plan"], {"agents": list[str], "shown": list[str], "learner": str}
        if about["kind"] not in KINDS or not all(fits(plan[key], kind) for key, kind in told.items() if key in plan):
            raise BadFile(f'"{folder / JOB}" does not tell about a job that there can be')
        run = self._run_of(folder)
        values = {key: about[key] for key in kinds}
        return Job(id=folder.name, **values, state=self._state(folder, run), run=run, folder=folder)

    def _run_of(self, folder: pathlib.Path) -> dict[str, Any]:
        try:
            run = read_json(folder / RUN, "job", 1 << 20)
        except BadFile:
            run = None
        usual = {"state": str, "at": float}
        if not isinstance(run, dict) or not all(fits(run.get(key), kind) for key, kind in usual.items()):
            return {"state": "interrupted", "at": 0.0}
        return run

    def _state(self, folder: pathlib.Path, run: dict[str, Any]) -> str:
        told: str = run["state"]
        if told == "starting":
            child = self._children.get(folder.name)
            is_young = time.time() - run["at"] < _STARTING_S
            return told if is_young and (child is None or child.poll() is None) else "interrupted"
        if told not in ("running", "stopping"):
            return told
        pid, birth = run.get("pid"), run.get("birth")
        if not isinstance(pid, int) or not isinstance(birth, str) or not processes.is_running(pid, birth):
            # Its last words may have come between the two looks.
            again = self._run_of(folder)
            return str(again["state"]) if again["state"] in OVER else "interrupted"
        return "paused" if told == "running" and (folder / PAUSED).exists() else told
