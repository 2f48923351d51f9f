"""A PyTorch network as a batched policy and as an agent; masks are applied to its scores, so all it plays is legal."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core.agent import Agent
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.state import View
from stammtisch.envs.core.streams import Seed


class NetworkPolicy:
    """Plays the legal action with the highest score; ``opponent=`` of any environment takes it.

    Args:
        network: a module or function from ``float32[n, inputs]``, flat observations, to one score per action,
            ``float32[n, num_actions]``: logits or Q-values.
    """

    def __init__(self, network: Callable[[Any], Any]):
        self.network = network

    def __call__(
        self, observations: NDArray[Any], masks: NDArray[np.int8], rng: np.random.Generator | None = None
    ) -> NDArray[np.int64]:
        """Return one legal action per position, in one forward pass."""
        import torch

        flat = observations.reshape(len(observations), -1).astype(np.float32)
        with torch.no_grad():
            scores = self.network(torch.from_numpy(flat)).cpu().numpy()
        best: NDArray[np.int64] = np.where(masks == 1, scores, -np.inf).argmax(axis=1)
        return best


class BatchPolicyAgent(Agent):
    """A batched policy ``(obs, mask, rng) -> actions`` as an agent, for matches.

    Args:
        game: the game whose observations the policy knows.
        policy: for example a ``NetworkPolicy``.
        name: what the match calls it.
        seed: seeds the generator that the policy draws from.
    """

    def __init__(self, game: Game, policy: Callable[..., Any], name: str = "policy", seed: Seed = None):
        super().__init__(game, seed, name)
        self._policy = policy
        self._rng = np.random.default_rng(seed)

    def reset(self, seed: Seed = None) -> None:
        if seed is not None:
            self._rng = np.random.default_rng(seed)

    def act(self, view: View) -> int:
        return int(self._policy(view.observation()[None], view.legal_mask()[None], self._rng)[0])
