"""Self-play: who sits opposite, snapshots, weights of the league, the gate."""

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO

from stammtisch.envs import load_game
from stammtisch.envs.vector import BatchedEnv
from stammtisch.training.sb3.self_play import (
    NetworkOpponent,
    OpponentPool,
    SelfPlayCallback,
    Snapshot,
    batched_score,
    copy_of,
)
from stammtisch.wrappers.libraries.sb3.vec_env import SB3VecEnv


def make(pool, game="einstein-3x3", n=8, **kwargs):
    env = BatchedEnv(game, n, pool.opponents(), on_illegal="raise", autoreset_mode="SameStep", **kwargs)
    return MaskablePPO("MlpPolicy", SB3VecEnv(env), n_steps=16, batch_size=64, n_epochs=1, seed=0, device="cpu")


def same(first, second):
    return all(torch.equal(first[name], second[name]) for name in first)


def test_snapshots_are_taken_and_the_oldest_go():
    pool = OpponentPool({"latest": 0.5, "pool": 0.25, "league": 0.25}, size=3, slots=2)
    model = make(pool)
    model.learn(1024, callback=SelfPlayCallback(pool, every=128))
    steps = [snapshot.step for snapshot in pool.snapshots]
    assert len(steps) == 3
    assert steps == sorted(steps)
    assert steps[0] > 0
    assert not same(pool.snapshots[0].weights, pool.snapshots[-1].weights)
    assert sum(snapshot.games for snapshot in pool.snapshots) > 0


def test_the_latest_opponent_is_the_model_itself():
    pool = OpponentPool({"latest": 1.0})
    model = make(pool)
    callback = SelfPlayCallback(pool, every=10_000)
    model.learn(256, callback=callback)
    pool.refresh(model.policy)
    assert same(copy_of(pool.latest.policy), copy_of(model.policy))


def test_a_network_costs_one_forward_pass_per_round_for_all_games():
    pool = OpponentPool({"latest": 1.0})
    model = make(pool, n=32, seat=0)
    pool.attach(model.policy)
    calls = []
    pool.latest.policy.action_net.register_forward_hook(lambda module, given, found: calls.append(len(found)))
    env = model.env
    env.reset()
    calls.clear()
    for _ in range(10):
        env.step(env.masks.argmax(axis=1))
    assert len(calls) <= 20  # one per step, and one more where a game ended in between
    assert max(calls) > 16


def test_the_league_prefers_those_that_win():
    pool = OpponentPool({"league": 1.0})
    pool.snapshots = [Snapshot(0, {}, points=90, games=100), Snapshot(1, {}, points=10, games=100)]
    chances = pool._chances("league")
    assert chances[1] > 10 * chances[0] > 0
    assert pool._chances("pool").tolist() == [0.5, 0.5]


def test_a_model_that_does_not_pass_the_gate_is_not_taken():
    pool = OpponentPool({"latest": 1.0})
    model = make(pool)
    model.learn(256, callback=SelfPlayCallback(pool, every=64, gate=0.99, gate_games=40))
    assert [snapshot.step for snapshot in pool.snapshots] == [0]
    assert same(pool.accepted, pool.snapshots[0].weights)
    pool.refresh(model.policy)
    assert not same(copy_of(pool.latest.policy), copy_of(model.policy))
    model.learn(256, callback=SelfPlayCallback(pool, every=64, gate=0.01, gate_games=40))
    assert len(pool.snapshots) > 1


@pytest.mark.parametrize("game_id", ["einstein-3x3", "einstein-4x4-4p", "jass-differenzler"])
def test_equal_players_score_about_half(game_id):
    lot = NetworkOpponent("lot")
    assert 0.4 < batched_score(load_game(game_id), lot, NetworkOpponent("other"), 400, seed=1) < 0.6


def test_partners_may_be_the_latest_model_too():
    pool = OpponentPool({"latest": 0.5, "random": 0.5})
    env = BatchedEnv("einstein-4x4-4p", 8, pool.opponents(), pool.latest, autoreset_mode="SameStep")
    assert env.lanes.agents == [pool.latest]
    model = MaskablePPO("MlpPolicy", SB3VecEnv(env), n_steps=16, batch_size=64, n_epochs=1, seed=0, device="cpu")
    model.learn(128, callback=SelfPlayCallback(pool))


def test_what_makes_no_pool_is_refused():
    with pytest.raises(ValueError, match="at least one share"):
        OpponentPool({})
    with pytest.raises(ValueError, match="at least 1"):
        OpponentPool({"pool": 1.0}, slots=0)
    with pytest.raises(ValueError, match="no agent"):
        make(OpponentPool({"lastest": 1.0}))


def test_drawn_actions_follow_the_probabilities():
    from stammtisch.training.sb3.self_play import _draw

    masks = np.array([[0, 1, 1, 0]] * 4000, np.int8)
    logits = np.log(np.array([[0.7, 0.1, 0.2, 0.0001]] * 4000, np.float32))
    drawn = _draw(logits, masks, np.random.default_rng(0))
    assert set(drawn) == {1, 2}
    assert 0.3 < (drawn == 1).mean() < 0.37
