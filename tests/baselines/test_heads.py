"""Searches with several threads: what they find is added up, and follows from seed and number."""

import pickle

import numpy as np
import pytest

import stammtisch
from stammtisch.baselines.search.agent import Explanation
from stammtisch.baselines.search.heads import merged
from tests.playing import random_state

SPECS = [
    ("reversi-4x4", "mcts:iterations=101"),
    ("einstein-3x3", "mctse:iterations=101"),
    ("einstein-3x3", "mc:iterations=21"),
    ("jass-schieber", "pimc:worlds=5,exact=1"),
    ("jass-schieber", "ismcts:iterations=31"),
]


def position(game_id):
    game = stammtisch.load_game(game_id)
    state = random_state(game, 1, 4)
    rng = np.random.default_rng(0)
    while state.player == stammtisch.CHANCE:
        state.sample_chance(rng)
    return game, state.view(state.player)


@pytest.mark.parametrize(("game_id", "spec"), SPECS)
def test_several_heads_share_the_work_and_repeat_themselves(game_id, spec):
    game, view = position(game_id)
    alone = stammtisch.load_agent(spec, game, seed=3).act(view, explain=True)
    agent = stammtisch.load_agent(f"{spec},threads=2", game, seed=3)
    first = agent.act(view, explain=True)
    assert first.effort["threads"] == 2
    assert first.actions.tolist() == alone.actions.tolist() == view.legal_actions()
    assert first.visits.sum() == alone.visits.sum()
    agent.reset(seed=3)
    for other in (agent, stammtisch.load_agent(f"{spec},threads=2", game, seed=3)):
        again = other.act(view, explain=True)
        assert (again.action, again.line) == (first.action, first.line)
        assert again.visits.tolist() == first.visits.tolist()
        assert again.values.tolist() == first.values.tolist()


def test_heads_go_on_and_pickle_and_keep_limits():
    game, view = position("reversi-4x4")
    agent = stammtisch.load_agent("mcts:iterations=100,threads=3", game, seed=0)
    state = game.new_state()
    state.apply(agent.act(state.view(0)))
    copy = pickle.loads(pickle.dumps(agent))
    found, again = (one.act(state.view(1), explain=True) for one in (agent, copy))
    assert found.visits.tolist() == again.visits.tolist()
    assert found.effort["carried"] > 0
    agent.limit(time_s=0.01)
    assert agent.act(view) in view.legal_actions()
    agent.limit(depth=1)
    assert len(agent.act(view, explain=True).line) == 1


def test_one_simulation_needs_one_head():
    game, view = position("reversi-4x4")
    found = stammtisch.load_agent("mcts:iterations=1,threads=4", game, seed=0).act(view, explain=True)
    assert found.effort["threads"] == found.effort["simulations"] == 1


def test_what_heads_found_is_weighed_by_visits():
    one = Explanation(2, np.array([2, 5]), np.array([0.5, -1.0]), np.array([6, 2]), (2, 7), {"simulations": 8})
    two = Explanation(5, np.array([3, 5]), np.array([np.nan, 1.0]), np.array([0, 5]), (5, 1, 4), {"simulations": 5})
    both = merged([one, two])
    assert both.actions.tolist() == [2, 3, 5]
    assert both.visits.tolist() == [6, 0, 7]
    assert both.values[[0, 2]].tolist() == pytest.approx([0.5, 3 / 7])
    assert np.isnan(both.values[1])
    assert (both.action, both.line) == (5, (5, 1, 4))
    assert both.effort == {"simulations": 13, "threads": 2}
