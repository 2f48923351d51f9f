"""Reversi solved from its start: what is proven of all positions of the first moves, on 4x4 and 6x6.

Positions are counted once whatever way the board is turned. Those after the last of these moves are searched, question
by question, until the exact score of the start follows from what is known of them.
"""

import functools
import json
import pathlib
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core.game import Game
from stammtisch.envs.core.rules import own
from stammtisch.envs.core.state import State
from stammtisch.envs.core.tables import SUFFIX, Part, TableSet, Tell, tables_folder
from stammtisch.envs.reversi.score_search import MANY_EMPTIES, MANY_PLACES, PLACES, ScoreSearch, score_of_end
from stammtisch.errors import unreadable
from stammtisch.files import make_folder, write_text
from stammtisch.files.documents import read_json

MOVES = 2  # whose positions are proven, passes counted
_LARGEST = 36  # cells
_ZERO = 128  # what a byte says for a score of 0
_BEGUN = ".begun"
_GUESSES = {36: -4}  # where to begin to ask, which saves time and decides nothing: Feinstein (1993) for 6x6

Key = tuple[int, int]  # discs of the side to move and of the other, the least of all symmetric pairs


class Bounds(NamedTuple):
    """The least and the highest that the score of a position can be, for the side to move."""

    low: int
    high: int

    def turned(self) -> "Bounds":
        """Return the same for the other side."""
        return Bounds(-self.high, -self.low)


class OpeningTables(TableSet):
    """Bounds of the final difference of discs for the side to move, two bytes for each position.

    A build that was broken off goes on with the questions that are still to be answered. It has one thread.
    """

    def __init__(self, game: Game, folder: Any = None):
        rules = own(game.rules)
        if rules.CELLS > _LARGEST or rules.VOLUNTARY_PASS:
            raise ValueError(f"{game!r} is not solved from its start: 4x4 and 6x6 are, with passes only where forced")
        super().__init__(game, folder)

    @property
    def name(self) -> str:
        counted = "empty-cells-to-nobody" if own(self.game.rules).REWARD_DISCS else "empty-cells-to-winner"
        return f"{self.game.id}.{counted}"

    def parts(self, size: int = 0) -> list[Part]:
        name = f"first-{MOVES}-moves"
        return [Part(name, (f"{name}{SUFFIX}",), 2 * len(self.keys))]

    # Positions

    @functools.cached_property
    def levels(self) -> list[dict[Key, State]]:
        """The positions after no move, one, and so on, in ascending order of their keys."""
        start = self.game.new_state(seed=0)
        found = [{self.key(start): start}]
        for _ in range(MOVES):
            children = (state.child(action) for state in found[-1].values() for action in state.legal_actions())
            found.append(dict(sorted({self.key(child): child for child in children if child.player >= 0}.items())))
        return found

    @functools.cached_property
    def keys(self) -> list[Key]:
        """What the entries are about, the start first."""
        return list(dict.fromkeys(key for level in self.levels for key in level))

    def key(self, state: State) -> Key:
        """Return what a position at a player's turn is known by."""
        rules, row = own(self.game.rules), state._row
        bits = np.arange(rules.CELLS)
        sides = np.array([int(row[rules.DISCS + seat]) >> bits & 1 for seat in (state.player, 1 - state.player)])
        words = (sides[:, self._images].astype(np.int64) << bits).sum(axis=2)
        return min(zip(*words.tolist(), strict=True))

    @functools.cached_property
    def _images(self) -> NDArray[np.int64]:
        rules = own(self.game.rules)
        cells = np.arange(rules.CELLS).reshape(rules.SIZE, rules.SIZE)
        return np.array([np.rot90(board, turns).ravel() for board in (cells, cells.T) for turns in range(4)])

    def of_moves(self, state: State, known: dict[Key, Bounds]) -> dict[int, Bounds]:
        """Return what is known of each move, for the side that makes it, from the positions that they lead to."""
        found = {}
        for action in state.legal_actions():
            child = state.child(action)
            if child.player < 0:
                score = score_of_end(child, state.player)
                found[action] = Bounds(score, score)
            else:
                found[action] = known[self.key(child)].turned()
        return found

    def follow(self, known: dict[Key, Bounds]) -> dict[Key, Bounds]:
        """Return what follows for all positions, in the order of the entries, from what is known of the last."""
        found = {key: known[key] for key in self.levels[-1]}
        for level in reversed(self.levels[:-1]):
            for key, state in level.items():
                moves = self.of_moves(state, found).values()
                found[key] = Bounds(max(move.low for move in moves), max(move.high for move in moves))
        return {key: found[key] for key in self.keys}

    # Building and checking

    def make(self, part: Part, threads: int, tell: Tell) -> dict[str, tuple[NDArray[Any], dict[str, Any]]]:
        cells = own(self.game.rules).CELLS
        last = self.levels[-1]
        known = dict.fromkeys(last, Bounds(-cells, cells)) | self._begun()
        search = self._search(part, tell)

        def ask(key: Key, score: int) -> None:
            low, high = known[key]
            found = search.bound(last[key], score)
            bounds = Bounds(max(low, found), high) if found >= score else Bounds(low, min(high, found))
            if bounds.low > bounds.high:
                raise unreadable("begun table", self._begun_file, "a search contradicts what it says; delete it")
            known[key] = bounds
            self._write_begun(known)

        while (question := self._question(known)) is not None:
            ask(*question)
        proven = self.follow(known)
        entries = np.array([bound + _ZERO for key in proven for bound in proven[key]], np.uint8)
        (file,) = part.files
        return {file: (entries, {"positions": len(proven), "start": proven[self.keys[0]].low})}

    def _question(self, known: dict[Key, Bounds]) -> tuple[Key, int] | None:
        """Return a last position and a score of which it is to be found out whether it reaches it; None at the end."""
        start = self.follow(known)[self.keys[0]]
        if start.low == start.high:
            return None
        score = min(max(_GUESSES.get(own(self.game.rules).CELLS, 0), start.low + 1), start.high)
        return self._question_below(0, self.keys[0], score, known)

    def _question_below(self, level: int, key: Key, score: int, known: dict[Key, Bounds]) -> tuple[Key, int]:
        """Return what to ask next in order to find out whether a position reaches a score, which is not known yet."""
        if level == MOVES:
            return key, score
        state, found = self.levels[level][key], self.follow(known)
        open_ = {action: each for action, each in self.of_moves(state, found).items() if each.low < score <= each.high}
        child = self.key(state.child(max(open_, key=lambda action: sum(open_[action]))))
        # The move reaches the score if what follows does not reach more than its opposite.
        return self._question_below(level + 1, child, 1 - score, known)

    def _search(self, part: Part, tell: Tell) -> ScoreSearch:
        empties = max(int(self.game.rules.empties(state._row)) for state in self.levels[-1].values())
        places = MANY_PLACES if empties >= MANY_EMPTIES else PLACES
        return ScoreSearch(self.game, places, lambda line: tell(f"{part.name}: {line}"))

    def build(self, part: Part, threads: int = 2, tell: Tell = lambda line: None) -> bool:
        is_new = super().build(part, threads, tell)
        if is_new:
            self._begun_file.unlink(missing_ok=True)
        return is_new

    def find_fault(self, part: Part, threads: int, tell: Tell) -> str | None:
        known = self.read()
        for key, bounds in self.follow(known).items():
            if bounds != known[key]:
                return f"a position is said to be {_words(known[key])}, and its moves make it {_words(bounds)}"
        search, cells = self._search(part, tell), own(self.game.rules).CELLS
        for key, state in self.levels[-1].items():
            low, high = known[key]
            reaches = low <= -cells or search.bound(state, low) >= low
            if not reaches or (high < cells and search.bound(state, high + 1) > high):
                return f"a position is said to be {_words(known[key])}, which it is not"
        return None

    # Files

    def read(self) -> dict[Key, Bounds]:
        """Return what is proven of all positions, the start first.

        Raises:
            BadFile: it is not there, or damaged.
        """
        part = self.parts()[0]
        table = self.open(part.files[0])
        table.check_sum()
        if len(table.entries) != part.entries:
            raise unreadable("table", table.path, f"it has {len(table.entries)} entries, not {part.entries}")
        bounds = table.entries.astype(np.int64).reshape(-1, 2) - _ZERO
        return {key: Bounds(*pair) for key, pair in zip(self.keys, bounds.tolist(), strict=True)}

    def remove(self, part: Part) -> int:
        self._begun_file.unlink(missing_ok=True)
        return super().remove(part)

    @property
    def _begun_file(self) -> pathlib.Path:
        return self.folder / f"{self.parts()[0].name}{_BEGUN}"

    def _begun(self) -> dict[Key, Bounds]:
        """Return what an earlier build has found out before it was broken off."""
        path = self._begun_file
        if not path.is_file():
            return {}
        rows = read_json(path, "begun table")
        if not isinstance(rows, list) or not all(
            isinstance(row, list) and len(row) == 4 and all(type(each) is int for each in row) for row in rows
        ):
            raise unreadable("begun table", path, "it is no list of positions and scores; delete it")
        cells = own(self.game.rules).CELLS
        if not all(-cells <= low <= high <= cells for *_, low, high in rows):
            raise unreadable("begun table", path, "it has scores that no position can have; delete it")
        return {(row[0], row[1]): Bounds(*row[2:]) for row in rows if (row[0], row[1]) in self.levels[-1]}

    def _write_begun(self, known: dict[Key, Bounds]) -> None:
        make_folder(self.folder)
        write_text(self._begun_file, json.dumps([[*key, *bounds] for key, bounds in sorted(known.items())]))


class Openings:
    """What is proven of the first moves, to be looked up."""

    def __init__(self, tables: OpeningTables):
        self._tables = tables
        self._known: dict[Key, Bounds] | None = None

    @property
    def are_there(self) -> bool:
        """Whether they have been proven."""
        return self._tables.has(self._tables.parts()[0])

    def of_moves(self, state: State) -> dict[int, Bounds] | None:
        """Return what is known of each move of a position at a player's turn, None if not of all."""
        rules = own(state.game.rules)
        start = int(rules.empties(self._tables.game.new_state(seed=0)._row))
        if int(rules.empties(state._row)) <= start - MOVES:
            return None  # without looking further: too many discs
        if all(self._tables.key(state) not in level for level in self._tables.levels[:-1]):
            return None
        if self._known is None:
            self._known = self._tables.read()
        return self._tables.of_moves(state, self._known)


def known_openings(game: Game, tables: Any = None) -> Openings | None:
    """Return what is proven of the first moves of a game in a folder, or the user's own; None where nothing is."""
    found = _openings(game, tables_folder(tables))
    return found if found is not None and found.are_there else None


@functools.lru_cache(maxsize=4)
def _openings(game: Game, folder: pathlib.Path) -> Openings | None:
    try:
        return Openings(OpeningTables(game, folder))
    except ValueError:
        return None


def _words(bounds: Bounds) -> str:
    return f"{bounds.low:+}" if bounds.low == bounds.high else f"{bounds.low:+} to {bounds.high:+}"


def tables(game: Game, folder: Any = None) -> OpeningTables:
    """Return the tables of a game."""
    return OpeningTables(game, folder)
