"""EinStein würfelt nicht!: the rules in sentences, against a twin, against counts and against OpenSpiel."""

import numpy as np
import pyspiel
import pytest

import stammtisch
from stammtisch import CHANCE, TERMINAL
from stammtisch.envs.einstein.game import stones
from tests.envs.einstein_twin import VARIANTS, Twin
from tests.playing import random_move, random_states

LEAVES = {
    "einstein-3x3": [9, 84, 727, 5980, 41362, 252090],
    "einstein-4x4": [9, 81, 759, 7143, 68005],
    "einstein-5x5": [18, 324, 6162, 117366],
    "einstein-6x6-3p": [18, 324, 5886],
    "einstein-4x4-4p": [9, 81, 753, 7002],
    "einstein-6x6-4p": [18, 324, 5886],
}
ENDED = {
    "einstein-3x3": [0, 0, 46, 515, 7836, 60273],
    "einstein-4x4": [0] * 4 + [478],
    "einstein-4x4-4p": [0] * 3 + [44],
}
# Share of games won by player 0's team and mean length under random play, 200,000 games each.
RANDOM_PLAY = [
    ("einstein-3x3", {}, 58.4, 5.98),
    ("einstein-3x3", {"random_start": True}, 58.1, None),
    ("einstein-4x4", {}, 55.7, 11.19),
    ("einstein-5x5", {}, 53.2, 21.22),
    ("einstein-5x5", {"choice": "gbg"}, 53.2, 21.04),
    ("einstein-5x5", {"random_start": True}, 53.0, None),
    ("einstein-6x6-3p", {}, 5.4, 43.0),
    ("einstein-6x6-3p", {"choice": "gbg"}, 5.2, 42.7),
    ("einstein-4x4-4p", {}, 50.4, 13.39),
    ("einstein-6x6-4p", {}, 51.4, 41.44),
]


@pytest.fixture(scope="module")
def five():
    return stammtisch.load_game("einstein-5x5")


@pytest.fixture(scope="module")
def four_players():
    return stammtisch.load_game("einstein-4x4-4p")


@pytest.fixture(scope="module")
def three_players():
    return stammtisch.load_game("einstein-6x6-3p")


def said(state):
    return [state.action_text(a) for a in state.legal_actions()]


def after(state, move):
    return state.child(state.parse_action(move))


def test_the_fixed_start_of_the_classic_board(five):
    assert five.new_state().to_text().splitlines() == [
        "a1 a3 a6 .  .",
        "a2 a5 .  .  .",
        "a4 .  .  .  b4",
        ".  .  .  b5 b2",
        ".  .  b6 b3 b1",
        "die -, a to move",
    ]


def test_the_fixed_start_with_four_players_on_six_by_six():
    assert stammtisch.load_game("einstein-6x6-4p").new_state().to_text().splitlines()[:6] == [
        "a1 a3 a6 d4 d2 d1",
        "a2 a5 .  .  d5 d3",
        "a4 .  .  .  .  d6",
        "c6 .  .  .  .  b4",
        "c3 c5 .  .  b5 b2",
        "c1 c2 c4 b6 b3 b1",
    ]


def test_the_small_four_player_board_numbers_row_before_column(four_players):
    assert four_players.new_state().to_text().splitlines()[:4] == [
        "a1 a2 d3 d1",
        "a3 .  .  d2",
        "c2 .  .  b3",
        "c1 c3 b2 b1",
    ]


def test_a_random_start_is_the_same_for_everyone_turned_into_its_corner():
    game = stammtisch.load_game("einstein-6x6-4p", random_start=True)
    layouts = set()
    for seed in range(50):
        row = game.new_state(seed=seed).row
        rules = game.rules
        own = [tuple(rules.FRAME[p, row[rules.POS + p * 6 + i]] for i in range(6)) for p in range(rules.N_PLAYERS)]
        assert len(set(own)) == 1
        layouts.add(own[0])
    assert len(layouts) > 40
    assert game.new_state(seed=7) == game.new_state(seed=7)


def test_the_rolled_stone_moves_right_down_or_diagonally(five):
    state = five.new_state().child(3)
    assert said(state) == ["4 right", "4 down", "4 diagonal"]


def test_player_one_moves_towards_the_top_left(five):
    state = five.from_text("""
        .  .  .  .  .
        .  a1 .  .  .
        .  .  .  .  .
        .  .  .  b1 .
        .  .  .  .  .
        die 1, b to move""")
    assert [where for where, who, _ in stones(after(state, "1 right")) if who == 1] == [17]
    assert [where for where, who, _ in stones(after(state, "1 down")) if who == 1] == [13]
    assert [where for where, who, _ in stones(after(state, "1 diagonal")) if who == 1] == [12]


def test_a_missing_number_leaves_the_next_lower_and_the_next_higher(five):
    board = """
        a1 a3 a6 .  .
        .  .  .  .  .
        .  .  .  .  .
        .  .  .  .  .
        .  .  .  .  b1
        die 4, a to move"""
    assert {text.split()[0] for text in said(five.from_text(board))} == {"3", "6"}
    gbg = stammtisch.load_game("einstein-5x5", choice="gbg")
    assert {text.split()[0] for text in said(gbg.from_text(board))} == {"3"}
    tie = board.replace("a3", "a2")
    assert {text.split()[0] for text in said(gbg.from_text(tie))} == {"2", "6"}


def test_own_stones_can_be_captured(five):
    state = after(five.new_state().child(0), "1 down")
    assert (0, 2) not in {(who, piece) for _, who, piece in stones(state)}


def test_capturing_the_last_stone_wins(five):
    state = five.from_text("""
        .  .  .  .  .
        .  a3 .  .  .
        .  .  b1 .  .
        .  .  .  .  .
        .  .  .  .  .
        die 3, a to move""")
    assert after(state, "3 diagonal").returns().tolist() == [1, -1]


def test_reaching_the_far_corner_wins(five):
    state = five.from_text("""
        .  .  .  .  .
        .  b2 .  .  .
        .  .  .  .  .
        .  .  .  a3 .
        .  .  .  .  .
        die 2, b to move""")
    won = after(state, "2 diagonal")
    assert won.player == TERMINAL
    assert won.returns().tolist() == [-1, 1]


def test_with_four_players_a_wiped_out_partner_loses_for_the_team(four_players):
    state = four_players.from_text("""
        .  .  .  d1
        .  a1 .  .
        .  .  c1 .
        .  .  .  b1
        die 1, a to move""")
    assert after(state, "1 diagonal").returns().tolist() == [-1, 1, -1, 1]


def test_reaching_the_goal_over_the_partners_last_stone_wins_unless_gbg_decides(four_players):
    board = """
        .  .  .  a1
        .  .  c1 .
        .  .  .  .
        b1 .  .  d1
        die 1, c to move"""
    assert after(four_players.from_text(board), "1 diagonal").returns().tolist() == [1, -1, 1, -1]
    gbg = stammtisch.load_game("einstein-4x4-4p", ending="gbg")
    assert after(gbg.from_text(board), "1 diagonal").returns().tolist() == [-1, 1, -1, 1]


def test_with_three_players_only_player_two_has_a_goal(three_players):
    state = three_players.from_text("""
        .  .  .  .  .  .
        .  .  .  .  c1 .
        .  .  .  .  .  .
        .  .  .  .  .  .
        .  .  .  .  a1 b1
        .  .  .  .  .  .
        die 1, a to move""")
    stays = after(state, "1 diagonal")
    assert stays.player == CHANCE
    assert after(stays.child(0).child(0).child(0), "1 diagonal").returns().tolist() == [-1, -1, 1]


def test_a_stuck_stone_passes_and_a_free_one_must_move_instead(three_players):
    stuck = """
        .  .  .  .  .  .
        .  .  .  .  .  .
        .  .  c1 .  .  .
        .  .  .  .  .  .
        a5 .  .  .  .  b1
        .  .  .  .  .  a2
        die 2, a to move"""
    state = three_players.from_text(stuck)
    assert said(state) == ["pass"]
    passed = after(state, "pass")
    assert passed.row[three_players.rules.TURN] == 1
    assert {text.split()[0] for text in said(three_players.from_text(stuck.replace("die 2", "die 3")))} == {"5"}


def test_two_players_have_no_pass_action(five):
    assert five.info.num_actions == 18
    assert stammtisch.load_game("einstein-6x6-3p").info.num_actions == 19


def test_any_position_can_be_set_up(five):
    board = [None] * 25
    board[6], board[18] = (0, 3), (1, 2)
    state = five.from_board(board=board, to_move=1, die=5)
    assert said(state) == ["2 right", "2 down", "2 diagonal"]
    assert five.from_board(board=board, to_move=1).player == CHANCE
    won = [None] * 25
    won[24], won[12] = (0, 3), (1, 2)
    assert five.from_board(board=won).returns().tolist() == [1, -1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"board": [None] * 24}, "has 25 cells, not 24"),
        ({"to_move": 2}, "no player 2"),
        ({"die": 7}, "die 7"),
        ({"board": [(0, 7)] + [None] * 24}, "no stone"),
        ({"board": [(0, 1), (0, 1)] + [None] * 23}, "twice"),
        ({"board": [(1, 1)] + [None] * 23 + [(0, 1)]}, "both teams"),
    ],
)
def test_impossible_positions_are_refused(five, change, message):
    good = {"board": [(0, 1)] + [None] * 23 + [(1, 1)], "to_move": 0, "die": None}
    with pytest.raises(ValueError, match=message):
        five.from_board(**{**good, **change})


@pytest.mark.parametrize("game_id", VARIANTS)
@pytest.mark.parametrize("options", [{}, {"random_start": True, "choice": "gbg", "ending": "gbg"}])
def test_twin(game_id, options):
    """Legal moves, successors and results agree with plain Python on at least 20,000 positions per variant."""
    game = stammtisch.load_game(game_id, **options)
    rng = np.random.default_rng(11)
    n = game.rules.SIZE
    positions = 0
    while positions < 10_500:
        state = game.new_state(seed=positions)
        twin = Twin(
            game_id,
            {(who, piece): divmod(cell, n) for cell, who, piece in stones(state)},
            0,
            None,
            options.get("choice", "standard"),
            options.get("ending", "goal"),
        )
        while state.player != TERMINAL:
            twin.die = state.sample_chance(rng) + 1
            legal = state.legal_actions()
            assert legal == twin.legal()
            assert state.player == twin.turn
            action = legal[rng.integers(len(legal))]
            state.apply(action)
            twin.apply(action)
            assert {(who, piece): divmod(cell, n) for cell, who, piece in stones(state)} == twin.stones
            positions += 1
        assert twin.winner is not None
        expected = [1.0 if twin.team(p) == twin.winner else -1.0 for p in range(twin.players)]
        assert state.returns().tolist() == expected


@pytest.mark.parametrize("game_id", VARIANTS)
def test_leaf_counts(game_id):
    game = stammtisch.load_game(game_id)
    counts = np.zeros(2, np.int64)
    for depth, leaves in enumerate(LEAVES[game_id], start=1):
        game.kernels("perft").perft(game.new_state().row, depth, False, -1, counts)
        assert counts.sum() == leaves


@pytest.mark.parametrize("game_id", ENDED)
def test_finished_games_among_the_leaves(game_id):
    """A leaf is finished if the game ended at or before that turn."""
    game = stammtisch.load_game(game_id)
    counts = np.zeros(2, np.int64)
    deeper = np.zeros(2, np.int64)
    for depth, ended in enumerate(ENDED[game_id], start=1):
        game.kernels("perft").perft(game.new_state().row, depth, False, -1, counts)
        game.kernels("perft").perft(game.new_state().row, depth + 1, False, -1, deeper)
        assert deeper[1] == ended
        assert counts[1] <= ended


def test_the_fourth_turn_tells_the_choice_rules_apart():
    game = stammtisch.load_game("einstein-5x5", choice="gbg")
    counts = np.zeros(2, np.int64)
    game.kernels("perft").perft(game.new_state().row, 4, False, -1, counts)
    assert counts.sum() == 117_336


@pytest.mark.parametrize(("game_id", "options", "share", "length"), RANDOM_PLAY)
def test_random_play_statistics(game_id, options, share, length):
    game = stammtisch.load_game(game_id, **options)
    games = 500_000
    total = np.zeros(game.info.num_players)
    _, moves = game.kernels("playouts").playouts(games, 99, total)
    # Two standard errors of the reference and of ours, and the rounding of the printed figure.
    assert 50 * (1 + total[0] / games) == pytest.approx(share, abs=0.22 + 0.14 + 0.05)
    if length is not None:
        assert moves / games == pytest.approx(length, abs=0.1)


def test_differential_games_against_openspiel(five):
    """OpenSpiel lets the bottom right begin and draws both layouts; seats are exchanged to compare."""
    spiel = pyspiel.load_game("einstein_wurfelt_nicht")
    rng = np.random.default_rng(17)
    directions = [(1, 1), (1, 0), (0, 1), (-1, 0), (-1, -1), (0, -1)]
    for _ in range(300):
        theirs = spiel.new_initial_state()
        theirs.apply_action(int(rng.integers(720)))
        theirs.apply_action(int(rng.integers(720)))
        ours = _from_openspiel(five, theirs)
        while not theirs.is_terminal():
            die = int(rng.integers(6))
            theirs.apply_action(die)
            ours.apply(die)
            assert ours.player == theirs.current_player()
            translated = {}
            for action in theirs.legal_actions():
                rest, _ = divmod(action, 2)
                rest, direction = divmod(rest, 6)
                row, col = divmod(rest, 5)
                drow, dcol = directions[direction]
                piece = next(p for c, who, p in stones(ours) if c == 5 * row + col)
                k = [(0, 1), (1, 0), (1, 1)].index((abs(drow), abs(dcol)))
                translated[3 * (piece - 1) + k] = action
            assert sorted(translated) == ours.legal_actions()
            mine = ours.legal_actions()[rng.integers(len(translated))]
            theirs.apply_action(translated[mine])
            ours.apply(mine)
        assert ours.player == TERMINAL
        assert ours.returns().tolist() == theirs.returns()


def _from_openspiel(game, theirs):
    """Read the start board as OpenSpiel prints it."""
    cells = str(theirs).replace("|", " ").split()
    board = [None if name == "__" else ("bw".index(name[0]), int(name[1])) for name in cells]
    return game.from_board(board=board, to_move=1)


def test_no_game_is_drawn_and_one_side_wins():
    for game_id in VARIANTS:
        for state in random_states(stammtisch.load_game(game_id, random_start=True), seed=1, games=30):
            if state.player == TERMINAL:
                assert sorted(set(state.returns())) == [-1, 1]


@pytest.mark.parametrize("game_id", VARIANTS)
def test_planes_show_everything_from_the_observers_corner(game_id):
    game = stammtisch.load_game(game_id)
    rules = game.rules
    n, players, pieces = VARIANTS[game_id]
    for state in random_states(game, seed=5, games=3):
        for p in range(players):
            obs = state.observation(p)
            expected = np.zeros_like(obs)
            for cell, who, piece in stones(state):
                own = int(rules.FRAME[p, cell])
                expected[(who - p) % players * pieces + piece - 1, own // n, own % n] = 1
            plane = players * pieces
            if state.row[rules.DIE]:
                expected[plane + state.row[rules.DIE] - 1] = 1
            expected[plane + pieces + (state.row[rules.TURN] - p) % players] = 1
            if players == 3:
                expected[plane + pieces + players + p] = 1
            assert np.array_equal(obs, expected)


def test_ones_own_stones_start_in_the_same_place_for_every_corner():
    game = stammtisch.load_game("einstein-6x6-4p")
    state = game.new_state()
    views = [state.observation(p)[:6] for p in range(4)]
    assert all(np.array_equal(views[0], view) for view in views)


@pytest.mark.parametrize(("coding", "values"), [(0, 2), (1, 6), (2, 12)])
def test_position_value_codings(coding, values):
    game = stammtisch.load_game("einstein-5x5", observation=f"coding-{coding}")
    state = game.new_state().child(4)
    obs = state.observation(0)
    assert obs[0] == 0
    assert obs[12] == values
    assert obs[2] == {0: 0, 1: 2, 2: 5}[coding]
    assert obs[24] == {0: 1, 1: 3, 2: 6}[coding]
    assert obs[25:].tolist() == [5, 0]
    other = state.child(state.parse_action("5 diagonal")).observation(1)
    assert other[12] == {0: 1, 1: 5, 2: 10}[coding]
    assert other[25:].tolist() == [0, 0]


def test_the_second_players_view_of_the_start_is_the_first_players():
    game = stammtisch.load_game("einstein-5x5", observation="coding-2")
    state = game.new_state()
    assert state.observation(0)[:25].tolist() == state.observation(1)[:25].tolist()


def test_records_with_leading_space_and_shuffled_games_are_read(five):
    rng = np.random.default_rng(3)
    state = five.new_state()
    for _ in range(9):
        random_move(state, rng)
    indented = "\n".join("    " + line for line in state.to_text().splitlines())
    assert five.from_text(indented) == state
