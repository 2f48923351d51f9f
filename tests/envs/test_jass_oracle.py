"""The oracle of Jass with open cards, against plain minimax over states; and its values in sampled deals."""

import numpy as np
import pytest

import stammtisch
from stammtisch.envs.core.oracle import Oracle, oracle_of
from tests.envs.test_double_dummy import minimax, position


@pytest.fixture(scope="module")
def jass():
    return stammtisch.load_game("jass-schieber")


@pytest.mark.parametrize("mode", [36, 39, 40, 41])
def test_every_card_is_worth_what_minimax_says(jass, mode, rng):
    oracle = jass.oracle(tricks=3)
    for played in range(4):
        state = position(jass, mode, 3, rng, played)
        sign = -1 if state.player % 2 else 1
        values = oracle.values(state)
        assert list(values) == state.legal_actions()
        for card, value in values.items():
            assert value == pytest.approx(sign * minimax(state.child(card)))
        assert oracle.value(state) == pytest.approx([max(values.values()) * sign * side for side in (1, -1, 1, -1)])


def test_values_in_worlds_are_those_of_the_worlds(jass, rng):
    """The kernel deals and solves what the plain way would, one state after the other."""
    oracle = jass.oracle(tricks=4)
    for played in (0, 3):
        state = position(jass, 38, 4, rng, played)
        view = state.view(state.player)
        means = oracle.values_in_worlds(view, 400, np.random.default_rng(1)).mean(axis=0)
        plain = Oracle.values_in_worlds(oracle, view, 400, np.random.default_rng(2))
        assert plain.shape == (400, len(view.legal_actions()))
        spread = 5 * plain.std(axis=0) / np.sqrt(200)
        assert (np.abs(means - plain.mean(axis=0)) <= spread + 1e-9).all()


def test_worlds_do_not_depend_on_the_true_deal(jass, rng):
    oracle = jass.oracle(tricks=5)
    state = position(jass, 37, 5, rng, 2)
    view = state.view(state.player)
    other = view.sample_state(rng).view(state.player)
    found = [oracle.values_in_worlds(each, 10, np.random.default_rng(3)) for each in (view, other)]
    np.testing.assert_array_equal(*found)


def test_passing_the_choice_on_is_worth_the_best_mode(jass):
    """Each side holds two whole colours, so that nine tricks are solved in no time."""
    deal = [[*range(9)], [*range(9, 18)], [*range(18, 27)], [*range(27, 36)]]
    state = jass.new_state(deal=deal)
    values = jass.oracle().values(state)
    modes = {action: value for action, value in values.items() if action != 42}
    assert values[42] == max(modes.values()) == 2.57
    assert values[37] == -max(jass.oracle().values(state.child(37).child(0)).values())


def test_a_deal_is_solved_in_points(jass, rng):
    state = position(jass, 38, 3, rng, 1)
    found, values = jass.solve(state, every=True), jass.oracle(tricks=3).values(state)
    assert (found.unit, found.distances) == ("points", {})
    assert found.nodes > 0
    assert found.scores == pytest.approx({card: 100 * value for card, value in values.items()})
    assert found.score == max(found.scores.values())
    with pytest.raises(ValueError, match="takes no budget"):
        jass.solve(state, nodes=10)


def test_what_is_not_covered_is_said(jass, rng):
    oracle = jass.oracle(tricks=4)
    state = position(jass, 36, 5, rng)
    assert not oracle.covers(state)
    with pytest.raises(ValueError, match="5 tricks are left, and it solves up to 4"):
        oracle.values(state)
    with pytest.raises(ValueError, match="no cards are dealt"):
        oracle.value(jass.new_state(seed=0))
    with pytest.raises(ValueError, match="what later deals bring"):
        stammtisch.load_game("jass-schieber-2500").oracle()


def test_oracles_are_shared_and_asked_for_what_they_take(jass):
    assert oracle_of(jass, 4) is oracle_of(jass, 4)
    with pytest.raises(ValueError, match="takes no tables"):
        oracle_of(jass, tables="folder")
    with pytest.raises(ValueError, match="has no oracle"):
        oracle_of(stammtisch.load_game("jass-coiffeur"))
