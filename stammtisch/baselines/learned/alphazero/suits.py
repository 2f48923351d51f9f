"""How the symmetries of a card game exchange its suits."""

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core.game import Game


def suit_orders(game: Game) -> NDArray[np.int64]:
    """Return what every suit becomes under every symmetry, ``int64[symmetries, suits]``.

    Suits are counted by the first card that can become another one: the cards that it can become stand for them.

    Raises:
        ValueError: no card can become another.
    """
    actions = np.stack([each.action for each in game.symmetries])
    moved = np.flatnonzero((actions != actions[:1]).any(axis=0))
    if not len(moved):
        raise ValueError(f'{game.id} has no suits that are alike: give layers such as "mlp-256-256"')
    cards = np.unique(actions[:, moved[0]])
    orders: NDArray[np.int64] = np.searchsorted(cards, actions[:, cards]).astype(np.int64)
    return orders
