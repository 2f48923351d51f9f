"""A command on a disk that gets full at a chosen moment: each step of writing a file counts, and then all of them fail.

    for end in ends_on_full_disks(["train", "dqn", …, "--out", "OUT/m.safetensors"], tmp_path, most=6):
        …  # how the command ended, at moments spread over the whole run

OUT stands for a folder that is new every time. A command that does not end is killed, and its stack is shown.
"""

import errno
import faulthandler
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from unittest import mock

_LONGEST_S = 300.0
_LOOK_S = 0.05


@dataclass
class End:
    """How a command ended.

    Attributes:
        moment: which step of writing was the first to fail; -1 in the first run, where none did.
        steps: how many steps of writing were tried.
        code: what it left with; -9 if it had to be killed.
        stderr: what it said.
        left: files in its folder.
    """

    moment: int
    steps: int
    code: int
    stderr: str
    left: list[str]


class FullDisk:
    """Counts the steps of writing files and lets all of them fail from one on, or none."""

    def __init__(self, moment: int):
        self.moment, self.steps = moment, 0

    def step(self) -> None:
        """Count one, and fail if the disk is full by now."""
        self.steps += 1
        if 0 <= self.moment < self.steps:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def patched(self, owner: Any, name: str) -> Any:
        """Return a patch that counts calls of a function."""
        original = getattr(owner, name)

        def counted(*arguments: Any, **keywords: Any) -> Any:
            self.step()
            return original(*arguments, **keywords)

        return mock.patch.object(owner, name, counted)

    def opened(self, path: pathlib.Path, mode: str = "r", *arguments: Any, **keywords: Any) -> Any:
        """Open a file; what is written to it counts."""
        if "w" not in mode and "a" not in mode and "x" not in mode:
            return open(path, mode, *arguments, **keywords)
        self.step()
        return _Counting(open(path, mode, *arguments, **keywords), self)


class _Counting:
    """An open file whose writes count."""

    def __init__(self, file: Any, disk: FullDisk):
        self._file, self._disk = file, disk

    def write(self, data: Any) -> Any:
        self._disk.step()
        return self._file.write(data)

    def flush(self) -> None:
        self._disk.step()
        self._file.flush()

    def __enter__(self) -> "_Counting":
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def ends_on_full_disks(words: Sequence[str], folder: pathlib.Path, most: int) -> Iterator[End]:
    """Run a command whole and then with disks that are full from different moments on, ``most`` of them.

    The runs are children of one process that has imported what they need.
    """
    command = [sys.executable, "-m", "tests.attack.full_disk", str(folder), str(most), *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            yield End(**json.loads(line))
    assert process.returncode == 0


def _main(folder: pathlib.Path, most: int, words: Sequence[str]) -> None:
    import sb3_contrib  # noqa: F401  what the children need is imported once
    import torch  # noqa: F401

    import stammtisch.cli  # noqa: F401

    whole = _run(folder / "whole", -1, words)
    print(json.dumps(asdict(whole)), flush=True)
    moments = sorted({round(i * (whole.steps - 1) / max(1, most - 1)) for i in range(most)})
    random.Random(0).shuffle(moments)  # what is broken off has still been everywhere
    for moment in moments:
        print(json.dumps(asdict(_run(folder / f"moment-{moment}", moment, words))), flush=True)


def _run(place: pathlib.Path, moment: int, words: Sequence[str]) -> End:
    place.mkdir(parents=True)
    said, counted = place.with_suffix(".err"), place.with_suffix(".count")
    child = os.fork()
    if not child:
        _be_command(place, moment, words, said, counted)
    code = _code_of(child)
    left = [str(path.relative_to(place)) for path in place.rglob("*") if path.is_file()]
    return End(moment, int(counted.read_text() or -1), code, said.read_text("utf-8", "replace"), left)


def _be_command(
    place: pathlib.Path, moment: int, words: Sequence[str], said: pathlib.Path, counted: pathlib.Path
) -> None:
    """Be the command, and leave as it does: threads are waited for, what is to run at the end runs."""
    import atexit

    from stammtisch.cli import main

    with said.open("wb") as file:
        os.dup2(file.fileno(), 2)
    with open(os.devnull, "wb") as file:
        os.dup2(file.fileno(), 1)
    counted.touch()
    faulthandler.dump_traceback_later(0.9 * _LONGEST_S)
    disk = FullDisk(moment)
    atexit.register(lambda: os.write(os.open(counted, os.O_WRONLY), str(disk.steps).encode()))
    sys.argv = ["stammtisch", *(word.replace("OUT", str(place)) for word in words)]
    with mock.patch.object(pathlib.Path, "open", lambda path, *a, **k: disk.opened(path, *a, **k)):
        for owner, name in ((pathlib.Path, "touch"), (pathlib.Path, "replace"), (os, "fsync")):
            disk.patched(owner, name).start()
        main()
    sys.exit(0)


def _code_of(child: int) -> int:
    """Wait for a child to end; one that does not is killed."""
    end = time.monotonic() + _LONGEST_S
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(_LOOK_S)
    os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    _main(pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
