"""Wrappers of batches: every game of a batch is that of the single environment under the wrapper of the same name."""

import json

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from hypothesis import given, settings
from hypothesis import strategies as st

from stammtisch.envs import GAMES
from stammtisch.envs.vector import BatchedEnv
from stammtisch.wrappers.libraries.sb3.vec_env import SB3VecEnv
from stammtisch.wrappers.observation_choice import ObservationChoice, VectorObservationChoice
from stammtisch.wrappers.random_symmetry import RandomSymmetry, VectorRandomSymmetry
from stammtisch.wrappers.record_games import RecordGames, VectorRecordGames
from stammtisch.wrappers.reward_shaping import RewardShaping, VectorRewardShaping
from stammtisch.wrappers.seat_rotation import VectorSeatRotation
from tests.wrappers.recorded import check_decisions

SEATS = ["einstein-3x3", "einstein-6x6-3p", "einstein-4x4-4p"]  # 2, 3 and 4 players
MODES = ["NextStep", "SameStep"]


def make(game_id, **kwargs):
    return gym.make(GAMES[game_id].env_id, **kwargs)


def men(observations):
    return 0.1 * observations[:, 0].sum(axis=(1, 2), dtype=np.float64)


def men_of_view(view):
    return men(view.observation()[None])[0]


PAIRS = {
    "flat": (lambda env: ObservationChoice(env, "flat"), lambda env: VectorObservationChoice(env, "flat")),
    "planes": (lambda env: ObservationChoice(env, "planes"), lambda env: VectorObservationChoice(env, "planes")),
    "dict": (lambda env: ObservationChoice(env, "dict"), lambda env: VectorObservationChoice(env, "dict")),
    "shaping": (lambda env: RewardShaping(env, men_of_view), lambda env: VectorRewardShaping(env, men)),
    "recording": (lambda env: RecordGames(env, "/dev/null"), lambda env: VectorRecordGames(env, "/dev/null")),
}


def same(shown, expected, lane):
    if isinstance(expected, dict):
        return all(np.array_equal(shown[key][lane], expected[key]) for key in expected)
    return np.array_equal(shown[lane], expected)


@pytest.mark.parametrize("game_id", SEATS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", list(PAIRS))
@given(seed=st.integers(0, 2**31), limit=st.sampled_from([None, 3]))
@settings(max_examples=3)
def test_a_batch_is_like_single_environments(name, mode, game_id, seed, limit):
    one, many = PAIRS[name]
    env = many(BatchedEnv(game_id, 3, autoreset_mode=mode, max_episode_steps=limit))
    singles = [one(make(game_id, max_episode_steps=limit)) for _ in range(3)]
    shown, info = env.reset(seed=seed)
    seen = [single.reset(seed=seed + lane) for lane, single in enumerate(singles)]
    over = [False] * 3
    rng = np.random.default_rng(seed)
    for _ in range(12):
        assert env.observation_space.contains(shown)
        for lane in range(3):
            assert same(shown, seen[lane][0], lane)
            assert np.array_equal(info["action_mask"][lane], seen[lane][1]["action_mask"])
        masks = info["action_mask"]
        actions = np.where(masks == 1, rng.random(masks.shape), -1.0).argmax(axis=1)
        shown, rewards, terminated, truncated, info = env.step(actions)
        for lane, single in enumerate(singles):
            if over[lane]:
                seen[lane], over[lane] = single.reset(), False
                assert rewards[lane] == 0.0
                continue
            obs, reward, ended, cut, told = single.step(int(actions[lane]))
            assert (rewards[lane], terminated[lane], truncated[lane]) == (
                pytest.approx(reward),
                ended,
                cut and not ended,
            )
            seen[lane], over[lane] = (obs, told), ended or cut
            if over[lane] and mode == "SameStep":
                final = info["final_obs"][lane]
                if name == "dict":
                    assert final["action_mask"].all()
                    final, obs = final["observation"], obs["observation"]
                assert np.array_equal(final, obs)
                seen[lane], over[lane] = single.reset(), False


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("game_id", [*SEATS, "reversi-4x4"])
def test_every_game_of_a_batch_rotates_its_seats(game_id, mode):
    env = VectorSeatRotation(BatchedEnv(game_id, 5, autoreset_mode=mode), first=1)
    players = env.unwrapped.game.info.num_players
    _, info = env.reset(seed=0)
    expected = (1 + np.arange(5)) % players
    begins = np.zeros(5, np.bool_)
    for _ in range(60):
        assert np.array_equal(info["seat"], expected)
        assert np.array_equal(info["player"][~begins], expected[~begins])  # the learner's own decision
        seats = info["seat"]
        _, rewards, terminated, _, info = env.step(info["action_mask"].argmax(axis=1))
        assert np.array_equal(rewards, info["rewards"][np.arange(5), seats] * ~begins)
        expected = (expected + (terminated if mode == "SameStep" else begins)) % players
        begins = terminated & (mode == "NextStep")
    _, info = env.reset()
    assert np.array_equal(info["seat"], (expected + 1) % players)


@pytest.mark.parametrize("game_id", [*SEATS, "reversi-4x4", "jass-schieber"])
@given(seed=st.integers(0, 2**31))
@settings(max_examples=5)
def test_a_turned_board_is_the_same_game(game_id, seed):
    env, plain = RandomSymmetry(make(game_id)), make(game_id).unwrapped
    shown, info = env.reset(seed=seed)
    _, told = plain.reset(seed=seed)
    symmetry = plain.game.symmetries[env.chosen]
    rng = np.random.default_rng(seed)
    over = False
    while not over:
        assert np.array_equal(info["action_mask"][symmetry.action], told["action_mask"])
        assert np.array_equal(env.action_masks(), info["action_mask"])
        legal = np.flatnonzero(told["action_mask"])
        action = int(legal[rng.integers(len(legal))])
        obs, reward, over, _, told = plain.step(action)
        shown, got, ended, _, info = env.step(int(symmetry.action[action]))
        assert np.array_equal(shown.ravel(), obs.ravel()[symmetry.observation])
        assert (got, ended) == (reward, over)


def test_all_frames_are_drawn_and_a_seed_decides_them():
    env = RandomSymmetry(make("reversi-4x4"), seed=3)
    frames = [env.reset()[0] is None or env.chosen for _ in range(200)]
    assert set(frames) == set(range(8))
    env.reset(seed=5)
    again = RandomSymmetry(make("reversi-4x4"))
    again.reset(seed=5)
    assert again.chosen == env.chosen


@pytest.mark.parametrize("mode", [*MODES, "Disabled"])
def test_some_games_of_a_batch_are_recorded(tmp_path, mode):
    env = VectorRecordGames(BatchedEnv("reversi-4x4", 3, autoreset_mode=mode), tmp_path / "games.jsonl", lanes=2)
    results, earned = [], np.zeros(3)
    _, info = env.reset(seed=0)
    for _ in range(30):
        _, rewards, terminated, _, info = env.step(info["action_mask"].argmax(axis=1))
        earned += rewards
        for lane in np.flatnonzero(terminated):
            results += [earned[lane]] if lane < 2 else []
            earned[lane] = 0.0
        if mode == "Disabled" and terminated.any():
            _, info = env.reset(options={"reset_mask": terminated})
    lines = [json.loads(line) for line in (tmp_path / "games.jsonl").read_text().splitlines()]
    assert len(lines) > 4
    assert [line["return"] for line in lines] == results
    check_decisions(env.unwrapped.game, lines)


def test_wrapped_batches_go_into_stable_baselines():
    inner = BatchedEnv("reversi-4x4", 4, autoreset_mode="SameStep", max_episode_steps=2)
    env = SB3VecEnv(VectorObservationChoice(VectorRewardShaping(VectorSeatRotation(inner), men), "dict"))
    shown = env.reset()
    for _ in range(2):
        shown, _, dones, infos = env.step(env.masks.argmax(axis=1))
    assert dones.all()
    assert env.observation_space["observation"].contains(shown["observation"][0])
    assert env.observation_space.contains(infos[0]["terminal_observation"])


def test_wrappers_of_batches_refuse_what_they_cannot_wrap():
    alone = BatchedEnv("einstein-3x3", 2, opponent="self")
    with pytest.raises(ValueError, match="plays all seats"):
        VectorSeatRotation(alone)
    with pytest.raises(ValueError, match="learner in one seat"):
        VectorRewardShaping(alone, men)
    with pytest.raises(ValueError, match="no seat 5"):
        VectorSeatRotation(BatchedEnv("einstein-3x3", 2), first=5)
    with pytest.raises(ValueError, match="there are 2 games"):
        VectorRecordGames(alone, "/dev/null", lanes=3)
    with pytest.raises(ValueError, match="has shape"):
        VectorRewardShaping(BatchedEnv("einstein-3x3", 2), lambda seen: seen).reset()
    with pytest.raises(ValueError, match="arrays"):
        VectorRewardShaping(VectorObservationChoice(BatchedEnv("einstein-3x3", 2), "dict"), men)
    with pytest.raises(ValueError, match="begins new games by itself"):
        VectorRandomSymmetry(BatchedEnv("einstein-3x3", 2, autoreset_mode=AutoresetMode.DISABLED))
    other = gym.make_vec("CartPole-v1", num_envs=2)
    for wrapper in (VectorSeatRotation, lambda env: VectorRecordGames(env, "/dev/null"), VectorRandomSymmetry):
        with pytest.raises(ValueError, match="takes a BatchedEnv"):
            wrapper(other)
