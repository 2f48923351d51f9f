"""What is asked of every search over hidden cards."""

import numpy as np
import pytest

import stammtisch
from tests.baselines.hidden_cards import positions

SPECS = ["pimc:worlds=4,exact=3", "ismcts:iterations=60"]


@pytest.fixture(scope="module")
def jass():
    return stammtisch.load_game("jass-schieber")


@pytest.mark.parametrize("spec", SPECS)
def test_answers_are_legal_over_whole_deals(jass, rng, spec):
    for _ in range(3):
        assert sum(1 for _ in positions(jass, rng, spec)) >= 37


@pytest.mark.parametrize("spec", SPECS)
def test_hidden_cards_do_not_leak(jass, rng, spec):
    for state in positions(jass, rng):
        view = state.view(state.player)
        other = view.sample_state(rng).view(state.player)
        answers = [stammtisch.load_agent(spec, jass, seed=5).act(v, explain=True) for v in (view, other)]
        assert answers[0].action == answers[1].action
        np.testing.assert_array_equal(answers[0].values, answers[1].values)


@pytest.mark.parametrize("spec", SPECS)
def test_the_seed_decides(jass, rng, spec):
    state = next(positions(jass, rng))
    agents = [stammtisch.load_agent(spec, jass, seed=seed) for seed in (3, 3, 4)]
    first, again, other = (agent.act(state.view(0), explain=True).values.tolist() for agent in agents)
    assert first == again != other
    agents[0].reset(seed=3)
    assert agents[0].act(state.view(0), explain=True).values.tolist() == first
