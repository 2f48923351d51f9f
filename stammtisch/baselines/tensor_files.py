"""Files of training: safetensors with a JSON header, no pickle, written at once or not at all."""

import json
import os
import pathlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

_HEADER = "stammtisch"


def write_tensors(path: str | os.PathLike[str], arrays: Mapping[str, NDArray[Any]], header: Mapping[str, Any]) -> None:
    """Write arrays and a header of plain values; a file of that name is replaced at once."""
    from safetensors.numpy import save

    target = pathlib.Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    plain = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    try:
        with part.open("wb") as file:
            file.write(save(plain, {_HEADER: json.dumps(header)}))
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def read_tensors(path: str | os.PathLike[str], kind: str) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Read what ``write_tensors`` wrote with this ``kind`` in its header.

    Raises:
        ValueError: the file does not exist, is damaged, or is something else.
    """
    from safetensors import SafetensorError, safe_open

    if not pathlib.Path(path).is_file():
        raise ValueError(f'there is no file "{path}"')
    try:
        with safe_open(path, "np") as file:
            header = json.loads((file.metadata() or {})[_HEADER])
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f'"{path}" is not a file of ours, or a damaged one ({error})') from None
    if not isinstance(header, dict) or header.get("kind") != kind:
        found = header.get("kind") if isinstance(header, dict) else header
        raise ValueError(f'"{path}" holds {found!r}, not {kind!r}')
    return arrays, header


def named(prefix: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return arrays with a prefix before their names."""
    return {f"{prefix}{name}": array for name, array in arrays.items()}


def under(prefix: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the arrays whose names begin with a prefix, without it."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
