"""Tuple sets: which cells are looked at together."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from stammtisch.envs.core.game import Game
from stammtisch.errors import unknown, unreadable
from stammtisch.files.documents import read_json

Tuples = list[tuple[int, ...]]
SHARINGS = ("orders", "cells", "none")
_LONGEST = 12


def tuple_set(game: Game, features: Any, kind: str, count: int, length: int, seed: int) -> Tuples:
    """Return the tuples that a user asked for.

    Args:
        game: the game.
        features: what the learner sees of it, with ``CELLS``, ``NEIGHBOURS`` and ``TUPLE_SETS``.
        kind: ``fixed``, ``wide`` (larger, where there is one), ``random-walk``, ``random-point``; a list such as
            ``0,1,4,5;2,3,6,7``; or a JSON file that holds a list of lists.
        count: number of random tuples.
        length: their length.
        seed: decides them.
    """
    if kind in _RANDOM:
        if not 1 <= length <= min(_LONGEST, features.CELLS):
            longest = min(_LONGEST, features.CELLS)
            raise ValueError(f"tuples of {game.id} have 1..{longest} cells, not {length}")
        if count < 1:
            raise ValueError(f"a tuple set needs at least one tuple, not {count}")
        rng = np.random.default_rng(np.random.SeedSequence([seed, 1]))
        return [_RANDOM[kind](features, length, rng) for _ in range(count)]
    sets: dict[str, Tuples] = features.TUPLE_SETS
    if kind in sets:
        return sets[kind]
    if kind.endswith(".json"):
        return checked(game, features, _read(kind))
    if "," in kind:
        return checked(game, features, _parse(kind))
    raise unknown(f"tuple set for {game.id}", kind, [*sets, *_RANDOM])


def checked(game: Game, features: Any, tuples: Sequence[Sequence[int]]) -> Tuples:
    """Return tuples that fit the board, or say what would be right."""
    if not tuples:
        raise ValueError("a tuple set needs at least one tuple")
    for cells in tuples:
        fits = all(isinstance(cell, int) and 0 <= cell < features.CELLS for cell in cells)
        if not fits or len(set(cells)) != len(cells) or not 1 <= len(cells) <= _LONGEST:
            raise ValueError(
                f"{list(cells)} is no tuple for {game.id}: "
                f"give 1..{_LONGEST} different cells of 0..{features.CELLS - 1}"
            )
    return [tuple(cells) for cells in tuples]


def taps_of(tuples: Tuples, symmetries: Sequence[Sequence[int]], sharing: str) -> tuple[Tuples, list[int]]:
    """Lay the tuples over the board; return the cells of each tap and the number of its table.

    Args:
        tuples: the tuple set.
        symmetries: renamings of the cells.
        sharing: ``orders`` lays every image of a tuple, so that symmetric positions have equal values; ``cells`` only
            one image per set of cells; ``none`` the tuples as they are. Tuples that are images of an earlier one are
            left out, except with ``none``.
    """
    if sharing not in SHARINGS:
        raise unknown("sharing", sharing, SHARINGS)
    if sharing == "none":
        return list(tuples), list(range(len(tuples)))
    taps: Tuples = []
    tables: list[int] = []
    covered: set[frozenset[int]] = set()
    table = 0
    for cells in tuples:
        if frozenset(cells) in covered:
            continue
        seen: set[Any] = set()
        for symmetry in symmetries:
            image = tuple(symmetry[cell] for cell in cells)
            key = image if sharing == "orders" else frozenset(image)
            covered.add(frozenset(image))
            if key not in seen:
                seen.add(key)
                taps.append(image)
                tables.append(table)
        table += 1
    return taps, tables


def _read(path: str) -> list[Any]:
    data = read_json(path, "tuple list")
    if not isinstance(data, list) or not all(isinstance(cells, list) for cells in data):
        raise unreadable("tuple list", path, "it is not a list of tuples; write [[0, 1, 4, 5], [2, 3, 6, 7]]")
    return data


def _parse(text: str) -> list[list[int]]:
    try:
        return [[int(cell) for cell in part.split(",")] for part in text.split(";") if part.strip()]
    except ValueError:
        raise ValueError(f'cannot read tuples "{text}"; write 0,1,4,5;2,3,6,7') from None


def _walk(features: Any, length: int, rng: np.random.Generator) -> tuple[int, ...]:
    """Walk from cell to neighbouring cell until so many have been visited."""
    cell = int(rng.integers(features.CELLS))
    visited = [cell]
    while len(visited) < length:
        cell = int(rng.choice(features.NEIGHBOURS[cell]))
        if cell not in visited:
            visited.append(cell)
    return tuple(visited)


def _points(features: Any, length: int, rng: np.random.Generator) -> tuple[int, ...]:
    return tuple(int(cell) for cell in rng.choice(features.CELLS, length, replace=False))


_RANDOM: dict[str, Callable[[Any, int, np.random.Generator], tuple[int, ...]]] = {
    "random-walk": _walk,
    "random-point": _points,
}
