"""``LookAhead``: what the searches of the whole tree share, minimax, alpha-beta and max^n."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from stammtisch.baselines.search.agent import SearchAgent
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.streams import Seed


class LookAhead(SearchAgent):
    """A search that looks at all moves and outcomes up to some depth and values what it finds there.

    For two teams whose utilities add up to zero; one maximises, the other minimises. Where more play, all others are
    taken to play together against the one that searches. Nothing may be hidden, and chance outcomes must be few enough
    to list.
    """

    IN_KERNELS = True
    TWO_SIDES_ONLY: ClassVar[bool] = False
    _depth: int

    def __init__(self, game: Game, seed: Seed = None, spec: str = "", **options: Any):
        super().__init__(game, seed, spec, **options)
        problem = _problem(game, self.TWO_SIDES_ONLY, bool(self.options.get("file")))
        if problem:
            raise ValueError(f'agent "{self.name}" cannot play {game.id}: {problem}')
        branch = game.rules.MAX_BRANCH
        self._actions = np.empty(branch, np.int64)
        self._values = np.empty(branch, np.float64)
        self._visits = np.empty(branch, np.int64)

    @property
    def depth_allowed(self) -> int:
        """Player actions to look ahead, by the options and by ``limit``."""
        return min(self._depth, self._most_depth) if self._most_depth else self._depth


@contextmanager
def alarm(control: NDArray[np.int64], flag: int, time_s: float) -> Iterator[None]:
    """Raise a flag that a kernel looks at when so many seconds have passed; 0 never does."""
    timer = threading.Timer(time_s, control.__setitem__, (flag, 1))
    timer.daemon = True
    if time_s:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _problem(game: Game, two_sides_only: bool, is_learned: bool) -> str:
    """Say why a game cannot be searched like this; nothing if it can."""
    if game.info.hidden:
        return 'cards are hidden; try "ismcts" or "pimc"'
    sides = len(set(game.info.teams))
    if two_sides_only and sides != 2:
        return f'it is played by {sides} sides, not two; try "alphabeta"'
    if game.info.chance == "sampled":
        return 'its chance outcomes are too many to list; try "mcts"'
    return "" if is_learned or game.policy_module().EVALUATES else 'it has no evaluation; try "mcts"'
