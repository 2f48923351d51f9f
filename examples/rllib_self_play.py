"""RLlib's PPO plays every seat of the game with one network; RLlib needs an environment of its own, see the README."""

import sys

import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from stammtisch import load_game
from stammtisch.baselines.learned.network_policy import BatchPolicyAgent, NetworkPolicy
from stammtisch.benchmarks import play_match
from stammtisch.wrappers.libraries.rllib.env import RLlibEnv
from stammtisch.wrappers.libraries.rllib.module import MaskedModule

SMALL = {"include_dashboard": False, "log_to_driver": False, "object_store_memory": 100 * 2**20}


def main(
    steps: int = 10_000, games: int = 400, game: str = "einstein-3x3", batch: int = 2000, runners: int = 0
) -> float:
    """Train, with games in so many other processes; play a match against random and return the score."""
    ray.init(num_cpus=1 + runners, _node_ip_address="127.0.0.1", **SMALL)
    module = RLModuleSpec(module_class=MaskedModule, model_config={"layers": [128]})
    config = (
        PPOConfig()
        .environment(RLlibEnv, env_config={"game": game, "on_illegal": "raise"}, disable_env_checking=True)
        .env_runners(num_env_runners=runners)
        .learners(num_learners=0)
        .multi_agent(policies={"everybody"}, policy_mapping_fn=lambda agent, episode, **more: "everybody")
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"everybody": module}))
        .training(
            train_batch_size=batch, minibatch_size=min(256, batch), num_epochs=4, lr=1e-3, gamma=1.0, entropy_coeff=0.01
        )
        .debugging(seed=0, log_level="ERROR")
    )
    algorithm = config.build_algo()
    print(f"{score(algorithm, game, games):.0%} of {games} games against random before")
    for _ in range(max(1, steps // batch)):
        algorithm.train()
    after = score(algorithm, game, games)
    print(f"{after:.0%} of {games} games against random after {steps} actions")
    algorithm.stop()
    ray.shutdown()
    return after


def score(algorithm, game: str, games: int) -> float:
    """Let the network play its best legal action against random."""
    policy = NetworkPolicy(algorithm.get_module("everybody").logits)
    agent = BatchPolicyAgent(load_game(game), policy, "rllib")
    return play_match(agent.game, [agent, "random"], games=games).score


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
