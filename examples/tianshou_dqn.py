"""Tianshou's DQN plays every seat of the AEC environment against itself; the buffer keeps each seat's own decisions."""

import sys

import numpy as np
import torch
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

import stammtisch
from stammtisch.baselines.learned.network_policy import BatchPolicyAgent, NetworkPolicy
from stammtisch.benchmarks import play_match
from stammtisch.wrappers.libraries.tianshou.seats import SeatedEnv, SeatReplayBuffer


def main(steps: int = 10_000, games: int = 400, game: str = "einstein-3x3", parallel: int = 10) -> float:
    """Train, play a match against random and return the score."""
    torch.manual_seed(0)
    np.random.seed(0)  # Tianshou explores with NumPy's global generator
    env = DummyVectorEnv([lambda: SeatedEnv(stammtisch.aec_env(game, raw=True)) for _ in range(parallel)])
    env.seed(0)
    agents, actions = env.get_env_attr("agents", 0)[0], env.action_space[0]
    shape = stammtisch.load_game(game).info.observation_shape
    model = Net(state_shape=shape, action_shape=actions.n, hidden_sizes=[128, 128])
    policy = DiscreteQLearningPolicy(model=model, action_space=actions, eps_training=0.2)
    dqn = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=0.99, target_update_freq=200)
    buffer = SeatReplayBuffer(20_000, agents, parallel)
    collector = Collector(dqn, env, buffer, exploration_noise=True, raise_on_nan_in_buffer=False)
    collector.reset()
    collector.collect(n_step=min(1_000, steps))
    print(f"{score(model, game, games):.0%} of {games} games against random before")
    settings = OffPolicyTrainerParams(
        training_collector=collector,
        max_epochs=1,
        epoch_num_steps=steps,
        collection_step_num_env_steps=10 * parallel,
        batch_size=128,
        update_step_num_gradient_steps_per_sample=0.1,
        verbose=False,
    )
    dqn.run_training(settings)
    after = score(model, game, games)
    print(f"{after:.0%} of {games} games against random after {steps} actions")
    return after


def score(model: torch.nn.Module, game: str, games: int) -> float:
    """Let the network play its best legal action against random."""
    agent = BatchPolicyAgent(stammtisch.load_game(game), NetworkPolicy(lambda obs: model(obs)[0]), "tianshou")
    return play_match(agent.game, [agent, "random"], games=games).score


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
