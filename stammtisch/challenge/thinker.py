"""An agent that answers in time: it thinks in a thread of its own, and a fast move stands in when it is late."""

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor

from stammtisch.baselines import load_agent
from stammtisch.challenge.player import Choice
from stammtisch.challenge.practice import practise
from stammtisch.envs.core.agent import refuse_cheater
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.streams import Seed

_FALLBACK = "heuristic"
_log = logging.getLogger(__name__)


class Thinker:
    """Chooses actions for one seat.

    Attributes:
        late: how often the agent was late and the fast move was sent.
        failed: how often it could not be asked, raised an error or wanted an illegal action.

    Args:
        spec: the agent.
        game: the game it plays.
        seed: decides everything it draws.
        limit_s: seconds from the question to the answer.
    """

    def __init__(self, spec: str, game: Game, seed: Seed = None, limit_s: float = 0.4):
        self.agent = load_agent(spec, game, seed)
        refuse_cheater(self.agent, "on a server")
        self.limit_s = limit_s
        self.late = 0
        self.failed = 0
        self._fallback = load_agent(_FALLBACK, game, seed)
        self._pool = ThreadPoolExecutor(1, thread_name_prefix=f"jass-{spec}")

    @property
    def is_instant(self) -> bool:
        """Whether the agent answers within microseconds, so that no thread is needed."""
        return self.agent.policy is not None

    def choose_now(self, choice: Choice) -> int:
        """Return the choice of an instant agent, or the fast move in place of any other."""
        player = self.agent if self.is_instant else self._fallback
        if choice.view is not None:
            try:
                return self._checked(choice, int(player.act(choice.view)))
            except Exception:  # an agent's fault must not cost the seat
                _log.exception("agent %s failed", player.spec)
        self.failed += 1
        return choice.actions[0]

    async def choose(self, choice: Choice) -> int:
        """Return the agent's choice, or the fast move when the agent needs longer than the limit."""
        if self.is_instant or choice.view is None:
            return self.choose_now(choice)
        try:
            job = self._pool.submit(self.agent.act, choice.view)
            action = await asyncio.wait_for(asyncio.wrap_future(job), self.limit_s)
            return self._checked(choice, int(action))
        except TimeoutError:
            self.late += 1
        except Exception:  # an agent's fault must not cost the seat
            self.failed += 1
            _log.exception("agent %s failed", self.agent.spec)
        return self.choose_now(choice)

    def _checked(self, choice: Choice, action: int) -> int:
        if action not in choice.actions:
            raise ValueError(f"agent {self.agent.spec} wants action {action}; allowed: {choice.actions}")
        return action

    def warm(self) -> None:
        """Let the agent play one deal in private, so that its kernels are compiled before anybody waits."""
        practise(self.agent.game, [self.agent, self._fallback])

    def close(self) -> None:
        """Let go of the thread; a thought that is still running is not waited for."""
        self._pool.shutdown(wait=False, cancel_futures=True)
