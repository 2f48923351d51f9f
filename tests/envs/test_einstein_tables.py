"""EinStein on small boards, solved: against plain expectimax, and against what matches say."""

import numpy as np
import pytest

import stammtisch
from stammtisch.benchmarks import play_match


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Folder with the tables of einstein-3x3."""
    place = tmp_path_factory.mktemp("tables")
    tables = stammtisch.load_game("einstein-3x3").tables(place)
    for part in tables.parts():
        tables.build(part)
    return place


def expected(state, known, against_random=None) -> float:
    """Return the value for seat 0 by the rules alone; ``against_random`` is the seat that answers, None for perfect."""
    if state.player == -2:
        return float(state.returns()[0])
    if state not in known:
        if state.player == -1:
            known[state] = sum(p * expected(state.child(o), known, against_random) for o, p in state.chance_outcomes())
        else:
            values = [expected(state.child(action), known, against_random) for action in state.legal_actions()]
            if against_random not in (None, state.player):
                known[state] = float(np.mean(values))
            else:
                known[state] = max(values) if state.player == 0 else min(values)
    return known[state]


def test_values_are_those_of_plain_expectimax(folder):
    game = stammtisch.load_game("einstein-3x3", random_start=True)
    oracle, rng = game.oracle(tables=folder), np.random.default_rng(0)
    known, answered = {}, ({}, {})
    for seed in range(4):
        state = game.new_state(seed)
        for _ in range(6 + seed % 2):
            if state.player == -1:
                state.sample_chance(rng)
            elif state.player >= 0:
                state.apply(int(rng.choice(state.legal_actions())))
        assert oracle.covers(state)
        assert oracle.value(state) == pytest.approx(np.array([1, -1]) * expected(state, known), abs=1e-6)
        for seat in (0, 1):
            wanted = expected(state, answered[seat], seat) * (1 - 2 * seat)
            assert oracle.answer_to_random(state, seat) == pytest.approx(wanted, abs=1e-6)


def test_stored_values_agree_with_their_moves(folder):
    tables = stammtisch.load_game("einstein-3x3").tables(folder)
    assert [tables.find_fault(part, 2, lambda line: None) for part in tables.parts()] == [None, None]


def test_numbers_and_positions_are_inverse(folder):
    kernels = stammtisch.load_game("einstein-3x3").tables(folder).kernels
    for number in np.random.default_rng(0).integers(0, kernels.ENTRIES, 500):
        assert kernels.number_of(kernels.position(int(number))) == number


def check_match(game_id, folder, games):
    """Compare matches against ``random`` with what the tables predict, seats in turn."""
    game = stammtisch.load_game(game_id)
    oracle, start = game.oracle(tables=folder), game.new_state()
    predicted = np.mean([oracle.answer_to_random(start, seat) for seat in (0, 1)])
    best = play_match(game_id, [f"perfect:against=random,tables={folder}", "random"], games=games, seed=1)
    assert best.ci95[0] <= (1 + predicted) / 2 <= best.ci95[1]
    return (1 + predicted) / 2, best


def test_the_best_answer_scores_what_was_predicted(folder):
    check_match("einstein-3x3", folder, 400)


@pytest.mark.slow
def test_the_best_answer_scores_what_was_predicted_on_4x4(tmp_path):
    predicted, _ = check_match("einstein-4x4", tmp_path, 4000)
    assert predicted == pytest.approx(0.9365, abs=1e-4)
    start = stammtisch.load_game("einstein-4x4").new_state()
    value = start.game.oracle(tables=tmp_path).value(start)[0]
    assert value == pytest.approx(0.1024698, abs=1e-6)


def test_larger_boards_are_refused():
    with pytest.raises(ValueError, match="einstein-5x5 is not solved"):
        stammtisch.load_game("einstein-5x5").oracle()
