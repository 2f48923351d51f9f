"""``SearchAgent``: what all planning agents share, and the explanation of a move."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core import loader
from stammtisch.envs.core.agent import Agent
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.options import Option, OptionTable
from stammtisch.envs.core.state import View
from stammtisch.envs.core.streams import Seed, seed_streams


@dataclass(frozen=True)
class Explanation:
    """What a search found.

    Attributes:
        action: the action chosen.
        actions: the legal actions that were looked at.
        values: expected return of each for the player to move.
        visits: how much effort each got (simulations or nodes).
        line: the main line from here on, actions and chance outcomes as the search expects them.
        effort: total simulations or nodes, and what else the search wants to tell.
    """

    action: int
    actions: NDArray[np.int64]
    values: NDArray[np.float64]
    visits: NDArray[np.int64]
    line: tuple[int, ...] = ()
    effort: Mapping[str, float] = field(default_factory=dict)


class Helpers(Protocol):
    """Several searches that act as one; see ``heads``."""

    def reset(self, seed: Seed = None) -> None:
        """Forget the last game."""

    def limit(self, time_s: float, depth: int) -> None:
        """Set the limits of the next moves."""

    def search(self, view: View) -> Explanation:
        """Look ahead."""


class SearchAgent(Agent):
    """A planning agent. A subclass searches; choosing, with or without randomness, is done here.

    The random stream of an agent is ``self.streams[0]`` (uint64[1], splitmix64), handed to its kernels.
    """

    COMMON: ClassVar[dict[str, Option]] = {
        "epsilon": Option(0.0, "share of moves drawn at random", minimum=0, maximum=1),
        "temperature": Option(0.0, "0 plays the best move; above, draws in proportion to visits^(1/T)", minimum=0.0),
    }
    THREADS: ClassVar[dict[str, Option]] = {
        "threads": Option(1, "searches side by side that share the budget; what they find is added up", minimum=1),
    }
    TABLES: ClassVar[dict[str, Option]] = {
        "tables": Option("", "folder of endgame tables, which the search looks positions up in", names="folder")
    }
    OPTIONS: ClassVar[OptionTable] = COMMON
    IN_KERNELS: ClassVar[bool] = False  # whether it thinks in kernels alone, unless it reads files
    FILES: ClassVar[tuple[str, ...]] = ("file", "tables", "table")  # options that name them

    def __init__(self, game: Game, seed: Seed = None, spec: str = "", **options: Any):
        super().__init__(game, seed, spec, **options)
        self.streams = seed_streams(seed, 1)
        self._most_time_s, self._most_depth = 0.0, 0
        self._heads: Helpers | None = None  # who search in its place

    def limit(self, time_s: float = 0.0, depth: int = 0) -> None:
        self._most_time_s, self._most_depth = time_s, depth
        if self._heads is not None:
            self._heads.limit(time_s, depth)

    @property
    def time_allowed(self) -> float:
        """Seconds for the next move, by the option ``time_s`` and by ``limit``; 0 for no limit."""
        limits = [limit for limit in (self.options.get("time_s", 0.0), self._most_time_s) if limit > 0]
        return min(limits, default=0.0)

    @property
    def thinks_apart(self) -> bool:
        return self.IN_KERNELS and not any(self.options.get(name) for name in self.FILES)

    def kernels(self, family: str) -> loader.KernelModule:
        """Return a kernel family of ``baselines/kernels`` on this game's rules, heuristic and evaluation."""
        source = f"stammtisch.baselines.kernels.{family}"
        return loader.load(source, self.game.id, RULES=self.game.rules, HEURISTIC=self.game.policy_module())

    def reset(self, seed: Seed = None) -> None:
        if seed is not None:
            self.streams = seed_streams(seed, 1)
        if self._heads is not None:
            self._heads.reset(seed)

    def search(self, view: View) -> Explanation:
        """Look ahead; the explanation's action is the best one."""
        raise NotImplementedError

    def act(self, view: View, explain: bool = False) -> Any:
        """Return the chosen action, or with ``explain`` the whole ``Explanation``."""
        found = self.search(view)
        action = self._choose(found)
        if not explain:
            return action
        return Explanation(action, found.actions, found.values, found.visits, found.line, found.effort)

    def _choose(self, found: Explanation) -> int:
        epsilon, temperature = self.options["epsilon"], self.options["temperature"]
        if epsilon == 0 and temperature == 0:
            return found.action
        rng = np.random.default_rng(int(self.streams[0]))
        self.streams[:1] += np.uint64(0x9E3779B97F4A7C15)
        if rng.random() < epsilon:
            return int(rng.choice(found.actions))
        if temperature == 0:
            return found.action
        weights = (found.visits / max(1, found.visits.max())) ** (1 / temperature)
        return int(rng.choice(found.actions, p=weights / weights.sum()))
