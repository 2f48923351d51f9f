"""Reversi games as lines of moves."""

import pytest

from stammtisch import BadText, IllegalAction, load_game
from stammtisch.envs.reversi.records import read_record, write_record
from tests.playing import random_move


def random_game(game, rng):
    state = game.new_state()
    actions = []
    while state.player >= 0:
        random_move(state, rng)
        actions.append(state.last_action)
    return actions


@pytest.mark.parametrize(("size", "voluntary_pass"), [(4, False), (4, True), (6, False), (8, False), (10, False)])
@pytest.mark.parametrize("passes", [False, True])
def test_records_round_trip(size, voluntary_pass, passes, rng):
    game = load_game(f"reversi-{size}x{size}", voluntary_pass=voluntary_pass)
    for _ in range(10):
        actions = random_game(game, rng)
        assert read_record(game, write_record(game, actions, passes=passes)) == actions
        for cut in range(0, len(actions), 7):
            assert read_record(game, write_record(game, actions[:cut], passes=passes)) == actions[:cut]


def test_a_record_names_the_moves_one_after_the_other():
    game = load_game("reversi-8x8")
    actions = read_record(game, "f5d6c3d3c4")
    assert actions == [37, 43, 18, 19, 26]
    assert read_record(game, " F5 d6\nC3D3 c4") == actions
    assert write_record(game, actions) == "f5d6c3d3c4"
    assert write_record(game, []) == ""
    assert read_record(game, "") == []


def test_a_forced_pass_is_left_out_or_written_and_read_either_way():
    game = load_game("reversi-4x4")
    actions = [1, 2, 11, 0, 16, 8]  # black cannot answer a1
    assert write_record(game, actions) == "b1c1d3a1a3"
    assert write_record(game, actions, passes=True) == "b1c1d3a1--a3"
    for record in ("b1c1d3a1a3", "b1c1d3a1--a3", "b1 c1 d3 a1 pass a3"):
        assert read_record(game, record) == actions


def test_a_pass_that_nothing_follows_is_written():
    game = load_game("reversi-4x4")
    assert write_record(game, [1, 2, 11, 0]) == "b1c1d3a1"
    assert write_record(game, [1, 2, 11, 0, 16]) == "b1c1d3a1--"


def test_a_voluntary_pass_is_always_written():
    game = load_game("reversi-4x4", voluntary_pass=True)
    assert write_record(game, [16, 2]) == "--c1"
    assert read_record(game, "--c1") == [16, 2]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("f5d6?!", r'cannot read "\?!"'),
        ("f5e5", 'move 2 of the record: cannot read "e5" .* legal: f4, d6, f6'),
        ("f5i9", 'move 2 of the record: cannot read "i9"'),
        ("--", 'move 1 of the record: cannot read "pass" .* legal: d3, c4, f5, e6'),
        ("f5f4c3c6c5d6f3c4c7a1", "legal: none, the game is over"),
    ],
)
def test_what_is_no_game_is_refused(record, message):
    with pytest.raises(BadText, match=message):
        read_record(load_game("reversi-8x8"), record)


def test_illegal_actions_are_not_written():
    with pytest.raises(IllegalAction):
        write_record(load_game("reversi-8x8"), [0])
