"""The policy of ``MaskablePPO`` with plain tensors in place of distribution objects: the same numbers in less time."""

from typing import Any

import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

_NEVER = -1e8  # logit of an illegal action; finite, so that nothing becomes NaN


class QuickMaskablePolicy(MaskableActorCriticPolicy):
    """Collects and learns like its parent; files of one fit the other."""

    def forward(
        self, obs: Any, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return actions ``int64[n]``, values ``float32[n, 1]`` and logarithms of probabilities ``float32[n]``."""
        chances, values = self._judge(obs, action_masks)
        actions = chances.argmax(dim=1) if deterministic else torch.multinomial(chances.exp(), 1)[:, 0]
        return actions, values, chances.gather(1, actions[:, None])[:, 0]

    def evaluate_actions(
        self, obs: Any, actions: torch.Tensor, action_masks: Any = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return values, logarithms of the probabilities of ``actions``, and entropies."""
        chances, values = self._judge(obs, action_masks)
        entropy = -(chances.exp() * chances).sum(dim=1)
        return values, chances.gather(1, actions.long().reshape(-1, 1))[:, 0], entropy

    def _judge(self, obs: Any, action_masks: Any) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the logarithm of every action's probability, ``float32[n, num_actions]``, and the values."""
        features = self.extract_features(obs)
        if self.share_features_extractor:
            for_actions, for_values = self.mlp_extractor(features)
        else:
            for_actions = self.mlp_extractor.forward_actor(features[0])
            for_values = self.mlp_extractor.forward_critic(features[1])
        logits = self.action_net(for_actions)
        if action_masks is not None:
            legal = torch.as_tensor(action_masks, dtype=torch.bool, device=logits.device).reshape(logits.shape)
            logits = logits.masked_fill(~legal, _NEVER)
        return torch.log_softmax(logits, dim=1), self.value_net(for_values)
