"""Networks for Stable-Baselines3 that read a game's observation and leave the mask alone."""

from collections.abc import Sequence
from typing import Any

import torch
from gymnasium import spaces
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

NETWORKS = ("mlp", "conv")


class GameFeatures(BaseFeaturesExtractor):
    """The body of a policy: layers that the heads for actions and values share.

    Args:
        observation_space: the observation, or a ``Dict`` with the observation and the action mask.
        network: ``mlp`` flattens the observation; ``conv`` takes planes ``(channels, height, width)`` through residual
            blocks first.
        layers: units of the fully connected layers.
        channels: channels of each convolution.
        blocks: residual blocks of two convolutions.
    """

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        network: str = "mlp",
        layers: Sequence[int] = (256, 256),
        channels: int = 32,
        blocks: int = 2,
    ):
        self.nested = isinstance(observation_space, spaces.Dict)
        space = observation_space["observation"] if isinstance(observation_space, spaces.Dict) else observation_space
        super().__init__(observation_space, layers[-1])
        shape = space.shape
        assert shape is not None
        parts: list[nn.Module] = []
        if network == "conv":
            if len(shape) != 3:
                raise ValueError(f'network "conv" needs planes, not an observation of shape {shape}; choose "mlp"')
            parts += [nn.Conv2d(shape[0], channels, 3, padding=1), nn.ReLU()]
            parts += [Residual(channels) for _ in range(blocks)]
            width = channels * shape[1] * shape[2]
        elif network == "mlp":
            width = int(torch.tensor(shape).prod())
        else:
            raise ValueError(f'no network "{network}"; choose one of {", ".join(NETWORKS)}')
        parts.append(nn.Flatten())
        for units in layers:
            parts += [nn.Linear(width, units), nn.ReLU()]
            width = units
        self.body = nn.Sequential(*parts)

    def forward(self, observations: Any) -> torch.Tensor:
        """Return the features ``float32[batch, layers[-1]]``."""
        features: torch.Tensor = self.body((observations["observation"] if self.nested else observations).float())
        return features


class Residual(nn.Module):
    """Two convolutions beside the identity."""

    def __init__(self, channels: int):
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1)
        self.second = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        """Return planes of the same shape."""
        return torch.relu(planes + self.second(torch.relu(self.first(planes))))
