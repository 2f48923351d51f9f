"""Files that are written whole or not at all, and what a killed process left of them."""

import os
import pathlib
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from stammtisch.errors import unwritable
from stammtisch.files.locks import try_lock

_PART = re.compile(r"\..+\.(\d{1,10})\.part")
_swept: set[str] = set()


@contextmanager
def writing_to(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn what goes wrong on the disk inside the block into one line about ``path``.

    Raises:
        BadFile: the disk is full or read-only, there is no such folder, the path is a folder, …
    """
    try:
        yield
    except OSError as error:
        raise unwritable(path, error) from error


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Yield a file that takes the place of ``path`` when the block ends; if it fails, ``path`` stays as it was.

    Raises:
        BadFile: it cannot be written.
    """
    target = pathlib.Path(path)
    with writing_to(path):
        part = _part_of(target)
        try:
            with part.open("wb") as file:
                try_lock(file)
                yield file
                file.flush()
                os.fsync(file.fileno())
            part.replace(target)
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write text as UTF-8.

    Raises:
        BadFile: the file cannot be written.
    """
    with written_whole(path) as file:
        file.write(text.encode())


def make_folder(path: str | os.PathLike[str]) -> pathlib.Path:
    """Return a folder, made with those above it if it is not there.

    Raises:
        BadFile: it cannot be made, or something else has its name.
    """
    folder = pathlib.Path(path)
    with writing_to(folder):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def check_writable(path: str | os.PathLike[str]) -> None:
    """Say before long work, not after it, that a file cannot be written.

    Raises:
        BadFile: it cannot be written.
    """
    with writing_to(path):
        probe = _part_of(pathlib.Path(path))
        probe.touch()
        probe.unlink()


def _part_of(target: pathlib.Path) -> pathlib.Path:
    """Return where this process writes a file until it is whole; what others left there unfinished is removed."""
    if target.is_dir():
        raise IsADirectoryError(None, "Is a directory")
    _sweep(target.parent)
    return target.with_name(f".{target.name}.{os.getpid()}.part")


def _sweep(folder: pathlib.Path) -> None:
    """Remove, once per process and folder, what processes that were killed had not finished writing."""
    place = str(folder.absolute())
    if place in _swept or sys.platform == "win32":
        return
    _swept.add(place)
    with suppress(OSError):
        for item in os.scandir(folder):
            found = _PART.fullmatch(item.name)
            if found and item.is_file(follow_symlinks=False) and not _is_alive(int(found[1])):
                _remove_unless_locked(item.path)


def _remove_unless_locked(path: str) -> None:
    """Remove a file that no process, perhaps on another machine or in another container, is writing."""
    with suppress(OSError), open(path, "rb") as file:
        if os.fstat(file.fileno()).st_uid == os.getuid() and try_lock(file):
            os.unlink(path)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
