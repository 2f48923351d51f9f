"""``Referee``: referees one game: whose turn it is, what is legal, how much time is left, who is disqualified."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from stammtisch.challenge.reversixt import wire
from stammtisch.envs.core.constants import TERMINAL
from stammtisch.envs.core.state import State
from stammtisch.envs.reversixt.game import ReversiXT
from stammtisch.envs.reversixt.map import format_map
from stammtisch.envs.reversixt.moves import Triple, from_triple, to_triple

Tell = Callable[[str], None]


class Contestant(Protocol):
    """Whoever sits at the table; a player that fails is disqualified at its next turn."""

    name: str

    def send(self, message: bytes) -> None:
        """Send a message; never waits and never raises."""

    def ask(self, message: bytes, limit_s: float) -> Awaitable[Triple]:
        """Send a request and return the answer.

        Raises:
            wire.BadBytes: there was none in time, or a bad one; the message says which.
        """

    def leave(self) -> None:
        """Close the connection."""


@dataclass(frozen=True)
class TimeLimits:
    """How long players may think.

    Attributes:
        move_s: seconds that each request adds to a player's account; 0 for no account.
        depth: depth limit that requests name; 0 for none.
        prepare_s: seconds on the account at the start, to read the map and get ready.
        patience_s: seconds for an answer where there is no account: nobody may hold up a game for ever.
    """

    move_s: float = 0.0
    depth: int = 0
    prepare_s: float = 30.0
    patience_s: float = 120.0


class Referee:
    """One game.

    Attributes:
        state: the position.
        events: the actions so far; a disqualification is the action of giving up.
        seconds: thinking time of each player.
        reasons: why players were disqualified, by seat.

    Args:
        game: ReversiXT with ``give_up=True``.
        players: one per seat.
        limits: how long they may think.
        tell: called with a line about what happens.
    """

    def __init__(self, game: ReversiXT, players: list[Contestant], limits: TimeLimits, tell: Tell):
        self._game, self._players, self._limits, self._tell = game, players, limits, tell
        self.state: State = game.new_state()
        self.events: list[int] = []
        self.seconds = [0.0] * len(players)
        self.reasons: dict[int, str] = {}
        self._accounts = [limits.prepare_s] * len(players)

    async def play(self) -> None:
        """Play the game to its end."""
        rules = self._game.rules
        text = format_map(self._game.map)
        for number, player in enumerate(self._players, 1):
            player.send(wire.map_message(text))
            player.send(wire.player_message(number))
        was_placing = True
        while True:
            if was_placing and self.state.row[rules.PHASE] == rules.BOMBING:
                self._tell_all(wire.phase_end_message())
                was_placing = False
            if self.state.player == TERMINAL:
                break
            await self._take_turn(self.state.player)
        self._tell_all(wire.game_end_message())
        stones = self._game.stones(self.state)
        scores = ["disqualified" if seat in self.reasons else str(n) for seat, n in enumerate(stones)]
        self._tell("game over: " + ", ".join(f"{p.name}: {s}" for p, s in zip(self._players, scores, strict=True)))

    async def _take_turn(self, seat: int) -> None:
        limits = self._limits
        self._accounts[seat] += limits.move_s
        allowed_s = self._accounts[seat] if limits.move_s else limits.patience_s
        request = wire.request_message(round(1000 * allowed_s) if limits.move_s else 0, limits.depth)
        begun = time.monotonic()
        try:
            move = await self._players[seat].ask(request, allowed_s)
            action = self._checked(move)
        except wire.BadBytes as error:
            self._disqualify(seat, str(error))
            return
        finally:
            taken = time.monotonic() - begun
            self._accounts[seat] -= taken
            self.seconds[seat] += taken
        self.state.apply(action)
        self.events.append(action)
        self._tell_all(wire.move_message(move, seat + 1))

    def _checked(self, move: Triple) -> int:
        action = from_triple(self._game, move)
        if action < 0 or not self.state.is_legal(action) or to_triple(self._game, action) != move:
            raise wire.BadBytes(f"the move {' '.join(map(str, move))} is not allowed")
        return action

    def _disqualify(self, seat: int, reason: str) -> None:
        player = self._players[seat]
        self.reasons[seat] = reason
        self._tell(f"{player.name} (player {seat + 1}) is disqualified: {reason}")
        action = self._game.rules.GIVE_UP
        self.state.apply(action)
        self.events.append(action)
        self._tell_all(wire.disqualified_message(seat + 1))
        player.leave()

    def _tell_all(self, message: bytes) -> None:
        for player in self._players:
            player.send(message)
