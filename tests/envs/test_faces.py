"""The learner's contract of the single-agent face, and the agreement of the vector face with it."""

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from hypothesis import given
from hypothesis import strategies as st

import stammtisch
from stammtisch import TERMINAL
from stammtisch.envs import GAMES
from stammtisch.envs.core.agent import Agent

SAMPLE = ["einstein-3x3", "einstein-5x5", "einstein-6x6-3p", "einstein-4x4-4p"]


class Recorder(Agent):
    """An outside opponent that plays at random and remembers whom it played for."""

    def __init__(self, game, seed=0):
        super().__init__(game, seed, "recorder")
        self.rng = np.random.default_rng(seed)
        self.seen = []

    def reset(self, seed=None):
        if seed is not None:
            self.rng = np.random.default_rng(seed)

    def act(self, view):
        self.seen.append(view.player)
        legal = view.legal_actions()
        return legal[self.rng.integers(len(legal))]


@pytest.mark.parametrize("game_id", SAMPLE)
@given(seed=st.integers(0, 2**31), seat=st.sampled_from(["random", 0, 1]), kind=st.sampled_from(["random", "outside"]))
def test_the_learner_sees_its_own_decisions_and_is_paid_its_own_rewards(game_id, seed, seat, kind):
    opponent = "random" if kind == "random" else Recorder(stammtisch.load_game(game_id))
    env = gym.make(GAMES[game_id].env_id, opponent=opponent, seat=seat).unwrapped
    rng = np.random.default_rng(seed)
    obs, info = env.reset(seed=seed)
    earned = 0.0
    for _ in range(200):
        me = info["seat"]
        assert seat in ("random", me)
        state = env.state
        assert state.player == me == info["player"]
        assert np.array_equal(obs, state.observation(me))
        assert np.array_equal(info["action_mask"], state.legal_mask())
        legal = state.legal_actions()
        obs, reward, terminated, truncated, info = env.step(legal[rng.integers(len(legal))])
        earned += reward
        assert not truncated
        if terminated:
            state = env.state
            assert state.player == TERMINAL
            assert earned == state.returns()[me]
            assert np.array_equal(obs, state.observation(me))
            assert info["action_mask"].all()
            return
    pytest.fail("the game did not end")


@pytest.mark.parametrize("game_id", SAMPLE)
def test_with_opponent_self_every_decision_comes_back_with_the_movers_reward(game_id):
    env = gym.make(GAMES[game_id].env_id, opponent="self").unwrapped
    rng = np.random.default_rng(1)
    movers = set()
    for episode in range(10):
        obs, info = env.reset(seed=episode)
        terminated = False
        while not terminated:
            mover = info["player"]
            movers.add(mover)
            assert info["seat"] == -1
            assert np.array_equal(obs, env.state.observation(mover))
            legal = np.flatnonzero(info["action_mask"])
            obs, reward, terminated, _, info = env.step(legal[rng.integers(len(legal))])
        assert reward == env.state.returns()[mover]
        assert np.array_equal(info["rewards"], env.state.returns())
    assert movers == set(range(env.game.info.num_players))


def test_a_random_seat_is_each_seat_sometimes():
    env = gym.make("stammtisch/EinStein4x4x4-v0").unwrapped
    assert {env.reset(seed=s)[1]["seat"] for s in range(40)} == {0, 1, 2, 3}


def test_opponents_are_drawn_from_a_pool_by_weight():
    game = stammtisch.load_game("einstein-3x3")
    first, second = Recorder(game, 1), Recorder(game, 2)
    env = gym.make("stammtisch/EinStein3x3-v0", opponent={first: 3.0, second: 1.0}, seat=0).unwrapped
    drawn = []
    env.reset(seed=0)
    for _ in range(400):
        before = len(first.seen), len(second.seen)
        _, info = env.reset()
        terminated = False
        while not terminated:
            _, _, terminated, _, info = env.step(int(info["action_mask"].argmax()))
        drawn.append(len(first.seen) > before[0])
        assert (len(first.seen) > before[0]) != (len(second.seen) > before[1])
    assert 0.65 < np.mean(drawn) < 0.85


def test_a_partner_of_its_own_sits_in_the_learners_team():
    game = stammtisch.load_game("einstein-4x4-4p")
    partner = Recorder(game)
    env = gym.make("stammtisch/EinStein4x4x4-v0", opponent="random", partner=partner, seat=1).unwrapped
    for seed in range(10):
        _, info = env.reset(seed=seed)
        terminated = False
        while not terminated:
            _, _, terminated, _, info = env.step(int(info["action_mask"].argmax()))
    assert set(partner.seen) == {3}


def test_an_illegal_answer_of_an_opponent_is_named():
    env = gym.make("stammtisch/EinStein3x3-v0", opponent=lambda obs, mask, rng: np.full(len(obs), 99), seat=1)
    with pytest.raises(stammtisch.IllegalAction, match="99"):
        env.reset(seed=0)


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_autoreset_modes(mode):
    env = gym.make_vec("stammtisch/EinStein3x3-v0", num_envs=8, autoreset_mode=mode)
    assert env.metadata["autoreset_mode"] is mode
    obs, info = env.reset(seed=1)
    endings = 0
    for _ in range(40):
        obs, _, over, _, info = env.step(info["action_mask"].argmax(axis=1))
        endings += over.sum()
        if mode is AutoresetMode.SAME_STEP and over.any():
            assert np.array_equal(info["_final_obs"], over)
            for lane in np.flatnonzero(over):
                assert info["final_obs"][lane].shape == obs[lane].shape
            assert (info["player"] >= 0).all()
        if mode is AutoresetMode.DISABLED and over.any():
            kept = obs.copy()
            obs, info = env.reset(options={"reset_mask": over})
            assert np.array_equal(obs[~over], kept[~over])
            assert (info["player"] >= 0).all()
    assert endings > 20


def test_finished_games_must_be_reset_when_autoreset_is_disabled():
    env = gym.make_vec("stammtisch/EinStein3x3-v0", num_envs=2, autoreset_mode=AutoresetMode.DISABLED)
    _, info = env.reset(seed=1)
    over = np.zeros(2, bool)
    while not over.any():
        _, _, over, _, info = env.step(info["action_mask"].argmax(axis=1))
    with pytest.raises(RuntimeError, match="reset"):
        env.step(info["action_mask"].argmax(axis=1))


def test_games_are_truncated_after_so_many_steps():
    env = gym.make_vec("stammtisch/EinStein5x5-v0", num_envs=4, max_episode_steps=3)
    _, info = env.reset(seed=1)
    for step in range(1, 9):
        _, _, terminated, truncated, info = env.step(info["action_mask"].argmax(axis=1))
        assert truncated.all() == (step % 4 == 3)
        assert not terminated.any()


def test_arrays_handed_out_stay_as_they_are():
    env = gym.make_vec("stammtisch/EinStein5x5-v0", num_envs=4)
    obs, info = env.reset(seed=1)
    kept = [(obs, obs.copy())] + [(info[k], np.copy(info[k])) for k in ("action_mask", "player", "rewards")]
    for _ in range(5):
        obs, rewards, _, _, info = env.step(info["action_mask"].argmax(axis=1))
        kept += [(obs, obs.copy()), (rewards, rewards.copy()), (info["action_mask"], info["action_mask"].copy())]
    assert all(np.array_equal(now, then) for now, then in kept)


def test_a_batched_policy_is_asked_once_per_round_for_all_games():
    calls = []

    def policy(obs, mask, rng):
        calls.append(len(obs))
        assert obs.shape[1:] == (20, 5, 5)
        return mask.argmax(axis=1)

    env = gym.make_vec("stammtisch/EinStein5x5-v0", num_envs=64, opponent=policy, seat=0)
    _, info = env.reset(seed=1)
    env.step(info["action_mask"].argmax(axis=1))
    assert calls == [64]


def test_threads_do_not_change_the_games():
    results = []
    for threads in (1, 2):
        env = gym.make_vec("stammtisch/EinStein3x3-v0", num_envs=4096, threads=threads)
        _, info = env.reset(seed=1)
        for _ in range(5):
            obs, rewards, _, _, info = env.step(info["action_mask"].argmax(axis=1))
        results.append((obs, rewards))
    assert np.array_equal(results[0][0], results[1][0])
    assert np.array_equal(results[0][1], results[1][1])


def test_the_dice_do_not_depend_on_what_the_opponent_draws():
    """Chance and agents have streams of their own: another opponent meets the same first roll and layout."""
    firsts = []
    for opponent in ("random", "heuristic"):
        env = gym.make("stammtisch/EinStein5x5-v0", opponent=opponent, seat=0, random_start=True).unwrapped
        firsts.append([env.reset(seed=s)[0].tobytes() for s in range(10)])
    assert firsts[0] == firsts[1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda env: env.step([0]), "shape"),
        (lambda env: env.reset(seed=[1]), "2 seeds"),
        (lambda env: env.reset(seed=-1), "non-negative"),
        (lambda env: env.reset(options={"reset_mask": [True]}), "reset_mask"),
    ],
)
def test_bad_calls_of_the_vector_env(call, message):
    env = gym.make_vec("stammtisch/EinStein3x3-v0", num_envs=2)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=message):
        call(env)


def test_strict_vector_envs_name_the_illegal_action():
    env = gym.make_vec("stammtisch/EinStein3x3-v0", num_envs=2, on_illegal="raise")
    _, info = env.reset(seed=0)
    actions = info["action_mask"].argmax(axis=1)
    actions[1] = int(np.flatnonzero(info["action_mask"][1] == 0)[0])
    with pytest.raises(stammtisch.IllegalAction, match="game 1"):
        env.step(actions)
