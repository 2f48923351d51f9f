"""Weights that only differ by the names of suits: which they are, and how they stay the same in training."""

import itertools

import numpy as np
import torch
from numpy.typing import NDArray

from stammtisch.baselines.learned.alphazero.shape import SUITS, NetworkShape, Weights
from stammtisch.baselines.learned.alphazero.suits import suit_orders
from stammtisch.envs.core.game import Game


class WeightTies:
    """The ties of a network of the kind ``suits``; of every other kind there are none.

    Args:
        game: whose symmetries exchange suits.
        shape: form of the network.
    """

    def __init__(self, game: Game, shape: NetworkShape):
        self._first = _first_alike(game, shape) if shape.kind == SUITS else {}
        self._groups = {name: _groups(first) for name, first in self._first.items()}

    def tied(self, weights: Weights) -> Weights:
        """Return weights in which all that are tied have the value of the first of them."""
        return {
            name: values.reshape(-1)[self._first[name]].reshape(values.shape) if name in self._first else values
            for name, values in weights.items()
        }

    def average(self, name: str, gradient: torch.Tensor) -> None:
        """Give all tied weights the mean of their gradients, so that they stay the same."""
        if name not in self._groups:
            return
        group, sizes = self._groups[name]
        flat = gradient.reshape(-1)
        means = torch.zeros_like(sizes).index_add_(0, group, flat) / sizes
        gradient.copy_(means[group].view_as(gradient))


def _first_alike(game: Game, shape: NetworkShape) -> dict[str, NDArray[np.int64]]:
    """Return the first weight that each is tied to, as flat indices by the names of the weights."""
    orders = suit_orders(game)
    seen = [np.argsort(each.observation) for each in game.symmetries]  # where every input goes
    played = [each.action for each in game.symmetries]
    ends = [np.arange(shape.heads)] * len(orders)

    def units(size: int) -> list[NDArray[np.int64]]:
        per_suit = size // shape.suits
        return [(order[:, None] * per_suit + np.arange(per_suit)).reshape(-1) for order in orders]

    layers = [units(size) for size in shape.sizes]
    names = [f"layer{i}" for i in range(len(layers))]
    pairs = list(zip(names, itertools.pairwise([seen, *layers]), strict=True))
    pairs += [("policy", (layers[-1], played)), ("value", (layers[-1], ends))]
    found = {}
    for name, (before, after) in pairs:
        width = len(before[0])
        indices = (to[:, None] * width + of[None, :] for of, to in zip(before, after, strict=True))
        found[f"{name}.weight"] = np.minimum.reduce(list(indices)).reshape(-1)
        found[f"{name}.bias"] = np.minimum.reduce(after)
    return found


def _groups(first: NDArray[np.int64]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the group of every weight, and the size of every group."""
    _, group, sizes = np.unique(first, return_inverse=True, return_counts=True)
    return torch.from_numpy(group.astype(np.int64)), torch.from_numpy(sizes.astype(np.float32))
