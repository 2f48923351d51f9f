"""Worlds of hidden cards by networks: who plays on in them, how likely they are, what is thought before any is seen."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from stammtisch.baselines.learned.jass.encodings import SIGHTS
from stammtisch.baselines.learned.jass.network import VALUE_SOFTNESS
from stammtisch.baselines.learned.jass.sighted import SightedNets
from stammtisch.baselines.search.agent import Explanation
from stammtisch.baselines.search.hidden import HiddenSearch
from stammtisch.envs.core import loader
from stammtisch.envs.core.jit import is_compiled
from stammtisch.envs.core.options import Option
from stammtisch.envs.core.rules import own

_LOGIT_WORTH = 0.02  # hundreds of points that a unit of a logit stands for, about
_BY_CHANCE = 0.05  # share of choices that say nothing about the hand
_CANDIDATES = 3  # worlds weighed for every one that is played


PLACES = 1 << 17  # entries of the solver's table


class NetSearch:
    """What searches by networks share: the networks, the worlds that they weigh, and the choice of the mode.

    Args:
        agent: the search, whose options and random stream are used.
        count: worlds that its budget is worth, for beliefs.
    """

    OPTIONS: ClassVar[dict[str, Option]] = {
        "file": Option(
            "", "file of `stammtisch train rl-jass`: its networks choose the mode and play on in worlds", names="file"
        ),
        "beliefs": Option(
            "off", "with file: on weighs worlds by how likely the network makes what was played", ("off", "on")
        ),
    }

    def __init__(self, agent: HiddenSearch, count: int):
        game, rules = agent.game, own(agent.game.rules)
        self.agent = agent
        self._mode_at, self._no_mode = rules.MODE, rules.NO_MODE
        self._sighted = SightedNets.load(game, agent.options["file"])
        is_valued = self._sighted.networks.card.output == "values"
        card, mode = (VALUE_SOFTNESS[SIGHTS[part]] if is_valued else 1.0 for part in ("card", "trump"))
        self.nets = self._sighted.packed(card, mode, _BY_CHANCE)
        self._worth = 0.1 if is_valued else _LOGIT_WORTH  # of what the networks say, in hundreds of points
        solver = game.solver()
        self.work: Any = solver.new_work(PLACES)
        bound = {"RULES": game.rules, "NETS": self._sighted.kernels}
        self.kernels = loader.load("stammtisch.baselines.kernels.pimc_nets", game.id, SOLVER=solver, **bound)
        self._advice = loader.load("stammtisch.baselines.kernels.jass_advice", game.id, **bound)
        self._actions, self._scores = np.empty(rules.MAX_BRANCH, np.int64), np.empty(rules.MAX_BRANCH)
        count = _CANDIDATES * count if agent.options["beliefs"] == "on" else 0
        self.worlds, self.weights = np.empty((count, rules.STATE_LEN), np.int64), np.empty(count)

    @property
    def room(self) -> Any:
        """Arrays that kernels work in."""
        return self._sighted.room

    @property
    def net_kernels(self) -> Any:
        """The compiled networks, to be bound into kernels."""
        return self._sighted.kernels

    def think(self, row: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the choices of a seat and what the networks say of them, in hundreds of points around zero."""
        n = self._advice.advise(row, self.nets, self.room, self._actions, self._scores)
        thought = self._scores[:n] * self._worth
        return self._actions[:n].copy(), thought - thought.mean()

    def is_settled(self, row: NDArray[np.int64], count: int) -> bool:
        """Tell whether there is nothing to search: one choice only, or the mode, which the network chooses alone."""
        return count == 1 or bool(row[self._mode_at] == self._no_mode)

    def settle(self, actions: NDArray[np.int64], thought: NDArray[np.float64]) -> Explanation:
        """Return what the networks say as it is."""
        best = int(actions[thought.argmax()])
        return Explanation(best, actions, thought, np.ones(len(actions), np.int64), (best,), {"worlds": 0})

    def weigh(self, row: NDArray[np.int64]) -> None:
        """Deal worlds and weigh them, where the search has beliefs."""
        if len(self.weights):
            self.kernels.weigh_worlds(row, self.agent.streams, self.nets, self.room, self.worlds, self.weights)


class NetWorlds(NetSearch):
    """The part of ``pimc`` that networks do; without them it is not made."""

    OPTIONS: ClassVar[dict[str, Option]] = {
        **NetSearch.OPTIONS,
        "prior": Option(20.0, "with file: worlds that the network's own opinion counts for", minimum=0.0),
    }

    def __init__(self, agent: HiddenSearch):
        if agent.options["search"] != "solve":
            raise ValueError("a search by networks solves worlds at the end; leave search=solve as it is")
        super().__init__(agent, agent.options["worlds"])
        self._cards = np.empty(agent.game.rules.MAX_BRANCH, np.int64)
        self._totals = np.empty(agent.game.rules.MAX_BRANCH)

    def search(self, row: NDArray[np.int64]) -> Explanation:
        """Look at what a seat knows."""
        actions, thought = self.think(row)
        if self.is_settled(row, len(actions)):
            return self.settle(actions, thought)
        self.weigh(row)
        exact, prior = self.agent.options["exact"], self.agent.options["prior"]
        nets = self.work, self.nets, self.room, self.worlds, self.weights
        n, worlds, totals = len(actions), 0, np.zeros(len(actions))
        for more in self.agent.portions(self.agent.options["worlds"], is_compiled(self.kernels.try_by_nets)):
            self.kernels.try_by_nets(row, more, exact, self.agent.streams, *nets, self._cards, self._totals)
            totals += self._totals[:n]
            worlds += more
        found = totals / worlds
        mean = found.mean()
        values = mean + ((found - mean) * worlds + thought * prior) / (worlds + prior)
        best = int(actions[values.argmax()])
        return Explanation(best, actions, values, np.full(n, worlds), (best,), {"worlds": worlds})
