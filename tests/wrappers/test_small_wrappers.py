"""Small wrappers, each on games with 2, 3 and 4 players, and on one that it was not written for."""

import json

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stammtisch.envs import GAMES
from stammtisch.wrappers.observation_choice import ObservationChoice
from stammtisch.wrappers.record_games import RecordGames
from stammtisch.wrappers.reward_shaping import RewardShaping
from stammtisch.wrappers.seat_rotation import SeatRotation
from tests.wrappers.recorded import check_decisions

SEATS = ["einstein-3x3", "einstein-6x6-3p", "einstein-4x4-4p"]


def make(game_id, **kwargs):
    return gym.make(GAMES[game_id].env_id, **kwargs)


def mobility(view):
    return 0.1 * len(view.legal_actions())


WRAPPERS = {
    "rotation": SeatRotation,
    "flat": lambda env: ObservationChoice(env, "flat"),
    "planes": lambda env: ObservationChoice(env, "planes"),
    "dict": lambda env: ObservationChoice(env, "dict"),
    "shaping": lambda env: RewardShaping(env, mobility, gamma=1.0),
    "recording": lambda env: RecordGames(env, "/dev/null"),
}


@pytest.mark.parametrize("game_id", SEATS)
@pytest.mark.parametrize("name", list(WRAPPERS))
@given(seed=st.integers(0, 2**31))
@settings(max_examples=4)
def test_the_learner_sees_its_own_decisions_and_earns_its_own_rewards(name, game_id, seed):
    env = WRAPPERS[name](make(game_id))
    inner = env.unwrapped
    rng = np.random.default_rng(seed)
    shown, info = env.reset(seed=seed)
    first = mobility(inner.state.view(inner.seat))
    earned, over = 0.0, False
    while not over:
        assert env.observation_space.contains(shown)
        assert inner.state.player == info["seat"]
        array = shown["observation"] if name == "dict" else shown
        assert np.array_equal(np.ravel(array), inner.state.observation(info["seat"]).ravel())
        if name == "dict":
            assert np.array_equal(shown["action_mask"], inner.state.legal_mask())
        legal = inner.state.legal_actions()
        shown, reward, over, _, info = env.step(legal[rng.integers(len(legal))])
        earned += reward
    hints = first if name == "shaping" else 0.0  # what a potential pays adds up to minus its first value
    assert earned == pytest.approx(inner.state.returns()[info["seat"]] - hints)


@pytest.mark.parametrize("game_id", [*SEATS, "reversi-4x4"])
def test_seats_rotate(game_id):
    env = SeatRotation(make(game_id), first=1)
    n = env.unwrapped.game.info.num_players
    assert [env.reset(seed=s)[1]["seat"] for s in range(2 * n)] == [(1 + s) % n for s in range(2 * n)]


def test_observations_for_other_libraries():
    env = ObservationChoice(make("morris-3"), "dict", "observations", "action_mask", np.float32)
    shown, info = env.reset(seed=0)
    assert set(shown) == {"observations", "action_mask"}
    assert shown["action_mask"].dtype == np.float32
    assert np.array_equal(shown["action_mask"], info["action_mask"])
    with pytest.raises(ValueError, match="no planes"):
        ObservationChoice(make("morris-3"), "planes")
    with pytest.raises(ValueError, match="no kind of observation"):
        ObservationChoice(make("morris-3"), "image")


def test_games_are_recorded_line_by_line(tmp_path):
    env = RecordGames(make("reversi-4x4"), tmp_path / "deep" / "games.jsonl")
    game = env.unwrapped.game
    results = []
    for seed in range(3):
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            _, reward, over, _, info = env.step(int(info["action_mask"].argmax()))
        results.append(reward)
    lines = [json.loads(line) for line in (tmp_path / "deep" / "games.jsonl").read_text().splitlines()]
    assert [line["return"] for line in lines] == results
    check_decisions(game, lines)


def test_a_time_limit_in_moves_truncates():
    env = RecordGames(make("reversi-4x4", max_episode_steps=2), "/dev/null")
    _, info = env.reset(seed=0)
    _, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
    assert not truncated
    _, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
    assert truncated
    assert not terminated


def test_wrappers_refuse_what_they_cannot_wrap():
    with pytest.raises(ValueError, match="plays all seats"):
        SeatRotation(make("einstein-3x3", opponent="self"))
    with pytest.raises(ValueError, match="learner in one seat"):
        RewardShaping(make("einstein-3x3", opponent="self"), mobility)
    for wrapper in (SeatRotation, lambda env: RecordGames(env, "/dev/null")):
        with pytest.raises(ValueError, match="of ours"):
            wrapper(gym.make("CartPole-v1"))
