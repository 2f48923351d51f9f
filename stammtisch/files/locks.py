"""Locks that the operating system lets go of when their process dies, however it dies."""

import os
import pathlib
import sys
from contextlib import suppress
from typing import IO, Any

from stammtisch.errors import BadFile, unwritable

if sys.platform != "win32":
    import fcntl


def try_lock(file: IO[Any]) -> bool:
    """Lock an open file for this process; return False if another one holds it, or if the disk knows no locks.

    On Windows there are none, and nobody is kept away.
    """
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


class FileLock:
    """Held from its making to ``release`` or the end of the process; a file beside the guarded one stands for it.

    Args:
        path: the file that only one process may write.

    Raises:
        BadFile: another one holds it, or the folder cannot be written.
    """

    def __init__(self, path: pathlib.Path):
        self._place = path.with_name(f"{path.name}-lock")
        self._file: IO[str] | None = None
        while self._file is None:
            try:
                file = self._place.open("a+", encoding="ascii", errors="replace")
            except OSError as error:
                raise unwritable(self._place, error) from error
            if not try_lock(file):
                file.seek(0)
                holder = file.read(20).strip()
                file.close()
                raise BadFile(
                    f'"{path}" is in use by {f"process {holder}" if holder.isdigit() else "another process"}; '
                    "wait for its end, or choose another file"
                )
            if self._is_in_place(file):
                self._file = file
            else:
                file.close()  # its last holder took it away in between
        self._file.truncate(0)
        self._file.write(str(os.getpid()))
        self._file.flush()

    def release(self) -> None:
        """Let others write."""
        if self._file is not None:
            with suppress(OSError):
                self._place.unlink()
            self._file.close()
            self._file = None

    def _is_in_place(self, file: IO[str]) -> bool:
        try:
            return os.path.samestat(os.fstat(file.fileno()), self._place.stat())
        except FileNotFoundError:
            return False


def holder_of(path: pathlib.Path) -> int | None:
    """Return the process that holds the lock of a file, without touching it; None if nobody that lives does."""
    try:
        told = path.with_name(f"{path.name}-lock").read_text("ascii", "replace")[:20].strip()
        holder = int(told) if told.isdigit() else 0
        if holder <= 0:
            return None
        os.kill(holder, 0)
    except PermissionError:
        return holder  # it lives, and is somebody else's
    except (OSError, OverflowError):
        return None
    return holder
