"""EinStein on small boards, solved: against plain expectimax, and against what matches say."""

import numpy as np
import pytest
from numba import njit

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


def score_of_perfect_play(game, folder) -> list[float]:
    """Return what ``perfect`` expects against ``random`` as first and as second player, of all positions worked out."""
    tables = game.tables(folder)
    kernels, perfect = tables.kernels, game.oracle(tables=folder)._perfect
    after, number_of, fill_position, set_of = (
        getattr(kernels, name) for name in ("_after", "number_of", "fill_position", "set_of")
    )
    stones, size, cells_of_board = kernels.STONES, kernels.SIZE, kernels.CELLS
    pieces, goal = kernels.PIECES, kernels.GOAL

    @njit
    def expect(order, perfect, mine, theirs):
        """Fill the values before the roll: ``mine`` if ``perfect`` is to move, ``theirs`` if ``random`` is."""
        cells, turned = np.empty(stones, np.int64), np.empty(stones, np.int64)
        for i in order:
            fill_position(i, set_of(i), cells)
            if (cells[:pieces] == goal).any() or (cells[pieces:] == 0).any():
                mine[i] = theirs[i] = 1.0 if (cells[:pieces] == goal).any() else -1.0
                continue
            mine[i] = theirs[i] = 0.0
            for rolled in range(pieces):
                lower, higher = rolled, rolled
                while lower >= 0 and cells[lower] < 0:
                    lower -= 1
                while higher < pieces and cells[higher] < 0:
                    higher += 1
                best, chosen, total, n = -2.0, 0.0, 0.0, 0
                for piece in range(pieces):
                    if piece != lower and piece != higher:
                        continue
                    right, down = cells[piece] % size < size - 1, cells[piece] < cells_of_board - size
                    for step in range(3):
                        if (step != 1 and not right) or (step != 0 and not down):
                            continue
                        wins = after(cells, piece, step, turned)
                        number = 0 if wins else number_of(turned)
                        value = 1.0 if wins else -np.float64(perfect[number])
                        if value > best + 1e-9:  # of equal moves it takes the first
                            best, chosen = value, 1.0 if wins else -theirs[number]
                        total += 1.0 if wins else -mine[number]
                        n += 1
                mine[i] += chosen / pieces
                theirs[i] += total / n / pieces

    ways = np.empty(kernels.ENTRIES, np.uint8)
    kernels.measure(ways, 0, kernels.ENTRIES)
    mine, theirs = np.empty(kernels.ENTRIES), np.empty(kernels.ENTRIES)
    expect(np.argsort(ways, kind="stable"), perfect, mine, theirs)
    start = kernels.number_of_row(game.new_state()._row, 0)
    return [float(mine[start]), -float(theirs[start])]


@pytest.mark.parametrize(
    ("game_id", "games"), [("einstein-3x3", 400), pytest.param("einstein-4x4", 4000, marks=pytest.mark.slow)]
)
def test_perfect_play_scores_what_was_predicted(game_id, games, folder):
    game = stammtisch.load_game(game_id)
    predicted = (1 + np.mean(score_of_perfect_play(game, folder))) / 2
    played = play_match(game_id, [f"perfect:tables={folder}", "random"], games=games, seed=2)
    print(f"{game_id}: predicted {predicted:.4f}, played {played.score:.4f} {played.ci95} in {games} games")
    assert played.ci95[0] <= predicted <= played.ci95[1]
    answer = np.mean([game.oracle(tables=folder).answer_to_random(game.new_state(), seat) for seat in (0, 1)])
    assert predicted <= (1 + answer) / 2


def test_larger_boards_are_refused():
    with pytest.raises(ValueError, match="einstein-5x5 is not solved"):
        stammtisch.load_game("einstein-5x5").oracle()
