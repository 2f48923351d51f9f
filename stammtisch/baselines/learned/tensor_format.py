"""Reading safetensors with numpy alone, so that players that ship need no other package.

A file is the length of its head (8 bytes, little endian), a head of JSON that names every tensor with its type, shape
and place, and the bytes of the tensors one behind the other.
"""

import math
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.files.documents import parse_json

_TYPES = {
    "BOOL": "?",
    "U8": "u1",
    "I8": "i1",
    "U16": "<u2",
    "I16": "<i2",
    "U32": "<u4",
    "I32": "<i4",
    "U64": "<u8",
    "I64": "<i8",
    "F16": "<f2",
    "F32": "<f4",
    "F64": "<f8",
}
_MOST_HEAD_BYTES = 1 << 24
_METADATA = "__metadata__"


def read_safetensors(path: str | os.PathLike[str]) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """Return the tensors of a file, and the texts in its head.

    Raises:
        ValueError: it is damaged; the head is checked before anything is taken from it.
        OSError: it cannot be read.
    """
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > min(_MOST_HEAD_BYTES, os.path.getsize(path)):
            raise ValueError(f"it is damaged: its head says that it has {length:,} bytes")
        head = file.read(length)
        data = file.read()
    try:
        table = parse_json(head.decode())
    except ValueError as error:
        raise ValueError(f"it is damaged ({error})") from None
    if not isinstance(table, dict):
        raise ValueError("it is damaged: its head is no table")
    metadata = table.pop(_METADATA, {})
    if not isinstance(metadata, dict):
        raise ValueError("it is damaged: its head says nothing about it")
    arrays = {}
    end = 0
    for name, row in sorted(table.items(), key=_place):
        kind, shape, (begin, after) = _checked(name, row)
        size = np.dtype(kind).itemsize * math.prod(shape)
        if begin != end or after != begin + size or after > len(data):
            raise ValueError(f"it is damaged: {name} lies outside of it")
        arrays[name] = np.frombuffer(data, kind, math.prod(shape), begin).reshape(shape).copy()
        end = after
    if end != len(data):
        raise ValueError(f"it is damaged: {len(data) - end:,} bytes belong to nothing")
    return arrays, metadata


def _place(item: tuple[str, Any]) -> tuple[int, int]:
    _, _, (begin, after) = _checked(*item)
    return begin, after


def _checked(name: str, row: Any) -> tuple[str, tuple[int, ...], tuple[int, int]]:
    """Return type, shape and place of a tensor."""
    row = row if isinstance(row, dict) else {}
    shape, place = row.get("shape"), row.get("data_offsets")
    if row.get("dtype") not in _TYPES or not _are_counts(shape) or not _are_counts(place) or len(place) != 2:
        raise ValueError(f"it is damaged: {name} is {row}")
    return _TYPES[row["dtype"]], tuple(shape), (place[0], place[1])


def _are_counts(values: Any) -> bool:
    return isinstance(values, list) and all(type(value) is int and 0 <= value < 1 << 40 for value in values)
