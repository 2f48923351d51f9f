"""A network for RLlib's PPO that never plays illegally: illegal actions have no probability, in training too."""

import itertools
from typing import Any

import numpy as np
from gymnasium import spaces

try:
    import torch
    from ray.rllib.core.columns import Columns
    from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
    from ray.rllib.core.rl_module.torch import TorchRLModule
except ImportError as error:
    raise ImportError(
        f"this module needs RLlib, in an environment of its own: pip install stammtisch[rllib] ({error})"
    ) from error

_ILLEGAL = -1e9  # finite, so that a product with probability 0 stays 0


class MaskedModule(TorchRLModule, ValueFunctionAPI):
    """Two perceptrons, for logits and for the value, on the observations of ``RLlibEnv``.

    ``model_config={"layers": [128, 128]}`` sets the widths of the hidden layers. ``logits`` without the mask are what
    ``NetworkPolicy`` wants.
    """

    def setup(self) -> None:
        """Build the networks; RLlib calls this."""
        space = self.observation_space
        if not isinstance(space, spaces.Dict) or set(space.spaces) != {"observations", "action_mask"}:
            raise ValueError(f"MaskedModule takes observations and action_mask as RLlibEnv shows them, not {space}")
        if not isinstance(self.action_space, spaces.Discrete):
            raise ValueError(f"MaskedModule chooses one of many actions, not from {self.action_space}")
        config = self.model_config if isinstance(self.model_config, dict) else {}
        layers = list(config.get("layers", [128, 128]))
        inputs = int(np.prod(space["observations"].shape or ()))
        self.actor = _perceptron([inputs, *layers, int(self.action_space.n)])
        self.critic = _perceptron([inputs, *layers, 1])

    def logits(self, observations: Any) -> Any:
        """Return one score per action for ``float32[n, length]``."""
        return self.actor(observations)

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        shown = batch[Columns.OBS]
        illegal = shown["action_mask"] < 0.5
        return {Columns.ACTION_DIST_INPUTS: self.actor(shown["observations"]).masked_fill(illegal, _ILLEGAL)}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Any:
        """Return the expected return of each position."""
        return self.critic(batch[Columns.OBS]["observations"]).squeeze(-1)


def _perceptron(widths: list[int]) -> Any:
    parts: list[Any] = []
    for inputs, outputs in itertools.pairwise(widths):
        parts += [torch.nn.Linear(inputs, outputs), torch.nn.Tanh()]
    return torch.nn.Sequential(*parts[:-1])
