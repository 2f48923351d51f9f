"""A deal in private before anybody waits: it compiles every kernel that server, client and agents will need."""

import gc
import time
from collections import deque
from collections.abc import Callable

from stammtisch.arena.plan import MatchPlan
from stammtisch.challenge.dealing import dealer
from stammtisch.challenge.guest import Frame, Guest, Timer
from stammtisch.challenge.journal import Journal
from stammtisch.challenge.messages import Message
from stammtisch.challenge.player import Choice, Player
from stammtisch.challenge.table import Table
from stammtisch.envs.core.agent import Agent
from stammtisch.envs.core.game import Game
from stammtisch.envs.jass import legal_cards


class _NoClock:
    """A clock without timers."""

    def time(self) -> float:
        return time.monotonic()

    def call_later(self, delay: float, callback: Callable[[], None], /) -> Timer:
        raise AssertionError("nobody is timed here")


class _Practiser(Guest):
    """A guest that hands its decisions to a queue."""

    def __init__(self, agent: Agent, queue: deque[tuple["_Practiser", Choice]]):
        super().__init__()
        self.agent = agent
        self.deals = 0
        self._player = Player(agent.game)
        self._queue = queue

    def _send(self, message: Message) -> None:
        self.deals += message.type == "DEAL_CARDS"
        choice = self._player.receive(message)
        if choice is not None:
            self._queue.append((self, choice))


def settle_down() -> None:
    """Spare the garbage collector everything that is there for good, so that it never holds up an answer."""
    gc.collect()
    gc.freeze()


def practise(game: Game, agents: list[Agent]) -> None:
    """Play one deal among agents, who take the four seats in turn.

    Args:
        game: the game that the table is set for.
        agents: at least one; made for this game or one with other options.
    """
    queue: deque[tuple[_Practiser, Choice]] = deque()
    plan = MatchPlan(game.id, ("", ""), 1)
    table = Table("practice", game, dealer(game, plan, 0), _NoClock(), 0, lambda table: None, Journal(None))
    guests = [_Practiser(agents[seat % len(agents)], queue) for seat in range(4)]
    for guest in guests:
        table.join(guest)
    table.start()
    while guests[0].deals == 1 and queue:
        guest, choice = queue.popleft()
        assert choice.view is not None
        answer = choice.answer(int(guest.agent.act(choice.view)))
        table.receive(guest, Frame(answer.text, answer))
    legal_cards([0], [1, 2], 0)  # what a player who lost track goes by
    for agent in agents:
        agent.reset()
