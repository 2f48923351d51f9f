"""``NetworkLearner``: the gradient steps of a policy and value network."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from stammtisch.baselines.kernels.puct_records import Batch
from stammtisch.baselines.learned.alphazero.shape import NetworkShape, Weights
from stammtisch.baselines.learned.alphazero.torch_network import TorchNetwork
from stammtisch.baselines.learned.tensor_files import named, under
from stammtisch.envs.core.game import Game
from stammtisch.training.alphazero.settings import AlphaZeroSettings
from stammtisch.training.alphazero.ties import WeightTies
from stammtisch.training.checkpoints import optimizer_arrays, restore_optimizer, tensors_of

_CLIP = 1.0  # norm of a gradient


@dataclass(frozen=True)
class Losses:
    """Means over some gradient steps.

    Attributes:
        policy: cross entropy of policies above the least possible.
        value: squared error of values.
        future: squared error of what will be seen at the end of the game.
        steps: how many.
    """

    policy: float
    value: float
    future: float
    steps: int


class NetworkLearner:
    """A network that learns, in bf16 where that is fast.

    Args:
        game: that it learns.
        shape: form of the network.
        weights: to begin with.
        settings: of the training.
    """

    def __init__(self, game: Game, shape: NetworkShape, weights: Weights, settings: AlphaZeroSettings):
        torch.set_num_threads(1)
        self._ties = WeightTies(game, shape)
        self.network = TorchNetwork(shape, self._ties.tied(weights), settings.future_weight > 0)
        self._settings = settings
        parameters = list(self.network.parameters())
        groups = [
            {"params": [p for p in parameters if p.ndim > 1], "weight_decay": settings.weight_decay},
            {"params": [p for p in parameters if p.ndim == 1], "weight_decay": 0.0},
        ]
        self._optimizer = torch.optim.AdamW(groups, lr=settings.learning_rate)
        self._means = {name: values.detach().clone() for name, values in self.network.tensors().items()}
        self.steps = 0
        self._sums = [0.0, 0.0, 0.0, 0]

    def step(self, batch: Batch, share: float) -> None:
        """Take one gradient step; ``share`` of the training is over, which decides the step size."""
        settings = self._settings
        rate = settings.final_rate + (1 - settings.final_rate) * 0.5 * (1 + math.cos(math.pi * min(1.0, share)))
        for group in self._optimizer.param_groups:
            group["lr"] = settings.learning_rate * rate
        x, target, legal, worth, last = (torch.from_numpy(array) for array in batch)
        with torch.autocast("cpu", torch.bfloat16):
            logits, values, future = self.network.foretell(x)
        logs = torch.log_softmax(logits.float().masked_fill(~legal, -torch.inf), dim=1).masked_fill(~legal, 0.0)
        least = torch.special.xlogy(target, target).sum(1).mean()
        policy_loss = least - (target * logs).sum(1).mean()
        value_loss = torch.square(values - worth).mean()
        self._optimizer.zero_grad(set_to_none=True)
        loss = policy_loss + settings.value_weight * value_loss
        if future is not None:
            future_loss = torch.square(future.float() - last).mean()
            self._sums[2] += future_loss.item()
            loss = loss + settings.future_weight * future_loss
        loss.backward()
        for name, gradient in self.network.gradients():
            self._ties.average(name, gradient)
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), _CLIP)
        self._optimizer.step()
        self.steps += 1
        self._average()
        self._sums[0] += policy_loss.item()
        self._sums[1] += value_loss.item()
        self._sums[3] += 1

    @torch.no_grad()
    def _average(self) -> None:
        """Let the means follow the weights: over the last steps, at first over a tenth of all there were."""
        share = 1 / max(1.0, min(self._settings.averaged, self.steps / 10))
        torch._foreach_lerp_(list(self._means.values()), list(self.network.tensors().values()), share)

    def weights(self) -> Weights:
        """Return a copy of the weights to play with: their means over the last steps."""
        return {name: mean.numpy().copy() for name, mean in self._means.items()}

    def losses(self) -> Losses:
        """Return the means since the last call."""
        policy, value, future, n = self._sums
        self._sums = [0.0, 0.0, 0.0, 0]
        return Losses(policy / max(1, n), value / max(1, n), future / max(1, n), int(n))

    def saved(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that decide everything to come."""
        weights = named("weights/", self.network.weights()) | named("future/", self.network.future_weights())
        weights |= named("means/", self.weights())
        optimizer = named("optimizer/", optimizer_arrays(self._optimizer))
        return {**weights, **optimizer, "steps": np.array(self.steps, np.int64)}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what ``saved`` returned for the same shape."""
        weights = under("weights/", arrays)
        state = {f"_parts.{name.replace('.', ':')}": values for name, values in weights.items()}
        state |= {f"_future.{name}": values for name, values in under("future/", arrays).items()}
        self.network.load_state_dict(tensors_of(state))
        means = tensors_of(self.network.shape.check(under("means/", arrays)))
        self._means = {name: means[name] for name in self._means}  # in the order of the network
        restore_optimizer(self._optimizer, under("optimizer/", arrays))
        self.steps = int(arrays["steps"])
