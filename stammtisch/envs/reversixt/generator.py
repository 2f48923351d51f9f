"""Fair maps drawn by lot: a turn of the board that gives every player's place to the next one leaves the map as it is.

Two players sit face to face (half a turn), four on a square in its four quarters (a quarter turn). Any other number
sits around a drum: the board is cut into equal strips whose outer edges are joined by tunnels, and turns by one strip.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from stammtisch.envs.reversixt.map import (
    EMPTY,
    FEWEST_PLAYERS,
    HOLE,
    LONGEST_SIDE,
    MOST_PLAYERS,
    STEPS,
    End,
    Map,
    dead_fields,
    placements,
)

_TRIES = 200
_SMALLEST_SIDE = 4
_BLOCK = ((0, 0, 0), (1, 0, 1), (0, 1, 1), (1, 1, 0))  # x, y and player of the four stones of a start block
_FIELDS_PER_BLOCK = 40
Cells = dict[tuple[int, int], str]


@dataclass(frozen=True)
class Wishes:
    """What a generated map is to have.

    Attributes:
        players: number of players.
        width: columns.
        height: rows.
        overrides: override stones of each player.
        bombs: bombs of each player.
        strength: radius of the bombs.
        holes: share of the fields that become holes.
        specials: share of the fields that become choice, inversion, bonus or expansion stone.
        tunnels: tunnels for each player, besides those that close a drum.
    """

    players: int = 2
    width: int = 15
    height: int = 15
    overrides: int = 2
    bombs: int = 1
    strength: int = 1
    holes: float = 0.08
    specials: float = 0.08
    tunnels: int = 2


@dataclass(frozen=True)
class _Turn:
    """The turn of a board: where an end of a tunnel goes, and the tunnels that belong to it."""

    end: Callable[[End], End]
    width: int
    height: int
    seams: tuple[tuple[End, End], ...] = ()

    def cell(self, x: int, y: int) -> tuple[int, int]:
        return self.end((x, y, 0))[:2]


def generate_map(wishes: Wishes, seed: int) -> Map:
    """Return a fair map on which every player can begin and no field is dead.

    Raises:
        ValueError: the board is too small or too large for what is wanted.
    """
    if not FEWEST_PLAYERS <= wishes.players <= MOST_PLAYERS:
        raise ValueError(f"{wishes.players} players are not possible; {FEWEST_PLAYERS} to {MOST_PLAYERS} are")
    for side in (wishes.width, wishes.height):
        if not _SMALLEST_SIDE <= side <= LONGEST_SIDE:
            raise ValueError(
                f"a side of {side} is not possible; generated maps have {_SMALLEST_SIDE} to {LONGEST_SIDE}"
            )
    turn = _turn_for(wishes)
    rng = np.random.default_rng(seed)
    for _ in range(_TRIES):
        board = _draw(wishes, turn, rng)
        if board is not None:
            return board
    raise ValueError(
        f"no fair map of {wishes.width}x{wishes.height} found for {wishes.players} players; "
        f"take a larger board or fewer holes"
    )


def _turn_for(wishes: Wishes) -> _Turn:
    n, width, height = wishes.players, wishes.width, wishes.height
    if n == 2:
        return _Turn(lambda e: (width - 1 - e[0], height - 1 - e[1], (e[2] + 4) % 8), width, height)
    if n == 4 and width == height:
        return _Turn(lambda e: (height - 1 - e[1], e[0], (e[2] + 2) % 8), width, height)
    strip = max(width, height) // n
    if strip < 2:
        raise ValueError(f"{width}x{height} is too small for {n} players; one side must be at least {2 * n}")
    if width >= height:
        used = strip * n
        return _Turn(lambda e: ((e[0] + strip) % used, e[1], e[2]), used, height, _seams(used, height, False))
    used = strip * n
    return _Turn(lambda e: (e[0], (e[1] + strip) % used, e[2]), width, used, _seams(used, width, True))


def _seams(around: int, across: int, upright: bool) -> tuple[tuple[End, End], ...]:
    """Join the two outer edges of a board that is ``around`` long, straight and diagonally."""
    pairs = []
    for at in range(across):
        for slant in (-1, 0, 1):
            if 0 <= at + slant < across:
                if upright:
                    out, back = STEPS.index((slant, 1)), STEPS.index((-slant, -1))
                    pairs.append(((at, around - 1, out), (at + slant, 0, back)))
                else:
                    out, back = STEPS.index((1, slant)), STEPS.index((-1, -slant))
                    pairs.append(((around - 1, at, out), (0, at + slant, back)))
    return tuple(pairs)


def _draw(wishes: Wishes, turn: _Turn, rng: np.random.Generator) -> Map | None:
    """Draw one map; None if it is not playable."""
    cells: Cells = {(x, y): EMPTY for y in range(turn.height) for x in range(turn.width)}
    blocks = max(1, round(len(cells) / (_FIELDS_PER_BLOCK * wishes.players)))
    if sum(_place_block(cells, turn, wishes.players, rng) for _ in range(20 * blocks)) == 0:
        return None
    for symbol, share in (
        (HOLE, wishes.holes),
        ("x", wishes.specials * 0.4),
        ("b", wishes.specials * 0.25),
        ("c", wishes.specials * 0.2),
        ("i", wishes.specials * 0.15),
    ):
        _scatter(cells, turn, symbol, share * len(cells), rng)
    board = _with_tunnels(wishes, cells, turn, rng)
    while dead := dead_fields(board):
        if any(board.cells[cell] in "12345678" for cell in dead):
            return None
        for cell in dead:
            cells[cell % board.width, cell // board.width] = HOLE
        board = _with_tunnels(wishes, cells, turn, rng)
    is_alive = sum(symbol != HOLE for symbol in cells.values()) > len(cells) / 2
    return board if is_alive and all(placements(board, p) for p in range(1, wishes.players + 1)) else None


def _orbit(turn: _Turn, x: int, y: int, players: int) -> list[tuple[int, int]]:
    """Return the images of a cell, itself first; the k-th belongs to the k-th player after the first."""
    found = [(x, y)]
    for _ in range(players - 1):
        found.append(turn.cell(*found[-1]))
    return found


def _place_block(cells: Cells, turn: _Turn, players: int, rng: np.random.Generator) -> bool:
    """Put a block of two times two stones of neighbours in turn order, and its images, somewhere around the middle."""
    enough = len(cells) / _FIELDS_PER_BLOCK
    if sum(symbol != EMPTY for symbol in cells.values()) / 4 >= max(enough, 1):
        return False
    margin_x, margin_y = min(2, turn.width // 4), min(2, turn.height // 4)
    x = int(rng.integers(margin_x, turn.width - 1 - margin_x))
    y = int(rng.integers(margin_y, turn.height - 1 - margin_y))
    first = int(rng.integers(players))
    stones: Cells = {}
    for dx, dy, ahead in _BLOCK:
        for turned, place in enumerate(_orbit(turn, x + dx, y + dy, players)):
            stone = str((first + ahead + turned) % players + 1)
            if cells.get(place) != EMPTY or place in stones:
                return False
            stones[place] = stone
    cells.update(stones)
    return True


def _scatter(cells: Cells, turn: _Turn, symbol: str, wanted: float, rng: np.random.Generator) -> None:
    """Put about so many symbols on empty cells, always with all images."""
    empty = [cell for cell, content in cells.items() if content == EMPTY]
    placed = 0
    for number in rng.permutation(len(empty)):
        x, y = empty[number]
        images = set(_orbit(turn, x, y, MOST_PLAYERS))
        if cells[x, y] == EMPTY and placed + len(images) / 2 <= wanted:
            cells.update(dict.fromkeys(images, symbol))
            placed += len(images)


def _with_tunnels(wishes: Wishes, cells: Cells, turn: _Turn, rng: np.random.Generator) -> Map:
    text = "".join(cells.get((x, y), HOLE) for y in range(wishes.height) for x in range(wishes.width))
    head = (wishes.players, wishes.overrides, wishes.bombs, wishes.strength, wishes.height, wishes.width)
    bare = Map(*head, text)
    tunnels = [pair for pair in turn.seams if all(bare.at(x, y) != HOLE for x, y, _ in pair)]
    used = {end for pair in turn.seams for end in pair}
    ends: list[End] = [
        (x, y, d)
        for y in range(turn.height)
        for x in range(turn.width)
        for d in range(8)
        if bare.is_open(x, y, d) and (x, y, d) not in used
    ]
    order = rng.permutation(len(ends)).tolist()
    dug = 0
    for first, second in zip(order[::2], order[1::2], strict=False):
        if dug == wishes.tunnels:
            break
        pairs = list(_images(turn, (ends[first], ends[second]), wishes.players))
        new = [end for pair in pairs for end in pair]
        if len(set(new)) == len(new) and not used & set(new):
            used |= set(new)
            tunnels += pairs
            dug += 1
    return Map(*head, text, tuple(tunnels))


def _images(turn: _Turn, pair: tuple[End, End], players: int) -> Iterator[tuple[End, End]]:
    for _ in range(players):
        yield pair
        pair = turn.end(pair[0]), turn.end(pair[1])
