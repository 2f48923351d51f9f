"""Expectimax tree search for games with dice."""

import numpy as np
import pytest

import stammtisch
from tests.baselines.tactics import CAPTURE_OR_LOSE, WIN_IN_ONE, exact_value, said
from tests.playing import random_states

GAME = stammtisch.load_game("einstein-4x4")


def test_takes_the_win_and_stops_the_loss():
    agent = stammtisch.load_agent("mctse", GAME, seed=0)
    assert said(GAME.from_text(WIN_IN_ONE), agent) == "1 diagonal"
    assert said(GAME.from_text(CAPTURE_OR_LOSE), agent) == "1 diagonal"


def test_values_approach_expectimax():
    state = GAME.from_text("""
        .  .  .  .
        .  .  b1 .
        .  a1 .  .
        .  a2 .  b2
        die 1, a to move""")
    agent = stammtisch.load_agent("mctse:iterations=50000,max_nodes=50000,tree_depth=100,k=0.5", GAME, seed=1)
    found = agent.act(state.view(0), explain=True)
    exact = [exact_value(state.child(action), 0) for action in state.legal_actions()]
    assert found.action == state.legal_actions()[int(np.argmax(exact))]
    assert found.values.max() == pytest.approx(max(exact), abs=0.05)


def test_chance_nodes_visit_all_outcomes_alike():
    agent = stammtisch.load_agent("mctse", GAME, seed=0)
    agent.act(GAME.new_state().child(0).view(0))
    kernels, nodes = agent._kernels, agent._tree.nodes
    for move in agent._children(0):
        rolls = nodes[agent._children(move), kernels.VISITS]
        assert len(rolls) == 3
        # Shares count the visit before the outcomes were listed, so that one may be ahead by a little more than a roll.
        assert rolls.max() - rolls.mean() < 1.5


def test_the_tree_keeps_its_limits():
    view = GAME.new_state().child(0).view(0)
    found = stammtisch.load_agent("mctse:max_nodes=500", GAME, seed=0).act(view, explain=True)
    assert found.effort["nodes"] == 500
    assert found.visits.sum() == found.effort["simulations"] == 2000
    assert len(found.line) <= 22


def test_the_tree_grows_with_the_simulations_unless_it_is_limited():
    view = GAME.new_state().child(0).view(0)
    few, many = (
        stammtisch.load_agent(f"mctse:iterations={n}", GAME, seed=0).act(view, explain=True).effort["nodes"]
        for n in (500, 4000)
    )
    assert 500 < 4 * few < many


def test_same_seed_same_moves():
    agents = [stammtisch.load_agent("mctse:iterations=300", GAME, seed=5) for _ in range(2)]
    for state in random_states(GAME, seed=1):
        if state.player >= 0:
            view = state.view(state.player)
            first, second = (agent.act(view, explain=True) for agent in agents)
            assert first.line == second.line
            assert first.values.tolist() == second.values.tolist()


def test_games_without_dice_are_refused():
    with pytest.raises(ValueError, match='agent "mctse" cannot play reversi-4x4: it has no dice; try "mcts"'):
        stammtisch.load_agent("mctse", "reversi-4x4")
