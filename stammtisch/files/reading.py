"""What readers of all kinds of files share: whatever a file makes them stumble over ends in one line."""

import os
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from stammtisch.errors import BadFile, unreadable

# What Python and the libraries raise on values and bytes that are not what they say.
BAD_VALUES = (
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    OverflowError,
    RecursionError,
    SyntaxError,
    RuntimeError,
)
_BYTES = (OSError, EOFError, MemoryError, zipfile.BadZipFile, zlib.error, struct.error, tokenize.TokenError)


@contextmanager
def reading(path: str | os.PathLike[str], kind: str) -> Iterator[None]:
    """Read a file inside the block; whatever turns out to be wrong with it is told in one line.

    Args:
        path: the file.
        kind: what it is to be, such as ``"rote table"``.

    Raises:
        BadFile: there is no such file, or something is wrong with it.
    """
    try:
        if not os.path.isfile(path):  # a pipe or a device would never end
            raise ValueError("it is not a file" if os.path.exists(path) else "there is no such file")
        yield
    except BadFile:
        raise
    except (*BAD_VALUES, *_BYTES) as error:
        raise unreadable(kind, path, f"there is no {error}" if isinstance(error, KeyError) else error) from None
