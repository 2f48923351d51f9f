"""``engine``: seats an outside engine, ``engine:gtp,command=gtp-rhino -l 3``."""

import contextlib
import json
import logging
import shlex
from typing import Any, ClassVar

from stammtisch.baselines.engines.gtp import Gtp
from stammtisch.baselines.engines.mill import Mill
from stammtisch.baselines.engines.nboard import NBoard
from stammtisch.baselines.engines.process import EngineProcess, program_of
from stammtisch.baselines.engines.protocol import Protocol, Situation, Terms
from stammtisch.baselines.engines.spiel import SpielBot
from stammtisch.baselines.engines.text import Text
from stammtisch.envs.core.agent import Agent
from stammtisch.envs.core.constants import TERMINAL
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.options import Option, OptionTable
from stammtisch.envs.core.state import State, View
from stammtisch.envs.core.streams import Seed, seed_streams
from stammtisch.errors import Forfeit
from stammtisch.files.documents import fits, read_table
from stammtisch.files.reading import reading

PROTOCOLS: dict[str, type[Protocol]] = {cls.NAME: cls for cls in (Gtp, NBoard, Mill, Text)}
_MOST_PLIES = 4  # actions between two turns of a seat that are found out without being told
_MOST_POSITIONS = 20_000

_log = logging.getLogger(__name__)


class EngineAgent(Agent):
    """Plays what an outside program answers. The program is started without a shell and never believed.

    An engine that hangs, crashes, floods or answers what is no legal move is killed and loses that game, and in a match
    that game only: for the next one it is started again. Forced moves are played without asking. Engines that must know
    how a position came about are told by the match, or it is found out where few moves lead from turn to turn.
    """

    MAIN_OPTION = "protocol"
    OPTIONS: ClassVar[OptionTable] = {
        "protocol": Option("text", "what the engine speaks", (*PROTOCOLS, "spiel")),
        "command": Option("", 'program and arguments: words as a shell reads them, or ["a", "JSON list"]'),
        "file": Option("", "TOML file with command = [...] and other options instead"),
        "bot": Option("mcts", "spiel: mcts, random or package.module:function"),
        "level": Option(0, "strength, in whatever the engine counts; 0 leaves it alone", minimum=0),
        "time_s": Option(0.0, "seconds per move that the engine is told to take; 0 tells nothing", minimum=0.0),
        "timeout_s": Option(60.0, "seconds after which it counts as hanging and is killed", minimum=0.05),
        "retries": Option(0, "starts within one game after a fault, before the game is lost", minimum=0),
        "log": Option("", "file to which its stderr is appended"),
    }

    def __init__(self, game: Game, seed: Seed = None, spec: str = "engine", **options: Any):
        super().__init__(game, seed, spec, **options)
        given = dict(self.options)
        command: list[str] = words_of(given["command"])
        if given["file"]:
            command, more = _read(given["file"])
            given |= {**more, **{name: value for name, value in options.items() if name != "command"}}
        self.options = given
        self._command = command
        self._terms = Terms(given["level"], given["time_s"], given["timeout_s"])
        self._conversation: Protocol | None = None
        self._spiel: SpielBot | None = None
        if given["protocol"] == "spiel":
            number = int(seed_streams(seed, 1)[0] >> 33)
            self._spiel = SpielBot(game, given["bot"], given["level"], number)
        else:
            PROTOCOLS[given["protocol"]].check(game)
            program_of(command)
        self._forget()

    def reset(self, seed: Seed = None) -> None:
        self._forget()
        if self._conversation is not None and self._conversation.process.is_running:
            try:
                self._conversation.new_game()
            except Forfeit as fault:
                _log.warning("between games: %s", fault)
                self._drop()

    def _forget(self) -> None:
        """Wait for a new game."""
        self._actions: list[int] = []
        self._at: State | None = None if self.game.info.hidden else self.game.new_state(seed=0)

    def watch(self, event: int) -> None:
        if self._at is not None:
            self._at.apply(event)
            self._actions.append(event)

    def act(self, view: View) -> int:
        legal = view.legal_actions()
        needs_history = self._spiel is not None or PROTOCOLS[self.options["protocol"]].NEEDS_HISTORY
        if needs_history:
            self._catch_up(view)
        if len(legal) == 1:
            return legal[0]
        known = tuple(self._actions) if self._at is not None and self._at == view._state else None
        situation = Situation(view, view._state, known)
        for last in range(self.options["retries"], -1, -1):
            try:
                action = self._asked(situation)
                if action not in legal:
                    raise Forfeit(f"engine answered action {action}, which is not legal")
                return action
            except Forfeit as fault:
                self._drop()
                if last == 0:
                    raise
                _log.warning("started again: %s", fault)
        raise AssertionError

    def _asked(self, situation: Situation) -> int:
        if self._spiel is not None:
            return self._spiel.choose(situation.actions or (), situation.view.player)
        if self._conversation is None or not self._conversation.process.is_running:
            process = EngineProcess(self._command, self.options["log"])
            try:
                self._conversation = PROTOCOLS[self.options["protocol"]](self.game, self._terms, process)
            except BaseException:
                process.kill()
                raise
        return self._conversation.ask(situation)

    def _drop(self) -> None:
        if self._conversation is not None:
            self._conversation.process.kill()
        self._conversation = None

    def close(self) -> None:
        """End the engine."""
        if self._conversation is not None:
            self._conversation.process.close()
        self._conversation = None

    @property
    def errors(self) -> str:
        """The end of what the running engine wrote to stderr."""
        return self._conversation.process.errors if self._conversation is not None else ""

    def _catch_up(self, view: View) -> None:
        """Bring the record of the game up to a position that nobody told of."""
        assert self._at is not None
        goal = view._state
        if self._at == goal:
            return
        for start, before in ((self._at, self._actions), (self.game.new_state(seed=0), [])):
            way = _way(start, goal)
            if way is not None:
                self._actions = [*before, *way]
                self._at = goal.clone()
                return
        raise Forfeit(f"the engine cannot be told how this position of {self.game.id} came about")


def words_of(command: str) -> list[str]:
    """Return the words of a command: as a shell would read them, or of a JSON list.

    Example:
        >>> words_of("gtp-rhino -l 3"), words_of('["my engine", "-x"]')
        (['gtp-rhino', '-l', '3'], ['my engine', '-x'])

    Raises:
        ValueError: a quote is not closed, or it is no list of texts.
    """
    words: Any = None
    with contextlib.suppress(ValueError):
        words = json.loads(command) if command.lstrip().startswith("[") else shlex.split(command)
    if not fits(words, list[str]):
        raise ValueError(
            f'cannot read the command {command!r}; write words, or a list such as ["gtp-rhino", "-l", "3"]'
        )
    found: list[str] = words
    return found


def _read(path: str) -> tuple[list[str], dict[str, Any]]:
    """Read command and options from a TOML file."""
    with reading(path, "engine file"):
        table = read_table(path, "engine file")
        command = table.pop("command", None)
        if not fits(command, list[str]) or not command:
            raise ValueError('it has no command = ["program", "argument"]')
        known = {name: option for name, option in EngineAgent.OPTIONS.items() if name not in ("file", "command")}
        options = {}
        for name, value in table.items():
            if name not in known:
                raise ValueError(f"{name} is no option of an engine; known: {', '.join(known)}")
            options[name] = known[name].read(name, value)
    return command, options


def _way(start: State, goal: State) -> list[int] | None:
    """Return actions that lead from one position to another, if there are few; None if none are found."""
    ways: list[tuple[State, list[int]]] = [(start.clone(), [])]
    looked = 0
    for _ in range(_MOST_PLIES):
        further = []
        for state, way in ways:
            if state.player == TERMINAL:
                continue
            for action in state.legal_actions():
                after = state.child(action)
                looked += 1
                if after == goal:
                    return [*way, action]
                if looked > _MOST_POSITIONS:
                    return None
                further.append((after, [*way, action]))
        ways = further
    return None
