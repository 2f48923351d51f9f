"""``Protocol``: how to speak with one kind of engine; each kind is a module beside this one."""

import time
from dataclasses import dataclass
from typing import ClassVar

from stammtisch.baselines.engines.process import EngineProcess
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.state import State, View
from stammtisch.errors import BadText, Forfeit
from stammtisch.text import printable

_SHOWN = 60


@dataclass(frozen=True)
class Terms:
    """What an engine is told about its work.

    Attributes:
        level: strength, in whatever the engine counts; 0 leaves it alone.
        time_s: seconds per move that it is told to take; 0 tells nothing.
        timeout_s: seconds after which it counts as hanging.
    """

    level: int
    time_s: float
    timeout_s: float


@dataclass(frozen=True)
class Situation:
    """What is to be decided.

    Attributes:
        view: what the engine's seat may know.
        state: the position, without what is hidden from that seat.
        actions: all actions and outcomes from the start on; None where they are not known.
    """

    view: View
    state: State
    actions: tuple[int, ...] | None


class Protocol:
    """A conversation with one engine process.

    Args:
        game: the game.
        terms: what the engine is told.
        process: the engine.
    """

    NAME: ClassVar[str]
    NEEDS_HISTORY: ClassVar[bool] = True

    def __init__(self, game: Game, terms: Terms, process: EngineProcess):
        self.game, self.terms, self.process = game, terms, process
        self.deadline = time.monotonic() + terms.timeout_s
        self.hello()

    @classmethod
    def check(cls, game: Game) -> None:
        """Refuse a game that this protocol cannot tell.

        Raises:
            ValueError: it cannot.
        """
        if cls.NAME not in game.PROTOCOLS:
            spoken = ", ".join((*game.PROTOCOLS, "text"))
            raise ValueError(f'engines of the protocol "{cls.NAME}" do not play {game.id}; it is played over {spoken}')

    def hello(self) -> None:
        """Begin the conversation."""

    def new_game(self) -> None:
        """Tell that a new game begins."""

    def choose(self, situation: Situation) -> int:
        """Ask for an action; whether it is legal is checked by the caller.

        Raises:
            Forfeit: the engine answers nothing that can be read.
        """
        raise NotImplementedError

    def ask(self, situation: Situation) -> int:
        """Ask for an action within the time allowed."""
        self.deadline = time.monotonic() + self.terms.timeout_s
        return self.choose(situation)

    def send(self, line: str) -> None:
        """Write a line to the engine."""
        self.process.send(line, self.deadline)

    def read_move(self, state: State, text: str) -> int:
        """Return the action that an engine's word stands for.

        Raises:
            Forfeit: it is no legal move.
        """
        try:
            return state.parse_action(text)
        except BadText:
            raise self.fault(f'answered "{printable(text)[:_SHOWN]}", which is no legal move') from None

    def fault(self, what: str) -> Forfeit:
        """Build the error for an engine that cannot go on."""
        return Forfeit(printable(f'engine "{self.process.command[0]}" {what}'))
