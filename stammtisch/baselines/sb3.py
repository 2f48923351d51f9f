"""A Stable-Baselines3 model as a player: masks are applied to what its policy prefers, so it never plays illegally."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.baselines.agent import Agent
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.state import View


class ModelAgent(Agent):
    """Plays the legal action that a model's policy prefers.

    Args:
        game: the game whose observations the model was trained on.
        model: a model with a categorical policy (PPO, A2C, MaskablePPO) or Q-values (DQN, QR-DQN).
    """

    def __init__(self, game: Game, model: Any):
        super().__init__(game, spec=type(model).__name__)
        self._model = model

    def act(self, view: View) -> int:
        preferences = self._preferences(view.observation())
        return int(np.where(view.legal_mask() == 1, preferences, -np.inf).argmax())

    def _preferences(self, observation: NDArray[Any]) -> NDArray[np.float32]:
        """Return one number per action, the higher the better."""
        import torch

        policy = self._model.policy
        tensor, _ = policy.obs_to_tensor(observation[None])
        with torch.no_grad():
            if hasattr(policy, "get_distribution"):
                scores = policy.get_distribution(tensor).distribution.logits
            elif hasattr(policy, "q_net"):
                scores = policy.q_net(tensor)
            else:
                scores = policy.quantile_net(tensor).mean(dim=1)
        return scores[0].cpu().numpy()
