"""Arrays in ``.npz`` archives, read without pickle; sizes are compared with the file before anything is allocated."""

import math
import os
import struct
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from stammtisch.files.documents import parse_json
from stammtisch.files.reading import reading

_MOST_HEADER_BYTES = 1 << 24
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_DEFLATED_AT_MOST = 1100  # times its size in the file can a deflated member be
_PIECE = 1 << 20  # bytes at a time


class Archive:
    """An open archive; every array is asked for with the kind and the number of dimensions that it must have."""

    def __init__(self, path: str | os.PathLike[str], archive: zipfile.ZipFile):
        self._path, self._archive = path, archive
        self._size = os.path.getsize(path)

    @property
    def names(self) -> list[str]:
        """The arrays of the archive."""
        return [name.removesuffix(".npy") for name in self._archive.namelist()]

    def header(self) -> dict[str, Any]:
        """Return the table of plain values that is kept as JSON under the name ``header``."""
        info = self._member("header")
        if info.file_size > _MOST_HEADER_BYTES:
            raise ValueError(f"its header has {info.file_size:,} bytes")
        with self._archive.open(info) as member:
            shape, dtype = _form(member)
            if shape != () or dtype.kind != "U":
                raise ValueError("its header is not a text")
            data = member.read(info.file_size)
        if len(data) != dtype.itemsize:
            raise ValueError("its header is cut off")
        found = parse_json(str(np.frombuffer(data, dtype)[0]))
        if not isinstance(found, dict):
            raise ValueError("its header is not a table")
        return found

    def shape(self, name: str, dtype: DTypeLike, ndim: int = 1) -> tuple[int, ...]:
        """Return the shape of an array, which has the right kind and as many bytes as it says."""
        return self._opened(name, dtype, ndim)[1]

    def array(self, name: str, dtype: DTypeLike, ndim: int = 1) -> NDArray[Any]:
        """Read an array."""
        member, shape = self._opened(name, dtype, ndim)
        array = np.empty(math.prod(shape), dtype)
        at = 0
        with member:
            for piece in _pieces(member, array.itemsize):
                array[at : at + len(piece) // array.itemsize] = np.frombuffer(piece, dtype)
                at += len(piece) // array.itemsize
        if at != len(array):
            raise ValueError(f"{name} is cut off")
        return array.reshape(shape)

    def ascending(self, name: str, differences: bool) -> NDArray[np.int64]:
        """Read int64 keys that rise from one to the next, given as such or as differences; stop where they do not."""
        member, (length,) = self._opened(name, np.int64, 1)
        parts, last = [], None
        with member:
            for piece in _pieces(member, 8):
                keys = np.frombuffer(piece, np.int64)
                if differences:
                    keys = np.cumsum(keys) + np.int64(last or 0)
                if (keys[1:] <= keys[:-1]).any() or (last is not None and keys[0] <= last):
                    raise ValueError(f"{name} do not rise")
                last = int(keys[-1])
                parts.append(keys)
        if sum(map(len, parts)) != length:
            raise ValueError(f"{name} are cut off")
        return np.concatenate([np.zeros(0, np.int64), *parts])

    def mapped(self, name: str, dtype: DTypeLike) -> NDArray[Any]:
        """Map an array of one dimension into memory; what is written to it stays in memory."""
        info = self._member(name)
        if info.compress_type != zipfile.ZIP_STORED:
            raise ValueError(f"{name} is compressed")
        member, shape = self._opened(name, dtype, 1)
        with member:
            skipped = member.tell()
            for _ in _pieces(member, 1):
                pass  # the last one is followed by a comparison with the checksum
        with open(self._path, "rb") as file:
            file.seek(info.header_offset)
            begin = info.header_offset + 30 + sum(struct.unpack("<26xHH", file.read(30)))
        return np.asarray(np.memmap(self._path, dtype, "c", begin + skipped, shape))

    def _member(self, name: str) -> zipfile.ZipInfo:
        """Return where an array lies, if it can have the size that it says."""
        if f"{name}.npy" not in self._archive.namelist():
            raise ValueError(f"it has no {name}")
        info = self._archive.getinfo(f"{name}.npy")
        if info.compress_type not in _METHODS or info.flag_bits & 1:
            raise ValueError(f"{name} is compressed in a way, or with a password, that we never use")
        most = info.compress_size * (_DEFLATED_AT_MOST if info.compress_type == zipfile.ZIP_DEFLATED else 1)
        if info.header_offset + info.compress_size > self._size or info.file_size > most:
            raise ValueError(f"{name} says that it has {info.file_size:,} bytes, which the file cannot hold")
        return info

    def _opened(self, name: str, dtype: DTypeLike, ndim: int) -> tuple[IO[bytes], tuple[int, ...]]:
        """Return a member at the beginning of its data, and its shape."""
        info = self._member(name)
        member = self._archive.open(info)
        try:
            shape, found = _form(member)
            if found != np.dtype(dtype) or len(shape) != ndim:
                raise ValueError(f"{name} is {found} of {len(shape)} dimensions, not {np.dtype(dtype)} of {ndim}")
            wanted = math.prod(shape) * found.itemsize
            if info.file_size - member.tell() != wanted:
                raise ValueError(f"{name} says that it has {wanted:,} bytes, not {info.file_size - member.tell():,}")
        except BaseException:
            member.close()
            raise
        return member, shape


@contextmanager
def opened_archive(path: str | os.PathLike[str], kind: str) -> Iterator[Archive]:
    """Open an archive; whatever turns out to be wrong with it inside the block ends in one line.

    Raises:
        BadFile: there is no such file, it is damaged, or something else.
    """
    with reading(path, kind), zipfile.ZipFile(path) as archive:
        yield Archive(path, archive)


def _form(member: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Read the head of an array in C order and return its shape and type."""
    version = np.lib.format.read_magic(member)
    if version != (1, 0):
        raise ValueError(f"an array has format {version}")
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(member)
    if fortran or dtype.hasobject or any(length < 0 for length in shape):
        raise ValueError("an array has a form that we never use")
    return shape, dtype


def _pieces(member: IO[bytes], itemsize: int) -> Iterator[bytes]:
    """Yield the rest of a member in pieces of whole items."""
    left = b""
    while data := member.read(_PIECE):
        whole = len(left + data) // itemsize * itemsize
        piece, left = (left + data)[:whole], (left + data)[whole:]
        if piece:
            yield piece
    if left:
        raise ValueError("an array is cut off")
