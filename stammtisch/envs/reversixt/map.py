"""Maps of ReversiXT: the text format both ways, checked, and the table of neighbours.

A *field* is a cell that is no hole. Fields are numbered row by row, ``cell = y * width + x``; directions are 0..7
clockwise from up. A *tunnel* (a transition of the course's maps) joins two open ends: fields in a direction in which
they have no neighbour.
"""

import difflib
import functools
import pathlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stammtisch.errors import BadText

EMPTY, HOLE = "0", "-"
SYMBOLS = "012345678xcib-"
STEPS = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))

FEWEST_PLAYERS, MOST_PLAYERS = 2, 8
LONGEST_SIDE = 60
LARGEST_NUMBER = 100_000
LONGEST_TEXT = 1 << 20  # characters; the largest map has a tenth of it
FOLDER = pathlib.Path(__file__).with_name("maps")

End = tuple[int, int, int]


@dataclass(frozen=True)
class Map:
    """A map as its text says it.

    Attributes:
        players: number of players.
        overrides: override stones that each player starts with.
        bombs: bombs that each player starts with.
        strength: radius of a bomb in steps.
        height: number of rows.
        width: number of columns.
        cells: one symbol per cell, row by row.
        tunnels: pairs of open ends ``(x, y, direction)``.
    """

    players: int
    overrides: int
    bombs: int
    strength: int
    height: int
    width: int
    cells: str
    tunnels: tuple[tuple[End, End], ...] = ()

    def at(self, x: int, y: int) -> str:
        """Return the symbol at a place; outside of the board there are holes."""
        inside = 0 <= x < self.width and 0 <= y < self.height
        return self.cells[y * self.width + x] if inside else HOLE

    def is_open(self, x: int, y: int, direction: int) -> bool:
        """Whether a field has no direct neighbour in a direction, so that a tunnel may begin there."""
        dx, dy = STEPS[direction]
        return self.at(x, y) != HOLE and self.at(x + dx, y + dy) == HOLE


def format_map(board: Map) -> str:
    """Write a map in the course's format."""
    rows = [" ".join(board.cells[i : i + board.width]) for i in range(0, len(board.cells), board.width)]
    tunnels = [" <-> ".join(" ".join(map(str, end)) for end in pair) for pair in board.tunnels]
    head = [f"{board.players}", f"{board.overrides}", f"{board.bombs} {board.strength}"]
    return "\n".join([*head, f"{board.height} {board.width}", *rows, *tunnels]) + "\n"


def parse_map(text: str) -> Map:
    """Read a map.

    Raises:
        BadText: the text is not a map; the message names line and column, both counted from 1.
    """
    if len(text) > LONGEST_TEXT:
        raise BadText(f"a map of {len(text)} characters is too long; at most {LONGEST_TEXT} are read")
    lines = _Lines(text)
    (players,) = lines.numbers("the number of players", (FEWEST_PLAYERS, MOST_PLAYERS))
    (overrides,) = lines.numbers("the override stones of each player", (0, LARGEST_NUMBER))
    bombs, strength = lines.numbers("bombs per player and their strength", *2 * [(0, LARGEST_NUMBER)])
    height, width = lines.numbers("height and width", *2 * [(1, LONGEST_SIDE)])
    cells = "".join(_read_row(lines, y, width, players) for y in range(height))
    if not cells.strip(HOLE):
        raise BadText("a map needs at least one field that is no hole")
    board = Map(players, overrides, bombs, strength, height, width, cells)
    return Map(players, overrides, bombs, strength, height, width, cells, tuple(_read_tunnels(lines, board)))


class _Lines:
    """The lines of a text one after the other, and where in them something is."""

    def __init__(self, text: str):
        self._lines = text.lower().splitlines()
        self._at = 0
        while self._at < len(self._lines) and not self._lines[self._at].strip():
            self._at += 1
        self.number = self._at

    def next(self, what: str) -> list[tuple[int, str]]:
        """Return the words of the next line with their columns; ``what`` says what the line holds."""
        self.number = self._at + 1
        if self._at == len(self._lines):
            raise BadText(f"line {self.number} is missing: {what}")
        self._at += 1
        return [(m.start() + 1, m.group()) for m in re.finditer(r"\S+", self._lines[self._at - 1])]

    def rest(self) -> Iterator[list[tuple[int, str]]]:
        """Yield the words of all further lines that are not blank."""
        while self._at < len(self._lines):
            words = self.next("")
            if words:
                yield words

    def error(self, column: int, message: str) -> BadText:
        return BadText(f"line {self.number}, column {column}: {message}")

    def numbers(self, what: str, *ranges: tuple[int, int]) -> list[int]:
        """Read a line of numbers."""
        words = self.next(what)
        if len(words) != len(ranges):
            raise self.error(1, f"{len(words)} numbers where {len(ranges)} should be: {what}")
        return [self.number_in(word, what, *limits) for word, limits in zip(words, ranges, strict=True)]

    def number_in(self, word: tuple[int, str], what: str, low: int, high: int) -> int:
        column, text = word
        if not re.fullmatch(r"[0-9]{1,9}", text) or not low <= int(text) <= high:
            raise self.error(column, f'"{text[:20]}" is not allowed; {what}: {low} to {high}')
        return int(text)


def _read_row(lines: _Lines, y: int, width: int, players: int) -> str:
    words = lines.next(f"row {y} of the board")
    for column, word in words:
        if word not in SYMBOLS or len(word) != 1:
            hint = "separate symbols by blanks" if len(word) > 1 else f"symbols are {' '.join(SYMBOLS)}"
            raise lines.error(column, f'cannot read field "{word[:20]}"; {hint}')
        if word.isdigit() and int(word) > players:
            raise lines.error(column, f"stone of player {word} on a map of {players} players")
    if len(words) != width:
        column = words[width][0] if len(words) > width else words[-1][0] + 1 if words else 1
        raise lines.error(column, f"row {y} of the board has {len(words)} fields, not {width}")
    return "".join(word for _, word in words)


def _read_tunnels(lines: _Lines, board: Map) -> Iterator[tuple[End, End]]:
    used: set[End] = set()
    for words in lines.rest():
        if len(words) != 7 or words[3][1] != "<->":
            raise lines.error(words[0][0], 'a transition is written "x1 y1 d1 <-> x2 y2 d2"')
        pair: list[End] = []
        for three in (words[:3], words[4:]):
            limits = (("x", board.width - 1), ("y", board.height - 1), ("direction", 7))
            x, y, d = (lines.number_in(word, name, 0, high) for word, (name, high) in zip(three, limits, strict=True))
            end, column, said = (x, y, d), three[0][0], f"{x} {y} {d}"
            if board.at(x, y) == HOLE:
                raise lines.error(column, f"a transition cannot begin at {x} {y}: there is a hole")
            if not board.is_open(*end):
                raise lines.error(column, f"no transition at {said}: there is a neighbour in that direction")
            if end in used:
                raise lines.error(column, f"a second transition at {said}; each end carries one at most")
            used.add(end)
            pair.append(end)
        yield pair[0], pair[1]


def next_places(board: Map) -> NDArray[np.int16]:
    """Return where each walk goes on, ``int16[cells * 8]``.

    A *place* is a cell and the direction of a walk, ``cell * 8 + direction``; its entry is the place one step further,
    or -1 where the walk ends. Following the entries crosses tunnels without noticing.
    """
    table = np.full(len(board.cells) * 8, -1, np.int16)
    for y in range(board.height):
        for x in range(board.width):
            for d, (dx, dy) in enumerate(STEPS):
                if board.at(x, y) != HOLE and board.at(x + dx, y + dy) != HOLE:
                    table[(y * board.width + x) * 8 + d] = ((y + dy) * board.width + x + dx) * 8 + d
    for first, second in board.tunnels:
        for (x, y, d), (to_x, to_y, out) in ((first, second), (second, first)):
            table[(y * board.width + x) * 8 + d] = (to_y * board.width + to_x) * 8 + (out + 4) % 8
    return table


def dead_fields(board: Map) -> list[int]:
    """Return the fields on which nothing can ever happen: no stone reaches them, or no line of three leads off them."""
    table = next_places(board)
    reached = {cell for cell, symbol in enumerate(board.cells) if symbol in "12345678x"}
    waiting = list(reached)
    while waiting:
        first = waiting.pop() * 8
        for place in table[first : first + 8]:
            if place >= 0 and place // 8 not in reached:
                reached.add(int(place) // 8)
                waiting.append(int(place) // 8)
    dead = []
    for cell, symbol in enumerate(board.cells):
        ahead = [place for place in table[cell * 8 : cell * 8 + 8] if place >= 0]
        if symbol != HOLE and (cell not in reached or all(table[place] < 0 for place in ahead)):
            dead.append(cell)
    return dead


def placements(board: Map, player: int) -> list[int]:
    """Return the unoccupied fields on which a player, counted from 1, captures something at the start."""
    table = next_places(board)
    own, found = str(player), []
    for cell, symbol in enumerate(board.cells):
        for direction in range(8):
            place = int(table[cell * 8 + direction]) if symbol in "0cib" else -1
            taken = 0
            while place >= 0 and board.cells[place // 8] not in f"0cib{own}":
                taken += 1
                place = int(table[place])
            if place >= 0 and taken and board.cells[place // 8] == own:
                found.append(cell)
                break
    return found


@functools.cache
def shipped_maps() -> dict[str, str]:
    """Return the texts of the maps that come with the package, by name."""
    return {path.stem: path.read_text("utf-8") for path in sorted(FOLDER.glob("*.map"))}


def resolve_map(given: object) -> str:
    """Return the map that is meant by the name of a shipped map, a text or a file: its name, or its text made uniform.

    Raises:
        BadText: there is no such map, or it is not well formed.
    """
    if isinstance(given, str) and given in shipped_maps():
        return given
    if isinstance(given, str) and "\n" in given.strip():
        return format_map(parse_map(given))
    if isinstance(given, str | pathlib.PurePath) and _is_file(given):
        return format_map(read_map(given))
    near = difflib.get_close_matches(str(given), shipped_maps(), n=1)
    hint = f'did you mean "{near[0]}"? ' if near else ""
    raise BadText(f"{hint}give a file, the text of a map, or one of {', '.join(shipped_maps())}")


def _is_file(path: str | pathlib.PurePath) -> bool:
    try:
        return pathlib.Path(path).is_file()
    except (OSError, ValueError):  # longer than a name may be, or with a zero byte
        return False


def read_map(path: str | pathlib.PurePath) -> Map:
    """Read a map from a file."""
    try:
        text = pathlib.Path(path).read_text("utf-8")
    except UnicodeDecodeError as error:
        raise BadText(f"{path} is not a text file") from error
    except OSError as error:
        raise BadText(f"cannot read {path}: {error.strerror}") from error
    try:
        return parse_map(text)
    except BadText as error:
        raise BadText(f"{path}: {error}") from None
