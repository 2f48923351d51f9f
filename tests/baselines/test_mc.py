"""Flat Monte Carlo."""

import numpy as np
import pytest

import stammtisch
from stammtisch import CHANCE, TERMINAL
from tests.baselines.tactics import CAPTURE_OR_LOSE, WIN_IN_ONE, said
from tests.playing import random_states

GAME = stammtisch.load_game("einstein-4x4")


def expected_result(state, seat):
    """Mean result for ``seat`` if everybody plays at random."""
    if state.player == TERMINAL:
        return state.returns()[seat]
    if state.player == CHANCE:
        return sum(share * expected_result(state.child(o), seat) for o, share in state.chance_outcomes())
    return np.mean([expected_result(state.child(action), seat) for action in state.legal_actions()])


def test_takes_the_win_and_stops_the_loss():
    agent = stammtisch.load_agent("mc:iterations=200", GAME, seed=0)
    assert said(GAME.from_text(WIN_IN_ONE), agent) == "1 diagonal"
    assert said(GAME.from_text(CAPTURE_OR_LOSE), agent) == "1 diagonal"


def test_values_are_the_mean_results_of_random_play():
    state = GAME.from_text("""
        .  .  .  .
        .  .  b1 .
        .  a1 .  .
        .  a2 .  b2
        die 1, a to move""")
    found = stammtisch.load_agent("mc:iterations=20000", GAME, seed=1).act(state.view(0), explain=True)
    exact = [expected_result(state.child(action), 0) for action in state.legal_actions()]
    assert found.values == pytest.approx(exact, abs=0.03)


def test_explains_every_action():
    view = GAME.new_state().child(0).view(0)
    found = stammtisch.load_agent("mc:iterations=50", GAME, seed=0).act(view, explain=True)
    assert found.actions.tolist() == view.legal_actions()
    assert found.visits.tolist() == [50] * len(found.actions)
    assert found.values.shape == found.actions.shape
    assert found.line == (found.action,)
    assert found.effort["simulations"] == 50 * len(found.actions)


def test_same_seed_same_move_and_the_position_stays():
    agents = [stammtisch.load_agent("mc:iterations=20", GAME, seed=5) for _ in range(2)]
    for state in random_states(GAME, seed=1):
        if state.player >= 0:
            view = state.view(state.player)
            first, second = (agent.act(view, explain=True) for agent in agents)
            assert first.action == second.action
            assert first.values.tolist() == second.values.tolist()
            assert np.array_equal(view.row, state.row)


def test_a_cut_game_is_worth_nothing_or_its_evaluation():
    view = GAME.new_state().child(0).view(0)
    cut = stammtisch.load_agent("mc:iterations=20,depth=1,cut=zero", GAME, seed=0).act(view, explain=True)
    assert cut.values.tolist() == [0.0] * len(cut.actions)
    valued = stammtisch.load_agent("mc:iterations=20,depth=1", GAME, seed=0).act(view, explain=True)
    assert 0 < abs(valued.values).max() < 1


def test_reference_players_can_play_the_simulations():
    agent = stammtisch.load_agent("mc:iterations=5,rollout=heuristic", GAME, seed=0)
    assert said(GAME.from_text(WIN_IN_ONE), agent) == "1 diagonal"


def test_epsilon_and_temperature_draw_actions():
    view = GAME.from_text(WIN_IN_ONE).view(0)
    legal = view.legal_actions()
    for options in ("epsilon=1", "temperature=1000"):
        agent = stammtisch.load_agent(f"mc:iterations=2,{options}", GAME, seed=0)
        draws = [agent.act(view) for _ in range(600)]
        counts = [draws.count(action) for action in legal]
        assert sum(counts) == 600
        assert max(counts) - min(counts) < 100
    cool = stammtisch.load_agent("mc:iterations=20,temperature=0.01", GAME, seed=0)
    assert {cool.act(view) for _ in range(20)} == {legal[-1]}


@pytest.mark.parametrize("agent", ["mc", "mcts", "mctse"])
def test_hidden_cards_are_refused(agent):
    with pytest.raises(ValueError, match=f'agent "{agent}" cannot play jass-schieber: cards are hidden; try "ismcts"'):
        stammtisch.load_agent(agent, "jass-schieber")
