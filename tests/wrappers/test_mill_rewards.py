"""Rewards for moves and mills: every mill once, whoever closed it, and the result on top."""

import gymnasium as gym
import numpy as np
import pytest

from stammtisch import load_game
from stammtisch.envs.core.agent import Agent
from stammtisch.wrappers.mill_rewards import MillRewards


def make(opponent, seat=0, game="Muehle", **kwargs):
    return MillRewards(gym.make(f"stammtisch/{game}-v0", opponent=opponent, seat=seat), **kwargs)


class Scripted(Agent):
    """An opponent that plays moves from a list."""

    def __init__(self, moves):
        super().__init__(load_game("muehle"), spec="scripted")
        self.moves = iter(moves.split())

    def act(self, view):
        return view.sample_state(np.random.default_rng(0)).parse_action(next(self.moves))


def played(env, moves):
    """Play moves as people say them; return the rewards."""
    env.reset(seed=0)
    rewards = []
    for move in moves.split():
        _, reward, terminated, _, _ = env.step(env.unwrapped.state.parse_action(move))
        rewards.append(reward)
    return rewards, terminated


def test_a_move_costs_and_an_own_mill_pays_once():
    env = make(Scripted("a1 d1 b4 f6"))
    rewards, _ = played(env, "a7 d7 g7 xa1 c3")
    assert rewards == [-1, -1, 199, -1, -1]


def test_a_mill_of_the_opponent_costs_the_move_before_it():
    env = make(Scripted("a1 d1 g1 xa7 b4"))
    rewards, _ = played(env, "a7 d7 c3 c5")
    assert rewards == [-1, -1, -201, -1]


def test_the_side_that_begins_second_is_paid_the_same_way():
    env = make(Scripted("a7 d7 g7 xa1 c3 e5"), seat=1)
    rewards, _ = played(env, "a1 d1 b2 d2")
    assert rewards == [-1, -201, -1, -1]


def test_all_five_rewards_can_be_chosen():
    env = make(Scripted("a1 d1 b4 f6"), move=-0.5, own_mill=7, enemy_mill=-3)
    rewards, _ = played(env, "a7 d7 g7 xa1 c3")
    assert rewards == [-0.5, -0.5, 6.5, -0.5, -0.5]
    with_losses = make(Scripted("a1 d1 g1 xa7 b4"), move=0, enemy_mill=-3)
    assert played(with_losses, "a7 d7 c3 c5")[0] == [0, 0, -3, 0]


@pytest.mark.parametrize("game", ["Muehle", "Morris6", "Morris12", "Morris3"])
@pytest.mark.parametrize("seat", [0, 1, "random"])
def test_whole_games_pay_moves_mills_and_the_result(game, seat):
    env = make("random", seat, game, win=900, loss=-700)
    rng = np.random.default_rng(1)
    outcomes = set()
    for number in range(30):
        _, info = env.reset(seed=number)
        total, actions, terminated = 0.0, 0, False
        while not terminated:
            legal = np.flatnonzero(info["action_mask"])
            _, reward, terminated, _, info = env.step(legal[rng.integers(len(legal))])
            total += reward
            actions += 1
        state, mine = env.unwrapped.state, env.unwrapped.seat
        lost = [env.unwrapped.game.rules.MEN - int(state.row[env.unwrapped.game.rules.LEFT + p]) for p in (0, 1)]
        result = state.returns()[mine]
        outcomes.add(result)
        assert state.game.milestones(state.row[None]).tolist() == [[lost[1], lost[0]]]
        assert total == -actions + 200 * lost[1 - mine] - 200 * lost[mine] + {-1: -700, 0: 0, 1: 900}[result]
    assert len(outcomes) > 1


def test_a_forfeited_game_is_a_loss():
    env = make("random")
    env.reset(seed=0)
    _, reward, terminated, _, _ = env.step(599)
    assert terminated
    assert reward == -5001


def test_playing_both_sides_pays_the_seat_that_acted():
    env = make("self", seat="random")
    rewards, _ = played(env, "a7 a1 d7 d1 g7 xa1 g1")
    assert rewards == [-1, -1, -1, -1, 199, -1, -1]


def test_other_games_are_refused():
    with pytest.raises(ValueError, match="needs a single-agent env of Mühle"):
        MillRewards(gym.make("stammtisch/EinStein3x3-v0"))
