"""The rules of ReversiXT, one sentence each, on the smallest maps that show them."""

import numpy as np
import pytest

from tests.envs.reversixt_plain import Position


def play_first_moves(position):
    """Play the first legal move until the end; return who moved, and the end."""
    order = []
    while position.turn is not None:
        order.append(position.turn)
        position = position.after(*position.moves[0])
    return order, position


def test_a_line_of_others_between_two_own_stones_is_captured():
    start = Position("1 2 2 0 -")
    assert start.moves == [(3, 0, 0)]
    assert start.after(3, 0).board == "1 1 1 1 -"
    assert start.after(3, 0).turn is None


def test_a_player_without_a_closing_stone_is_skipped():
    start = Position("2 1 1 0 -")
    assert start.turn == 2
    assert start.moves == [(3, 0, 0)]


def test_a_walk_that_comes_back_to_its_start_captures_nothing():
    ring = ["0 0 6 <-> 3 0 2"]
    assert Position("0 2 2 2", tunnels=ring).turn is None
    # An own stone cannot close a line with itself; the others can be overridden.
    assert Position("1 2 2 2", overrides=1, tunnels=ring).moves == [(1, 0, 0), (2, 0, 0), (3, 0, 0)]


def test_expansion_stones_are_captured_like_any_other():
    start = Position("1 x 0")
    assert start.moves == [(2, 0, 0)]
    assert start.after(2, 0).board == "1 1 1"


def test_an_expansion_stone_may_be_overridden_without_a_capture():
    start = Position("x 0", overrides=1)
    assert start.moves == [(0, 0, 0)]
    assert start.after(0, 0).board == "1 0"
    assert start.after(0, 0).overrides == [0, 1]


def test_stones_may_be_overridden_where_something_is_captured():
    start = Position("1 2 1", overrides=1)
    assert start.moves == [(0, 0, 0), (2, 0, 0)]
    for x in (0, 2):
        assert start.after(x, 0).board == "1 1 1"
        assert start.after(x, 0).overrides == [0, 1]


def test_inversion_gives_every_stone_to_the_next_player_the_new_one_too():
    start = Position("1 2 i\n3 3 2", players=3)
    assert start.moves == [(2, 0, 0)]
    assert start.after(2, 0).board == "2 2 2\n1 1 3"


def test_choice_exchanges_all_stones_with_any_player_also_oneself():
    start = Position("1 2 c\n3 3 2", players=3)
    assert start.moves == [(2, 0, 1), (2, 0, 2), (2, 0, 3)]
    assert start.after(2, 0, 1).board == "1 1 1\n3 3 2"
    assert start.after(2, 0, 2).board == "2 2 2\n3 3 1"
    assert start.after(2, 0, 3).board == "3 3 3\n1 1 2"


def test_bonus_is_a_bomb_or_an_override_stone():
    start = Position("1 2 b\n2 0 0")
    assert start.moves == [(2, 0, 20), (2, 0, 21)]
    assert (start.after(2, 0, 20).overrides, start.after(2, 0, 20).bombs) == ([0, 0], [1, 0])
    assert (start.after(2, 0, 21).overrides, start.after(2, 0, 21).bombs) == ([1, 0], [0, 0])


@pytest.mark.parametrize(
    ("tunnels", "holes"), [((), "- - 0\n- - 0\n0 0 0"), (("0 0 7 <-> 2 2 3",), "- - 0\n- - 0\n0 0 -")]
)
def test_a_bomb_reaches_its_neighbours_through_tunnels_too(tunnels, holes):
    start = Position("0 0 0\n0 0 0\n0 0 0", bombs=1, tunnels=tunnels)
    assert len(start.moves) == 9
    assert start.after(0, 0).board == holes


@pytest.mark.parametrize(
    ("strength", "holes"), [(0, "- 0 0 0 - 0"), (1, "- - 0 0 - 0"), (3, "- - - - - 0"), (99, "- - - - - 0")]
)
def test_bombs_of_any_strength_stop_at_holes(strength, holes):
    assert Position("0 0 0 0 - 0", bombs=1, strength=strength).after(0, 0).board == holes


def test_a_tunnel_whose_end_is_destroyed_is_dead():
    hit = Position("0 0 - 0 0", bombs=2, tunnels=["1 0 2 <-> 3 0 6"]).after(4, 0)
    assert hit.board == "0 0 - - -"
    assert hit.after(1, 0).board == "- - - - -"
    assert hit.after(1, 0).turn is None  # bombs are left and nothing to throw them at


def test_bombs_go_round_from_the_player_after_the_last_mover():
    thrown = Position("1 2 0 0 0 0", bombs=1, strength=0, players=3).after(2, 0)
    assert (thrown.phase, thrown.turn, len(thrown.moves)) == (2, 2, 6)
    assert play_first_moves(thrown)[0] == [2, 3, 1]


def test_without_bombs_a_player_is_skipped_in_the_second_phase():
    start = Position("1 2 b 0 0 0", bombs=0, strength=0)
    assert play_first_moves(start)[0] == [1, 1]


def test_only_bombs_where_nobody_can_move():
    start = Position("1 0 2", bombs=1, strength=0)
    assert (start.phase, start.turn) == (2, 1)
    assert play_first_moves(start)[0] == [1, 2]


def test_a_skipped_player_may_move_again_later():
    # Player 2 cannot move before player 3 has joined its stone to the others.
    order, end = play_first_moves(Position("2 0 1 2 0 3 0", players=3))
    assert order == [1, 3, 2]
    assert end.board == "2 2 2 2 2 2 2"


def test_a_walk_may_cross_the_same_field_twice():
    # From (0, 1) to the right: 3, 2, 3, through the tunnel up to 2 and across the first 3 to the own stone.
    start = Position("0 1 0 0\n0 3 2 3\n0 2 0 0", players=3, tunnels=["3 1 2 <-> 1 2 4"])
    assert start.after(0, 1).board == "0 1 0 0\n1 1 1 1\n0 1 0 0"


def test_a_field_that_the_walk_crosses_cannot_be_its_start():
    # From (1, 1) to the right the walk comes back to (1, 1) before it reaches the own stone above.
    start = Position("0 1 0 0\n0 3 2 3\n0 2 0 0", players=3, overrides=1, tunnels=["3 1 2 <-> 1 2 4"])
    assert (1, 1, 0) not in start.moves
    assert (1, 2, 0) in start.moves


def test_a_transition_may_join_two_directions_of_one_field():
    start = Position("0 2 1", tunnels=["0 0 6 <-> 0 0 0"])
    assert start.after(0, 0).board == "1 1 1"


def test_rewards_by_rank_share_ties():
    assert Position("1 1 0 2 0 3 0 4", players=4).returns == pytest.approx([1, -1 / 3, -1 / 3, -1 / 3])
    assert Position("1 1 0 2 0 3 0 3", players=3).returns == [0.5, -1, 0.5]
    assert Position("1 0 2").returns == [0, 0]


def test_the_reward_of_winning_is_shared_and_paid_by_the_others():
    assert Position("1 1 0 2 0 3", players=3, reward="win").returns == [1, -0.5, -0.5]
    assert Position("1 0 2 - 0 3", players=4, reward="win").returns == pytest.approx([1 / 9] * 3 + [-1 / 3])


def test_the_reward_in_stones_is_the_lead_over_the_mean_of_the_others():
    assert Position("1 1 0 2 0 - 0 0", reward="stones").returns == pytest.approx([1 / 7, -1 / 7])


def test_the_observation_is_seen_from_the_observer():
    start = Position("1 2 c x\n3 - i b\n0 0 0 2", overrides=2, bombs=300, players=3)
    planes = start.observation(1)
    assert planes.shape == (19, 3, 4)
    own, following, before = planes[:3]
    assert np.argwhere(own).tolist() == [[0, 1], [2, 3]]
    assert np.argwhere(following).tolist() == [[1, 0]]
    assert np.argwhere(before).tolist() == [[0, 0]]
    kinds = [np.argwhere(plane).tolist() for plane in planes[3:9]]
    assert kinds == [[[2, 0], [2, 1], [2, 2]], [[0, 3]], [[0, 2]], [[1, 2]], [[1, 3]], [[1, 1]]]
    assert planes[9:12].min() == planes[9:12].max() == 2
    assert planes[12:15].min() == planes[12:15].max() == 127  # 300 do not fit
    assert planes[15:18, 0, 0].tolist() == [0, 0, 1]
    assert not planes[18].any()


@pytest.mark.parametrize("symbol", ["c", "i"])
def test_choice_and_inversion_permute_the_stones_that_captures_leave(symbol):
    rng = np.random.default_rng(5)
    seen = 0
    for _ in range(30):
        cells = rng.choice(list("1234x0"), size=20)
        cells[:3] = symbol, "2", "1"
        drawn = "\n".join(" ".join(cells[i : i + 5]) for i in range(0, 20, 5))
        start, plain = Position(drawn, players=4), Position(drawn.replace(symbol, "0"), players=4)
        expected = plain.after(0, 0).stones
        for k in [special for x, y, special in start.moves if (x, y) == (0, 0)]:
            permuted = expected[-1:] + expected[:-1]
            if symbol == "c":
                permuted = list(expected)
                permuted[0], permuted[k - 1] = permuted[k - 1], permuted[0]
            assert start.after(0, 0, k).stones == permuted
            seen += 1
    assert seen >= 30
