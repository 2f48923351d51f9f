"""The rules of Mühle and its relatives in words, and the room's own promises."""

import numpy as np
import pytest

from stammtisch import TERMINAL, BadText, IllegalAction, load_game
from stammtisch.envs.muehle.game import contents
from tests.playing import random_states


@pytest.fixture(scope="module")
def muehle():
    return load_game("muehle")


@pytest.fixture(scope="module")
def repeating():
    return load_game("muehle", repetition=True)


@pytest.fixture(scope="module")
def three():
    return load_game("morris-3")


@pytest.fixture(scope="module")
def six():
    return load_game("morris-6")


@pytest.fixture(scope="module")
def twelve():
    return load_game("morris-12")


def play(state, moves):
    """Return the state after moves as people say them."""
    state = state.clone()
    for move in moves.split():
        state.apply(state.parse_action(move))
    return state


def said(state):
    return " ".join(sorted(state.action_text(a) for a in state.legal_actions()))


def with_men(game, white, black, **facts):
    """Set up a position by the names of the points taken."""
    names = [game.point_name(point) for point in range(game.rules.POINTS)]
    board = "".join("W" if name in white.split() else "B" if name in black.split() else "." for name in names)
    return game.from_board(board=board, **facts)


# Board and numbers


def test_points_go_clockwise_from_the_top_left_ring_by_ring(muehle):
    names = [muehle.point_name(point) for point in range(24)]
    assert names[:8] == ["a7", "d7", "g7", "g4", "g1", "d1", "a1", "a4"]
    assert names[8:16] == ["b6", "d6", "f6", "f4", "f2", "d2", "b2", "b4"]
    assert names[16:] == ["c5", "d5", "e5", "e4", "e3", "d3", "c3", "c4"]


@pytest.mark.parametrize(
    ("game_id", "points", "edges", "lines"),
    [("muehle", 24, 32, 16), ("morris-3", 9, 16, 8), ("morris-6", 16, 20, 8), ("morris-12", 24, 40, 20)],
)
def test_every_board_has_its_points_lines_and_rows_of_three(game_id, points, edges, lines):
    game = load_game(game_id)
    assert points == game.rules.POINTS
    assert sum(len(near) for near in game.rules.NEIGHBOURS) == 2 * edges
    assert len(game.rules.LINES) == lines
    assert game.info.num_actions == points + points * points


def test_every_point_of_the_muehle_board_lies_in_two_mills(muehle):
    assert all(sum(point in line for line in muehle.rules.LINES) == 2 for point in range(24))


def test_actions_place_and_remove_on_points_and_move_between_them(muehle):
    state = with_men(muehle, "a7 d7 b6", "a1 d1 g4", turn=30)
    assert state.parse_action("d7-g7") == 24 + 24 * 1 + 2
    assert muehle.new_state().parse_action("d6") == 9
    assert play(muehle.new_state(), "a7 a1 d7 d1 g7").parse_action("xd1") == 5


# Placing


def test_white_begins_and_may_place_anywhere(muehle):
    state = muehle.new_state()
    assert state.player == 0
    assert state.legal_actions() == list(range(24))
    after = play(state, "d6")
    assert after.player == 1
    assert len(after.legal_actions()) == 23


def test_moving_begins_when_the_hand_is_empty(muehle):
    state = with_men(muehle, "a7 b6 c5 d3 e4 f2 g1 a4", "d7 f6 e3 d2 b2 c4 g4 d1", in_hand=(1, 1), turn=16)
    state = play(state, "b4 d6")
    assert state.player == 0
    assert all(a >= 24 for a in state.legal_actions())


# Mills and removals


def test_closing_a_mill_while_placing_obliges_to_remove_a_man(muehle):
    state = play(muehle.new_state(), "a7 a1 d7 d1 g7")
    assert state.player == 0
    assert said(state) == "xa1 xd1"
    after = play(state, "xa1")
    assert after.player == 1
    assert contents(after)[5:7] == "B."


def test_men_in_a_mill_are_safe_while_others_stand_outside(muehle):
    state = with_men(muehle, "a7 d7 g7", "a1 d1 g1 b4", in_hand=(3, 3), removal_pending=True, turn=8)
    assert said(state) == "xb4"


def test_if_all_men_stand_in_mills_any_may_be_removed(muehle):
    state = with_men(muehle, "a7 d7 g7", "a1 d1 g1", in_hand=(3, 3), removal_pending=True, turn=8)
    assert said(state) == "xa1 xd1 xg1"


def test_two_mills_closed_at_once_remove_one_man(muehle):
    state = with_men(muehle, "d7 g7 a4 a1", "b2 c3 f6 e5", in_hand=(2, 2), turn=8)
    state = play(state, "a7 xb2")
    assert state.player == 1
    assert contents(state).count("B") == 3


def test_moving_closes_mills_too(muehle):
    state = with_men(muehle, "a7 d7 g4 b2", "c3 f6 e5 d1", turn=30)
    assert said(play(state, "g4-g7")) == "xc3 xd1 xe5 xf6"


def test_flying_closes_mills_too(muehle):
    state = with_men(muehle, "a7 d7 c3", "f6 e5 d1 b2", turn=30)
    assert said(play(state, "c3-g7")) == "xb2 xd1 xe5 xf6"


def test_a_mill_counts_again_whenever_it_is_newly_closed(muehle):
    state = with_men(muehle, "a7 d7 g7 b2", "a1 f4 e4 f2 d2", turn=30)
    opened = play(state, "g7-g4 f4-f6")
    assert opened.player == 0
    assert said(play(opened, "g4-g7")) == "xa1 xd2 xe4 xf2 xf6"


def test_a_standing_mill_counts_for_nothing_when_another_man_moves(muehle):
    state = with_men(muehle, "a7 d7 g7 b2", "a1 f4 e4 f2 d1", turn=30)
    assert play(state, "b2-d2").player == 1


def test_a_man_that_moves_along_its_own_mill_opens_it(muehle):
    state = with_men(muehle, "d7 d6 d5 b2", "a1 f4 e4 f2 d1", turn=30)
    assert play(state, "d5-c5").player == 1


def test_an_enemy_without_men_on_the_board_loses_none(muehle):
    state = with_men(muehle, "a7 d7", "", in_hand=(5, 5), turn=8)
    assert play(state, "g7").player == 1


# Moving and flying


def test_men_move_along_lines_to_the_next_empty_point(muehle):
    state = with_men(muehle, "a7 d6 g1 c4", "d7 b4 e4 f2", turn=30)
    assert said(state) == "a7-a4 c4-c3 c4-c5 d6-b6 d6-d5 d6-f6 g1-d1 g1-g4"


def test_with_three_men_left_men_fly_and_the_richer_side_walks(muehle):
    state = with_men(muehle, "a7 d6 g1", "d7 b4 e4 f2", turn=30)
    assert len(state.legal_actions()) == 3 * 17
    walking = play(state, "a7-c3")
    assert said(walking) == "b4-a4 b4-b2 b4-b6 b4-c4 d7-a7 d7-g7 e4-e3 e4-e5 e4-f4 f2-d2 f2-f4"


def test_three_men_on_the_board_do_not_fly_while_others_are_in_hand(muehle):
    state = with_men(muehle, "a7 d6 g1", "d7 b4 e4 f2", in_hand=(1, 0), turn=16)
    assert all(a < 24 for a in state.legal_actions())


def test_without_the_option_nobody_flies():
    walking = load_game("muehle", flying=False)
    state = with_men(walking, "a7 d6 g1", "d7 b4 e4 f2", turn=30)
    assert said(state) == "a7-a4 d6-b6 d6-d5 d6-f6 g1-d1 g1-g4"


# The end


def test_a_side_with_two_men_left_has_lost(muehle):
    state = with_men(muehle, "a7 d7 g4 b2", "c3 f6 e5", turn=30)
    state = play(state, "g4-g7 xf6")
    assert state.player == TERMINAL
    assert state.returns().tolist() == [1.0, -1.0]


def test_men_in_hand_count_as_men_left(muehle):
    state = with_men(muehle, "a7 d7", "c3 f6", in_hand=(3, 3), turn=8)
    assert play(state, "g7 xf6").player == 1


def test_a_side_that_cannot_move_has_lost(muehle):
    state = with_men(muehle, "a4 g4 b6 f6 c5", "a7 d7 g7 d6", turn=30)
    state = play(state, "c5-d5")
    assert state.player == TERMINAL
    assert state.returns().tolist() == [1.0, -1.0]


def test_a_side_that_can_fly_is_not_blocked(muehle):
    state = with_men(muehle, "a4 d6 g4 c5", "a7 d7 g7", turn=30)
    assert play(state, "c5-c4").player == 1


def test_the_game_is_drawn_after_the_last_turn_allowed():
    short = load_game("muehle", max_turns=20)
    state = with_men(short, "a7 d6 g1 c4", "d7 b4 e4 f2", turn=18)
    state = play(state, "g1-d1 f2-d2")
    assert state.player == TERMINAL
    assert state.returns().tolist() == [0.0, 0.0]


def test_a_removal_belongs_to_the_turn_that_closed_the_mill(muehle):
    state = play(muehle.new_state(), "a7 a1 d7 d1 g7 xa1")
    assert state.row[muehle.rules.TURN] == 5
    last = with_men(muehle, "a7 d7 g4 b2", "c3 f6 e5 a1", turn=199)
    closed = play(last, "g4-g7")
    assert closed.player == 0
    assert play(closed, "xf6").returns().tolist() == [0.0, 0.0]


def test_being_blocked_or_out_of_men_on_the_last_turn_loses_all_the_same(muehle):
    blocked = with_men(muehle, "a4 g4 b6 f6 c5", "a7 d7 g7 d6", turn=199)
    assert play(blocked, "c5-d5").returns().tolist() == [1.0, -1.0]
    beaten = with_men(muehle, "a7 d7 g4 b2", "c3 f6 e5", turn=199)
    assert play(beaten, "g4-g7 xf6").returns().tolist() == [1.0, -1.0]


# Repetition

THERE_AND_BACK = "d6-d5 e4-e5 d5-d6 e5-e4"


def test_the_third_occurrence_of_a_position_is_a_draw(repeating):
    state = with_men(repeating, "a7 d6 g1 c4", "d7 b4 e4 f2", turn=30)
    once = play(state, THERE_AND_BACK)
    assert once.player == 0
    state = play(once, "d6-d5 e4-e5 d5-d6")
    assert state.player == 1
    state = play(state, "e5-e4")
    assert state.player == TERMINAL
    assert state.returns().tolist() == [0.0, 0.0]


def test_repetition_is_allowed_by_default(muehle):
    state = with_men(muehle, "a7 d6 g1 c4", "d7 b4 e4 f2", turn=30)
    assert play(state, f"{THERE_AND_BACK} {THERE_AND_BACK} {THERE_AND_BACK}").player == 0


def test_the_same_men_with_the_other_side_to_move_are_another_position(repeating):
    # Three times the same men stand there, but white is to move only twice.
    state = with_men(repeating, "a7 d6 g1", "d7 b4 e4", to_move=1, turn=30)
    state = play(state, "e4-e5 d6-d5 e5-e3 d5-d6 e3-e4 d6-d5 e4-e5 d5-d6 e5-e4")
    assert state.player == 0


def test_a_removal_makes_the_game_forget_earlier_positions(repeating):
    seen = repeating.rules.SEEN
    state = with_men(repeating, "a7 d7 g4 b2", "c3 f6 e5 a1", turn=30)
    state = play(state, "b2-d2 f6-f4")
    assert state.row[seen] == 3
    closed = play(state, "g4-g7")
    assert not closed.row[seen:].any()
    assert play(closed, "xf4").row[seen] == 1


def test_rows_with_repetition_depend_on_the_position_alone_while_placing(repeating):
    first = play(repeating.new_state(), "a7 d7 g1 d1")
    second = play(repeating.new_state(), "g1 d1 a7 d7")
    assert first == second
    assert hash(first) == hash(second)


def test_positions_seen_are_part_of_the_record(repeating):
    for state in random_states(repeating, seed=5, games=5):
        assert repeating.from_text(state.to_text()) == state
    state = with_men(repeating, "a7 d6 g1 c4", "d7 b4 e4 f2", turn=30)
    drawn = play(state, f"{THERE_AND_BACK} {THERE_AND_BACK}")
    assert repeating.from_text(drawn.to_text()) == drawn
    without = drawn.to_text().rpartition("\n")[0]
    assert repeating.from_text(without).player == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("seen", "the last of the positions seen"),
        ("seen 1", "the last of the positions seen"),
        ("seen xyz", "hexadecimal"),
        ("seen 0 {present}", "same number of men"),
        ("seen fffffffffffffffff {present}", "same number of men"),
        ("seen" + 40 * " {present}", "40 positions cannot have been seen in 30 turns"),
    ],
)
def test_wrong_lists_of_positions_are_refused(repeating, line, message):
    text = with_men(repeating, "a7 d6 g1 c4", "d7 b4 e4 f2", turn=30).to_text()
    head, _, last = text.rpartition("\n")
    with pytest.raises(BadText, match=message):
        repeating.from_text(f"{head}\n{line.format(present=last.split()[1])}")
    pending = with_men(repeating, "a7 d7 g7 b2", "c3 f6 e5 a1", turn=30, removal_pending=True).to_text()
    assert pending.endswith("\nseen")
    with pytest.raises(BadText, match="while a removal is pending"):
        repeating.from_text(pending + " 0")


# Relatives


def test_three_in_a_row_win_three_mens_morris_at_once(three):
    for moves in ("a3 a1 b3 b1 c3", "a3 b3 b2 c3 c1", "a3 a1 b2 b1 c2 c3 c2-c1"):
        state = play(three.new_state(), moves)
        assert state.player == TERMINAL
        assert state.returns().tolist() == [1.0, -1.0]


def test_three_mens_morris_moves_along_diagonals_and_flies_by_option_only(three):
    state = with_men(three, "a3 b1 c2", "b3 c3 a1", turn=6)
    assert said(state) == "a3-a2 a3-b2 b1-b2 b1-c1 c2-b2 c2-c1"
    nine_holes = load_game("morris-3", flying=True)
    state = with_men(nine_holes, "a3 b1 c2", "b3 c3 a1", turn=6)
    assert len(state.legal_actions()) == 9


def test_the_middle_of_a_side_is_not_joined_to_the_next_middle_in_three_mens_morris(three):
    state = with_men(three, "b3 a1 c1", "a3 c3 b2", turn=6)
    assert said(state) == "a1-a2 a1-b1 c1-b1 c1-c2"


def test_six_mens_morris_has_no_mills_across_and_no_flying(six):
    state = with_men(six, "c5 a1 e1 d2", "a5 e5 b2", turn=20)
    assert play(state, "d2-c2").player == 1
    state = with_men(six, "c5 a1 e1", "a5 e5 b2 b4", turn=20)
    assert said(state) == "a1-a3 a1-c1 c5-c4 e1-c1 e1-e3"
    flying = load_game("morris-6", flying=True)
    state = with_men(flying, "c5 a1 e1", "a5 e5 b2 b4", turn=20)
    assert len(state.legal_actions()) == 27


def test_corners_are_joined_in_twelve_mens_morris(twelve):
    state = with_men(twelve, "a7 b6 c4 g1", "a1 d1 f4 f2", turn=30)
    assert said(play(state, "c4-c5")) == "xa1 xd1 xf2 xf4"


FULL_WITHOUT_MILLS = "BWWBBWBWWBWBWWBBBWBWBBWW"
FULL_WITH_A_MILL_OF_BLACK = "WBWWBWWBBBWBBWBBWWBWWBBW"


def test_a_board_filled_while_placing_is_a_draw_in_twelve_mens_morris(twelve):
    before = FULL_WITHOUT_MILLS[:-4] + "." + FULL_WITHOUT_MILLS[-3:]
    state = twelve.from_board(board=before, to_move=1, in_hand=(0, 1), turn=23)
    state = play(state, "e3")
    assert state.player == TERMINAL
    assert state.returns().tolist() == [0.0, 0.0]


def test_the_last_man_may_still_close_a_mill_in_twelve_mens_morris(twelve):
    gap = 14
    before = FULL_WITH_A_MILL_OF_BLACK[:gap] + "." + FULL_WITH_A_MILL_OF_BLACK[gap + 1 :]
    state = play(twelve.from_board(board=before, to_move=1, in_hand=(0, 1), turn=23), "b2")
    assert state.player == 1
    assert twelve.phase_name(state) == "SetMillPlayer2"
    after = play(state, "xa1")
    assert after.player == 0
    assert said(after) == "d1-a1"


# The state machine


def test_phases_follow_the_state_machine(muehle):
    state = muehle.new_state()
    names = [muehle.phase_name(state)]
    for move in ["a7", "a1", "d7", "d1", "g7", "xa1", "g1"]:
        state = play(state, move)
        names.append(muehle.phase_name(state))
    one, two = "SetPlayer1", "SetPlayer2"
    assert names == [one, two, one, two, one, "SetMillPlayer1", two, one]


def test_the_removal_after_the_last_placing_still_belongs_to_placing(muehle):
    state = with_men(muehle, "a7 b6 c5 d3 e4 f2 g1", "d7 d6 e3 b2 c4 g4 a1", in_hand=(0, 1), to_move=1, turn=17)
    state = play(state, "d5")
    assert muehle.phase_name(state) == "SetMillPlayer2"
    assert muehle.phase_name(play(state, "xa7")) == "ShiftPlayer1"
    white = with_men(muehle, "a7 d7 c5 d3 e4 f2 g1", "d6 e3 b2 c4 g4 a1", in_hand=(1, 1), turn=16)
    assert muehle.phase_name(play(white, "g7")) == "SetMillPlayer1"


def test_phases_of_moving_and_of_the_end(muehle):
    state = with_men(muehle, "a7 d7 g4 b2", "c3 f6 e5", turn=30)
    assert muehle.phase_name(state) == "ShiftPlayer1"
    closed = play(state, "g4-g7")
    assert muehle.phase_name(closed) == "ShiftMillPlayer1"
    assert muehle.phase_name(play(closed, "xf6")) == "GameFinished"
    black = with_men(muehle, "c3 f6 e5 d1", "a7 d7 g4 b2", to_move=1, turn=31)
    assert muehle.phase_name(play(black, "g4-g7")) == "ShiftMillPlayer2"
    assert muehle.phase_name(play(black, "g4-g7 xf6")) == "ShiftPlayer1"


# Observations


def test_the_vector_shows_everything_from_the_observers_side(muehle):
    state = with_men(muehle, "a7 d7 g7", "a1 d1 b4", in_hand=(3, 0), removal_pending=True, turn=50)
    white, black = state.observation(0), state.observation(1)
    assert white.dtype == np.float32
    assert np.flatnonzero(white[:24]).tolist() == [0, 1, 2]
    assert np.flatnonzero(white[24:48]).tolist() == [5, 6, 15]
    assert white[48:] == pytest.approx([3 / 9, 6 / 9, 1, 0, 0, 0, 3 / 9, 0, 0, 1, 1, 0.25, 1])
    assert black[48:] == pytest.approx([0, 3 / 9, 0, 0, 1, 3 / 9, 6 / 9, 1, 0, 0, 1, 0.25, 0])
    assert np.array_equal(black[:24], white[24:48])


def test_the_vector_tells_how_often_a_position_has_occurred(repeating):
    state = with_men(repeating, "a7 d6 g1 c4", "d7 b4 e4 f2", turn=30)
    assert state.observation(0)[-1] == pytest.approx(1 / 3)
    assert play(state, THERE_AND_BACK).observation(0)[-1] == pytest.approx(2 / 3)


def test_the_inputs_of_the_deep_q_report():
    game = load_game("muehle", observation="dqn-flat")
    assert game.info.observation_shape == (28,)
    start = game.new_state()
    assert start.observation(0).tolist() == [0, 0, *[0] * 24, 9, 9]
    state = play(start, "a7 d1")
    assert state.observation(0).tolist() == state.observation(1).tolist() == [0, 0, 1, *[0] * 4, -1, *[0] * 18, 8, 8]
    kinds = {"place": (start, 0), "remove": (play(start, "a7 a1 d7 d1 g7"), 2)}
    moving = with_men(game, "a7 d7 g4 b2", "c3 f6 e5", turn=30)
    kinds |= {"move": (moving, 1), "over": (play(moving, "g4-g7 xf6"), 3)}
    assert all(state.observation(0)[1] == kind for state, kind in kinds.values())


# Set-up, records, words


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"board": "." * 23}, "has 24 points, not 23"),
        ({"board": "x" + "." * 23}, 'cannot read point "x"'),
        ({"to_move": 2}, "no player 2"),
        ({"in_hand": (9,)}, "a pair of integers"),
        ({"in_hand": (1.5, 2)}, "a pair of integers"),
        ({"in_hand": (10, 9)}, "white has 9 men"),
        ({"in_hand": (9, -1)}, "black has 9 men"),
        ({"board": "W" * 10 + "." * 14, "in_hand": (0, 9)}, "not 10 on the board and 0 in hand"),
        ({"in_hand": (2, 2)}, "both sides of muehle would have lost"),
        ({"turn": 201}, "turn 201 is not possible"),
        ({"turn": -1}, "turn -1 is not possible"),
        ({"turn": "x"}, "turn 'x' is not possible"),
        ({"removal_pending": True}, "white has no mill"),
        ({"board": "WWW" + "." * 21, "removal_pending": True}, "black has no man on the board"),
        ({"board": "WWWB" + "." * 20, "in_hand": (6, 1), "removal_pending": True}, "the game is over"),
        ({"board": "WWWB" + "." * 20, "turn": 200, "removal_pending": True, "in_hand": (6, 8)}, "the game is over"),
    ],
)
def test_impossible_positions_are_refused(muehle, facts, message):
    facts = {"board": "." * 24, "in_hand": (6, 9) if "board" in facts else (9, 9), **facts}
    with pytest.raises(ValueError, match=message):
        muehle.from_board(**facts)


def test_impossible_positions_of_three_mens_morris_are_refused(three):
    with pytest.raises(ValueError, match="no man leaves the game"):
        three.from_board(board="." * 9, in_hand=(3, 2))
    with pytest.raises(ValueError, match="both sides"):
        three.from_board(board="WWW.BBB..")
    with pytest.raises(ValueError, match="no man is ever removed"):
        three.from_board(board="WWW......", in_hand=(0, 3), removal_pending=True)


def test_positions_that_are_over_are_seen_as_such(muehle, three):
    few = with_men(muehle, "a7 d7", "c3 f6 e5", turn=30)
    assert few.returns().tolist() == [-1.0, 1.0]
    assert with_men(muehle, "c3 f6 e5", "a7 d7", turn=30).returns().tolist() == [1.0, -1.0]
    stuck = with_men(muehle, "a7 d7 g7 d6", "a4 g4 b6 f6 d5", turn=30)
    assert stuck.returns().tolist() == [-1.0, 1.0]
    late = with_men(muehle, "a7 d6 g1 c4", "d7 b4 e4 f2", turn=200)
    assert late.player == TERMINAL
    assert late.returns().tolist() == [0.0, 0.0]
    row = with_men(three, "a1 c1 a2", "a3 b3 c3", turn=6)
    assert row.returns().tolist() == [-1.0, 1.0]


def test_a_record_is_a_drawing_with_a_line_below(muehle):
    state = play(muehle.new_state(), "a7 d6 e4 c3")
    assert state.to_text().splitlines() == [
        "7 W-----.-----.",
        "6 | .---B---. |",
        "5 | | .-.-. | |",
        "4 .-.-.   W-.-.",
        "3 | | B-.-. | |",
        "2 | .---.---. |",
        "1 .-----.-----.",
        "  a b c d e f g",
        "W to move, in hand 7 7, turn 4",
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("turn 4", "turn four", "ends like"),
        ("W to move", "R to move", "ends like"),
        ("to move", "to remove", "has no mill"),
        (". |", "| |", "has 24 points"),
        ("hand 7", "hand 9", "white has 9 men"),
    ],
)
def test_wrong_records_are_refused(muehle, old, new, message):
    text = play(muehle.new_state(), "a7 d6 e4 c3").to_text()
    with pytest.raises(BadText, match=message):
        muehle.from_text(text.replace(old, new, 1))


def test_moves_are_said_by_the_names_of_the_points(muehle):
    state = with_men(muehle, "a7 d7 g4 b2", "c3 f6 e5", turn=30)
    assert state.action_text(state.parse_action("G4-g7")) == "g4-g7"
    with pytest.raises(BadText, match='cannot read "xa7"'):
        state.parse_action("xa7")
    with pytest.raises(IllegalAction, match="a7-a4"):
        state.apply(0)


def test_customs_of_flying_are_per_game():
    flying = {name: load_game(name).options["flying"] for name in ("muehle", "morris-3", "morris-6", "morris-12")}
    assert flying == {"muehle": True, "morris-3": False, "morris-6": False, "morris-12": True}
    assert repr(load_game("morris-6", flying=True)) == "load_game('morris-6', flying=True)"


def test_the_manual_page_is_the_same_for_the_small_boards():
    assert type(load_game("morris-6")).__doc__ == type(load_game("muehle")).__doc__


def test_pictures_mark_the_last_action_and_what_may_be_removed(muehle):
    from stammtisch.envs.core.drawing import MARK

    def marked(state):
        return int((muehle.draw(state) == np.array(MARK, np.uint8)).all(axis=2).sum())

    start = muehle.new_state()
    assert marked(start) == 0
    placed = play(start, "a7")
    assert marked(placed) > 0
    assert marked(muehle.from_text(placed.to_text())) == 0
    closed = play(start, "a7 a1 d7 d1 g7")
    assert marked(closed) > marked(placed)
    assert marked(play(closed, "xa1")) > 0
