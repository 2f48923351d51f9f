"""``exact=True``: the value of the position in ``info``, never in the observation, and no way to hidden cards."""

import math
import pickle

import gymnasium as gym
import numpy as np
import pytest

import stammtisch
from stammtisch.envs.aec import RawAEC
from stammtisch.envs.single import SingleAgentEnv
from stammtisch.envs.vector import BatchedEnv

GAME = "reversi-4x4"
MAKERS = [SingleAgentEnv, RawAEC, BatchedEnv]


@pytest.fixture(scope="module")
def oracle():
    return stammtisch.load_game(GAME).oracle()


def test_single_tells_the_value_for_the_learner(oracle):
    plain = SingleAgentEnv(GAME, seat=1)
    exact = gym.make("stammtisch/Reversi4x4-v0", seat=1, exact=True).unwrapped
    (seen, _), (same, info) = plain.reset(seed=4), exact.reset(seed=4)
    over = False
    while not over:
        np.testing.assert_array_equal(seen, same)
        assert info["exact_value"] == oracle.value(exact.state)[1]
        action = int(info["action_mask"].argmax())
        seen, reward, over, _, told = plain.step(action)
        same, _, _, _, info = exact.step(action)
        assert "exact_value" not in told
    assert info["exact_value"] == reward


def test_aec_tells_the_value_for_the_seat_to_move(oracle):
    env = stammtisch.aec_env(GAME, exact=True)
    env.reset(seed=0)
    for agent in env.agent_iter():
        observation, _, over, _, info = env.last()
        assert set(observation) == {"observation", "action_mask"}
        if not over:
            position = env.unwrapped.position()
            assert info["exact_value"] == oracle.value(position)[position.player]
        env.step(None if over else int(info["action_mask"].argmax()))
        assert agent in env.possible_agents


def test_batches_tell_the_values_of_all_games(oracle):
    env = gym.make_vec("stammtisch/Reversi4x4-v0", num_envs=3, exact=True)
    _, info = env.reset(seed=1)
    for _ in range(4):
        expected = [oracle.value(env.unwrapped.state(i))[info["seat"][i]] for i in range(3)]
        np.testing.assert_array_equal(info["exact_value"], expected)
        assert info["_exact_value"].all()
        _, _, _, _, info = env.step(info["action_mask"].argmax(axis=1))


def test_what_the_oracle_does_not_know_is_not_a_number():
    env = SingleAgentEnv("reversi-6x6", exact={"empties": 4})
    _, info = env.reset(seed=0)
    assert math.isnan(info["exact_value"])


@pytest.mark.parametrize("make", MAKERS)
def test_games_without_an_oracle_are_refused_in_one_line(make):
    with pytest.raises(ValueError, match="einstein-6x6-4p is not solved"):
        make("einstein-6x6-4p", exact=True)
    with pytest.raises(ValueError, match="choose True"):
        make(GAME, exact="yes")
    with pytest.raises(ValueError, match="take exact=True"):
        make(GAME, exact="open-cards")


@pytest.mark.parametrize("make", MAKERS)
def test_hidden_cards_need_the_name_that_says_so(make):
    for wish in (True, {"tricks": 3}):
        with pytest.raises(ValueError, match="would tell of the hidden cards"):
            make("jass-schieber", exact=wish)


def test_open_cards_stay_out_of_what_is_observed(rng):
    """Deals that look the same to the seat give the same observation and mask, whatever they are worth."""
    env = RawAEC("jass-schieber", exact="open-cards")
    game = stammtisch.load_game("jass-schieber")
    env._exact._oracle = game.oracle(tricks=4)
    env.reset(seed=2)
    for _ in range(24):
        env.step(int(env.infos[env.agent_selection]["action_mask"].argmax()))
    seat = env._seat[env.agent_selection]
    state = env.position()
    shown, values = set(), set()
    for _ in range(12):
        world = state.view(seat).sample_state(rng)
        env._row[:] = world.row
        shown.add(pickle.dumps(env.observe(env.agent_selection)))
        values.add(env._exact.of(env.position(), seat))
    assert len(shown) == 1
    assert len(values) > 1
