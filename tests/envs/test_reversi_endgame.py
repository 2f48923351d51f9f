"""The endgame solver of Reversi: equal to plain minimax, to published scores, and honest about its limits."""

import json
import pathlib
import signal
import threading
import time

import numpy as np
import pytest

import stammtisch
from stammtisch.envs.reversi.endgame import solve, solver_of
from tests.test_cli import call

FFO = json.loads((pathlib.Path(__file__).parents[1] / "data" / "ffo-endgames.json").read_text("utf-8"))["positions"]


@pytest.fixture(scope="module", params=[(4, "win"), (4, "discs"), (6, "discs"), (8, "win")], ids=str)
def game(request):
    size, reward = request.param
    return stammtisch.load_game(f"reversi-{size}x{size}", reward=reward)


def endgame(game, empties, rng):
    """Play at random until so few cells are empty."""
    while True:
        state = game.new_state()
        while state.player >= 0 and game.rules.empties(state.row) > empties:
            state.apply(int(rng.choice(state.legal_actions())))
        if state.player >= 0 and game.rules.empties(state.row) == empties:
            return state


def minimax(state, mover, to_winner):
    """Return the final difference of discs for ``mover``, the slow way."""
    if state.player < 0:
        rules, row = state.game.rules, state.row
        discs = [bin(int(row[rules.DISCS + p]) & (1 << 64) - 1).count("1") for p in (mover, 1 - mover)]
        lead = discs[0] - discs[1]
        return lead + to_winner * int(np.sign(lead)) * (rules.CELLS - sum(discs))
    scores = [minimax(state.child(action), mover, to_winner) for action in state.legal_actions()]
    return max(scores) if state.player == mover else min(scores)


@pytest.mark.parametrize("empties", [1, 2, 3, 4, 5, 6, 7])
def test_scores_and_best_moves_are_those_of_minimax(game, empties):
    reward = game.options["reward"]
    rng = np.random.default_rng(empties)
    for _ in range(6 if empties < 6 else 2):
        state = endgame(game, empties, rng)
        expected = {a: minimax(state.child(a), state.player, reward == "win") for a in state.legal_actions()}
        found = solve(state, every=True)
        assert found.scores == expected
        assert found.score == max(expected.values())
        assert list(found.best) == [a for a, score in expected.items() if score == found.score]
        assert solve(state).best == found.best
        paid = found.score / game.rules.CELLS if reward == "discs" else np.sign(found.score)
        assert found.returns.tolist() == [paid, -paid][:: 1 if state.player == 0 else -1]


def test_the_table_and_its_cuts_change_nothing(game):
    kernels = solver_of(game)
    rng = np.random.default_rng(5)
    for empties in (8, 10, 11):
        for _ in range(5):
            state = endgame(game, empties, rng)
            boards = kernels.new_boards(1 << 10)
            score, _ = kernels.solve(state.row, -65, 65, boards)
            tiny = kernels.new_boards(1)  # almost everything is forgotten
            assert kernels.solve(state.row, -65, 65, tiny) == (score, True)
            assert kernels.solve(state.row, score - 1, score, boards)[0] >= score
            assert kernels.solve(state.row, score, score + 1, boards)[0] <= score
            children = [-solve(state.child(a)).score for a in state.legal_actions() if state.child(a).player >= 0]
            passes = [state.child(a).player == state.player for a in state.legal_actions()]
            if len(children) == len(passes) and not any(passes):
                assert max(children) == score


def test_no_stable_disc_is_ever_turned(game):
    kernels, rules = solver_of(game), game.rules
    rng = np.random.default_rng(9)
    seen = 0
    for _ in range(40):
        state = endgame(game, 6, rng)
        own, other = (np.uint64(int(state.row[rules.DISCS + p]) & (1 << 64) - 1) for p in (0, 1))
        stable = kernels._stable(own, own | other)
        seen += stable > 0
        fewest = min(_final_discs(state.clone(), rng) for _ in range(20))
        assert stable <= fewest
    assert seen


def _final_discs(state, rng):
    while state.player >= 0:
        state.apply(int(rng.choice(state.legal_actions())))
    return bin(int(state.row[state.game.rules.DISCS]) & (1 << 64) - 1).count("1")


def test_the_second_player_wins_on_4x4():
    by_discs, by_wins = (stammtisch.load_game("reversi-4x4", reward=reward) for reward in ("discs", "win"))
    found = by_discs.solve(by_discs.new_state())  # 3 to 11, two cells stay empty
    assert (found.score, found.returns.tolist()) == (-8, [-0.5, 0.5])
    found = by_wins.solve(by_wins.new_state())
    assert (found.score, found.returns.tolist()) == (-10, [-1.0, 1.0])


@pytest.mark.parametrize(
    "problem", [pytest.param(p, id=f"#{p['id']}", marks=[pytest.mark.slow] * (p["id"] > 40)) for p in FFO[:5]]
)
def test_published_endgames(problem):
    game = stammtisch.load_game("reversi-8x8")
    found = solve(game.from_text(f"{problem['position']} {problem['side_to_move']}"))
    state = game.from_text(f"{problem['position']} {problem['side_to_move']}")
    assert found.score == problem["exact_score"]
    assert {state.action_text(a) for a in found.best} == set(problem["best_moves"])


@pytest.fixture
def own_ctrl_c():
    """Ctrl-C means what it means in a program of its own, whatever was run in this process before."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("own_ctrl_c")
def test_a_long_search_can_be_broken_off(monkeypatch):
    game = stammtisch.load_game("reversi-8x8")
    kernels, boards = solver_of(game), []
    new_boards, main = kernels.new_boards, threading.main_thread().ident

    def interrupt():
        while not boards[0].control[kernels.NODES]:
            time.sleep(0.01)
        signal.pthread_kill(main, signal.SIGINT)

    def small_boards(places):
        boards.append(new_boards(1 << 10))
        threading.Thread(target=interrupt).start()
        return boards[0]

    monkeypatch.setattr(kernels, "new_boards", small_boards)
    with pytest.raises(KeyboardInterrupt):
        solve(game.new_state(), nodes=10**9)
    assert boards[0].control[kernels.NODES] < 10**9


def test_limits_are_told():
    game = stammtisch.load_game("reversi-8x8")
    with pytest.raises(ValueError, match="1000 positions were not enough"):
        solve(game.new_state(), nodes=1000)
    with pytest.raises(ValueError, match="boards up to 8x8"):
        solve(stammtisch.load_game("reversi-10x10").new_state())
    with pytest.raises(ValueError, match="forced"):
        solve(stammtisch.load_game("reversi-6x6", voluntary_pass=True).new_state())
    with pytest.raises(ValueError, match="einstein-5x5 is not solved"):
        stammtisch.load_game("einstein-5x5").solve(stammtisch.load_game("einstein-5x5").new_state())
    over = endgame(stammtisch.load_game("reversi-4x4"), 1, np.random.default_rng(0))
    over.apply(over.legal_actions()[0])
    while over.player >= 0:
        over.apply(over.legal_actions()[0])
    with pytest.raises(ValueError, match="over"):
        solve(over)


def test_the_command(tmp_path):
    assert "Example" in call("solve", "--help")
    data = json.loads(call("solve", "reversi-4x4", "--json", "--all"))
    assert data["score"] == -10
    assert sorted(data["scores"].values()) == [-10.0] * 4
    file = tmp_path / "position.txt"
    file.write_text(stammtisch.load_game("reversi-4x4").new_state().to_text())
    assert "-10 discs" in call("solve", "reversi-4x4", "--position", str(file))
    assert "-10 discs" in call("solve", "reversi-4x4", "--position", "-----ox--xo----- X")
