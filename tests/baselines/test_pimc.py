"""Voting over deals of the hidden cards."""

import pytest

import stammtisch
from stammtisch.benchmarks import play_match
from stammtisch.envs.jass.schieber.double_dummy import solve_cards
from tests.baselines.hidden_cards import positions

FEW = "pimc:worlds=4,exact=3"


@pytest.fixture(scope="module")
def jass():
    return stammtisch.load_game("jass-schieber")


def test_explanation_has_one_value_per_action(jass, rng):
    for state in positions(jass, rng):
        found = stammtisch.load_agent(FEW, jass, seed=0).act(state.view(state.player), explain=True)
        assert found.actions.tolist() == state.legal_actions()
        assert found.values.shape == found.visits.shape == found.actions.shape
        assert found.action == found.line[0] == found.actions[found.values.argmax()]
        assert found.effort["worlds"] == 4
        assert (found.effort["nodes"] > 0) == (state._row[jass.rules.PLAYED_COUNT] >= 24)


def test_the_last_trick_but_one_is_valued_as_the_solver_does(jass, rng):
    """Seat to move with every other card known: all worlds are the position itself."""
    known = 0
    for _ in range(20):
        for state in positions(jass, rng):
            if state._row[jass.rules.PLAYED_COUNT] < 30:
                continue
            view = state.view(state.player)
            if any(view.sample_state(rng) != state for _ in range(20)):
                continue
            known += 1
            values = solve_cards(state)[1] * (-1 if state.player % 2 else 1)
            found = stammtisch.load_agent(FEW, jass, seed=0).act(view, explain=True)
            assert found.values == pytest.approx(values)
    assert known > 10


@pytest.mark.slow
@pytest.mark.parametrize("spec", [FEW, "ismcts:iterations=60"])
def test_a_long_game_is_searched_deal_by_deal(spec, rng):
    game = stammtisch.load_game("jass-schieber-2500")
    assert sum(1 for _ in positions(game, rng, spec)) >= 37


def test_temperature_draws(jass, rng):
    state = next(positions(jass, rng))
    agent = stammtisch.load_agent("pimc:worlds=2,temperature=5", jass, seed=0)
    assert len({agent.act(state.view(0)) for _ in range(30)}) > 2


def test_worlds_can_be_simulated_to_the_end(jass, rng):
    assert sum(1 for _ in positions(jass, rng, "pimc:worlds=2,search=random")) >= 37


@pytest.mark.parametrize("spec", ["pimc", "ismcts"])
def test_games_without_hidden_cards_are_refused(spec):
    with pytest.raises(ValueError, match=f'"{spec}" cannot play einstein-3x3: nothing is hidden; try "mcts"'):
        stammtisch.load_agent(spec, "einstein-3x3")


def test_beats_the_reference_bot():
    result = play_match("jass-schieber", ["pimc", "heuristic"], games=100, seed=0)
    assert result.return_ci95[0] > 0.05
