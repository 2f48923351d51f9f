"""``Follower``: what a client knows of a game, from the messages of the server alone."""

from stammtisch.challenge.reversixt import wire
from stammtisch.envs import load_game
from stammtisch.envs.core.constants import TERMINAL
from stammtisch.envs.core.state import State
from stammtisch.envs.reversixt.game import ReversiXT
from stammtisch.envs.reversixt.map import format_map, parse_map
from stammtisch.envs.reversixt.moves import from_triple, to_triple
from stammtisch.errors import BadText


class Follower:
    """Follows a game.

    Attributes:
        game: the game on the map that came, None before.
        state: the position, None before the map has come.
        seat: the own seat, None before it was told.
        is_over: whether the server has said so.
        is_out: whether this client is disqualified.
    """

    def __init__(self) -> None:
        self.game: ReversiXT | None = None
        self.state: State | None = None
        self.seat: int | None = None
        self.is_over = False
        self.is_out = False

    def receive(self, frame: wire.Packet) -> tuple[int, int] | None:
        """Take a message; return the limits (milliseconds, depth) if it asks for a move.

        Raises:
            wire.BadBytes: it cannot be in this game, or not now.
        """
        if self.is_over:
            raise wire.BadBytes("the server spoke after the end of the game")
        if frame.type == wire.MAP:
            self._take_map(wire.read_text(frame.payload))
        elif frame.type == wire.PLAYER:
            self._take_seat(frame.payload[0])
        elif frame.type == wire.GAME_END:
            self.is_over = True
        elif self.game is None or self.state is None or self.seat is None:
            raise wire.BadBytes(f"a message of type {frame.type} before map and player number")
        elif frame.type == wire.REQUEST:
            if self.state.player != self.seat:
                raise wire.BadBytes("the server asks for a move out of turn")
            return wire.read_request(frame.payload)
        elif frame.type == wire.MOVE:
            self._take_move(self.game, self.state, frame.payload)
        elif frame.type == wire.DISQUALIFIED:
            self._take_out(self.game, self.state, frame.payload[0])
        return None

    def _take_map(self, text: str) -> None:
        if self.game is not None:
            raise wire.BadBytes("a second map")
        try:
            game = load_game("reversixt", map=format_map(parse_map(text)))
        except BadText as error:
            raise wire.BadBytes(f"a map that cannot be read: {error}") from None
        assert isinstance(game, ReversiXT)
        self.game, self.state = game, game.new_state()

    def _take_seat(self, number: int) -> None:
        if self.game is None or self.seat is not None or not 1 <= number <= self.game.info.num_players:
            raise wire.BadBytes(f"a player number of {number} that cannot be")
        self.seat = number - 1

    def _take_move(self, game: ReversiXT, state: State, payload: bytes) -> None:
        move, number = wire.read_move(payload)
        action = from_triple(game, move)
        if state.player != number - 1 or not state.is_legal(action) or to_triple(game, action) != move:
            raise wire.BadBytes(f"a move {' '.join(map(str, move))} of player {number} that cannot be")
        state.apply(action)

    def _take_out(self, game: ReversiXT, state: State, number: int) -> None:
        if not 1 <= number <= game.info.num_players or number - 1 in game.disqualified(state):
            raise wire.BadBytes(f"player {number} cannot be disqualified")
        self.is_out = self.is_out or number - 1 == self.seat
        if state.player != TERMINAL:
            self.state = game.disqualify(state, number - 1)
