"""``EngineProcess``: an outside program that is spoken to line by line, watched all the time and never believed."""

import contextlib
import os
import select
import shutil
import signal
import subprocess
import threading
import time
import weakref
from collections import deque
from collections.abc import Sequence
from typing import IO

from stammtisch.errors import Forfeit
from stammtisch.text import printable

_GAMES_PATH = os.pathsep.join(("/usr/games", "/usr/local/games"))  # where Debian puts them, often not on the path
_MOST_BYTES = 1 << 20  # of one answer, chatter before it included
_KEPT_ERRORS = 1 << 16  # bytes of stderr
_READ = 1 << 16
_GRACE_S = 1.0  # to end when it is told to
_SHOWN = 120


class EngineProcess:
    """A running program with pipes, started without a shell in a session of its own, and killed with all it started.

    Args:
        command: program and arguments.
        log: a file to which what it writes to stderr is appended; the end of it is kept in any case.

    Raises:
        ValueError: there is no such program.
    """

    def __init__(self, command: Sequence[str], log: str = ""):
        self.command = list(command)
        program = program_of(self.command)
        try:
            self._process = subprocess.Popen(
                [program, *self.command[1:]],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except OSError as error:
            raise ValueError(f'cannot start engine "{self.command[0]}": {error.strerror or error}') from None
        assert self._process.stdin is not None
        os.set_blocking(self._process.stdin.fileno(), False)
        self._buffer = bytearray()
        self._errors: deque[bytes] = deque()
        self._reader = threading.Thread(
            target=_drain, args=(self._process.stderr, self._errors, log), daemon=True, name="engine-stderr"
        )
        self._reader.start()
        self._finalizer = weakref.finalize(self, _kill, self._process)

    @property
    def is_running(self) -> bool:
        """Whether it has neither ended nor been killed."""
        return self._finalizer.alive and self._process.poll() is None

    @property
    def errors(self) -> str:
        """The end of what it wrote to stderr."""
        return b"".join(self._errors).decode("utf-8", "replace")

    def send(self, line: str, deadline: float) -> None:
        """Write a line; a program that does not read counts as hanging.

        Raises:
            Forfeit: it does not read, or has ended.
        """
        assert self._process.stdin is not None
        pipe = self._process.stdin.fileno()
        data = memoryview(line.encode() + b"\n")
        while data:
            if not select.select([], [pipe], [], _left(deadline))[1]:
                raise self._fault("hangs: it reads nothing")
            try:
                data = data[os.write(pipe, data) :]
            except BlockingIOError:
                continue
            except OSError:
                raise self._ended() from None

    def line(self, deadline: float) -> str:
        """Return the next line that it writes, without its end.

        Raises:
            Forfeit: nothing comes in time, far too much comes, or it has ended.
        """
        assert self._process.stdout is not None
        pipe = self._process.stdout.fileno()
        if time.monotonic() > deadline:  # one that never stops talking would always have something to read
            raise self._fault("hangs: no answer in time")
        while (end := self._buffer.find(b"\n")) < 0:
            if len(self._buffer) > _MOST_BYTES:
                raise self._fault(f"floods: a line of more than {_MOST_BYTES:,} bytes")
            if not select.select([pipe], [], [], _left(deadline))[0]:
                raise self._fault("hangs: no answer in time")
            if not (part := os.read(pipe, _READ)):
                raise self._ended()
            self._buffer += part
        line = self._buffer[:end].decode("utf-8", "replace").rstrip("\r")
        del self._buffer[: end + 1]
        return line

    def answer(self, deadline: float) -> "Answers":
        """Return the lines that follow, limited in all."""
        return Answers(self, deadline)

    def close(self) -> None:
        """End it: by the end of its input, and by force if that does not help."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE_S)
        self.kill()

    def kill(self) -> None:
        """End it and all that it started, at once."""
        self._finalizer()

    def _fault(self, what: str) -> Forfeit:
        self.kill()
        return Forfeit(f'engine "{self.command[0]}" {what}{self._last_words()}')

    def _ended(self) -> Forfeit:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE_S)
        self._reader.join(_GRACE_S)
        code = self._process.poll()
        return self._fault("closed its output" if code is None else f"ended with code {code}")

    def _last_words(self) -> str:
        lines = [line for line in self.errors.splitlines() if line.strip()]
        return f"; it said: {printable(lines[-1].strip())[:_SHOWN]}" if lines else ""


class Answers:
    """Lines of one answer, of which there may not be too many."""

    def __init__(self, process: EngineProcess, deadline: float):
        self._process, self._deadline, self._bytes = process, deadline, 0

    def __iter__(self) -> "Answers":
        return self

    def __next__(self) -> str:
        line = self._process.line(self._deadline)
        self._bytes += len(line) + 1
        if self._bytes > _MOST_BYTES:
            raise self._process._fault(f"floods: an answer of more than {_MOST_BYTES:,} bytes")
        return line


def program_of(command: Sequence[str]) -> str:
    """Return where the program of a command is.

    Raises:
        ValueError: there is no such program.
    """
    if not command:
        raise ValueError("an engine needs a command; write command=PROGRAM, such as command=gtp-rhino")
    found = shutil.which(command[0]) or shutil.which(command[0], path=_GAMES_PATH)
    if found is None:
        raise ValueError(f'cannot start engine "{command[0]}": there is no such program')
    return found


def _left(deadline: float) -> float:
    return max(0.0, deadline - time.monotonic())


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """Kill a program and what it started, and let go of its pipes."""
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE_S)
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()


def _drain(pipe: IO[bytes], kept: deque[bytes], log: str) -> None:
    """Read stderr so that nobody waits for it; keep its end, and all of it in the log if there is one."""
    size = 0
    with contextlib.ExitStack() as stack:
        file = stack.enter_context(open(log, "ab")) if log else None
        stack.enter_context(pipe)
        while part := pipe.read(_READ):
            if file is not None:
                file.write(part)
                file.flush()
            kept.append(part)
            size += len(part)
            while size > _KEPT_ERRORS and len(kept) > 1:
                size -= len(kept.popleft())
