"""The networks of ``train supervised`` in PyTorch, and their way to and from files."""

import itertools
from collections.abc import Sequence

import numpy as np
import torch
from torch import nn

from stammtisch.baselines.learned.jass.network import LEAK, DenseNetwork


class DenseModule(nn.Module):
    """A fully connected network as ``DenseNetwork`` describes it, with batch normalisation and dropout for learning.

    Args:
        layers: units from the inputs to the outputs.
        activation: "relu" or "leaky".
        batch_norm: normalise after the activation of each hidden layer.
        dropout: share of hidden units left out.
        residual: hidden layers as wide as their input add it.
    """

    def __init__(
        self,
        layers: Sequence[int],
        activation: str = "relu",
        batch_norm: bool = False,
        dropout: float = 0.0,
        residual: bool = False,
    ):
        super().__init__()
        self.layers, self.activation, self.residual = tuple(layers), activation, residual
        self.linear = nn.ModuleList(nn.Linear(a, b) for a, b in itertools.pairwise(layers))
        hidden = layers[1:-1]
        self.norms = nn.ModuleList(nn.BatchNorm1d(units) if batch_norm else nn.Identity() for units in hidden)
        self.dropout = nn.Dropout(dropout)
        self._leak = LEAK if activation == "leaky" else 0.0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the outputs of float32[n, inputs]."""
        for place, (linear, norm) in enumerate(zip(self.linear, self.norms, strict=False)):
            after = self.dropout(norm(nn.functional.leaky_relu(linear(x), self._leak)))
            x = after + x if self.residual and place > 0 and after.shape == x.shape else after
        out: torch.Tensor = self.linear[-1](x)
        return out

    def to_network(self, encoding: str, sorted_suits: bool, output: str) -> DenseNetwork:
        """Return the network as it plays; batch normalisation becomes part of the weights that follow it.

        A layer that is normalised after its activation hands on ``scale * h + shift``; both go into the next weights.
        Where it adds its input, they cannot.
        """
        weights = []
        scale: torch.Tensor | None = None
        shift: torch.Tensor | None = None
        with torch.no_grad():
            for place, linear in enumerate(self.linear):
                assert isinstance(linear, nn.Linear)
                weight, bias = linear.weight.T.double(), linear.bias.double()
                if scale is not None and shift is not None:
                    bias = bias + shift @ weight
                    weight = scale[:, None] * weight
                weights.append((weight.float().numpy().copy(), bias.float().numpy().copy()))
                norm = self.norms[place] if place < len(self.norms) else None
                scale = shift = None
                if isinstance(norm, nn.BatchNorm1d):
                    assert norm.running_var is not None
                    assert norm.running_mean is not None
                    scale = norm.weight.double() / torch.sqrt(norm.running_var.double() + norm.eps)
                    shift = norm.bias.double() - norm.running_mean.double() * scale
        kind = "logits" if output == "softmax" else "values"
        return DenseNetwork(encoding, self.layers, tuple(weights), self.activation, self.residual, sorted_suits, kind)

    @classmethod
    def from_network(cls, network: DenseNetwork, dropout: float = 0.0) -> "DenseModule":
        """Return a network to go on learning with; it has no batch normalisation."""
        module = cls(network.layers, network.activation, False, dropout, network.residual)
        with torch.no_grad():
            for linear, (weight, bias) in zip(module.linear, network.weights, strict=True):
                assert isinstance(linear, nn.Linear)
                linear.weight.copy_(torch.from_numpy(np.array(weight.T)))
                linear.bias.copy_(torch.from_numpy(np.array(bias)))
        return module
