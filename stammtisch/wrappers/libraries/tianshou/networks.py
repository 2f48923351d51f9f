"""Networks for Tianshou's policy-gradient algorithms, which do not look at masks by themselves."""

from typing import Any

try:
    import torch
    from tianshou.utils.torch_utils import torch_device
except ImportError as error:
    raise ImportError(f"these networks need Tianshou: pip install stammtisch[tianshou] ({error})") from error

_ILLEGAL = -1e9  # finite, so that a product with probability 0 stays 0


class MaskedActor(torch.nn.Module):
    """The logits of a network without its illegal actions, for ``DiscreteActorPolicy``.

    Args:
        network: a module from ``float32[n, inputs]``, flat observations, to ``float32[n, num_actions]``.
    """

    def __init__(self, network: torch.nn.Module):
        super().__init__()
        self.network = network

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> tuple[Any, Any]:
        """Return the logits for observations as ``SeatedEnv`` shows them."""
        logits = self.network(_flat(obs, self))
        illegal = ~torch.as_tensor(obs.mask, dtype=torch.bool, device=logits.device)
        return logits.masked_fill(illegal, _ILLEGAL), state


class SeatCritic(torch.nn.Module):
    """The value of a position for the seat that sees it.

    Args:
        network: a module from ``float32[n, inputs]``, flat observations, to ``float32[n, 1]``.
    """

    def __init__(self, network: torch.nn.Module):
        super().__init__()
        self.network = network

    def forward(self, obs: Any, **more: Any) -> Any:
        """Return the values for observations as ``SeatedEnv`` shows them."""
        return self.network(_flat(obs, self))


def _flat(obs: Any, module: torch.nn.Module) -> Any:
    return torch.as_tensor(obs.obs, dtype=torch.float32, device=torch_device(module)).flatten(1)
