"""Connect Four keeps the promises of all games, and its own rules."""

import pytest

import stammtisch
from stammtisch.benchmarks import play_match
from stammtisch.testing import check_game


@pytest.fixture(scope="module")
def game():
    return stammtisch.load_game("connect-four")


def played(game, columns):
    state = game.new_state()
    for column in columns.split():
        state.apply(state.parse_action(column))
    return state


def test_it_is_a_game_like_all_others():
    check_game("connect-four")


def test_it_can_be_narrower():
    check_game(
        stammtisch.load_game("connect-four", columns=5), only=["legal_actions", "records", "length", "utilities"]
    )


@pytest.mark.parametrize(
    "columns", ["1 2 1 2 1 2 1", "1 1 2 2 3 3 4", "1 2 2 3 3 4 3 4 4 6 4", "7 6 6 5 5 4 5 4 4 2 4"]
)
def test_four_in_a_line_win(game, columns):
    state = played(game, columns)
    assert state.player == stammtisch.TERMINAL
    assert state.returns().tolist() == [1.0, -1.0]


def test_a_line_does_not_run_from_one_column_into_the_next(game):
    state = game.from_text("""
        - - - - - - -
        o - - - - - -
        x - - - - - -
        x - - - - - -
        x o - - - - -
        o x o - - - -""")
    assert state.player == 0


def test_a_full_board_is_a_draw(game):
    rows = ["o o x x o o x", "x x o o x x o"] * 3
    full = game.from_text("\n".join(rows))
    assert full.player == stammtisch.TERMINAL
    assert full.returns().tolist() == [0.0, 0.0]


@pytest.mark.parametrize("damage", ["x hangs", "too many x", "a line of who moved first"])
def test_boards_that_cannot_be_are_refused(game, damage):
    rows = [["-"] * 7 for _ in range(6)]
    if damage == "x hangs":
        rows[0][3] = "x"
    elif damage == "too many x":
        rows[5][0] = rows[5][2] = "x"
    else:
        rows[5] = ["x", "x", "x", "x", "o", "o", "o"]
        rows[4][6] = "o"
    with pytest.raises(stammtisch.BadText):
        game.from_text("\n".join(map(" ".join, rows)))


@pytest.mark.parametrize("spec", ["heuristic", "mcts:iterations=100", "alphabeta:depth=2", "connect-four-careful"])
def test_players_see_a_win_in_one_and_prevent_a_loss(game, spec):
    agent = stammtisch.load_agent(spec, game, seed=0)
    win = played(game, "1 7 1 7 1 6")
    assert agent.act(win.view(0)) == 0
    loss = played(game, "1 7 1 6 1")
    assert agent.act(loss.view(1)) == 0


@pytest.mark.parametrize("spec", ["mcts:iterations=100", "heuristic", "connect-four-careful"])
def test_players_beat_random(spec):
    assert play_match("connect-four", [spec, "random"], games=40, seed=0).score > 0.8
