"""Kills a command with signal 9 in the middle of its work, at moments spread over the whole run.

    for run in killed_runs(lambda folder: [*STAMMTISCH, "match", …, "--out", str(folder / "r.sqlite")], tmp_path, 10):
        …  # what must hold of run.folder, whenever the command died

What a test asserts must hold at every moment: when exactly the signal arrives is up to the machine.
"""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

STAMMTISCH = (sys.executable, "-m", "stammtisch.cli")
_LOOK_S = 0.01
_OUTPUT = "output.txt"


@dataclass
class Run:
    """One run of a command.

    Attributes:
        folder: a folder of its own, handed to the command.
        process: the command.
        moment_s: seconds between its being ready and its end.
        killed: whether it was killed at work; False for the first run, which is left alone, and for whoever was done.
    """

    folder: pathlib.Path
    process: "subprocess.Popen[bytes]"
    moment_s: float = 0.0
    killed: bool = False

    @property
    def output(self) -> str:
        """What the command has written to stdout and stderr so far."""
        return (self.folder / _OUTPUT).read_text("utf-8", "replace")

    def wait_for(self, pattern: str, timeout_s: float) -> "re.Match[str]":
        """Wait until the output shows a pattern."""
        end = time.monotonic() + timeout_s
        while (found := re.search(pattern, self.output)) is None:
            assert self.process.poll() is None, f"ended before it showed {pattern}: {self.output}"
            assert time.monotonic() < end, f"does not show {pattern}: {self.output}"
            time.sleep(_LOOK_S)
        return found


def killed_runs(
    command: Callable[[pathlib.Path], Sequence[str]],
    folder: pathlib.Path,
    kills: int,
    *,
    ready: str = "",
    company: Callable[[Run], contextlib.AbstractContextManager[object]] = contextlib.nullcontext,
    timeout_s: float = 300.0,
) -> Iterator[Run]:
    """Run a command to its end once, to know how long it takes, and then kill it ``kills`` times.

    Args:
        command: the words of the command that works in a given folder, which is new every time.
        folder: where those folders are made.
        kills: number of kills; their moments cut the run into equal parts, or what is known by then to be its length.
        ready: pattern in the output from which on the run counts (a server that listens); by default the start.
        company: entered with the run once it is ready and left after its end: clients of a server.
        timeout_s: the longest that a run may take before it counts as hanging.

    Yields:
        Every run after its end, the whole one first. Whatever the command started has died with it.
    """
    whole_s = None
    for number in range(kills + 1):
        place = folder / f"run-{number}"
        place.mkdir(parents=True)
        moment_s = None if whole_s is None else whole_s * (number - 0.5) / kills
        run = _run(command(place), place, moment_s, ready, company, timeout_s)
        if whole_s is None:
            assert run.process.returncode == 0, run.output
            whole_s = run.moment_s
        elif not run.killed:  # what was compiled for the first one is there now, or the machine is less busy
            whole_s = min(whole_s, run.moment_s)
        yield run


def _run(
    words: Sequence[str],
    place: pathlib.Path,
    moment_s: float | None,
    ready: str,
    company: Callable[[Run], contextlib.AbstractContextManager[object]],
    timeout_s: float,
) -> Run:
    with (place / _OUTPUT).open("wb") as output:
        process = subprocess.Popen(words, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
    run = Run(place, process)
    try:
        run.wait_for(ready, timeout_s)
        begun = time.monotonic()
        with company(run):
            try:
                process.wait(timeout_s if moment_s is None else moment_s)
            except subprocess.TimeoutExpired:
                assert moment_s is not None, f"does not end: {run.output}"
                run.killed = True
            run.moment_s = time.monotonic() - begun
            _kill(process)
    finally:
        _kill(process)
    return run


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """Kill a command and all that it started, which is in its process group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
