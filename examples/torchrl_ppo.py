"""TorchRL's PPO plays every seat of the AEC environment against itself and learns from each seat's own decisions."""

import math
import sys

import torch
from tensordict.nn import TensorDictModule
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

import stammtisch
from stammtisch.baselines.learned.network_policy import BatchPolicyAgent, NetworkPolicy
from stammtisch.benchmarks import play_match
from stammtisch.wrappers.libraries.torchrl.seats import GROUP, own_decisions, seated_env


def main(steps: int = 10_000, games: int = 400, game: str = "einstein-3x3", batch: int = 500) -> float:
    """Train, play a match against random and return the score."""
    torch.manual_seed(0)
    env = seated_env(stammtisch.aec_env(game, raw=True), seed=0)
    loaded = stammtisch.load_game(game)
    shape, actions = loaded.info.observation_shape, loaded.info.num_actions
    net, critic = (
        torch.nn.Sequential(torch.nn.Linear(math.prod(shape), 128), torch.nn.Tanh(), torch.nn.Linear(128, outputs))
        for outputs in (actions, 1)
    )
    agent = BatchPolicyAgent(loaded, NetworkPolicy(net), "torchrl")
    table = actor(lambda seats: net(seats.flatten(-len(shape)).float()), (GROUP, "observation", "observation"), GROUP)
    losses = ClipPPOLoss(actor(net, "observation"), ValueOperator(critic), entropy_coeff=0.01)
    advantages = GAE(gamma=1.0, lmbda=0.95, value_network=losses.critic_network)
    optimizer = torch.optim.Adam(losses.parameters(), lr=2e-3)
    print(f"{play_match(loaded, [agent, 'random'], games).score:.0%} of {games} games against random before")
    for _ in range(max(1, steps // batch)):
        with torch.no_grad():
            data = own_decisions(env.rollout(batch, table, break_when_any_done=False))
            advantages(data)
        for _ in range(6):
            for part in data[torch.randperm(len(data))].split(250):
                loss = losses(part)
                optimizer.zero_grad()
                (loss["loss_objective"] + loss["loss_critic"] + loss["loss_entropy"]).backward()
                optimizer.step()
    after = play_match(loaded, [agent, "random"], games).score
    print(f"{after:.0%} of {games} games against random after {steps} actions")
    return after


def actor(net, key, *group: str) -> ProbabilisticActor:
    """Return a masked actor that reads observations at ``key``, of one seat or of a group of seats."""
    logits, mask, action = ((*group, name) for name in ("logits", "action_mask", "action"))
    module = TensorDictModule(net, in_keys=[key], out_keys=[logits])
    keys = {"logits": logits, "mask": mask}
    return ProbabilisticActor(module, keys, [action], distribution_class=MaskedCategorical, return_log_prob=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
