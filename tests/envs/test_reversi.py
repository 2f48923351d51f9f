"""The rules of Reversi in words, and the room's own promises."""

import numpy as np
import pytest

from stammtisch import TERMINAL, BadText, IllegalAction, load_game
from stammtisch.envs.reversi.game import disc_counts, owners
from tests.playing import random_states


@pytest.fixture(scope="module")
def reversi():
    return load_game("reversi-8x8")


@pytest.fixture(scope="module")
def small():
    return load_game("reversi-4x4")


@pytest.fixture(scope="module")
def free_passing():
    return load_game("reversi-4x4", voluntary_pass=True)


def places(state):
    return " ".join(state.action_text(a) for a in state.legal_actions())


def test_black_begins_with_two_discs_each_in_the_middle(reversi):
    state = reversi.new_state()
    assert state.player == 0
    assert str(state).splitlines()[4:6] == [" 4 - - - o x - - -", " 5 - - - x o - - -"]
    assert places(state) == "d3 c4 f5 e6"
    assert disc_counts(state) == (2, 2)


def test_a_disc_turns_every_line_it_closes_and_nothing_behind(small):
    state = small.from_board(board="x--- -o-- oo-- -oox", to_move=0)
    after = state.child(state.parse_action("a4"))
    assert small.to_text(after).replace(" ", "").split("\n")[:4] == ["x---", "-o--", "oo--", "xxxx"]


def test_all_eight_directions_turn(reversi):
    state = reversi.from_board(
        board="""
        x - - x - - x -
        - o - o - o - -
        - - o o o - - -
        x o o - o o o x
        - - o o o - - -
        - o - o - o - -
        x - - o - - x -
        - - - x - - - -""",
        to_move=0,
    )
    after = state.child(state.parse_action("d4"))
    assert disc_counts(after) == (8 + 1 + 18, 0)
    assert after.player == TERMINAL


def test_lines_do_not_run_around_the_edge(small):
    state = small.from_board(board="--xo ---- ---- ----", to_move=0)
    assert places(state) == "pass"  # d1 and a2 do not touch
    assert places(state.child(16)) == "b1"


def test_a_player_who_cannot_place_must_pass(small):
    state = small.from_board(board="-xox xxxx xxxx xxxx", to_move=1)
    assert places(state) == "a1"
    state = small.from_board(board="-xox xxxx xxxx xxxx", to_move=0)
    assert places(state) == "pass"
    state.apply(state.parse_action("pass"))
    assert state.player == 1


def test_passing_is_refused_while_there_is_a_cell_to_place_on(reversi):
    with pytest.raises(IllegalAction, match=r"illegal action 64 .* legal: 19 \(d3\)"):
        reversi.new_state().apply(64)


def test_an_equal_position_is_equal_whether_a_pass_led_to_it_or_not(small):
    state = small.from_board(board="-xox xxxx xxxx xxxx", to_move=0)
    state.apply(16)
    assert state == small.from_board(board="-xox xxxx xxxx xxxx", to_move=1)


def test_the_game_is_over_when_both_are_blocked_and_empty_cells_count_for_nobody(small):
    blocked = small.from_board(board="xx-- xx-- ---o --oo", to_move=1)
    assert blocked.player == TERMINAL
    assert disc_counts(blocked) == (4, 3)
    assert blocked.returns().tolist() == [1.0, -1.0]


def test_the_game_is_over_when_a_colour_has_vanished(small):
    state = small.from_board(board="xo-- ---- ---- ----", to_move=0)
    state.apply(state.parse_action("c1"))
    assert state.player == TERMINAL
    assert state.returns().tolist() == [1.0, -1.0]
    assert state.legal_actions() == []


def test_equal_numbers_of_discs_are_a_draw(small):
    state = small.from_board(board="xxxx xxxx oooo oooo", to_move=0)
    assert state.player == TERMINAL
    assert state.returns().tolist() == [0.0, 0.0]
    assert not np.signbit(state.returns()).any()


def test_voluntary_passing_is_always_allowed_and_two_passes_end_the_game(free_passing):
    state = free_passing.new_state()
    assert places(state) == "b1 a2 d3 c4 pass"
    state.apply(16)
    assert state.to_text().endswith("white to move after a pass")
    assert free_passing.from_text(state.to_text()) == state
    placed = state.child(state.parse_action("c1"))
    assert placed.child(16).player == 1  # the passes were not one after the other
    state.apply(16)
    assert state.player == TERMINAL
    assert state.returns().tolist() == [0.0, 0.0]
    assert free_passing.from_text(state.to_text()) == state


def test_voluntary_passing_still_ends_when_nobody_can_place(free_passing):
    assert free_passing.from_board(board="xx-- xx-- ---o --oo", to_move=1).player == TERMINAL


def test_what_a_pass_changes_can_be_seen(free_passing):
    state = free_passing.new_state()
    assert state.observation(0).shape == (4, 4, 4)
    assert [state.observation(p)[2].mean() for p in (0, 1)] == [1, 0]
    passes = [state.observation(0)[3].mean()]
    for _ in range(2):
        state.apply(16)
        passes.append(state.observation(0)[3].mean())
    assert passes == [0, 1, 2]
    set_up = free_passing.from_board(board="---- -ox- -xo- ----", to_move=1, passed=True)
    assert set_up == free_passing.new_state().child(16)


def test_the_difference_of_discs_can_be_the_reward():
    game = load_game("reversi-4x4", reward="discs")
    state = game.from_board(board="xx-- xx-- ---o --oo", to_move=0)
    assert state.returns().tolist() == [1 / 16, -1 / 16]
    assert game.from_board(board=16 * "x").returns().tolist() == [1.0, -1.0]


def test_a_board_is_read_whatever_its_spacing_and_case(reversi):
    rows = ["--------"] * 3 + ["---OX---", "---XO---"] + ["--------"] * 3
    assert reversi.from_board(board="\n".join(rows)) == reversi.new_state()
    assert reversi.from_board(board="".join(rows).lower(), to_move=0) == reversi.new_state()


def test_the_corner_in_the_last_bit_of_a_word_is_a_cell_like_any_other(reversi):
    state = reversi.from_board(board=56 * "-" + "-----xo-", to_move=0)
    assert places(state) == "h8"
    after = state.child(63)
    assert disc_counts(after) == (3, 0)
    assert reversi.from_text(after.to_text()) == after


def test_lines_cross_the_middle_of_the_large_board():
    game = load_game("reversi-10x10")
    column = "x" + 8 * "o" + "-"
    state = game.from_board(board="".join(cell + 9 * "-" for cell in column), to_move=0)
    assert places(state) == "a10"
    assert disc_counts(state.child(90)) == (10, 0)
    diagonal = ["-" * i + ("-" + 8 * "o" + "x")[i] + "-" * (9 - i) for i in range(10)]
    state = game.from_board(board="".join(diagonal), to_move=0)
    assert places(state) == "a1"
    assert owners(state.child(0))[::11] == 10 * [0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"board": 15 * "-"}, "has 16 cells, not 15"),
        ({"board": 15 * "-" + "#"}, 'cannot read cell "#"'),
        ({"board": 16 * "-", "to_move": 2}, "no player 2 .* seats are 0..1"),
        ({"board": 16 * "-", "passed": True}, "voluntary_pass=True only"),
    ],
)
def test_a_board_that_is_none_is_refused(small, arguments, message):
    with pytest.raises(ValueError, match=message):
        small.from_board(**arguments)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("---- -ox- -xo- ----\nred to move", 'ends with a line like "black to move"'),
        ("---- -ox- -xo- ---\nblack to move", "not a position: .* 16 cells, not 15"),
        ("---- -ox- -xo- ----\ngame over", "there is a cell to place on"),
        ("xxxx xxxx oooo oooo\nwhite to move", "neither side"),
        ("---- -ox- -xo- ----\nblack to move after a pass", "voluntary_pass=True only"),
    ],
)
def test_a_record_that_is_no_position_is_refused(small, record, message):
    with pytest.raises(BadText, match=message):
        small.from_text(record)


@pytest.mark.parametrize(("size", "voluntary_pass"), [(4, False), (4, True), (6, False), (8, False), (10, False)])
def test_turning_the_board_commutes_with_playing(size, voluntary_pass):
    game = load_game(f"reversi-{size}x{size}", voluntary_pass=voluntary_pass)
    symmetries = game.symmetries
    assert len({tuple(symmetry.action) for symmetry in symmetries}) == 8
    assert np.array_equal(symmetries[0].action, np.arange(game.info.num_actions))
    assert np.array_equal(symmetries[0].observation, np.arange(np.prod(game.info.observation_shape)))
    rng = np.random.default_rng(size)
    for symmetry in symmetries:
        state = game.new_state()
        turned = _turned(game, state, symmetry)
        while state.player != TERMINAL:
            legal = state.legal_actions()
            assert sorted(symmetry.action[legal]) == turned.legal_actions()
            for seat in range(2):
                seen = state.observation(seat).ravel()[symmetry.observation]
                assert np.array_equal(seen, turned.observation(seat).ravel())
            action = rng.choice(legal)
            state.apply(action)
            turned.apply(symmetry.action[action])
        assert turned.player == TERMINAL
        assert np.array_equal(state.returns(), turned.returns())


def _turned(game, state, symmetry):
    cells = np.array(["-" if owner is None else "xo"[owner] for owner in owners(state)])
    source = symmetry.observation[: len(cells)]
    return game.from_board(board="".join(cells[source]), to_move=state.player)


def test_a_picture_shows_the_position_and_the_last_move(small):
    state = small.new_state()
    plain = state.child(1)
    unmarked = plain.clone()
    unmarked.last_action = None
    assert small.draw(plain).shape == small.draw(state).shape
    assert not np.array_equal(small.draw(plain), small.draw(unmarked))
    for state in list(random_states(small, seed=5))[-1:]:
        assert small.draw(state).dtype == np.uint8
