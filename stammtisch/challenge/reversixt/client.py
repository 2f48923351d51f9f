"""The client: seats one of our agents at a server that speaks the course protocol."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from stammtisch.baselines import load_agent
from stammtisch.challenge.reversixt import wire
from stammtisch.challenge.reversixt.follower import Follower
from stammtisch.challenge.reversixt.referee import Tell
from stammtisch.envs.core.agent import Agent
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.state import View
from stammtisch.envs.core.streams import Seed
from stammtisch.envs.reversixt.moves import to_triple

_FALLBACK = "heuristic"
_RETRY_S = 0.2
_RESERVE_S, _RESERVE_SHARE = 0.05, 0.1  # of a time limit, for the way there and back


@dataclass(frozen=True)
class GameOutcome:
    """How a game ended for a client.

    Attributes:
        player: the own number, 0 if the game did not begin.
        stones: stones of each player at the end.
        rank: the own rank, from 1; 0 without a result.
        moves: moves that were sent.
        late: how often the agent was late and the fast move was sent.
        ended: "finished", "disqualified", or what went wrong.
    """

    player: int = 0
    stones: tuple[int, ...] = ()
    rank: int = 0
    moves: int = 0
    late: int = 0
    ended: str = "finished"


class TimelyAgent:
    """An agent that answers in time: it thinks in a thread, and a fast move stands in when it is late."""

    def __init__(self, spec: str, game: Game, seed: Seed):
        self.late = 0
        self._agent: Agent = load_agent(spec, game, seed)
        self._fallback: Agent = load_agent(_FALLBACK, game, seed)
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="reversixt")
        self._job: asyncio.Future[int] | None = None

    def warm(self, view: View) -> None:
        """Compile what the agents need, by thinking briefly about a position."""
        for agent in (self._fallback, self._agent):
            agent.limit(time_s=0.01, depth=1)
            agent.act(view)
            agent.reset()

    async def choose(self, view: View, limit_s: float, depth: int) -> int:
        """Return a legal action within the limit; 0 sets none."""
        allowed_s = max(limit_s - max(_RESERVE_S, _RESERVE_SHARE * limit_s), 0.3 * limit_s)
        if self._job is None or self._job.done():  # a thought that was late must come to its end first
            self._agent.limit(time_s=0.9 * allowed_s, depth=depth)
            self._job = asyncio.wrap_future(self._pool.submit(self._agent.act, view))
            done, _ = await asyncio.wait([self._job], timeout=allowed_s if limit_s else None)
            if done and self._job.exception() is None:
                action = int(self._job.result())
                if action in view.legal_actions():
                    return action
        self.late += 1
        return int(self._fallback.act(view))

    def close(self) -> None:
        """Let go of the thread; a thought that is still running is not waited for."""
        self._pool.shutdown(wait=False, cancel_futures=True)


async def run_client(
    host: str, port: int, spec: str, group: int, seed: Seed = None, retry_s: float = 10.0, tell: Tell = print
) -> GameOutcome:
    """Play one game.

    Args:
        host: address of the server.
        port: its port.
        spec: the agent.
        group: the own group number, 0..255.
        seed: decides what the agent draws.
        retry_s: how long to go on trying to reach the server.
        tell: called with a line about what happens.

    Raises:
        ValueError: there is no such agent, or the server cannot be reached.
    """
    reader, writer = await _connect(host, port, retry_s)
    follower = Follower()
    thinker: TimelyAgent | None = None
    moves = 0
    ended = "finished"
    try:
        writer.write(wire.group_message(group))
        while not follower.is_over:
            frame = await wire.read_frame(reader, wire.FROM_SERVER)
            if frame is None:
                ended = "disqualified" if follower.is_out else "the server closed the connection"
                break
            limits = follower.receive(frame)
            if frame.type == wire.PLAYER and follower.state is not None and follower.game is not None:
                tell(f"player {frame.payload[0]} of {follower.game.info.num_players}")
                thinker = TimelyAgent(spec, follower.game, seed)
                if follower.state.player >= 0:
                    view = follower.state.view(follower.state.player)
                    await asyncio.to_thread(thinker.warm, view)
            if limits is not None and thinker is not None:
                assert follower.state is not None
                assert follower.seat is not None
                action = await thinker.choose(follower.state.view(follower.seat), limits[0] / 1000, limits[1])
                writer.write(wire.answer_message(to_triple(follower.state.game, action)))
                moves += 1
    except wire.BadBytes as error:
        ended = f"the server sent {error}"
    except OSError as error:
        ended = f"the connection is lost: {error.strerror or error}"
    finally:
        if thinker is not None:
            thinker.close()
        writer.close()
    return _outcome(follower, moves, thinker.late if thinker is not None else 0, ended)


def _outcome(follower: Follower, moves: int, late: int, ended: str) -> GameOutcome:
    if follower.game is None or follower.state is None or follower.seat is None:
        return GameOutcome(moves=moves, late=late, ended=ended)
    stones = follower.game.stones(follower.state)
    out = follower.game.disqualified(follower.state)
    scores = [-1 if seat in out else n for seat, n in enumerate(stones)]
    rank = 1 + sum(score > scores[follower.seat] for score in scores) if follower.is_over else 0
    ended = "disqualified" if follower.is_out else ended
    return GameOutcome(follower.seat + 1, tuple(stones), rank, moves, late, ended)


async def _connect(host: str, port: int, retry_s: float) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    begun = time.monotonic()
    while True:
        try:
            return await asyncio.open_connection(host, port)
        except OSError as error:
            if time.monotonic() - begun >= retry_s:
                raise ValueError(f"cannot reach {host}:{port}: {error.strerror or error}") from error
        await asyncio.sleep(_RETRY_S)
