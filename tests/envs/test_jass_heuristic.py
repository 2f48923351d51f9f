"""The reference players of Schieber Jass: their card sense, what they may look at, and how strong they are."""

import numpy as np
import pytest

import stammtisch
from stammtisch.envs.core.streams import seed_streams
from stammtisch.envs.jass import card_id
from tests.envs.jass_hidden import check_policies_are_blind
from tests.playing import random_state

GAME = "jass-schieber"


@pytest.fixture(scope="module")
def jass():
    return stammtisch.load_game(GAME)


@pytest.fixture(scope="module")
def kernels(jass):
    return jass.lane_kernels(("heuristic", "greedy"))


def choice(jass, kernels, hands, mode, plays, forehand=0):
    """Say what the heuristic plays."""
    state = jass.from_text(f"forehand {forehand}\nhands {hands}\nmode {mode}\nplay {plays}")
    return state.action_text(kernels.choose(1, state.row, seed_streams(1, 5)))


def test_card_values_of_the_thesis(jass):
    hand = np.int64(sum(1 << card_id(c) for c in ("H6", "H8", "H9", "HJ", "HA", "D9", "D10", "S8", "S10")))
    value = jass.policy_module().mode_value
    assert [value(hand, mode) for mode in range(6)] == [77, 29, 4, 24, 11, 11]


STRONG = "H6 H8 H9 HJ HA D9 D10 S8 S10"
WEAK = "H7 H10 D7 D8 C7 C10 CQ S7 SQ"
DEAL = f"{STRONG} / {WEAK} / HQ HK D6 DJ C8 C6 S9 SJ SA / DQ DK DA C9 CA CJ CK S6 SK"


def test_it_chooses_a_good_colour_and_passes_a_poor_hand_on(jass, kernels):
    assert choice(jass, kernels, DEAL, "-", "-") == "hearts"
    assert choice(jass, kernels, DEAL, "-", "-", forehand=1) == "schieben"
    assert choice(jass, kernels, DEAL, "schieben", "-", forehand=3) != "schieben"


def test_it_draws_trumps_with_the_buur(jass, kernels):
    assert choice(jass, kernels, DEAL, "hearts", "-") == "HJ"


def test_it_plays_its_bock_cards_without_trumps(jass, kernels):
    hands = "H6 H7 H8 D7 D8 C6 C7 S7 SA / HA H9 H10 D9 C8 C9 C10 S8 S9 / "
    hands += "HJ HQ D6 DJ D10 CJ CQ SJ SQ / HK DQ DK DA CK CA S6 S10 SK"
    assert choice(jass, kernels, hands, "obeabe", "-") == "SA"


def test_it_gives_points_to_its_partners_sure_trick(jass, kernels):
    hands = "DA D6 D7 H6 H7 C6 C7 S6 S7 / D8 D9 H8 H9 C8 C9 S8 S9 H10 / "
    hands += "HJ HQ HK HA CJ CQ S10 SJ C10 / DJ DQ DK D10 CK CA SQ SK SA"
    assert choice(jass, kernels, hands, "obeabe", "DA D8") in ("S10", "C10")


def test_it_does_not_overtake_its_partner_for_nothing(jass, kernels):
    hands = "D6 DQ DA H6 H7 C6 C7 S6 S7 / D8 D9 H8 H9 C8 C9 S8 S9 H10 / "
    hands += "D10 DJ HJ HQ HK HA CJ CQ S10 / DK D7 SJ C10 CK CA SQ SK SA"
    assert choice(jass, kernels, hands, "obeabe", "D8 DJ D7", forehand=1) == "D6"


def test_it_keeps_the_buur_on_a_poor_trick(jass, kernels):
    hands = "H6 HK HA D6 D8 C8 S6 S8 D9 / H7 H9 D7 C7 S7 C9 S9 D10 C10 / "
    hands += "H8 H10 HQ DJ DQ CJ CQ SJ SQ / HJ DK DA CK CA SK SA C6 S10"
    assert choice(jass, kernels, hands, "hearts", "H6 H7 H8") == "C6"  # trump led, its only trump is the Buur


def test_policies_see_only_what_their_seat_may_know(jass, kernels):
    check_policies_are_blind(jass, kernels, positions=400, moves=38)


def mean_points(jass, kernels, kind, other, deals):
    """Mean points per deal of a team (match bonus aside) on the same cards in both pairs of seats."""
    rules, step = jass.rules, jass.stepping
    streams = seed_streams(0, 5)
    points = 0
    for number in range(deals):
        for team in (0, 1):
            state = jass.new_state()
            state.apply(1_000_003 * number)
            row = state.row
            player = int(row[rules.TURN])
            while player >= 0:
                action = kernels.choose(kind if player % 2 == team else other, row, streams)
                player = step.play(row, action)
            bonus = 100 if row[rules.WON + 1 - team] == 0 else 0
            points += int(row[rules.SCORE + team]) - bonus
    return points / (2 * deals)


def test_the_heuristic_makes_more_than_a_hundred_points_against_random(jass, kernels):
    assert mean_points(jass, kernels, 1, 0, deals=2000) > 105


def test_greedy_beats_random_and_loses_to_the_heuristic(jass, kernels):
    assert mean_points(jass, kernels, 2, 0, deals=500) > 85
    assert mean_points(jass, kernels, 1, 2, deals=500) > 90


def test_the_evaluation_is_zero_sum_and_knows_the_result(jass):
    evaluate = jass.policy_module().evaluate
    for seed in range(60):
        state = random_state(jass, seed, 3 + seed)
        row = state.row
        values = [evaluate(row, p) for p in range(4)]
        assert values[0] == values[2] == pytest.approx(-values[1])
        assert values[1] == values[3]
        if state.player < 0:
            assert values == pytest.approx(state.returns().tolist())


def test_where_modes_count_threefold_it_weighs_the_points():
    """Three sure cards without trumps are worth more than a fair colour that counts once; a poor hand is passed on."""
    game = stammtisch.load_game(GAME, multipliers=True)
    lanes = game.lane_kernels(("heuristic",))
    others = "H6 H7 H8 H9 H10 HJ D6 D8 D9 / D10 DJ DQ DK C6 C8 C9 C10 CJ / CQ CK S6 S8 S9 S10 SJ SQ SK"
    deal = f"HA HK HQ DA CA SA S7 D7 C7 / {others}"
    assert choice(game, lanes, deal, "-", "-") == "obeabe"
    assert choice(game, lanes, DEAL, "-", "-", forehand=1) == "schieben"


def test_it_makes_more_points_than_by_values_alone():
    """Against the choice by value times factor, the cards played alike: 300 deals, either team choosing so."""
    game = stammtisch.load_game(GAME, multipliers=True)
    lanes, step, value = game.lane_kernels(("heuristic",)), game.stepping, game.policy_module().mode_value
    rng, out, streams = np.random.default_rng(4), np.zeros(4), seed_streams(2, 5)
    factors = (1, 1, 2, 2, 3, 3)
    gains = []
    for _ in range(300):
        start = game.new_state()
        start.sample_chance(rng)
        for old_team in (0, 1):
            row, player = start.row, start.player
            while player >= 0:
                choosing = row[game.rules.MODE] == game.rules.NO_MODE
                if choosing and player % 2 == old_team:
                    hand = row[game.rules.HAND + player]
                    mode = max(range(6), key=lambda mode: value(hand, mode) * factors[mode])
                    poor = not row[game.rules.PUSHED] and value(hand, mode) < 55
                    player = step.play(row, 42 if poor else 36 + mode)
                else:
                    player = step.play(row, lanes.choose(1, row, streams))
            step.fill_returns(row, out)
            gains.append(100 * out[1 - old_team])
    assert np.mean(gains) > 0
