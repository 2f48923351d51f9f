"""Processes that belong to nobody's session: started, recognised although numbers are used again, and sent signals."""

import os
import pathlib
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress

_PROC = pathlib.Path("/proc")
_STATE, _BIRTH = 0, 19  # fields of /proc/PID/stat behind the name


def birth_of(pid: int) -> str:
    """Return what tells a process from a later one with the same number; "" if there is none, "?" if nobody knows."""
    if not _PROC.joinpath("self", "stat").exists():
        return "?" if _exists(pid) else ""
    try:
        fields = _PROC.joinpath(str(pid), "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        boot = _PROC.joinpath("sys", "kernel", "random", "boot_id").read_text("ascii").strip()
    except OSError:
        return ""
    return "" if fields[_STATE] in "ZX" else f"{boot}:{fields[_BIRTH]}"


def is_running(pid: int, birth: str) -> bool:
    """Tell whether the process that was born then still runs; a paused one does."""
    return bool(birth) and pid > 1 and birth_of(pid) == birth


def start_detached(command: Sequence[str], folder: pathlib.Path, log: pathlib.Path) -> "subprocess.Popen[bytes]":
    """Start a process in a session of its own, so that the end of this one, or of a terminal, is not its end.

    Raises:
        OSError: it cannot be started, or the log cannot be written.
    """
    with log.open("ab") as output:
        return subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=sys.platform != "win32",
            env={"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", **os.environ, "PYTHONUNBUFFERED": "1"},
        )


def send(pid: int, birth: str, *signals: signal.Signals) -> bool:
    """Send signals to a process and all that it has started; return False if it is gone."""
    if not is_running(pid, birth):
        return False
    with suppress(ProcessLookupError):
        for number in signals:
            os.killpg(pid, number)
        return True
    return False


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True
