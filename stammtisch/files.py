"""Files that are written whole or not at all."""

import os
import pathlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Yield a file that takes the place of ``path`` when the block ends; if it fails, ``path`` stays as it was."""
    target = pathlib.Path(path)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write text as UTF-8.

    Raises:
        ValueError: the file cannot be written.
    """
    try:
        with written_whole(path) as file:
            file.write(text.encode())
    except OSError as error:
        raise ValueError(f"cannot write {path}: {error.strerror}") from error


def make_folder(path: str | os.PathLike[str]) -> pathlib.Path:
    """Make a folder and those above it where they are missing.

    Raises:
        ValueError: there is a file in the way, or it may not be made.
    """
    folder = pathlib.Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"cannot make the folder {folder}: {error.strerror}") from error
    return folder
