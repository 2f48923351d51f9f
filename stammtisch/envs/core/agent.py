"""``Agent``: what every player, from random to learned, has in common."""

import inspect
from collections.abc import Sequence
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core.game import Game
from stammtisch.envs.core.options import Option, OptionTable, read_all
from stammtisch.envs.core.specs import split_spec
from stammtisch.envs.core.state import State, View
from stammtisch.envs.core.streams import Seed

__all__ = ["Agent", "Option"]


class AgentLike(Protocol):
    """The least that a player must have; ``Agent`` has it."""

    def act(self, view: View) -> int:
        """Return a legal action for ``view.player``, whose turn it is."""


class ManyGames(Protocol):
    """A player that thinks about several games of a match at once; see ``Agent.in_many_games``."""

    def begin(self, place: int, streams: NDArray[np.uint64]) -> None:
        """Start a game in a place, whose seats draw from ``streams[1 + seat]``; forget the last one there."""

    def act(self, places: Sequence[int], views: Sequence[View]) -> list[int]:
        """Return a legal action for the seat to move in each of these places."""


class Agent:
    """A player. It sees a ``View`` and answers with a legal action.

    What can be set, a subclass declares as ``OPTIONS``; specs, checks, defaults, messages and tables follow from it,
    and the agent finds its values in ``self.options``:

        class Careful(Agent):
            OPTIONS = {"risk": Option(0.1, "share of daring moves", minimum=0, maximum=1)}

            def act(self, view):
                dares = self.rng.random() < self.options["risk"]

    Attributes:
        game: the game it was made for.
        spec: the text it was made from.
        options: the value of every option.
        CHEATS: whether it looks at what is hidden from its seat. Then it cannot be asked with a ``View``, which is all
            that environments and servers hand out: only whoever measures asks it, by ``cheat``.
        policy: name of the kernel policy that plays exactly like it, or None; lets environments run it inside a kernel.
    """

    OPTIONS: ClassVar[OptionTable] = {}
    MAIN_OPTION: ClassVar[str | None] = None  # the option that a spec may give first without its name
    CHEATS: ClassVar[bool] = False
    policy: str | None = None

    def __init__(self, game: Game, seed: Seed = None, spec: str = "", **options: Any):
        self.game = game
        self.spec = spec
        self.options = read_all(self.OPTIONS, options, owner=f"agent {self.name or type(self).__name__}")

    @property
    def name(self) -> str:
        """The part of the spec before its options."""
        return split_spec(self.spec)[0]

    def reset(self, seed: Seed = None) -> None:
        """Forget the last game; with a seed, start the agent's random stream anew."""

    def take_stream(self, streams: NDArray[np.uint64], seat: int) -> None:
        """Start a game of a match: forget the last one and draw from the stream of this seat, ``streams[1 + seat]``."""
        self.reset(int(streams[1 + seat] >> np.uint64(1)))

    def watch(self, event: int) -> None:
        """Hear of an action or chance outcome, by anyone, that a match has just applied.

        Only matches of games without hidden information tell; agents that must know how a position came about listen.
        """

    def limit(self, time_s: float = 0.0, depth: int = 0) -> None:
        """Think at most so many seconds, and so many actions ahead, from now on; 0 sets no limit beside the options.

        Agents that decide at once need not listen.
        """

    def act(self, view: View) -> int:
        """Return a legal action for ``view.player``, whose turn it is."""
        raise NotImplementedError

    def in_many_games(self, games: int) -> ManyGames | None:
        """Return a player that thinks about so many games at once, each exactly as this one would; None if it cannot.

        Agents that ask a network do: one call of it answers for all games.
        """
        return None

    @property
    def thinks_apart(self) -> bool:
        """Whether it thinks in kernels, which let go of Python's global lock, and in memory of its own.

        Then several of its kind can think in threads at the same time, as quickly as in processes.
        """
        return False

    def cheat(self, state: State) -> int:
        """Return a legal action for the seat to move, knowing everything; only for agents that say ``CHEATS``."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"load_agent({self.spec!r}, {self.game.id!r})"


class ActingObject(Agent):
    """Seats any object with ``act(view)``; its own ``reset()`` or ``reset(seed)`` is called where it has one."""

    def __init__(self, game: Game, player: AgentLike):
        super().__init__(game, spec=str(getattr(player, "spec", type(player).__name__)))
        self.player = player
        reset = getattr(player, "reset", None)
        self._reset = reset if callable(reset) else None
        self._takes_seed = self._reset is not None and _takes_an_argument(self._reset)

    def reset(self, seed: Seed = None) -> None:
        if self._reset is not None:
            self._reset(*((seed,) if self._takes_seed else ()))

    def act(self, view: View) -> int:
        return self.player.act(view)


def answer(agent: Agent, state: State) -> int:
    """Ask the agent of the seat to move: with its view, or with everything if it cheats.

    This is the only door for cheaters. Whoever uses it must tell people that they play.
    """
    return int(agent.cheat(state) if agent.CHEATS else agent.act(state.view(state.player)))


def refuse_cheater(agent: Agent, where: str) -> None:
    """Refuse an agent that looks at hidden cards where that would be unfair."""
    if agent.CHEATS:
        raise ValueError(f'agent "{agent.name}" sees all cards and cannot play {where}; it is for measuring others')


def _takes_an_argument(function: Any) -> bool:
    try:
        inspect.signature(function).bind(None)
    except (TypeError, ValueError):
        return False
    return True
