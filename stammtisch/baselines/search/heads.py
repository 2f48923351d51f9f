"""``Heads``: one search done by several threads, each for itself; what they found is added up (root parallelism)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from stammtisch.baselines.search.agent import Explanation, SearchAgent
from stammtisch.envs.core.state import View
from stammtisch.envs.core.streams import Seed, seed_streams
from stammtisch.envs.core.threads import together


class Heads:
    """Agents that think about the same position side by side, with streams and memories of their own.

    A budget of simulations is shared among them, one of time everybody has. The result follows from the seed and the
    number of heads.

    Args:
        agent: whose class and options they have.
        seed: of the agent.
        budget: the option that counts simulations.
    """

    def __init__(self, agent: SearchAgent, seed: Seed, budget: str):
        wanted = agent.options[budget]
        threads = min(agent.options["threads"], wanted)
        self._agents: list[Any] = []
        for i, own_seed in enumerate(_seeds(seed, threads)):
            options = {**agent.options, "threads": 1, budget: (wanted + i) // threads}
            self._agents.append(type(agent)(agent.game, seed=own_seed, spec=agent.spec, **options))

    def reset(self, seed: Seed = None) -> None:
        """Forget the last game, as an agent does."""
        seeds = [None] * len(self._agents) if seed is None else _seeds(seed, len(self._agents))
        for agent, own_seed in zip(self._agents, seeds, strict=True):
            agent.reset(own_seed)

    def limit(self, time_s: float, depth: int) -> None:
        """Set the limits of an agent's next moves for all."""
        for agent in self._agents:
            agent.limit(time_s, depth)

    def search(self, view: View) -> Explanation:
        """Search with all of them."""
        return merged(together([_thinking(agent, view) for agent in self._agents]))


def heads_of(agent: SearchAgent, seed: Seed, budget: str) -> Heads | None:
    """Return as many heads as the agent's option ``threads`` says, or None where it searches by itself."""
    return Heads(agent, seed, budget) if agent.options["threads"] > 1 else None


def merged(found: Sequence[Explanation]) -> Explanation:
    """Return what several searches of one position found, each weighing as much as it visited an action."""
    actions = np.unique(np.concatenate([one.actions for one in found]))
    visits = np.zeros(len(actions), np.int64)
    totals = np.zeros(len(actions), np.float64)
    for one in found:
        at = np.searchsorted(actions, one.actions)
        visits[at] += one.visits
        totals[at] += np.where(one.visits > 0, one.values, 0.0) * one.visits
    values = np.full(len(actions), np.nan)
    np.divide(totals, visits, out=values, where=visits > 0)
    action = int(actions[np.lexsort((totals, visits))[-1]])
    lines = [one.line for one in found if one.line[:1] == (action,)]
    effort = {name: sum(one.effort[name] for one in found) for name in found[0].effort}
    line = max(lines, key=len, default=(action,))
    return Explanation(action, actions, values, visits, line, {**effort, "threads": len(found)})


def _seeds(seed: Seed, count: int) -> list[int]:
    return [int(word >> np.uint64(1)) for word in seed_streams(seed, count)]


def _thinking(agent: Any, view: View) -> Any:
    return lambda: agent.search(view)
