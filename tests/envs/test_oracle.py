"""Oracles: what they cover is what perfect play makes of it."""

import numpy as np
import pytest

import stammtisch
from stammtisch.envs.core.state import State


def minimax(state: State, known: dict[State, float]) -> float:
    """Return the value for seat 0, worked out from the rules alone."""
    if state.player < 0:
        return float(state.returns()[0])
    if state not in known:
        values = [minimax(state.child(action), known) for action in state.legal_actions()]
        known[state] = max(values) if state.player == 0 else min(values)
    return known[state]


@pytest.mark.parametrize("reward", ["win", "discs"])
def test_reversi_oracle_agrees_with_plain_minimax(reward):
    game = stammtisch.load_game("reversi-4x4", reward=reward)
    oracle, known = game.oracle(), {}
    rng = np.random.default_rng(0)
    for _ in range(20):
        state = game.new_state()
        for _ in range(5):
            if state.player >= 0:
                state.apply(int(rng.choice(state.legal_actions())))
        assert oracle.value(state) == pytest.approx([minimax(state, known), -minimax(state, known)])
        sign = 1 if state.player == 0 else -1
        wanted = {action: sign * minimax(state.child(action), known) for action in state.legal_actions()}
        assert oracle.values(state) == pytest.approx(wanted)


def test_an_oracle_says_what_it_does_not_cover():
    game = stammtisch.load_game("reversi-8x8")
    oracle, start = game.oracle(), game.new_state()
    assert not oracle.covers(start)
    with pytest.raises(ValueError, match=r"does not cover this position: 60 cells are empty"):
        oracle.value(start)
    with pytest.raises(ValueError, match=r"einstein-6x6-3p is not solved"):
        stammtisch.load_game("einstein-6x6-3p").oracle()
    with pytest.raises(ValueError, match=r"reversixt-2 has no oracle"):
        stammtisch.load_game("reversixt-2").oracle()


def test_positions_of_other_games_and_options_are_refused(tmp_path):
    game, other = stammtisch.load_game("morris-3"), stammtisch.load_game("morris-3", max_turns=20)
    oracle = game.oracle(tables=tmp_path)
    assert oracle.covers(stammtisch.load_game("morris-3").new_state())
    for strange in (other.new_state(), stammtisch.load_game("reversi-4x4").new_state()):
        assert not oracle.covers(strange)
        assert np.isnan(oracle.value_of([game.new_state(), strange])[1]).all()
        for ask in (oracle.value, oracle.values):
            with pytest.raises(ValueError, match="was asked about a position of load_game"):
                ask(strange)


def test_an_oracle_looks_openings_up_in_the_folder_that_was_named(tmp_path):
    game = stammtisch.load_game("reversi-6x6")
    assert game.oracle(tables=tmp_path).searched == 0
    game = stammtisch.load_game("reversi-4x4")
    tables = game.tables(tmp_path)
    tables.build(tables.parts()[0])
    oracle = game.oracle(empties=0, tables=tmp_path)
    assert oracle.value(game.new_state()).tolist() == [-1.0, 1.0]
    assert oracle.searched == 0
    assert not game.oracle(empties=0, tables=tmp_path / "none").covers(game.new_state())


def test_what_tables_cost_is_told_apart(tmp_path):
    game = stammtisch.load_game("morris-3")
    first, again = (game.solve(game.new_state(), every=True, tables=tmp_path) for _ in range(2))
    assert first.building > 0
    assert again.building == first.nodes == again.nodes == 0
    assert first.scores == again.scores


def test_a_finished_game_is_worth_what_it_paid():
    game = stammtisch.load_game("reversi-4x4")
    state = game.from_text("xxxxxxxxxxxxxxxo\ngame over")
    oracle = game.oracle()
    assert oracle.covers(state)
    assert oracle.value(state).tolist() == [1.0, -1.0]
    assert oracle.values(state) == {}
