"""``GameTable``: one game in the studio, who sits where, what has happened; kept in a file that is written whole.

Everything follows from the start and the list of events (actions and chance outcomes), so a file is small, and going
back is cutting the list. The dice of event ``i`` depend on the seed of the table and on ``i`` alone: taking a move back
does not bring new luck.
"""

import pathlib
import re
import secrets
import threading
import time
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from stammtisch.envs import load_game
from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.state import State
from stammtisch.files import write_text
from stammtisch.files.documents import fits, read_json
from stammtisch.files.reading import reading
from stammtisch.json_text import json_text

PERSON, AGENT = "person", "agent"
NAME = re.compile(r"[0-9a-z]{10}")
_MOST_EVENTS = 20_000
_MOST_SEATS = 16
_MOST_BYTES = 1 << 22
_LONGEST_DELAY_S = 3600.0


@dataclass
class Sitter:
    """Who sits in a seat.

    Attributes:
        kind: ``person`` or ``agent``.
        spec: what the page calls the agent; empty for people.
        name: what is shown; empty for the usual name.
    """

    kind: str
    spec: str = ""
    name: str = ""


@dataclass
class GameTable:
    """A game.

    Attributes:
        name: of the table, and of its file.
        game_id: the game.
        options: its options.
        seats: who sits where.
        start: the position it began with, as text; empty for the usual start.
        seed: decides the start and all chance events.
        events: what has happened.
        resigned: seat that gave up.
        delay_s: least time between two moves of machines.
        paused: whether machines wait.
        changed: when something happened last.
        fault: what went wrong with an agent last.
        over: whether it was over when it was saved.
    """

    game_id: str
    seats: list[Sitter]
    options: dict[str, Any] = field(default_factory=dict)
    start: str = ""
    name: str = field(default_factory=lambda: secrets.token_hex(5))
    seed: int = field(default_factory=lambda: secrets.randbits(48))
    events: list[int] = field(default_factory=list)
    resigned: int | None = None
    delay_s: float = 0.7
    paused: bool = False
    changed: float = field(default_factory=time.time)
    fault: str = ""
    over: bool = False
    _states: list[State] = field(default_factory=list, repr=False)
    _game: Game | None = field(default=None, repr=False)
    _saving: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _is_deleted: bool = field(default=False, repr=False)

    # Position

    def load(self) -> None:
        """Load the game and play what has happened; slow the first time, where kernels are compiled.

        Raises:
            ValueError: the record is not one of this game.
        """
        if self._states:
            return
        game = load_game(self.game_id, **self.options)
        if len(self.seats) != game.info.num_players:
            raise ValueError(f"{game.id} has {game.info.num_players} seats, not {len(self.seats)}")
        state = game.from_text(self.start) if self.start else game.new_state(self.seed)
        states = [state]
        for event in self.events:
            state = state.child(event)
            states.append(state)
        self._game, self._states = game, states

    @property
    def game(self) -> Game:
        """The loaded game."""
        assert self._game is not None
        return self._game

    @property
    def is_loaded(self) -> bool:
        """Whether the position is there."""
        return bool(self._states)

    @property
    def state(self) -> State:
        """The present position."""
        return self._states[-1]

    @property
    def states(self) -> list[State]:
        """All positions, the start first."""
        return self._states

    @property
    def player(self) -> int:
        """Seat to move, CHANCE or TERMINAL; nobody after somebody resigned."""
        return TERMINAL if self.resigned is not None else self.state.player

    @property
    def people(self) -> list[int]:
        """Seats of people."""
        return [seat for seat, each in enumerate(self.seats) if each.kind == PERSON]

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.player == TERMINAL

    def returns(self) -> list[float]:
        """Return what each seat gets; who resigns loses with the whole team."""
        if self.resigned is None:
            found: list[float] = self.state.returns().tolist()
            return found
        teams = self.game.info.teams
        low, high = -1.0, 1.0
        return [low if team == teams[self.resigned] else high for team in teams]

    # Changes

    def play(self, event: int) -> None:
        """Take an action, or a chance outcome.

        Raises:
            ValueError: it is not legal.
        """
        if self.is_over:
            raise ValueError("the game is over")
        if len(self.events) >= _MOST_EVENTS:
            raise ValueError(f"a game in the studio has at most {_MOST_EVENTS} events")
        self._states.append(self.state.child(event))
        self.events.append(event)
        self.fault = ""
        self.changed = time.time()

    def draw_chance(self) -> int:
        """Let chance decide, and return what it decided."""
        after = self.state.clone()
        outcome = after.sample_chance(np.random.default_rng([self.seed, len(self.events)]))
        self._states.append(after)
        self.events.append(outcome)
        self.changed = time.time()
        return outcome

    def take_back(self) -> None:
        """Go back to the last decision of a person before the present one, or of anybody where no person plays.

        Raises:
            ValueError: there is none.
        """
        if self.resigned is not None:
            self.resigned = None
            return
        people = self.people or range(len(self.seats))
        for place in range(len(self.events) - 1, -1, -1):
            if self._states[place].player in people:
                del self.events[place:], self._states[place + 1 :]
                self.fault = ""
                self.changed = time.time()
                return
        raise ValueError("there is no move to take back")

    def can_take_back(self) -> bool:
        """Whether there is a move to take back."""
        people = self.people or range(len(self.seats))
        return self.resigned is not None or any(state.player in people for state in self._states[:-1])

    def rotated(self) -> "GameTable":
        """Return a new table with everybody one seat on, so that with two sides they have changed."""
        return GameTable(self.game_id, [*self.seats[1:], self.seats[0]], dict(self.options), self.start)

    # Files

    def save(self, folder: pathlib.Path) -> None:
        """Write the table as it is now, whole or not at all; several threads may, one after the other."""
        with self._saving:
            if not self._is_deleted:
                self.over = self.is_loaded and self.is_over
                data = {name: getattr(self, name) for name in _FIELDS}
                data["seats"] = [asdict(seat) for seat in self.seats]
                write_text(folder / f"{self.name}.json", json_text(data))

    def delete(self, folder: pathlib.Path) -> None:
        """Remove the file; what is still being saved does not bring it back."""
        with self._saving:
            self._is_deleted = True
            (folder / f"{self.name}.json").unlink(missing_ok=True)

    @classmethod
    def read(cls, path: pathlib.Path) -> "GameTable":
        """Read a table.

        Raises:
            BadFile: the file is damaged.
        """
        kind = "game of the studio"
        with reading(path, kind):
            data = read_json(path, kind, _MOST_BYTES)
            for name, form in _FORMS.items():
                if name in data and not fits(data[name], form):
                    raise ValueError(f"its {name} is something else")
            if unknown_names := set(data) - set(_FORMS):
                raise ValueError(f"it tells of {', '.join(sorted(unknown_names))}")
            if len(data["seats"]) > _MOST_SEATS or len(data.get("events", ())) > _MOST_EVENTS:
                raise ValueError("it has too many seats or events")
            seats = [Sitter(**seat) for seat in data.pop("seats")]
            table = cls(seats=seats, **data)
            if any(seat.kind not in (PERSON, AGENT) for seat in seats):
                raise ValueError("somebody in it is neither a person nor an agent")
            if table.resigned is not None and not 0 <= table.resigned < len(seats):
                raise ValueError(f"seat {table.resigned} has resigned")
            if table.name != path.stem or not 0 <= table.seed < 1 << 64 or not 0 <= table.delay_s <= _LONGEST_DELAY_S:
                raise ValueError("its name, seed or delay is none that a game has")
        return table

    def to_json(self) -> dict[str, Any]:
        """Return what lists show."""
        return {
            "name": self.name,
            "game": self.game_id,
            "seats": [asdict(seat) for seat in self.seats],
            "moves": len(self.events),
            "changed": self.changed,
            "over": self.is_over if self.is_loaded else self.over,
        }

    @property
    def is_at_chance(self) -> bool:
        """Whether chance decides next."""
        return self.player == CHANCE


_FIELDS = tuple(name for name in GameTable.__dataclass_fields__ if not name.startswith("_"))
_FORMS: dict[str, Any] = {
    "game_id": str,
    "seats": list[dict[str, str]],
    "options": dict[str, Any],
    "start": str,
    "name": str,
    "seed": int,
    "events": list[int],
    "resigned": int | None,
    "delay_s": float,
    "paused": bool,
    "changed": float,
    "fault": str,
    "over": bool,
}
