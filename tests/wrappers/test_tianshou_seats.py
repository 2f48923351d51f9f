"""Tianshou's collector and buffers learn from own decisions and own rewards."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import stammtisch
from tests.wrappers.seat_records import TABLES, RecordedAEC, complete, random_legal

pytest.importorskip("tianshou", reason="Tianshou is not installed: pip install stammtisch[tianshou]")

import torch
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OnPolicyTrainerParams
from tianshou.utils.net.common import Net

from stammtisch.wrappers.libraries.tianshou.networks import MaskedActor, SeatCritic
from stammtisch.wrappers.libraries.tianshou.seats import SeatedEnv, SeatReplayBuffer


def stored_chain(buffer, place):
    """Return the transitions of one sub-buffer in the order of time."""
    return buffer.buffers[place][:]


def check_chain(stored, chain, agent):
    assert len(stored) == len(chain)
    for i, own in enumerate(chain):
        assert stored.obs.agent_id[i] == stored.obs_next.agent_id[i] == agent
        assert np.array_equal(stored.obs.obs[i], own.observation)
        assert np.array_equal(stored.obs.mask[i], own.mask == 1)
        assert stored.act[i] == own.action
        assert stored.rew[i] == pytest.approx(own.reward)
        assert np.array_equal(stored.obs_next.obs[i], own.following)
        assert stored.terminated[i] == stored.done[i] == own.over
        assert not stored.truncated[i]


@pytest.mark.parametrize(("game_id", "options"), TABLES)
@given(seed=st.integers(0, 2**31))
@settings(max_examples=3)
def test_every_seat_has_its_own_decisions_and_earns_its_own_rewards(game_id, options, seed):
    rng = np.random.default_rng(seed)
    envs = [SeatedEnv(RecordedAEC(game_id, **options)) for _ in range(2)]
    agents = envs[0].agents
    buffer = SeatReplayBuffer(4_000, agents, len(envs))
    shown = [env.reset(seed=seed + i)[0] for i, env in enumerate(envs)]
    counted = []
    for _ in range(150):
        actions = np.array([random_legal(obs["mask"], rng) for obs in shown])
        results = [env.step(action) for env, action in zip(envs, actions, strict=True)]
        following, rewards, over, cut, infos = zip(*results, strict=True)
        step = Batch(
            obs=np.array(shown),
            act=actions,
            rew=np.stack(rewards),
            terminated=np.array(over),
            truncated=np.array(cut),
            obs_next=np.array(following),
            info=np.array(infos),
        )
        index, returns, lengths, first = buffer.add(step, np.arange(2))
        for i, env in enumerate(envs):
            shown[i] = env.reset()[0] if over[i] else following[i]
            if over[i]:
                counted.append((i, returns[i]))
                assert index[i] - first[i] + 1 == lengths[i]
            else:
                assert returns[i] == lengths[i] == 0
    for i, env in enumerate(envs):
        record = env.env
        for seat, agent in enumerate(agents):
            chain = [transition for game in record.games for transition in complete(game[seat])]
            check_chain(stored_chain(buffer, i * len(agents) + seat), chain, agent)
        assert [earned for j, earned in counted if j == i] == pytest.approx([r[0] for r in record.returns])
        for chains, returns in zip(record.games, record.returns, strict=False):
            assert [sum(t.reward for t in chain) for chain in chains] == pytest.approx(list(returns))


def network_policy(game_id, epsilon):
    info = stammtisch.load_game(game_id).info
    net = Net(state_shape=info.observation_shape, action_shape=info.num_actions, hidden_sizes=[8])
    env = SeatedEnv(RecordedAEC(game_id))
    return DiscreteQLearningPolicy(model=net, action_space=env.action_space, eps_inference=epsilon)


@pytest.mark.parametrize("epsilon", [0.0, 0.5])
def test_the_collector_plays_legal_actions_only_and_fills_the_buffer(epsilon):
    envs = DummyVectorEnv([lambda: SeatedEnv(RecordedAEC("einstein-4x4-4p")) for _ in range(3)])
    agents = envs.get_env_attr("agents", 0)[0]
    buffer = SeatReplayBuffer(6_000, agents, 3)
    policy = network_policy("einstein-4x4-4p", epsilon)
    collector = Collector(policy, envs, buffer, exploration_noise=True, raise_on_nan_in_buffer=False)
    collector.reset()
    collector.collect(n_step=120)
    collector.collect(n_step=120, reset_before_collect=True)  # games that are given up leave nothing behind
    stats = collector.collect(n_episode=6)
    assert stats.n_collected_episodes == len(stats.returns) == 6
    assert set(np.abs(stats.returns)) == {1.0}
    everything = buffer[:]
    assert len(everything) == len(buffer) > 200
    assert (everything.obs.agent_id == everything.obs_next.agent_id).all()
    assert everything.obs.mask[np.arange(len(everything)), everything.act].all()
    assert not everything.rew[~everything.done].any()
    index = buffer.sample_indices(0)
    following = buffer.next(index)
    goes_on = following != index
    assert np.array_equal(buffer[following[goes_on]].obs.obs, buffer[index[goes_on]].obs_next.obs)


def test_a_cleared_buffer_keeps_the_games_that_go_on():
    env = SeatedEnv(RecordedAEC("einstein-3x3"))
    envs = DummyVectorEnv([lambda: env])
    buffer = SeatReplayBuffer(1_000, env.agents, 1)
    policy = network_policy("einstein-3x3", 1.0)
    collector = Collector(policy, envs, buffer, exploration_noise=True, raise_on_nan_in_buffer=False)
    collector.reset()
    collector.collect(n_step=20)
    before = len(buffer)
    collector.reset_buffer(keep_statistics=True)  # what on-policy training does after each update
    assert len(buffer) == 0
    collector.collect(n_step=20)
    complete_ones = sum(len(complete(chain)) for game in env.env.games for chain in game)
    assert before + len(buffer) == complete_ones


def test_a_policy_gradient_learns_with_masks():
    torch.manual_seed(0)
    envs = DummyVectorEnv([lambda: SeatedEnv(RecordedAEC("einstein-3x3")) for _ in range(4)])
    buffer = SeatReplayBuffer(2_000, envs.get_env_attr("agents", 0)[0], 4)
    actor = MaskedActor(torch.nn.Linear(99, 9))
    policy = DiscreteActorPolicy(actor=actor, action_space=envs.action_space[0])
    ppo = PPO(policy=policy, critic=SeatCritic(torch.nn.Linear(99, 1)), optim=AdamOptimizerFactory(lr=1e-2))
    collector = Collector(ppo, envs, buffer, raise_on_nan_in_buffer=False)
    collector.reset()
    before = actor.network.weight.detach().clone()
    ppo.run_training(
        OnPolicyTrainerParams(
            training_collector=collector,
            max_epochs=1,
            epoch_num_steps=400,
            collection_step_num_env_steps=200,
            update_step_num_repetitions=2,
            verbose=False,
        )
    )
    assert not torch.equal(before, actor.network.weight)
    assert torch.isfinite(actor.network.weight).all()
    shown = Batch(obs=np.zeros((2, 11, 3, 3), np.int8), mask=np.eye(9, dtype=bool)[:2])
    assert torch.softmax(actor(shown)[0], -1).argmax(-1).tolist() == [0, 1]


def test_a_buffer_needs_games():
    with pytest.raises(ValueError, match="num_games must be at least 1, not 0"):
        SeatReplayBuffer(100, ["player_0"], 0)
