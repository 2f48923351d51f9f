"""GTP 2, the Go text protocol as Reversi programs speak it: ``play black d3``, ``genmove white``."""

from stammtisch.baselines.engines.protocol import Protocol, Situation
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.state import State


class Gtp(Protocol):
    """Keeps the engine's board in step: only what it has not heard yet is told, a new game from its first move on.

    Passes are told; engines that have no such move, as GRhino, see them by the colour of the next command.
    """

    NAME = "gtp"

    def hello(self) -> None:
        self._heard: list[int] = []
        self._hears_passes = True
        if self.command("protocol_version").strip() not in ("1", "2"):
            raise self.fault("speaks another version of GTP than 1 or 2")
        known = set(self.command("list_commands").split())
        if "boardsize" in known:
            self.command(f"boardsize {board_size(self.game)}")
        if self.terms.level and "level" in known:
            self.command(f"level {self.terms.level}")
        if self.terms.time_s and "time_settings" in known:
            self.command(f"time_settings 0 {max(1, round(self.terms.time_s))} 1")
        self.new_game()

    def new_game(self) -> None:
        self.command("clear_board")
        self._heard = []

    def choose(self, situation: Situation) -> int:
        actions = list(situation.actions or ())
        if actions[: len(self._heard)] != self._heard:
            self.new_game()
        state = _replayed(self.game, self._heard)
        for action in actions[len(self._heard) :]:
            self._tell(state, action)
            state.apply(action)
        self._heard = actions
        answer = self.command(f"genmove {self.game.COLORS[situation.state.player]}").strip()
        if answer.lower() == "resign":
            raise self.fault("resigned")
        action = self.read_move(situation.state, answer)
        self._heard.append(action)
        return action

    def _tell(self, state: State, action: int) -> None:
        move = state.action_text(action)
        is_pass = move == "pass"
        if is_pass and not self._hears_passes:
            return
        self._write(f"play {self.game.COLORS[state.player]} {move}")
        ok, answer = self._reply()
        if not ok and is_pass:
            self._hears_passes = False
        elif not ok:
            raise self.fault(f"refused the legal move {move}: {answer[:60]}")

    def command(self, line: str) -> str:
        """Send a command and return its answer."""
        self._write(line)
        ok, answer = self._reply()
        if not ok:
            raise self.fault(f'refused "{line}": {answer[:60]}')
        return answer

    def _write(self, line: str) -> None:
        self.send(line)

    def _reply(self) -> tuple[bool, str]:
        """Return whether a command succeeded, and what was said; an answer ends with an empty line."""
        lines: list[str] = []
        for line in self.process.answer(self.deadline):
            if not lines and line[:1] not in ("=", "?"):
                continue  # chatter
            if not line.strip() and lines:
                break
            lines.append(line)
        first = lines[0]
        return first[0] == "=", "\n".join([first[1:].lstrip("0123456789").strip(), *lines[1:]])


def board_size(game: Game) -> int:
    """Return the length of a side of the board."""
    return int(game.variant["size"])


def _replayed(game: Game, actions: list[int]) -> State:
    state = game.new_state(seed=0)
    for action in actions:
        state.apply(action)
    return state
