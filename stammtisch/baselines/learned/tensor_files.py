"""Files of training: safetensors with a JSON header and a checksum, no pickle, written at once or not at all."""

import itertools
import json
import os
import pathlib
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.baselines.learned.tensor_format import read_safetensors
from stammtisch.envs.core.game import Game
from stammtisch.files import make_folder, written_whole
from stammtisch.files.documents import parse_json
from stammtisch.files.reading import reading

_HEADER, _CHECKSUM = "stammtisch", "crc32"
_LARGEST = 1e9  # of numbers that a training goes on with


def write_tensors(path: str | os.PathLike[str], arrays: Mapping[str, NDArray[Any]], header: Mapping[str, Any]) -> None:
    """Write arrays and a header of plain values; a file of that name is replaced at once."""
    from safetensors.numpy import save

    make_folder(pathlib.Path(path).parent)
    plain = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    header_text = json.dumps(header)
    with written_whole(path) as file:
        file.write(save(plain, {_HEADER: header_text, _CHECKSUM: _checksum(plain, header_text)}))


def read_tensors(path: str | os.PathLike[str], kind: str) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Read what ``write_tensors`` wrote with this ``kind`` in its header.

    Raises:
        BadFile: the file does not exist, is damaged, or is something else.
    """
    with reading(path, kind):
        arrays, metadata = read_safetensors(path)
        if not isinstance(text := metadata.get(_HEADER), str) or metadata.get(_CHECKSUM) != _checksum(arrays, text):
            raise ValueError("it is not a file of ours, or a damaged one")
        header = parse_json(text)
        if not isinstance(header, dict) or header.get("kind") != kind:
            raise ValueError(f"it holds {header.get('kind') if isinstance(header, dict) else header!r}, not {kind!r}")
    return arrays, header


def _checksum(arrays: Mapping[str, NDArray[Any]], header: str) -> str:
    """Return a sum that changes with any bit of the arrays, of their forms or of the header."""
    found = zlib.crc32(header.encode())
    for name in sorted(arrays):
        array = arrays[name]
        found = zlib.crc32(f"{name} {array.dtype} {array.shape}".encode(), found)
        found = zlib.crc32(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data, found)
    return f"{found:08x}"


def write_model(
    path: str | os.PathLike[str], kind: str, game: Game, arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, Any]
) -> None:
    """Write the weights of a player, and ``facts`` beside what ``read_model`` checks."""
    header = {"kind": kind, **_game_info(game), "options": game.changed_options(), **facts}
    write_tensors(path, arrays, header)


def read_model(path: str | os.PathLike[str], kind: str, game: Game) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Read what ``write_model`` wrote for a player of this game.

    Raises:
        BadFile: the file is damaged, something else, or made for other observations or actions.
    """
    arrays, header = read_tensors(path, kind)
    wanted = _game_info(game)
    found = {key: header.get(key) for key in wanted}
    with reading(path, kind):
        if found != wanted:
            first, second = (
                f"{info['game']} with observations {info['observation_shape']} and {info['num_actions']} actions"
                for info in (found, wanted)
            )
            raise ValueError(f"it was trained on {first}, not on {second}")
        for name, array in arrays.items():
            if array.dtype.kind not in "fiub" or not np.isfinite(array).all():
                raise ValueError(f"it is damaged: {name} is not finite everywhere")
    return arrays, header


def checked_layers(layers: Any, inputs: int, arrays: Mapping[str, NDArray[Any]]) -> list[int]:
    """Return the units of fully connected layers as a header tells them, if the file can hold their weights."""
    if not isinstance(layers, list) or not layers or any(type(units) is not int or units < 1 for units in layers):
        raise ValueError(f"it has layers {layers!r}")
    if sum(a * b for a, b in itertools.pairwise([inputs, *layers])) > sum(array.size for array in arrays.values()):
        raise ValueError(f"it has layers {layers!r}, but not their weights")
    return layers


def _game_info(game: Game) -> dict[str, Any]:
    return {
        "game": game.id,
        "observation_shape": list(game.info.observation_shape),
        "num_actions": game.info.num_actions,
    }


def named(prefix: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return arrays with a prefix before their names."""
    return {f"{prefix}{name}": array for name, array in arrays.items()}


def under(prefix: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the arrays whose names begin with a prefix, without it."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def take_over(into: Mapping[str, NDArray[Any]], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Copy arrays of a file into those of the same names.

    Raises:
        ValueError: one has another form, or holds what is no number.
    """
    for name, mine in into.items():
        theirs = arrays[name]
        if theirs.shape != mine.shape or theirs.dtype != mine.dtype:
            raise ValueError(f"{name} is {theirs.dtype}{theirs.shape}, not {mine.dtype}{mine.shape}")
        if mine.dtype.kind == "f" and not (np.abs(theirs) <= _LARGEST).all():
            raise ValueError(f"{name} has numbers beyond reason")
        mine[:] = theirs
