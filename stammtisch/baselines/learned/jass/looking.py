"""Asks networks of Schieber about positions, whatever they look at; cards and modes go by their usual names."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.baselines.learned.jass.encodings import N_CARDS, SIGHTS, Encoder, check_game, mode_inputs
from stammtisch.baselines.learned.jass.network import DenseNetwork, JassNetworks, named_suits
from stammtisch.envs.core import loader
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.rules import own
from stammtisch.envs.jass.family.sight import CARD_LEN, N_CARD_SETS

_N_RANKS = 9


class Looker:
    """Says what the networks of a file think of cards and of modes.

    Args:
        game: Schieber, single deals or whole games.
        networks: for the cards, and perhaps for the mode.
    """

    def __init__(self, game: Game, networks: JassNetworks):
        check_game(game, networks.card.encoding)
        rules = own(game.rules)
        self._hand_at, self._pushed_at = rules.HAND, rules.PUSHED
        self.card = networks.card
        self.trump = None if networks.trump is None else named_suits(networks.trump)
        self._encode: Encoder | None = None
        if self.card.encoding == SIGHTS["card"]:
            self._kernels: Any = loader.load("stammtisch.baselines.kernels.jass_sights", game.id, RULES=game.rules)
            self._sets, self._order = np.zeros(N_CARD_SETS, np.int64), np.zeros(4, np.int64)
            self._sight = np.zeros(CARD_LEN, np.int8)
        else:
            self._encode = Encoder(game, self.card.encoding)

    def cards(self, row: NDArray[np.int64], player: int) -> NDArray[np.float32]:
        """Return what the network says of all cards, ``float32[36]``, to a seat that has to play one."""
        if self._encode is not None:
            seen: NDArray[np.float32] = self.card.scores(self._encode(row, player)[None])[0]
            return seen
        self._kernels.see(row, player, self._sets, self._order, self._sight)
        said = self.card.scores(self._sight[None])[0].reshape(-1, _N_RANKS)
        out = np.empty((len(self._order), _N_RANKS), np.float32)
        out[self._order] = said
        return out.reshape(N_CARDS)

    def modes(self, row: NDArray[np.int64], player: int) -> NDArray[np.float32]:
        """Return what the network for the mode says of the six modes and, where it knows it, of passing on."""
        network = self._trump()
        x = mode_inputs(int(row[self._hand_at + player]), bool(row[self._pushed_at]), network.encoding)
        found: NDArray[np.float32] = network.scores(x[None])[0]
        return found

    def _trump(self) -> DenseNetwork:
        assert self.trump is not None
        return self.trump
