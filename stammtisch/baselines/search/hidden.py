"""``HiddenSearch``: what the searches for games with hidden cards share."""

import time
from collections.abc import Iterator
from typing import Any

from stammtisch.baselines.search.agent import SearchAgent
from stammtisch.envs.core import loader
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.streams import Seed

_PORTION_S = 0.01  # of the time allowed, between looks at the clock


class HiddenSearch(SearchAgent):
    """A search that deals what its seat cannot see anew, again and again, and plays to the end of each deal.

    After a deal, a game of several deals is worth what the reference bot's evaluation says. The search is handed the
    row of the view, in which hidden cards are blank, and nothing else.
    """

    IN_KERNELS = True

    def __init__(self, game: Game, seed: Seed = None, spec: str = "", **options: Any):
        super().__init__(game, seed, spec, **options)
        if not game.info.hidden:
            raise ValueError(f'agent "{self.name}" cannot play {game.id}: nothing is hidden; try "mcts"')

    def portions(self, wanted: int, is_compiled: bool) -> Iterator[int]:
        """Yield how many simulations or deals to do next: all that are wanted at once, or by the clock.

        Args:
            wanted: what the options ask for, where they set no time.
            is_compiled: whether the kernel is ready; compiling is not thinking, so the clock starts after it.
        """
        time_s = self.time_allowed
        most = 0 if self.options["time_s"] else wanted
        if not time_s:
            yield most
            return
        done, portion = 0, 1
        if not is_compiled:
            yield 1
            done = 1
        begun = now = time.perf_counter()
        while not done or (now - begun < time_s and (not most or done < most)):
            portion = min(portion, most - done) if most else portion
            yield portion
            done += portion
            now = time.perf_counter()
            speed = done / max(now - begun, 1e-6)
            portion = max(1, min(2 * portion, int(speed * min(_PORTION_S, begun + time_s - now))))


def hidden_kernels(game: Game, family: str, policy: str, **bindings: Any) -> loader.KernelModule:
    """Return a kernel family whose simulations are played on by a policy."""
    horizon = loader.load(
        "stammtisch.baselines.kernels.horizon",
        game.id,
        RULES=game.rules,
        HEURISTIC=game.policy_module(policy),
    )
    source = f"stammtisch.baselines.kernels.{family}"
    return loader.load(source, game.id, RULES=game.rules, HORIZON=horizon, **bindings)
