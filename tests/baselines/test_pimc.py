"""Voting over deals of the hidden cards."""

import numpy as np
import pytest

import stammtisch
from stammtisch.benchmarks import play_match
from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.jass.schieber.double_dummy import solve_cards

FEW = "pimc:worlds=4,exact=3"


@pytest.fixture(scope="module")
def jass():
    return stammtisch.load_game("jass-schieber")


def positions(game, rng, spec="heuristic"):
    """Yield every position of a deal in which a seat is to move."""
    agent = stammtisch.load_agent(spec, game, seed=1)
    state = game.new_state(seed=0)
    state.sample_chance(rng)
    while state.player not in (TERMINAL, CHANCE):
        yield state
        state.apply(agent.act(state.view(state.player)))


def test_answers_are_legal_over_whole_deals(jass, rng):
    for _ in range(3):
        assert sum(1 for _ in positions(jass, rng, FEW)) >= 37


def test_hidden_cards_do_not_leak(jass, rng):
    for state in positions(jass, rng):
        view = state.view(state.player)
        other = view.sample_state(rng).view(state.player)
        answers = [stammtisch.load_agent(FEW, jass, seed=5).act(v, explain=True) for v in (view, other)]
        assert answers[0].action == answers[1].action
        np.testing.assert_array_equal(answers[0].values, answers[1].values)


def test_the_seed_decides(jass, rng):
    state = next(positions(jass, rng))
    agents = [stammtisch.load_agent(FEW, jass, seed=seed) for seed in (3, 3, 4)]
    first, again, other = (agent.act(state.view(0), explain=True).values.tolist() for agent in agents)
    assert first == again != other
    agents[0].reset(seed=3)
    assert agents[0].act(state.view(0), explain=True).values.tolist() == first


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
