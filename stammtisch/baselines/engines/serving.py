"""Our agents as engines: they read commands line by line and answer, so that other people's arenas can play them."""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, TextIO

from stammtisch.baselines.engines.gtp import board_size
from stammtisch.baselines.engines.nboard import ggf_of
from stammtisch.baselines.engines.text import VERSION, game_facts
from stammtisch.envs.core.agent import Agent
from stammtisch.envs.core.constants import TERMINAL
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.state import State
from stammtisch.files.documents import parse_json
from stammtisch.version import __version__

Write = Callable[[str], None]
_LONGEST = 1 << 20  # characters of a line


def lines_of(file: TextIO) -> Iterator[str]:
    """Yield the lines of a conversation; what is longer than any command is cut, and costs no memory."""
    while line := file.readline(_LONGEST):
        rest = line
        while rest and not rest.endswith("\n"):
            rest = file.readline(_LONGEST)
        yield line


class EngineServer:
    """Answers commands about one game with one agent; a subclass speaks a protocol.

    Args:
        agent: the player.
        write: takes the lines of the answers.
    """

    NAME: ClassVar[str]

    def __init__(self, agent: Agent, write: Write):
        self.agent, self.game, self.write = agent, agent.game, write
        self.state: State = self.game.new_state(seed=0)

    @classmethod
    def check(cls, game: Game) -> None:
        """Refuse a game that this protocol cannot tell.

        Raises:
            ValueError: it cannot.
        """
        if cls.NAME not in game.PROTOCOLS:
            spoken = ", ".join(name for name in SERVERS if name == "text" or name in game.PROTOCOLS)
            raise ValueError(f'the protocol "{cls.NAME}" has no words for {game.id}; choose {spoken}')

    def run(self, lines: Iterable[str]) -> None:
        """Answer until the input ends or a command ends it."""
        for line in lines:
            if not self.answer(line.rstrip("\r\n")):
                return

    def answer(self, line: str) -> bool:
        """Answer a line; return whether to go on."""
        raise NotImplementedError

    def think(self) -> int:
        """Return the agent's action in the present position."""
        return int(self.agent.act(self.state.view(self.state.player)))


class GtpServer(EngineServer):
    """GTP 2. A move of a colour that is not next is taken as a pass of the other, if that may pass."""

    NAME = "gtp"

    def __init__(self, agent: Agent, write: Write):
        super().__init__(agent, write)
        self._past: list[State] = []
        self._commands: dict[str, Callable[[list[str]], str]] = {
            "protocol_version": lambda words: "2",
            "name": lambda words: f"stammtisch {agent.spec}",
            "version": lambda words: __version__,
            "known_command": lambda words: str(bool(words) and words[0] in self._commands).lower(),
            "list_commands": lambda words: "\n".join(self._commands),
            "quit": lambda words: "",
            "boardsize": self._boardsize,
            "clear_board": lambda words: self._clear(),
            "komi": lambda words: "",
            "time_settings": lambda words: "",
            "time_left": lambda words: "",
            "play": self._play,
            "genmove": self._genmove,
            "reg_genmove": self._propose,
            "undo": lambda words: self._undo(),
            "showboard": lambda words: "\n" + str(self.state),
            "final_score": lambda words: self._final_score(),
            "list_games": lambda words: "Othello",
            "set_game": lambda words: "",
        }

    def answer(self, line: str) -> bool:
        words = line.partition("#")[0].split()
        if not words:
            return True
        number = words.pop(0) if words[0].isdigit() else ""
        name, *rest = words or [""]
        try:
            if name not in self._commands:
                raise ValueError("unknown command")
            sign, said = "=", self._commands[name](rest)
        except ValueError as error:
            sign, said = "?", " ".join(str(error).split())
        self.write(f"{sign}{number} {said}".rstrip() + "\n")
        return name != "quit"

    def _boardsize(self, words: list[str]) -> str:
        if words != [str(board_size(self.game))]:
            raise ValueError("unacceptable size")
        return ""

    def _clear(self) -> str:
        self.state = self.game.new_state(seed=0)
        self._past = []
        self.agent.reset()
        return ""

    def _turn(self, words: list[str]) -> State:
        """Return the position with a colour to move; the other has passed if need be."""
        color = {"b": "black", "w": "white"}.get(words[0].lower(), words[0].lower()) if words else ""
        if color not in self.game.COLORS:
            raise ValueError("syntax error")
        state = self.state.clone()
        if state.player == TERMINAL:
            return state
        if self.game.COLORS[state.player] != color:
            try:
                state.apply(state.parse_action("pass"))
            except ValueError:
                raise ValueError("illegal move: it is not this colour's turn") from None
        return state

    def _play(self, words: list[str]) -> str:
        state = self._turn(words)
        if len(words) != 2:
            raise ValueError("syntax error")
        try:
            state.apply(state.parse_action(words[1].lower()))
        except ValueError:
            if words[1].lower() != "pass" or state.player == TERMINAL:
                raise ValueError("illegal move") from None
        self._past.append(self.state)
        self.state = state
        return ""

    def _propose(self, words: list[str]) -> str:
        return self._chosen(words)[1]

    def _genmove(self, words: list[str]) -> str:
        state, said = self._chosen(words)
        if state.player != TERMINAL:
            state.apply(state.parse_action(said.lower()))
        self._past.append(self.state)
        self.state = state
        return said

    def _chosen(self, words: list[str]) -> tuple[State, str]:
        state = self._turn(words)
        if state.player == TERMINAL:
            return state, "pass"
        action = int(self.agent.act(state.view(state.player)))
        said = state.action_text(action)
        return state, said if said == "pass" else said.upper()

    def _undo(self) -> str:
        if not self._past:
            raise ValueError("cannot undo")
        self.state = self._past.pop()
        return ""

    def _final_score(self) -> str:
        black, white = self.state.discs
        return "0" if black == white else f"{'B' if black > white else 'W'}+{abs(black - white)}"


class NBoardServer(EngineServer):
    """NBoard 2."""

    NAME = "nboard"

    def answer(self, line: str) -> bool:
        name, _, rest = line.strip().partition(" ")
        try:
            if name == "nboard":
                self.write(f"set myname stammtisch-{self.agent.name}")
            elif name == "set":
                self._set(rest)
            elif name == "move":
                move = ggf_of(self.game).read_move(rest)
                self.state.apply(self.state.parse_action(move))
            elif name == "go":
                self._go()
            elif name == "ping":
                self.write(f"pong {rest}")
            elif name == "quit":
                return False
        except ValueError as error:
            self.write(f"status error: {' '.join(str(error).split())}")
        return True

    def _set(self, rest: str) -> None:
        what, _, value = rest.partition(" ")
        if what == "game":
            self.state = ggf_of(self.game).read_ggf(self.game, value)

    def _go(self) -> None:
        if self.state.player == TERMINAL:
            self.write("=== PA")
            return
        self.write("status thinking")
        said = self.state.action_text(self.think())
        self.write("status")
        self.write(f"=== {'PA' if said == 'pass' else said.upper()}")


class MillServer(EngineServer):
    """The UCI-like protocol of Mill programs."""

    NAME = "mill"

    def answer(self, line: str) -> bool:
        words = line.split()
        name = words[0] if words else ""
        if name == "uci":
            self.write(f"id name stammtisch {self.agent.spec}")
            self.write("id author the stammtisch developers")
            self.write("uciok")
        elif name == "isready":
            self.write("readyok")
        elif name == "ucinewgame":
            self.agent.reset()
        elif name == "position":
            self._set_position(words[1:])
        elif name == "go":
            is_over = self.state.player == TERMINAL
            self.write(f"bestmove {'none' if is_over else self.state.action_text(self.think())}")
        return name != "quit"

    def _set_position(self, words: list[str]) -> None:
        state = self.game.new_state(seed=0)
        try:
            if words[:1] != ["startpos"] or words[1:2] not in ([], ["moves"]):
                raise ValueError("write position startpos moves …")
            for word in words[2:]:
                state.apply(state.parse_action(word))
        except ValueError as error:
            self.write(f"info string {' '.join(str(error).split())}")
            return
        self.state = state


class TextServer(EngineServer):
    """Our own protocol. Positions come as text; where something is hidden they cannot, and no agent can be served."""

    NAME = "text"

    @classmethod
    def check(cls, game: Game) -> None:
        if game.info.hidden:
            raise ValueError(f"agents cannot be served for {game.id}: cards are hidden, and positions are told in full")

    def answer(self, line: str) -> bool:
        if not line.strip():
            return True
        try:
            message = parse_json(line)
            if not isinstance(message, dict):
                raise ValueError("a message is a JSON object")
            kind = message.get("type")
            if kind == "quit":
                return False
            reply = self._reply(kind, message)
        except ValueError as error:
            reply = {"type": "error", "message": " ".join(str(error).split())}
        if reply is not None:
            self.write(json.dumps(reply))
        return True

    def _reply(self, kind: Any, message: dict[str, Any]) -> dict[str, Any] | None:
        if kind == "hello":
            known = {"game": self.game.id, "options": self.game.changed_options()}
            if any(message.get(key, value) != value for key, value in known.items()):
                raise ValueError(f"this engine plays {known}")
            return {"type": "ready", "protocol": VERSION, "name": self.agent.spec, **game_facts(self.game)}
        if kind == "new":
            self.agent.reset()
            return None
        if kind != "move":
            raise ValueError('a message has the type "hello", "new", "move" or "quit"')
        position = message.get("position")
        if not isinstance(position, str):
            raise ValueError('a question has a "position", the text of a state')
        state = self.game.from_text(position)
        if state.player < 0:
            raise ValueError("nobody is to move in this position")
        action = int(self.agent.act(state.view(state.player)))
        answer = {"type": "move", "action": action, "move": state.action_text(action)}
        return {**answer, "id": message["id"]} if "id" in message else answer


SERVERS: dict[str, type[EngineServer]] = {cls.NAME: cls for cls in (GtpServer, NBoardServer, MillServer, TextServer)}
