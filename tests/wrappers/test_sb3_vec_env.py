"""The learner's contract through the adapter for Stable-Baselines3: own next decision, own reward, own mask."""

import pickle

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.vec_env import VecMonitor

from stammtisch.envs import GAMES
from stammtisch.envs.vector import BatchedEnv
from stammtisch.wrappers.libraries.sb3.vec_env import SB3VecEnv
from stammtisch.wrappers.random_symmetry import VectorRandomSymmetry

SEATS = ["einstein-3x3", "einstein-6x6-3p", "einstein-4x4-4p"]  # 2, 3 and 4 players


def make(game, n=4, mask_in_observation=False, **kwargs):
    return SB3VecEnv(BatchedEnv(game, n, autoreset_mode="SameStep", **kwargs), mask_in_observation)


def uniform(observations, masks, rng):
    return np.where(masks == 1, rng.random(masks.shape), -1.0).argmax(axis=1)


def last_legal(masks):
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


@pytest.mark.parametrize("game_id", SEATS)
@given(seed=st.integers(0, 2**31), nested=st.booleans())
@settings(max_examples=10)
def test_every_game_is_that_of_a_single_environment(game_id, seed, nested):
    env = make(game_id, 3, nested)
    env.seed(seed)
    shown = env.reset()
    singles = [gym.make(GAMES[game_id].env_id).unwrapped for _ in range(3)]
    seen = [single.reset(seed=seed + i) for i, single in enumerate(singles)]
    earned = np.zeros(3)
    for _ in range(40):
        masks = get_action_masks(env)
        for i in range(3):
            assert np.array_equal((shown["observation"] if nested else shown)[i], seen[i][0])
            assert np.array_equal(masks[i], seen[i][1]["action_mask"])
            if nested:
                assert np.array_equal(shown["action_mask"][i], seen[i][1]["action_mask"])
        actions = last_legal(masks)
        shown, rewards, dones, infos = env.step(actions)
        for i, single in enumerate(singles):
            obs, reward, over, _, info = single.step(actions[i])
            earned[i] += reward
            assert rewards[i] == np.float32(reward)
            assert dones[i] == over
            if over:
                final = infos[i]["terminal_observation"]
                assert np.array_equal(final["observation"] if nested else final, obs)
                assert infos[i]["episode"]["r"] == earned[i] == single.state.returns()[info["seat"]]
                assert infos[i]["seat"] == info["seat"]
                assert infos[i]["score"] == (reward + 1) / 2
                assert not infos[i]["TimeLimit.truncated"]
                earned[i] = 0.0
                seen[i] = single.reset()
            else:
                assert infos[i] == {}
                seen[i] = obs, info


def test_stacked_masks_are_an_array_of_their_own_in_the_order_of_the_games():
    env = make("muehle", 5)
    env.reset()
    rows = env.env_method("action_masks")
    assert len(rows) == 5
    stacked = np.stack(rows)
    assert type(stacked) is np.ndarray
    assert np.array_equal(stacked, env.masks)
    assert not np.shares_memory(stacked, env.masks)
    assert np.array_equal(np.stack(rows[::-1]), env.masks[::-1])
    assert np.array_equal(np.stack(rows, axis=1), env.masks.T)
    assert np.array_equal(np.concatenate(rows), env.masks.ravel())
    assert np.array_equal(np.stack(env.env_method("action_masks", indices=[3, 1])), env.masks[[3, 1]])


def test_masks_asked_for_after_a_step_are_those_of_then():
    env = make("muehle", 5)
    env.reset()
    before = np.stack(env.env_method("action_masks"))
    env.step(before.argmax(axis=1))
    rows = env.env_method("action_masks")
    assert not np.array_equal(before, env.masks)
    for stacked in (np.stack(rows), np.stack(list(rows)), np.stack(pickle.loads(pickle.dumps(rows)))):
        assert np.array_equal(stacked, env.masks)
    with pytest.raises(ValueError, match="read-only"):
        rows[0][0] = True


@pytest.mark.parametrize("game_id", SEATS)
@given(seed=st.integers(0, 2**31))
@settings(max_examples=5)
def test_with_a_batched_opponent_the_learner_decides_for_its_own_seat_only(game_id, seed):
    env = make(game_id, 4, opponent=uniform, partner=uniform)
    env.seed(seed)
    shown = env.reset()
    rng = np.random.default_rng(seed)
    for _ in range(30):
        lanes = env.inner.lanes
        assert np.array_equal(lanes.players, lanes.seats)
        for i in range(4):
            state = env.inner.state(i)
            assert np.array_equal(shown[i], state.observation(int(lanes.seats[i])))
            assert np.array_equal(env.masks[i], state.legal_mask())
        shown, rewards, dones, infos = env.step(uniform(shown, env.masks, rng))
        for i in np.flatnonzero(dones):
            assert infos[i]["episode"]["r"] in (-1.0, 1.0)
            assert rewards[i] == infos[i]["episode"]["r"]


@pytest.mark.parametrize("game_id", ["reversi-4x4", "morris-3", *SEATS])
def test_a_turned_board_is_played_like_the_board_itself(game_id):
    env = SB3VecEnv(VectorRandomSymmetry(BatchedEnv(game_id, 8, autoreset_mode="SameStep"), seed=1))
    env.seed(5)
    shown = env.reset()
    symmetries = env.inner.game.symmetries
    rng = np.random.default_rng(0)
    frames = set()
    for _ in range(40):
        for i in range(8):
            state, frame = env.inner.state(i), symmetries[env.env.chosen[i]]
            original = state.observation(int(env.inner.lanes.seats[i]))
            assert np.array_equal(shown[i].ravel(), original.ravel()[frame.observation])
            assert set(np.flatnonzero(env.masks[i])) == {int(frame.action[a]) for a in state.legal_actions()}
        frames.update(env.env.chosen.tolist())
        actions = uniform(shown, env.masks, rng)
        meant = [
            int(np.flatnonzero(symmetries[k].action == a)[0]) for k, a in zip(env.env.chosen, actions, strict=True)
        ]
        legal = [env.inner.state(i).legal_actions() for i in range(8)]
        assert all(a in acts for a, acts in zip(meant, legal, strict=True))
        shown, _, dones, infos = env.step(actions)
        assert all(infos[i]["episode"]["r"] in (-1.0, 0.0, 1.0) for i in np.flatnonzero(dones))
    assert frames == set(range(len(symmetries)))


@pytest.mark.parametrize("game_id", ["jass-differenzler", "jass-molotow", "reversi-4x4"])
def test_who_earns_more_than_the_mean_of_the_table_has_won(game_id):
    env = make(game_id, 8)
    env.seed(3)
    env.reset()
    returns, found = np.zeros((8, env.inner.game.info.num_players)), []
    while len(found) < 40:
        seats = env.inner.lanes.seats.copy()
        _, _, dones, infos = env.step(env.masks.argmax(axis=1))
        returns += env.inner.lanes.pay
        for i in np.flatnonzero(dones):
            ahead = round(returns[i, seats[i]] - returns[i].mean(), 9)
            assert infos[i]["score"] == (1.0 if ahead > 0 else 0.5 if ahead == 0 else 0.0)
            found.append(infos[i]["score"])
            returns[i] = 0.0
    assert {0.0, 1.0} <= set(found)


def test_a_truncated_game_says_so():
    env = make("einstein-3x3", max_episode_steps=1)
    env.reset()
    _, _, dones, infos = env.step(env.masks.argmax(axis=1))
    assert dones.all()
    assert any(info["TimeLimit.truncated"] for info in infos)


def test_the_opponent_of_an_ended_game_is_named_by_its_place_in_the_pool():
    env = make("einstein-4x4-4p", 16, opponent={"random": 0.5, "heuristic": 0.0, uniform: 0.5}, partner=uniform)
    env.seed(0)
    env.reset()
    found = []
    for _ in range(60):
        _, _, dones, infos = env.step(env.masks.argmax(axis=1))
        found += [infos[i]["opponent"] for i in np.flatnonzero(dones)]
    assert set(found) == {0, 2}
    env.inner.lanes.reweigh([0.0, 1.0, 0.0])
    env.reset()
    assert (env.inner.lanes.opponents() == 1).all()
    with pytest.raises(ValueError, match="3 opponents need as many weights"):
        env.inner.lanes.reweigh([1.0])


def test_stable_baselines_finds_the_masks():
    env = make("einstein-3x3")
    assert is_masking_supported(env)
    assert is_masking_supported(VecMonitor(env))
    model = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=32, n_epochs=1, seed=0, device="cpu")
    model.learn(128)
    assert model.ep_info_buffer
    with pytest.raises(AttributeError, match="action_masks"):
        env.env_method("render")


def test_attributes_are_found_below_wrappers():
    env = SB3VecEnv(VectorRandomSymmetry(BatchedEnv("einstein-3x3", 2, autoreset_mode="SameStep"), seed=1))
    assert [game.id for game in env.get_attr("game")] == ["einstein-3x3"] * 2
    assert env.get_attr("chosen", 0)[0] is env.env.chosen
    assert env.has_attr("game")
    assert not env.has_attr("colour")
    assert env.env_is_wrapped(VectorRandomSymmetry) == [True, True]
    with pytest.raises(AttributeError, match="colour"):
        env.get_attr("colour")


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="SameStep"):
        SB3VecEnv(BatchedEnv("einstein-3x3", 2))
    with pytest.raises(ValueError, match="mixes the seats"):
        make("einstein-3x3", opponent="self")
    with pytest.raises(ValueError, match="takes a BatchedEnv"):
        SB3VecEnv(gym.make_vec("CartPole-v1", num_envs=2))
