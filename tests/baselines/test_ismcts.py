"""Tree search over information sets."""

import pytest

import stammtisch
from stammtisch.benchmarks import play_match
from tests.baselines.hidden_cards import positions

FEW = "ismcts:iterations=60"


@pytest.fixture(scope="module")
def jass():
    return stammtisch.load_game("jass-schieber")


def test_explanation_tells_visits_and_line(jass, rng):
    for state in positions(jass, rng):
        found = stammtisch.load_agent(FEW, jass, seed=0).act(state.view(state.player), explain=True)
        assert found.actions.tolist() == state.legal_actions()
        assert found.values.shape == found.visits.shape == found.actions.shape
        assert found.visits.sum() == found.effort["simulations"] == 60
        assert found.action == found.line[0]
        assert found.visits[found.actions.tolist().index(found.action)] == found.visits.max()
        assert found.effort["nodes"] <= 61


def test_a_single_simulation_answers(jass, rng):
    state = next(positions(jass, rng))
    found = stammtisch.load_agent("ismcts:iterations=1", jass, seed=0).act(state.view(0), explain=True)
    assert found.actions.tolist() == [found.action]


def test_moves_are_counted_when_they_can_be_chosen(jass, rng):
    """At the root all moves are always there; below, a card is there only in the deals that allow it."""
    state = next(positions(jass, rng))
    agent = stammtisch.load_agent("ismcts:iterations=500", jass, seed=0)
    state.apply(36)
    agent.act(state.view(state.player))
    kernels, nodes = agent._kernels, agent._nodes
    for child in agent._children(0):
        assert nodes[child, kernels.VISITS] <= nodes[child, kernels.AVAILABLE] <= 500
        for below in agent._children(child):
            assert 0 < nodes[below, kernels.VISITS] <= nodes[below, kernels.AVAILABLE] <= nodes[child, kernels.VISITS]


@pytest.mark.parametrize("rollout", ["random", "heuristic"])
def test_beats_random(rollout):
    spec = f"ismcts:iterations=40,rollout={rollout}"
    result = play_match("jass-schieber", [spec, "random"], games=60, seed=1)
    assert result.return_ci95[0] > 0
