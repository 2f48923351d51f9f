"""PPO, A2C, DQN and QR-DQN that never choose an illegal action: the mask is part of the observation.

The policies expect ``{"observation": …, "action_mask": …}``, as ``SB3VecEnv(env, mask_in_observation=True)`` shows it.
A mask without any legal action, as after the end of a game, counts as all ones.
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import QRDQN
from sb3_contrib.qrdqn.policies import MultiInputPolicy as QRDQNPolicy
from sb3_contrib.qrdqn.policies import QuantileNetwork
from stable_baselines3 import DQN
from stable_baselines3.common.distributions import Distribution
from stable_baselines3.common.policies import MultiInputActorCriticPolicy
from stable_baselines3.dqn.policies import MultiInputPolicy as DQNPolicy
from stable_baselines3.dqn.policies import QNetwork

_NEVER = -1e8  # logit of an illegal action; finite, so that nothing becomes NaN


def legal_tensor(observation: dict[str, torch.Tensor]) -> torch.Tensor:
    """Return ``bool[batch, num_actions]``."""
    mask = observation["action_mask"].bool()
    return mask | ~mask.any(dim=-1, keepdim=True)


def random_legal(mask: NDArray[np.int8], rng: np.random.Generator | None = None) -> NDArray[np.int64]:
    """Draw one legal action per row, each equally likely; from NumPy's global stream unless ``rng`` is given."""
    noise = np.random.random_sample(mask.shape) if rng is None else rng.random(mask.shape)
    legal = mask.astype(np.bool_)
    legal |= ~legal.any(axis=-1, keepdims=True)
    drawn: NDArray[np.int64] = np.where(legal, noise, -1.0).argmax(axis=-1)
    return drawn


class MaskedActorCriticPolicy(MultiInputActorCriticPolicy):
    """Policy of PPO and A2C."""

    _legal: torch.Tensor

    def extract_features(self, obs: Any, features_extractor: Any = None) -> Any:
        self._legal = legal_tensor(obs)
        return super().extract_features(obs, features_extractor)

    def get_distribution(self, obs: Any) -> Distribution:
        self._legal = legal_tensor(obs)
        return super().get_distribution(obs)

    def _get_action_dist_from_latent(self, latent_pi: torch.Tensor) -> Distribution:
        logits = self.action_net(latent_pi).masked_fill(~self._legal, _NEVER)
        return self.action_dist.proba_distribution(action_logits=logits)


class MaskedQNetwork(QNetwork):
    """Q-values with the least finite number for illegal actions."""

    def forward(self, obs: Any) -> torch.Tensor:
        values = super().forward(obs)
        return values.masked_fill(~legal_tensor(obs), torch.finfo(values.dtype).min)


class MaskedDQNPolicy(DQNPolicy):
    """Policy of DQN; the target network's maxima run over legal actions too."""

    def make_q_net(self) -> QNetwork:
        return MaskedQNetwork(**self._update_features_extractor(self.net_args, features_extractor=None)).to(self.device)


class MaskedQuantileNetwork(QuantileNetwork):
    """Quantiles with a number far below every return for illegal actions; their mean must stay finite."""

    def forward(self, obs: Any) -> torch.Tensor:
        return super().forward(obs).masked_fill(~legal_tensor(obs)[:, None, :], _NEVER)


class MaskedQRDQNPolicy(QRDQNPolicy):
    """Policy of QR-DQN."""

    def make_quantile_net(self) -> QuantileNetwork:
        arguments = self._update_features_extractor(self.net_args, features_extractor=None)
        return MaskedQuantileNetwork(**arguments).to(self.device)


class _LegalExploration:
    """Explores among legal actions, each game by itself, in the warm-up and with epsilon later."""

    exploration_rate: float
    num_timesteps: int
    policy: Any
    _last_obs: Any

    def predict(
        self, observation: Any, state: Any = None, episode_start: Any = None, deterministic: bool = False
    ) -> tuple[NDArray[np.int64], Any]:
        actions, state = self.policy.predict(observation, state, episode_start, True)
        if not deterministic:
            explores = np.random.random_sample(np.shape(actions)) < self.exploration_rate
            actions = np.where(explores, random_legal(observation["action_mask"]), actions)
        return actions, state

    def _sample_action(
        self, learning_starts: int, action_noise: Any = None, n_envs: int = 1
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        if self.num_timesteps < learning_starts:
            actions = random_legal(self._last_obs["action_mask"])
        else:
            actions, _ = self.predict(self._last_obs)
        return actions, actions


class MaskedDQN(_LegalExploration, DQN):
    """DQN whose exploration is legal; use it with ``MaskedDQNPolicy``."""


class MaskedQRDQN(_LegalExploration, QRDQN):
    """QR-DQN whose exploration is legal; use it with ``MaskedQRDQNPolicy``."""
