"""Bots of the server itself: guests that play with one of our agents, inside the server's process."""

import asyncio

from stammtisch.challenge.guest import Guest
from stammtisch.challenge.lobby import Lobby
from stammtisch.challenge.messages import Message
from stammtisch.challenge.player import Choice, Player
from stammtisch.challenge.thinker import Thinker


class BotGuest(Guest):
    """A guest that answers by itself; its answers arrive like anybody else's, one turn of the event loop later.

    Args:
        thinker: the agent.
        lobby: where answers go.
    """

    is_bot = True

    def __init__(self, thinker: Thinker, lobby: Lobby):
        super().__init__(lobby.house.clerk.faults)
        self._thinker = thinker
        self._lobby = lobby
        self._player = Player(thinker.agent.game)
        self._loop = asyncio.get_running_loop()
        self._thought: asyncio.Task[None] | None = None

    def _send(self, message: Message) -> None:
        choice = self._player.receive(message)
        if choice is None:
            return
        if self._thinker.is_instant:
            answer = choice.answer(self._thinker.choose_now(choice))
            self._loop.call_soon(self._lobby.receive, self, answer.text)
        else:
            self._thought = self._loop.create_task(self._think(choice))

    async def _think(self, choice: Choice) -> None:
        answer = choice.answer(await self._thinker.choose(choice))
        self._lobby.receive(self, answer.text)

    def _drop(self) -> None:
        self._loop.call_soon(self._lobby.disconnect, self)

    def _close(self, code: int, reason: str) -> None:
        if self._thought is not None:
            self._thought.cancel()
        self._thinker.close()
