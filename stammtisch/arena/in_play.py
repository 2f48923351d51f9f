"""``GameInPlay``: one game of a match, move by move."""

import logging
import time
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from stammtisch.arena.plan import GameRecord, MatchPlan, draw_below, forfeit
from stammtisch.arena.stepping import Stepping
from stammtisch.envs.core.agent import Agent, answer
from stammtisch.envs.core.constants import TERMINAL
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.state import State, View
from stammtisch.errors import Forfeit

_log = logging.getLogger(__name__)


class GameInPlay:
    """A game of a match under way.

    Args:
        plan: the match.
        game: its game.
        number: of this game.
        group: games that share their chance events.
        seating: agent of each seat.
        agents: who sits there; None is asked by others, see ``take``.
        streams: uint64[2 + seats], of chance events, the seats and the opening.
    """

    def __init__(
        self,
        plan: MatchPlan,
        game: Game,
        number: int,
        group: int,
        seating: tuple[int, ...],
        agents: Sequence[Agent | None],
        streams: NDArray[np.uint64],
    ):
        self._plan, self._game, self._number, self._group, self._seating = plan, game, number, group, seating
        self._agents = agents
        for seat, agent in enumerate(agents):
            if agent is not None:
                agent.take_stream(streams, seat)
        self._opening = streams[-1:].copy()
        self._seconds = [0.0] * len(plan.agents)
        self._board = Stepping(game, streams[:1])
        self._events = self._board.outcomes
        self._watching = watching_among([agent for agent in agents if agent is not None])
        self._loser: int | None = None  # seat that gave the game up
        tell(self._watching, self._events)

    @property
    def is_over(self) -> bool:
        """Whether it has ended, or a side has given up."""
        return bool(self._board.player == TERMINAL or self._loser is not None)

    @property
    def side(self) -> int:
        """The agent to move."""
        return int(self._seating[self._board.player])

    def view(self) -> View:
        """What the seat to move sees."""
        return self._board.state().view(self._board.player)

    def go_on(self, before_each_question: Callable[[], None]) -> None:
        """Play until the end, or until a seat is to move that others ask."""
        while not self.is_over:
            if self._board.moves < self._plan.opening:
                self._apply(drawn(self._board.state(), self._opening))
                continue
            agent = self._agents[self._board.player]
            if agent is None:
                return
            before_each_question()
            begun = time.perf_counter()
            try:
                action = answer(agent, self._board.state())
            except Forfeit as fault:
                _log.warning("game %d is lost by %s: %s", self._number, self._plan.agents[self.side], fault)
                self._loser = self._board.player
                return
            finally:
                self._seconds[self.side] += time.perf_counter() - begun
            self._checked(action)

    def take(self, action: int, seconds: float) -> None:
        """Take the action of a seat that others asked, and that thought so long."""
        self._seconds[self.side] += seconds
        self._checked(action)

    def _checked(self, action: int) -> None:
        state = self._board.state()
        if not state.is_legal(action):
            raise state._illegal(action)
        self._apply(action)

    def _apply(self, action: int) -> None:
        self._board.take(action)
        happened = [action, *self._board.outcomes]
        self._events += happened
        tell(self._watching, happened)

    def record(self) -> GameRecord:
        """Return what there is to remember of the game."""
        moves, seconds = self._board.moves, tuple(self._seconds)
        if self._loser is None:
            final = tuple(self._board.state().returns().tolist())
            return GameRecord(self._number, self._group, self._seating, final, tuple(self._events), moves, seconds)
        teams = self._game.info.teams
        lost = teams[self._loser]
        final = tuple(-1.0 if team == lost else 1.0 for team in teams)
        events = (*self._events, forfeit(lost))
        return GameRecord(self._number, self._group, self._seating, final, events, moves, seconds)


def watching_among(agents: Sequence[Agent]) -> list[Agent]:
    """Return the agents that want to hear what happens, unless something is hidden from them."""
    return [agent for agent in agents if type(agent).watch is not Agent.watch and not agent.game.info.hidden]


def tell(watching: Sequence[Agent], events: Sequence[int]) -> None:
    """Let agents hear what has happened."""
    for agent in watching:
        for event in events:
            agent.watch(event)


def drawn(state: State, stream: NDArray[np.uint64]) -> int:
    """Return a legal action at random."""
    legal = state.legal_actions()
    return legal[draw_below(stream, len(legal))]
