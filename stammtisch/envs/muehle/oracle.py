"""The oracle of Mühle and its relatives: what the tables say about a position, and the limit of turns on top."""

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core.game import Game
from stammtisch.envs.core.oracle import Oracle
from stammtisch.envs.core.rules import own
from stammtisch.envs.core.state import State
from stammtisch.envs.muehle.tables import MuehleTables, Sector, hands_of
from stammtisch.envs.muehle.tables import tables as tables_of

_DRAWN = 0


class MuehleOracle(Oracle):
    """Looks positions up in tables, which on small boards are built when first needed.

    Tables know no limit of turns. As they tell how long a win takes, the oracle does: a win that comes after the last
    turn is a draw. That a position may have occurred before (``repetition``) does not count.
    """

    def __init__(self, game: Game, table_set: MuehleTables):
        self._tables = table_set
        self._rules = own(game.rules)
        self._most = 0
        self._is_built = False

    def size(self) -> int:
        return 0 if self._tables.is_complete else max((w + b for w, b in self._there()), default=0)

    def start(self, rng: np.random.Generator, size: int = 0) -> State | None:
        """Draw a kind of position from the tables that are there, then the men on any points.

        Boards that are solved altogether begin at their start.
        """
        if self._tables.is_complete:
            return None
        rules: Any = self._rules
        game: Any = self._tables.game
        there = [(w, b) for w, b in self._there() if w + b <= (size or 2 * rules.MEN)]
        if not there:
            raise ValueError(f"no tables of {game.id} in {self._tables.folder}; stammtisch tables build {game.id}")
        while True:
            own_men, others = there[int(rng.integers(len(there)))]
            mover = int(rng.integers(2))
            board = np.full(rules.POINTS, ".")
            points = rng.permutation(rules.POINTS)
            board[points[:own_men]] = "WB"[mover]
            board[points[own_men : own_men + others]] = "WB"[1 - mover]
            state: State = game.from_board(board="".join(board), to_move=mover, turn=2 * rules.MEN)
            if state.player >= 0 and self.covers(state):
                return state

    def _there(self) -> list[tuple[int, int]]:
        """Return the men of the side to move and of the other in the sectors that are there."""
        men = range(self._rules.MEN_TO_LOSE + 1, self._rules.MEN + 1)
        return [(w, b) for w in men for b in men if self._codes(Sector(0, w, b)) is not None]

    def value_of(self, states: Sequence[State]) -> NDArray[np.float64]:
        values = np.full((len(states), 2), np.nan)
        if (lookup := self._lookup) is not None:
            turns = [i for i, state in enumerate(states) if state.player >= 0 and not self._is_strange(state)]
            found, rows = values[turns], np.array([states[i]._row for i in turns], np.int64).reshape(len(turns), -1)
            kernels, opened = lookup
            kernels.look_up_all(rows, opened, found, np.empty(2))
            values[turns] = found
        for i in np.flatnonzero(np.isnan(values[:, 0])).tolist():  # over, or a man is to be removed, or not covered
            if self.covers(states[i]):
                values[i] = self.value(states[i])
        return values

    @functools.cached_property
    def _lookup(self) -> tuple[Any, Any] | None:
        """Kernels that look many positions up, and sectors all of whose moves lead into sectors that are there."""
        try:
            kernels, opened, _ = self._tables.for_searches()
        except ValueError:
            return None
        places = opened.places.copy()
        if not self._tables.is_complete:
            least = self._rules.MEN_TO_LOSE + 1
            for _, w, b in np.argwhere(opened.places):
                if not all(opened.places[0, after, w] for after in (b, b - 1) if after >= least):
                    places[0, w, b] = 0
        return kernels, opened._replace(places=places)

    def distance(self, state: State) -> int | None:
        code = self._code(state)
        return None if code is None or code == _DRAWN else code - 1

    def distances(self, state: State) -> Mapping[int, int | None]:
        found: dict[int, int | None] = {}
        for action in state.legal_actions():
            after = state.child(action)
            distance = self.distance(after)
            # A man that is still to be removed belongs to this turn.
            is_over = after.player < 0 or not after._row[self._rules.PENDING]
            found[action] = None if distance is None else distance + int(is_over)
        return found

    def _knows(self, state: State) -> bool:
        if self._code(state) is None:
            return False
        if self._tables.is_complete or self._leads_into_tables(state):
            return True
        return all(self._code(state.child(action)) is not None for action in state.legal_actions())

    def _leads_into_tables(self, state: State) -> bool:
        """Tell whether a position at a turn is of a kind whose quiet moves and captures all lead into tables."""
        rules, row = self._rules, state._row
        if row[rules.PENDING]:
            return False
        p = int(row[rules.MOVER])
        own_men, others = int(row[rules.LEFT + p]), int(row[rules.LEFT + 1 - p])
        after = [men for men in (others, others - 1) if men > rules.MEN_TO_LOSE]
        return all(self._codes(Sector(0, men, own_men)) is not None for men in after)

    def _worth(self, state: State) -> NDArray[np.float64]:
        worth = self._pays(state)
        return np.array([worth, -worth] if state._row[self._rules.MOVER] == 0 else [-worth, worth])

    def _worth_of_actions(self, state: State) -> dict[int, float]:
        mover = self._rules.MOVER
        found = {}
        for action in state.legal_actions():
            after = state.child(action)
            worth = self._pays(after)
            found[action] = worth if after._row[mover] == state._row[mover] else 0.0 - worth
        return found

    def _pays(self, state: State) -> float:
        """Return what a position pays the seat to move, after the end the seat whose turn it would be."""
        code = self._code(state)
        assert code is not None
        if code == _DRAWN or int(state._row[self._rules.TURN]) + code - 1 > self._rules.MAX_TURNS:
            return 0.0
        return -1.0 if code % 2 else 1.0

    def _code(self, state: State) -> int | None:
        """Return the code of a position for the seat to move, after the end for the seat whose turn it would be."""
        rules, row = self._rules, state._row
        if row[rules.OVER]:
            return _DRAWN if row[rules.OVER] == rules.DRAWN else 1
        if row[rules.PENDING]:
            after = [self._code(state.child(action)) for action in state.legal_actions()]
            if None in after:
                return None
            codes = [code for code in after if code is not None]
            lost = [code for code in codes if code % 2]
            if lost:
                return min(lost) + 1
            return _DRAWN if _DRAWN in codes else max(codes) + 1
        p = int(row[rules.MOVER])
        hands = int(row[rules.HAND + p]), int(row[rules.HAND + 1 - p])
        men, enemy = int(row[rules.BOARD + p]), int(row[rules.BOARD + 1 - p])
        if hands != hands_of(sum(hands)):
            return None
        sector = Sector(sum(hands), men.bit_count(), enemy.bit_count())
        codes_of_sector = self._codes(sector)
        if codes_of_sector is None:
            return None
        self._most = max(self._most, sector.own, sector.other)
        index = self._tables.index(self._most)
        number = self._tables.index_kernels.find_number(index, men, enemy, sector.own, sector.other)
        return int(codes_of_sector[number])

    def prepare(self) -> bool:
        if self._is_built or not self._tables.is_complete:
            return False
        built = [self._tables.build(part) for part in self._tables.parts()]
        self._is_built = True
        return any(built)

    def _codes(self, sector: Sector) -> NDArray[np.uint8] | None:
        self.prepare()
        return self._tables.codes(sector)

    def _why_not(self, state: State) -> str:
        game, row, rules = state.game, state._row, self._rules
        if self._tables.is_complete:
            return "the sides have not placed their men in turn"
        if row[rules.HAND] or row[rules.HAND + 1]:
            return f"men are still to be placed, and the tables of {game.id} begin after that"
        men = int(row[rules.LEFT] + row[rules.LEFT + 1])
        return f"no table of so many men in {self._tables.folder}; stammtisch tables build {game.id} --men {men}"


def oracle(game: Game, tables: Any = None) -> MuehleOracle:
    """Return the oracle of a game.

    Args:
        game: the game.
        tables: folder of the tables; by default that of the user.
    """
    return MuehleOracle(game, tables_of(game, tables))
