"""ReversiXT as a game: records, layouts of actions, disqualification, and agreement with Reversi on a plain board."""

import numpy as np
import pytest

import stammtisch
from stammtisch import TERMINAL
from tests.envs.test_reversixt_map import EXAMPLE
from tests.playing import random_move, random_states


@pytest.fixture(scope="module")
def example():
    return stammtisch.load_game("reversixt", map=EXAMPLE, give_up=True)


def test_the_numbers_of_moves_in_the_example(example):
    counts = []
    for first, last in ((1, 3), (2, 1), (3, 2)):
        record = example.new_state().to_text().replace("last 3, 1 to", f"last {last}, {first} to")
        counts.append(len(example.from_text(record).legal_actions()) - 1)  # giving up is no move
    assert counts == [10, 8, 10]


def test_stones_are_counted_per_player(example):
    assert example.stones(example.new_state()) == [2, 2, 2]


def test_who_gives_up_is_skipped_and_its_stones_stay(example):
    state = example.new_state()
    gone = state.child(state.parse_action("give up"))
    assert gone.player == 1
    assert example.disqualified(gone) == [0]
    assert gone == example.disqualify(state, 0)
    assert example.stones(gone) == [2, 2, 2]
    assert example.from_text(gone.to_text()) == gone
    assert gone.observation(1)[3 * 3 + 6 : 4 * 3 + 6, 0, 0].tolist() == [1, 0, 2]
    over = gone.child(gone.parse_action("give up"))
    assert over.player == TERMINAL
    assert over.returns().tolist() == [-0.5, -0.5, 1]
    with pytest.raises(ValueError, match=r"seats are 0\.\.2"):
        example.disqualify(state, 3)


def test_a_player_can_be_disqualified_out_of_turn(example):
    gone = example.disqualify(example.new_state(), 1)
    assert gone.player == 0
    rng = np.random.default_rng(0)
    while gone.player != TERMINAL:
        assert gone.player != 1
        random_move(gone, rng)
    assert gone.returns()[1] < 0
    assert example.disqualify(gone, 0) == gone


def test_field_and_special_may_be_chosen_in_two_steps():
    flat = stammtisch.load_game("reversixt", map="bazaar")
    steps = stammtisch.load_game("reversixt", map="bazaar", actions="two-step")
    assert steps.info.num_actions == 12 * 12 + 10
    rng = np.random.default_rng(3)
    pending = 0
    for _ in range(10):
        one, two = flat.new_state(), steps.new_state()
        while one.player != TERMINAL:
            assert two.player == one.player
            assert two.legal_actions() == sorted({a // 11 for a in one.legal_actions()})
            action = int(rng.choice(one.legal_actions()))
            one.apply(action)
            two.apply(action // 11)
            if action % 11:
                pending += 1
                assert steps.from_text(two.to_text()) == two
                assert two.observation(two.player)[4 * 4 + 6].max() == 2
                assert [two.parse_action(two.action_text(a)) for a in two.legal_actions()] == two.legal_actions()
                two.apply(12 * 12 + action % 11 - 1)
            assert two.to_text() == one.to_text()
    assert pending > 50


@pytest.mark.parametrize("game_id", ["reversixt-2", "reversixt-3", "reversixt-4", "reversixt-8"])
def test_stones_are_neither_made_nor_lost_before_the_bombs(game_id):
    game = stammtisch.load_game(game_id)
    rules = game.rules
    before = occupied_before = None
    for state in random_states(game, seed=11, games=3):
        contents = game.contents(state)
        occupied = int(((contents > 0) & (contents <= rules.EXPANSION)).sum())
        if state.row[rules.PHASE] == rules.PLACING:
            assert np.array_equal(contents == rules.HOLE, rules.START == rules.HOLE)
            if before is not None:
                taken = before[state.last_action // rules.SPECIALS]
                assert occupied == occupied_before + (taken == rules.EMPTY or taken > rules.EXPANSION)
        before, occupied_before = (None, None) if state.player == TERMINAL else (contents, occupied)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("0 b 0", "0 i 0"), r'"i" at 1,0 in reversixt, where the map has "b"'),
        (("0 b 0", "0 - 0"), r'"-" at 1,0'),
        (("0 b 0", "0 4 0"), r'cannot read "4" at 1,0'),
        (("0 b 0", "0 b"), "row 0 of a board of reversixt has 6 cells on this map, not 5"),
        (("- 0 i", "1 0 i"), r'"1" at 0,3'),
        (("overrides 1 1 1", "overrides 1 1 2"), "10 override stones and bombs in reversixt, where 9 can be"),
        (("overrides 1 1 1", "overrides 1 1"), "with 3 numbers each"),
        (("bombs 2 2 2", "bombs 2 2 2; disqualified 1 2 3"), "all players"),
        (("bombs 2 2 2", "bombs 2 2 2; disqualified 2 2"), "once and in order"),
        (("1 to move", "2 to move"), 'should be "phase 1, last 3, 1 to move"'),
        (("1 to move", "game over"), "should be"),
        (("1 to move", "1 to move, special of 1,0"), "no special is to be chosen at 1,0"),
        (("last 3", "last 4"), "ends like"),
    ],
)
def test_impossible_records_are_refused(example, change, message):
    with pytest.raises(stammtisch.BadText, match=message):
        example.from_text(example.new_state().to_text().replace(*change, 1))


@pytest.mark.parametrize("games", [50, pytest.param(2000, marks=pytest.mark.slow)])
def test_a_plain_board_is_reversi(games):
    """The same moves and captures in every position; only the pass is an action in Reversi."""
    plain = stammtisch.load_game("reversixt", map="plain")
    reversi = stammtisch.load_game("reversi-8x8")
    rng = np.random.default_rng(7)
    passed = 0
    for _ in range(games):
        one, two = plain.new_state(), reversi.new_state()
        while two.player != TERMINAL:
            if two.legal_actions() == [reversi.rules.PASS]:
                two.apply(reversi.rules.PASS)
                passed += 1
            assert one.player == two.player
            assert [a // 11 for a in one.legal_actions()] == two.legal_actions()
            action = int(rng.choice(two.legal_actions()))
            one.apply(action * 11)
            two.apply(action)
            cells = "".join(one.to_text().splitlines()[:8]).replace(" ", "")
            assert cells == "".join(two.to_text().splitlines()[:8]).replace(" ", "").translate(
                str.maketrans("-xo", "012")
            )
        assert one.player == TERMINAL
        assert one.returns().tolist() == two.returns().tolist()
    assert passed
