"""The networks of ``train rl-jass`` in PyTorch, and the files that they become."""

import itertools
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from stammtisch.baselines.learned.jass.encodings import SIGHTS
from stammtisch.baselines.learned.jass.network import DenseNetwork, JassNetworks
from stammtisch.training.rl_jass.table import Score

_PORTION = 16_384  # sights that a network is asked about at once


def dense(inputs: int, hidden: Sequence[int], outputs: int) -> nn.Sequential:
    """Return a fully connected network with ReLU between its layers."""
    parts: list[nn.Module] = []
    for before, after in itertools.pairwise([inputs, *hidden, outputs]):
        parts += [nn.Linear(before, after), nn.ReLU()]
    return nn.Sequential(*parts[:-1])


def score_by(network: nn.Module) -> Score:
    """Return a function that asks the network as it is at the time of the call."""

    @torch.no_grad()
    def score(sights: NDArray[np.int8]) -> NDArray[np.float32]:
        said = [network(torch.from_numpy(part).float()) for part in _portions(sights)]
        found: NDArray[np.float32] = torch.cat(said).numpy()
        return found

    return score


def _portions(sights: NDArray[np.int8]) -> list[NDArray[np.int8]]:
    return [sights[i : i + _PORTION] for i in range(0, len(sights), _PORTION)]


def to_networks(
    card: nn.Sequential, trump: nn.Sequential, critic: nn.Sequential | None, output: str, facts: Mapping[str, Any]
) -> JassNetworks:
    """Return what plays, and the critic, without PyTorch."""
    value = None if critic is None else _plain(critic, "value")
    return JassNetworks(_plain(card, "card", output), _plain(trump, "trump"), value, dict(facts))


def _plain(network: nn.Sequential, part: str, output: str = "values") -> DenseNetwork:
    linear = [each for each in network if isinstance(each, nn.Linear)]
    weights = [(each.weight.detach().numpy().T.copy(), each.bias.detach().numpy().copy()) for each in linear]
    layers = (linear[0].in_features, *(each.out_features for each in linear))
    return DenseNetwork(SIGHTS[part], layers, tuple(weights), output=output)


def from_file(path: str | os.PathLike[str], networks: Mapping[str, nn.Sequential]) -> set[str]:
    """Give networks the weights of a file; return the names of those that it has.

    Args:
        path: the file.
        networks: "card", "trump" and "critic"; what the file does not have keeps its weights.

    Raises:
        ValueError: the file looks at something else, or its layers are others.
    """
    found = JassNetworks.load(path)
    given = set()
    for name, plain in (("card", found.card), ("trump", found.trump), ("critic", found.value)):
        if plain is None:
            continue
        linear = [each for each in networks[name] if isinstance(each, nn.Linear)]
        layers = (linear[0].in_features, *(each.out_features for each in linear))
        if plain.layers != layers or plain.encoding not in SIGHTS.values():
            wanted = "-".join(map(str, layers))
            raise ValueError(
                f"{path} has {'-'.join(map(str, plain.layers))} on {plain.encoding} for {name}, not {wanted} on a "
                "sight; take networks of train rl-jass, or default ones of train supervised"
            )
        given.add(name)
        with torch.no_grad():
            for each, (weight, bias) in zip(linear, plain.weights, strict=True):
                each.weight.copy_(torch.from_numpy(weight.T.copy()))
                each.bias.copy_(torch.from_numpy(bias))
    return given
