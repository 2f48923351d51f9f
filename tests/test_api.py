"""The official checkers of Gymnasium and PettingZoo over every registered id, and pickling of every face."""

import copy
import pickle
import warnings

import gymnasium as gym
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, render_test, seed_test

import stammtisch
from stammtisch.envs import GAMES


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


def play_single(env, steps, seed=None):
    """Play random legal actions; return everything that came back."""
    rng = np.random.default_rng(5)
    obs, info = env.reset(seed=seed)
    trace = [(obs.tobytes(), info["action_mask"].tobytes())]
    for _ in range(steps):
        legal = np.flatnonzero(info["action_mask"])
        obs, reward, terminated, truncated, info = env.step(legal[rng.integers(len(legal))])
        trace.append((obs.tobytes(), info["action_mask"].tobytes(), reward, terminated, truncated))
        if terminated:
            obs, info = env.reset()
    return trace


@pytest.mark.parametrize("opponent", ["random", "heuristic", "self"])
def test_gymnasium_checker(env_id, opponent):
    check_env(gym.make(env_id, opponent=opponent, render_mode="rgb_array").unwrapped)


def test_pettingzoo_api(game_id):
    api_test(stammtisch.aec_env(game_id), num_cycles=50)
    api_test(stammtisch.aec_env(game_id, raw=True), num_cycles=50)


def test_pettingzoo_seeds(game_id):
    seed_test(lambda: stammtisch.aec_env(game_id), num_cycles=50)


def test_pettingzoo_rendering(game_id, capsys):
    render_test(lambda render_mode: stammtisch.aec_env(game_id, render_mode=render_mode))


def test_pettingzoo_registry(env_id, game_id):
    env = pettingzoo.make("aec", env_id)
    assert env.metadata["name"] == GAMES[game_id].env_name


def test_gymnasium_imports_the_package_itself(env_id):
    assert gym.make(f"stammtisch:{env_id}").spec.id == env_id


@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
def test_rendering_of_the_single_face(env_id, mode):
    env = gym.make(env_id, render_mode=mode)
    env.reset(seed=0)
    picture = env.render()
    assert isinstance(picture, str) if mode == "ansi" else picture.dtype == np.uint8


def test_a_pickled_or_copied_single_env_plays_on_the_same_way(env_id):
    env = gym.make(env_id, opponent="heuristic").unwrapped
    play_single(env, 3, seed=4)
    env.reset()
    twins = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env)]
    traces = [play_single(each, 30) for each in (env, *twins)]
    assert traces[0] == traces[1] == traces[2]


def test_a_pickled_or_copied_aec_env_plays_on_the_same_way(game_id):
    env = stammtisch.aec_env(game_id)
    env.reset(seed=3)
    for _ in range(3):
        step_randomly(env)
    twins = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env)]
    for _ in range(30):
        if not env.agents:
            break
        seen = [step_randomly(each) for each in (env, *twins)]
        assert seen[0] == seen[1] == seen[2]


def step_randomly(env):
    obs, reward, terminated, _, _ = env.last()
    legal = np.flatnonzero(obs["action_mask"])
    agent = env.agent_selection
    env.step(None if terminated else int(legal[len(legal) // 2]))
    return agent, reward, obs["observation"].tobytes(), obs["action_mask"].tobytes()


def test_a_pickled_or_copied_vector_env_plays_on_the_same_way(env_id):
    env = gym.make_vec(env_id, num_envs=5)
    _, info = env.reset(seed=3)
    twins = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env)]
    for _ in range(20):
        actions = info["action_mask"].argmax(axis=1)
        results = [each.step(actions) for each in (env, *twins)]
        for other in results[1:]:
            assert np.array_equal(results[0][0], other[0])
            assert np.array_equal(results[0][1], other[1])
        info = results[0][4]


def first_illegal(mask):
    """Return the first action that is not legal; None where all are, as at the start of some games."""
    illegal = np.flatnonzero(mask == 0)
    return int(illegal[0]) if len(illegal) else None


def test_the_raw_aec_env_refuses_illegal_actions_and_the_wrapped_one_lets_the_offender_lose(game_id):
    raw, wrapped = stammtisch.aec_env(game_id, raw=True), stammtisch.aec_env(game_id)
    raw.reset(seed=1)
    wrapped.reset(seed=1)
    while (illegal := first_illegal(raw.last()[0]["action_mask"])) is None:
        action = int(raw.last()[0]["action_mask"].argmax())
        raw.step(action)
        wrapped.step(action)
        assert not any(raw.terminations.values()), "no action was ever illegal"
    with pytest.raises(stammtisch.IllegalAction):
        raw.step(illegal)
    offender = wrapped.agent_selection
    wrapped.step(illegal)
    assert all(wrapped.terminations.values())
    assert wrapped.rewards[offender] < 0


def test_an_illegal_action_of_the_learner_forfeits_or_raises(env_id):
    env, strict = gym.make(env_id).unwrapped, gym.make(env_id, on_illegal="raise").unwrapped
    _, info = env.reset(seed=1)
    strict.reset(seed=1)
    while (illegal := first_illegal(info["action_mask"])) is None:
        action = int(info["action_mask"].argmax())
        *_, over, _, info = env.step(action)
        strict.step(action)
        assert not over, "no action was ever illegal"
    _, reward, terminated, _, info = env.step(illegal)
    assert terminated
    assert reward == env.game.info.utility_range[0]
    assert info["illegal_action"] == illegal
    with pytest.raises(RuntimeError, match="reset"):
        env.step(0)
    before = strict.state
    with pytest.raises(stammtisch.IllegalAction):
        strict.step(illegal)
    assert strict.state == before


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"opponent": "rnadom"}, 'did you mean "random"'),
        ({"opponent": []}, "at least one entry"),
        ({"opponent": {"random": -1.0}}, "not negative"),
        ({"opponent": ["random", "self"]}, "alone"),
        ({"opponent": 3}, r"an object with act\(view\).*subclass of stammtisch\.Agent.*not 3"),
        ({"opponent": [stammtisch.Agent]}, "not the class Agent; give an instance"),
        ({"partner": object()}, r"an object with act\(view\)"),
        ({"seat": 9}, "no seat 9"),
        ({"on_illegal": "cry"}, "on_illegal"),
        ({"render_mode": "hologram"}, "no render mode"),
        ({"colour": 1}, "no option"),
        ({"oponent": "random"}, 'did you mean "opponent"'),
        ({"saet": 0}, 'did you mean "seat"'),
        ({"random_strat": True}, 'did you mean "random_start"'),
    ],
)
def test_bad_arguments_are_named(kwargs, message):
    with pytest.raises(ValueError, match=message):
        gym.make("stammtisch/EinStein3x3-v0", **kwargs)
    with pytest.raises(ValueError, match=message):
        gym.make_vec("stammtisch/EinStein3x3-v0", num_envs=2, **kwargs)


def test_the_aec_face_offers_near_misses_among_its_arguments():
    with pytest.raises(ValueError, match='did you mean "render_mode"'):
        stammtisch.aec_env("einstein-3x3", rendermode="ansi")


class First:
    """An outside player that is no subclass of ``Agent``."""

    def __init__(self):
        self.asked = 0

    def act(self, view):
        self.asked += 1
        return view.legal_actions()[0]


@pytest.mark.parametrize("pool", [lambda one: one, lambda one: [one, "random"], lambda one: {one: 3.0, "heuristic": 1}])
def test_any_object_with_act_is_an_opponent(pool):
    player = First()
    for env in (gym.make("stammtisch/EinStein3x3-v0", opponent=pool(player), partner=player),):
        for seed in range(4):
            _, info = env.reset(seed=seed)
            over = False
            while not over:
                *_, over, _, info = env.step(int(info["action_mask"].argmax()))
    many = gym.make_vec("stammtisch/EinStein3x3-v0", num_envs=4, opponent=pool(player), seat=1)
    many.reset(seed=0)
    assert player.asked > 4
    assert len(env.unwrapped._lanes.agents) == 1


def test_unknown_games_offer_near_misses():
    with pytest.raises(ValueError, match='no game "einstien-5x5"; did you mean "einstein-5x5"'):
        stammtisch.load_game("einstien-5x5")
    with pytest.raises(ValueError, match="no game"):
        stammtisch.aec_env("chess")
