"""A network in PyTorch, for training and as a back end."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from stammtisch.baselines.kernels.puct_arrays import NetworkAnswers
from stammtisch.baselines.learned.alphazero.shape import NetworkShape, Weights


class TorchNetwork(nn.Module):
    """A policy and value network; its parameters have the names of ``NetworkShape.weight_shapes``, dots as colons.

    Args:
        shape: form of the network.
        weights: its weights.
        foretells: whether it has a head for what will be seen at the end of the game, which only training needs.
    """

    def __init__(self, shape: NetworkShape, weights: Weights, foretells: bool = False):
        super().__init__()
        self.shape = shape
        self._future: nn.Module | None = None
        if foretells:
            trunk = shape.sizes[-1]
            self._future = nn.Linear(trunk, shape.inputs) if shape.is_flat else nn.Conv2d(trunk, shape.planes[0], 1)
            for values in self._future.parameters():
                nn.init.zeros_(values)
        self._parts = nn.ParameterDict(
            {name.replace(".", ":"): nn.Parameter(torch.from_numpy(values.copy())) for name, values in weights.items()}
        )

    def tensors(self) -> dict[str, nn.Parameter]:
        """Return the weights themselves by their names."""
        return {name.replace(":", "."): values for name, values in self._parts.items()}

    def weights(self) -> Weights:
        """Return a copy of the weights by their names."""
        return {
            name: values.detach().to(torch.float32).contiguous().numpy().copy()
            for name, values in self.tensors().items()
        }

    def future_weights(self) -> Weights:
        """Return a copy of the weights of the head for the end of the game, if there is one."""
        parts = [] if self._future is None else self._future.named_parameters()
        return {name: values.detach().numpy().copy() for name, values in parts}

    def gradients(self) -> list[tuple[str, torch.Tensor]]:
        """Return the gradients of the weights by their names."""
        return [(name, values.grad) for name, values in self.tensors().items() if values.grad is not None]

    def _of(self, name: str) -> tuple[torch.Tensor, torch.Tensor]:
        key = name.replace(".", ":")
        return self._parts[f"{key}:weight"], self._parts[f"{key}:bias"]

    def _dense(self, name: str, x: torch.Tensor) -> torch.Tensor:
        return functional.linear(x, *self._of(name))

    def _convolve(self, name: str, x: torch.Tensor, padding: int = 1) -> torch.Tensor:
        return functional.conv2d(x, *self._of(name), padding=padding)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return logits and values of flat observations."""
        logits, values, _ = self.foretell(x)
        return logits, values

    def foretell(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """Return logits, values, and what will be seen at the end of the game if it has a head for that."""
        if self.shape.is_flat:
            for i in range(len(self.shape.sizes)):
                x = functional.relu(self._dense(f"layer{i}", x))
            return self._dense("policy", x), torch.tanh(self._dense("value", x).float()), self._last(x)
        x = x.view(-1, *self.shape.planes).to(memory_format=torch.channels_last)
        x = functional.relu(self._convolve("first", x))
        for i in range(len(self.shape.sizes)):
            inner = functional.relu(self._convolve(f"block{i}.a", x))
            x = functional.relu(x + self._convolve(f"block{i}.b", inner))
        policy = functional.relu(self._convolve("policy_planes", x, 0)).flatten(1)
        value = functional.relu(self._convolve("value_planes", x, 0)).flatten(1)
        value = functional.relu(self._dense("value_units", value))
        return self._dense("policy", policy), torch.tanh(self._dense("value", value).float()), self._last(x)

    def _last(self, x: torch.Tensor) -> torch.Tensor | None:
        return None if self._future is None else self._future(x).flatten(1)


class TorchEvaluator:
    """Answers in single precision with PyTorch."""

    def __init__(self, shape: NetworkShape, weights: Weights):
        self._network = TorchNetwork(shape, weights).eval()

    def __call__(self, questions: NDArray[np.float32]) -> NetworkAnswers:
        with torch.inference_mode():
            logits, values = self._network(torch.from_numpy(questions))
        return NetworkAnswers(logits.numpy(), values.numpy())
