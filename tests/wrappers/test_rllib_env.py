"""RLlib's own records of our games: own decisions, own rewards, legal actions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import stammtisch
from tests.wrappers.seat_records import TABLES, RecordedAEC, random_legal

pytest.importorskip(
    "ray.rllib", reason="no RLlib here; it pins gymnasium and has an environment of its own", exc_type=ImportError
)

import torch
from gymnasium import spaces
from ray.rllib.core.columns import Columns
from ray.rllib.env.multi_agent_episode import MultiAgentEpisode

from stammtisch.baselines.learned.network_policy import NetworkPolicy
from stammtisch.wrappers.libraries.rllib.env import RLlibEnv
from stammtisch.wrappers.libraries.rllib.module import MaskedModule


def recorded(game_id, options):
    env = RLlibEnv({"game": game_id, **options})
    env.env = RecordedAEC(game_id, **options)
    return env


def play(env, seed):
    """Play a random game into an episode of RLlib."""
    rng = np.random.default_rng(seed)
    episode = MultiAgentEpisode(observation_space=env.observation_spaces, action_space=env.action_spaces)
    shown, infos = env.reset(seed=seed)
    episode.add_env_reset(observations=shown, infos=infos)
    while not episode.is_done:
        (mover,) = shown
        assert env.observation_spaces[mover].contains(shown[mover])
        actions = {mover: random_legal(shown[mover]["action_mask"], rng)}
        shown, rewards, over, cut, infos = env.step(actions)
        assert set(rewards) <= set(env.possible_agents)
        episode.add_env_step(shown, actions, rewards, infos, terminateds=over, truncateds=cut)
    return episode


@pytest.mark.parametrize(("game_id", "options"), TABLES)
@given(seed=st.integers(0, 2**31))
@settings(max_examples=4)
def test_every_seat_has_its_own_decisions_and_earns_its_own_rewards(game_id, options, seed):
    env = recorded(game_id, options)
    episode = play(env, seed)
    (chains,), (returns,) = env.env.games, env.env.returns
    for agent, chain, earned in zip(env.possible_agents, chains, returns, strict=True):
        if not chain:
            continue
        mine = episode.agent_episodes[agent]
        assert mine.is_terminated
        assert len(mine) == len(chain)
        seen = mine.get_observations()
        for i, own in enumerate(chain):
            assert np.array_equal(seen[i]["observations"], own.observation.ravel())
            assert np.array_equal(seen[i]["action_mask"], own.mask)
            assert np.array_equal(seen[i + 1]["observations"], own.following.ravel())
        assert list(mine.get_actions()) == [own.action for own in chain]
        assert list(mine.get_rewards()) == pytest.approx([own.reward for own in chain])
        assert mine.get_return() == pytest.approx(earned)


def test_partners_earn_the_same():
    episode = play(recorded("einstein-4x4-4p", {}), 3)
    earned = {agent: mine.get_return() for agent, mine in episode.agent_episodes.items()}
    assert earned["player_0"] == earned["player_2"] == -earned["player_1"] == -earned["player_3"]


def test_a_seed_decides_the_game():
    env = RLlibEnv({"game": "einstein-3x3"})
    first, again, other = (env.reset(seed=seed)[0]["player_0"]["observations"] for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_bad_calls_are_named():
    with pytest.raises(ValueError, match="needs the id of a game"):
        RLlibEnv({})
    with pytest.raises(ValueError, match="on_illegal='ignore' is not allowed"):
        RLlibEnv({"game": "einstein-3x3", "on_illegal": "ignore"})
    env = RLlibEnv({"game": "einstein-3x3", "on_illegal": "raise"})
    with pytest.raises(RuntimeError, match="call reset"):
        env.step({"player_0": 0})
    env.reset(seed=0)
    with pytest.raises(ValueError, match="it is the turn of player_0, but actions came for player_1"):
        env.step({"player_1": 0})
    mask = env.env.infos["player_0"]["action_mask"]
    with pytest.raises(stammtisch.IllegalAction):
        env.step({"player_0": int(np.argmin(mask))})


@pytest.mark.parametrize("action", [-1, 9, None])
def test_an_illegal_action_forfeits_the_game(action):
    env = RLlibEnv({"game": "einstein-3x3"})
    shown, _ = env.reset(seed=0)
    number = int(np.argmin(shown["player_0"]["action_mask"])) if action is None else action
    shown, rewards, over, _, _ = env.step({"player_0": number})
    assert over["__all__"]
    assert rewards == {"player_0": -1.0}
    assert shown["player_0"]["action_mask"].all()


def module(env):
    space, actions = env.observation_spaces["player_0"], env.action_spaces["player_0"]
    return MaskedModule(observation_space=space, action_space=actions, model_config={"layers": [16]})


def test_illegal_actions_have_no_probability():
    env = RLlibEnv({"game": "einstein-3x3"})
    net = module(env)
    shown = env.reset(seed=0)[0]["player_0"]
    batch = {Columns.OBS: {key: torch.from_numpy(value)[None] for key, value in shown.items()}}
    for forward in (net.forward_inference, net.forward_exploration, net.forward_train):
        chances = torch.softmax(forward(batch)[Columns.ACTION_DIST_INPUTS], -1)[0].detach().numpy()
        assert np.array_equal(chances > 0, shown["action_mask"] == 1)
    assert net.compute_values(batch).shape == (1,)
    best = NetworkPolicy(net.logits)(shown["observations"][None], shown["action_mask"][None])
    assert best[0] == np.argmax(chances)


def test_a_module_refuses_other_spaces():
    space = spaces.Box(0, 1, (3,), np.float32)
    with pytest.raises(ValueError, match="observations and action_mask as RLlibEnv shows them"):
        MaskedModule(observation_space=space, action_space=spaces.Discrete(2), model_config={})
