"""Networks that look at Schieber without the names of colours (``sight``), inside of kernels: players, and searches.

``rl-jass:FILE`` plays what the networks like best, without search; ``rl-jass`` those that ship.
"""

import os
import pathlib
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from stammtisch.baselines.kernels.bindings import JassNets
from stammtisch.baselines.learned.jass.encodings import SCHIEBER, SIGHTS, check_game
from stammtisch.baselines.learned.jass.network import DenseNetwork, JassNetworks
from stammtisch.envs.core import loader
from stammtisch.envs.core.agent import Agent
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.options import Option, OptionTable
from stammtisch.envs.core.state import View
from stammtisch.envs.core.streams import Seed
from stammtisch.models import model_file, models_of


class SightedNets:
    """Networks of a file, ready for kernels of a game.

    Args:
        game: Schieber with any rules that the networks can see.
        networks: with sights as encodings, one for cards and one for the mode.
    """

    def __init__(self, game: Game, networks: JassNetworks):
        check_game(game, networks.card.encoding)
        if networks.card.encoding != SIGHTS["card"] or networks.trump is None:
            raise ValueError("searches take networks of `stammtisch train rl-jass`, for cards and for the mode")
        self.kernels = cast(JassNets, loader.load("stammtisch.baselines.kernels.jass_nets", game.id, RULES=game.rules))
        widest = max(*networks.card.layers[1:], *networks.trump.layers[1:])
        self.room: Any = self.kernels.new_room(widest)
        self.networks = networks
        self._card, self._trump = _packed(networks.card), _packed(networks.trump)

    @classmethod
    def load(cls, game: Game, path: str | os.PathLike[str]) -> "SightedNets":
        """Read networks from a file."""
        return cls(game, JassNetworks.load(path))

    def packed(self, card: float = 1.0, mode: float = 1.0, by_chance: float = 0.0) -> Any:
        """Return ``Nets`` for kernels; the arguments say how soft choices are when worlds are weighed."""
        softness = np.array((card, mode, by_chance), np.float64)
        return self.kernels.Nets(self._card, self._trump, softness)  # type: ignore[attr-defined]


def _packed(network: DenseNetwork) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    return network.sizes, network.params


def shipped_file() -> pathlib.Path:
    """Return the file of the networks that ship.

    Raises:
        ValueError: there is none.
    """
    for model in models_of(SCHIEBER):
        if model.file and model.agent == "rl-jass":
            return model_file(model)
    raise ValueError("no networks ship with Schieber; give the file of some: rl-jass:FILE")


class SightedPlayer(Agent):
    """Chooses the mode and the cards that its networks value most."""

    OPTIONS: ClassVar[OptionTable] = {
        "file": Option("", "a file of `stammtisch train rl-jass`; empty: the networks that ship", names="file"),
        "epsilon": Option(0.0, "share of choices drawn at random", minimum=0, maximum=1),
        "temperature": Option(0.0, "0 plays the best; above, draws in proportion to exp(points / T)", minimum=0.0),
    }
    MAIN_OPTION = "file"

    def __init__(self, game: Game, seed: Seed = None, spec: str = "rl-jass", **options: Any):
        super().__init__(game, seed, spec, **options)
        self._set_up(JassNetworks.load(self.options["file"] or shipped_file()), seed)

    @classmethod
    def of(cls, game: Game, networks: JassNetworks, seed: Seed = None, **options: Any) -> "SightedPlayer":
        """Return a player on networks in memory, such as those in training."""
        agent = cls.__new__(cls)
        Agent.__init__(agent, game, seed, "rl-jass", **options)
        agent._set_up(networks, seed)
        return agent

    def _set_up(self, networks: JassNetworks, seed: Seed) -> None:
        self._sighted = SightedNets(self.game, networks)
        self._nets = self._sighted.packed()
        self._kernels = loader.load(
            "stammtisch.baselines.kernels.jass_advice", self.game.id, RULES=self.game.rules, NETS=self._sighted.kernels
        )
        self._actions = np.empty(self.game.rules.MAX_BRANCH, np.int64)
        self._scores = np.empty(self.game.rules.MAX_BRANCH, np.float64)
        self._rng = np.random.default_rng(seed)

    def reset(self, seed: Seed = None) -> None:
        if seed is not None:
            self._rng = np.random.default_rng(seed)

    def act(self, view: View) -> int:
        n = self._kernels.advise(view._state._row, self._nets, self._sighted.room, self._actions, self._scores)
        actions, scores = self._actions[:n], self._scores[:n]
        epsilon, temperature = self.options["epsilon"], self.options["temperature"]
        if n > 1 and epsilon and self._rng.random() < epsilon:
            return int(self._rng.choice(actions))
        if n > 1 and temperature:
            shares = np.exp(10.0 * (scores - scores.max()) / temperature)  # networks speak of tens of points
            return int(self._rng.choice(actions, p=shares / shares.sum()))
        return int(actions[scores.argmax()])
