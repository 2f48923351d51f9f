"""``supervised``: plays Schieber by networks that learned from deals of others."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from stammtisch.baselines.learned.jass.encodings import N_CARDS, N_CHOICES
from stammtisch.baselines.learned.jass.looking import Looker
from stammtisch.baselines.learned.jass.network import DenseNetwork, JassNetworks
from stammtisch.envs.core.agent import Agent
from stammtisch.envs.core.agents import load_agent
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.options import Option, OptionTable
from stammtisch.envs.core.rules import OwnRules, own
from stammtisch.envs.core.state import View
from stammtisch.envs.core.streams import Seed


class SupervisedJass(Agent):
    """Chooses the mode and the cards that its networks think most likely.

    Without ``mask`` it takes the best card of its hand, as the bots of the JassBot thesis did: an illegal one is sent
    back, which ``rejections`` counts, and as such a network would only say the same again, chance finds the next.
    """

    OPTIONS: ClassVar[OptionTable] = {
        "file": Option("", "a file of `stammtisch train supervised`", names="file"),
        "mask": Option(
            True, "choose among legal cards only; false: among all of the hand, asked again after a wrong one"
        ),
        "epsilon": Option(0.0, "share of cards drawn at random", minimum=0, maximum=1),
        "temperature": Option(0.0, "0 plays the likeliest; above, draws in proportion to p^(1/T)", minimum=0.0),
        "trump": Option("network", "who chooses the mode: network, heuristic, or the file of another network for it"),
    }
    MAIN_OPTION = "file"

    def __init__(self, game: Game, seed: Seed = None, spec: str = "supervised", **options: Any):
        super().__init__(game, seed, spec, **options)
        if not self.options["file"]:
            raise ValueError("agent supervised needs the file of networks: supervised:FILE")
        self._set_up(JassNetworks.load(self.options["file"]), seed)

    @classmethod
    def of(
        cls, game: Game, networks: JassNetworks, seed: Seed = None, spec: str = "supervised", **options: Any
    ) -> "SupervisedJass":
        """Return a player on networks in memory, such as those in training."""
        agent = cls.__new__(cls)
        Agent.__init__(agent, game, seed, spec, **options)
        agent._set_up(networks, seed)
        return agent

    def _set_up(self, networks: JassNetworks, seed: Seed) -> None:
        self.networks = networks
        self.rejections = 0  # cards that were not legal, since the agent was made
        self._rules: OwnRules = own(self.game.rules)
        trump = self.options["trump"]
        if trump not in ("network", "heuristic"):
            other = JassNetworks.load(trump).trump
            if other is None:
                raise ValueError(f"{trump} has no network for the mode")
            networks = JassNetworks(networks.card, other)
        self._look = Looker(self.game, networks)
        self._rng = np.random.default_rng(seed)
        has_trump = networks.trump is not None and trump != "heuristic"
        self._chooser = None if has_trump else load_agent("heuristic", self.game, seed)

    def reset(self, seed: Seed = None) -> None:
        if seed is not None:
            self._rng = np.random.default_rng(seed)
            if self._chooser is not None:
                self._chooser.reset(seed)

    def act(self, view: View) -> int:
        row = view._state._row
        if row[self._rules.MODE] == self._rules.NO_MODE:
            return self._choose_mode(view, row)
        legal = view.legal_mask()[:N_CARDS]
        network = self._look.card
        if self.options["mask"]:
            return self._pick(network, row, view.player, legal)
        hand = int(row[self._rules.HAND + view.player])
        held = np.array([hand >> card & 1 for card in range(N_CARDS)], np.int8)
        card = self._pick(network, row, view.player, held)
        while not legal[card]:
            self.rejections += 1
            card = int(self._rng.choice(np.flatnonzero(held)))
        return card

    def _choose_mode(self, view: View, row: NDArray[np.int64]) -> int:
        if self._chooser is not None:
            return self._chooser.act(view)
        network = self._look.trump
        assert network is not None
        allowed = np.ones(network.layers[-1], np.int8)
        if row[self._rules.PUSHED]:
            allowed[N_CHOICES - 1 :] = 0
        return N_CARDS + self._pick(network, row, view.player, allowed)

    def _pick(self, network: DenseNetwork, row: NDArray[np.int64], player: int, allowed: NDArray[np.int8]) -> int:
        """Return one of the outputs that are allowed."""
        options = np.flatnonzero(allowed)
        if len(options) == 1:
            return int(options[0])
        if self.options["epsilon"] and self._rng.random() < self.options["epsilon"]:
            return int(self._rng.choice(options))
        scores = self._look.cards(row, player) if network is self._look.card else self._look.modes(row, player)
        if self.options["temperature"]:
            shares = network.shares(scores[None], allowed[None], self.options["temperature"])[0]
            return int(self._rng.choice(len(shares), p=shares))
        return int(options[scores[options].argmax()])
