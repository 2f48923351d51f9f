"""Schieber Jass: the course of a deal and of a game, scoring and its options, text and pictures."""

import numpy as np
import pytest

import stammtisch
from stammtisch import CHANCE, TERMINAL, BadText
from stammtisch.envs.jass import CARDS, card_id
from stammtisch.envs.jass.family.melds import best_team, melds_in
from tests.envs import jass_twin as twin
from tests.playing import random_move, random_states

PASS = 42
ALL_HEARTS = "H6 H7 H8 H9 H10 HJ HQ HK HA / D6 D7 D8 D9 D10 DJ DQ DK DA / C6 C7 C8 C9 C10 CJ CQ CK CA"
SUITS = f"{ALL_HEARTS} / S6 S7 S8 S9 S10 SJ SQ SK SA"


@pytest.fixture(scope="module")
def jass():
    return stammtisch.load_game("jass-schieber")


@pytest.fixture(scope="module")
def stoeck():
    return stammtisch.load_game("jass-schieber", stoeck=True, match_by="points")


@pytest.fixture(scope="module")
def melding():
    return stammtisch.load_game("jass-schieber", weis=True, stoeck=True, slalom=True, multipliers=True)


def dealt(game, hands, forehand=0):
    deal = [[card_id(name) for name in hand.split()] for hand in hands.split("/")]
    return game.new_state(deal=deal, forehand=forehand)


def said(names):
    return names.split()


def play_out(state, choose=min):
    while state.player >= 0:
        state.apply(choose(state.legal_actions()))
    return state


def test_forehand_chooses_and_leads(jass):
    state = dealt(jass, SUITS, forehand=2)
    assert state.player == 2
    assert state.legal_actions() == [36, 37, 38, 39, 40, 41, 42]
    state.apply(state.parse_action("obeabe"))
    assert state.player == 2
    view = state.view(0)
    assert (view.mode, view.declarer, view.pushed, view.forehand) == (4, 2, False, 2)


def test_after_schieben_the_partner_must_choose_and_forehand_leads(jass):
    state = dealt(jass, SUITS, forehand=1)
    state.apply(PASS)
    assert state.player == 3
    assert state.legal_actions() == [36, 37, 38, 39, 40, 41]
    state.apply(state.parse_action("trump S"))
    assert state.player == 1
    view = state.view(3)
    assert (view.mode, view.declarer, view.pushed) == (3, 3, True)


def test_a_match_counts_a_hundred_once(jass):
    state = dealt(jass, SUITS)
    state.apply(36)
    play_out(state)
    assert state.view(1).scores == (257, 0)
    assert state.returns().tolist() == [2.57, -2.57, 2.57, -2.57]


def test_the_deal_follows_from_its_number_alone(jass):
    states = [jass.new_state(seed) for seed in (1, 2)]
    for state in states:
        state.apply(123456789)
    assert states[0] == states[1]
    other = jass.new_state()
    other.apply(-1)
    assert other != states[0]
    assert 123456789 not in states[0].row


def test_outcomes_of_the_deal_are_numbers_of_63_bits(jass, rng):
    outcomes = [jass.new_state().sample_chance(rng) for _ in range(200)]
    assert all(0 <= outcome < 2**63 for outcome in outcomes)
    assert max(outcomes) > 2**62
    with pytest.raises(ValueError, match="too many to list"):
        jass.new_state().legal_actions()


def test_every_card_goes_to_every_seat_equally_often(jass):
    hits = np.zeros((4, 36))
    deals = 4000
    for number in range(deals):
        state = jass.new_state()
        state.apply(number)
        for seat in range(4):
            hits[seat, state.view(seat).hand] += 1
    assert np.all(hits.sum(axis=0) == deals)
    assert np.all(hits.sum(axis=1) == 9 * deals)
    assert np.abs(hits / deals - 0.25).max() < 4.5 * np.sqrt(0.25 * 0.75 / deals)


@pytest.mark.parametrize(
    ("deal", "forehand", "message"),
    [
        ([[0] * 9] * 4, 0, "four hands of nine different cards"),
        ([list(range(9))] * 3, 0, "four hands of nine different cards"),
        ([list(range(12)), list(range(12, 24)), list(range(24, 36)), []], 0, "four hands of nine"),
        (None, 4, "seats are 0..3"),
    ],
)
def test_wrong_deals_are_refused(jass, deal, forehand, message):
    with pytest.raises(ValueError, match=message):
        jass.new_state(deal=deal, forehand=forehand)


def test_every_deal_has_157_points_or_257(jass):
    for state in random_states(jass, seed=1, games=150):
        if state.player == TERMINAL:
            view = state.view(0)
            won = [sum(t.winner % 2 == team for t in view.history) for team in (0, 1)]
            assert sum(view.scores) == (257 if 0 in won else 157)
            assert sorted(c for t in view.history for c in t.cards) == list(range(36))
            leaders = [t.leader for t in view.history]
            assert leaders == [view.forehand, *(t.winner for t in view.history[:-1])]


def test_pay_by_trick_adds_up_to_the_return(jass):
    assert not jass.rules.PAYS_ALONG
    env = stammtisch.aec_env("jass-schieber", raw=True, pay="trick", start="D7")
    env.reset(seed=4)
    rng = np.random.default_rng(4)
    total = np.zeros(4)
    amounts = 0
    while env.agents and not any(env.terminations.values()):
        mask = env.infos[env.agent_selection]["action_mask"]
        env.step(int(rng.choice(np.flatnonzero(mask))))
        total += [env.rewards[f"player_{p}"] for p in range(4)]
        amounts += any(env.rewards.values())
    assert amounts > 5
    assert total == pytest.approx(env.position().returns())


def test_the_start_may_be_drawn_or_belong_to_a_card(rng):
    drawn = stammtisch.load_game("jass-schieber", start="random")
    assert {drawn.new_state(seed).view(0).forehand for seed in range(40)} == {0, 1, 2, 3}
    by_card = stammtisch.load_game("jass-schieber", pay="trick", start="D7")
    for _ in range(20):
        state = by_card.new_state()
        state.sample_chance(rng)
        assert card_id("D7") in state.view(state.player).hand
        for player in range(4):  # everybody knows where that card is
            sampled = state.view(player).sample_state(rng)
            assert card_id("D7") in sampled.view(state.player).hand
    with pytest.raises(ValueError, match="forehand is seat 1, who holds D7"):
        dealt(by_card, SUITS, forehand=0)


def test_match_by_points_ignores_worthless_tricks(jass, stoeck):
    hands = "H6 H10 HJ HQ HK HA D10 DJ DA / H7 D6 D7 D8 D9 DQ S6 S7 S8 / H8 H9 C6 C7 C8 C9 C10 CJ CQ / "
    hands += "DK CK CA S9 S10 SJ SQ SK SA"
    for game, expected in ((jass, 157), (stoeck, 257)):
        state = dealt(game, hands)
        state.apply(state.parse_action("obeabe"))
        row = state.row
        row[game.rules.WON + 1] = 1  # team 1 has taken a trick without points
        state = game.from_row(row)
        for name in said("HA H7 H8 S9 HK D6 H9 S10 HQ D7 C6 SJ HJ D8 C7 SQ H10 D9 C8 SK H6 DQ C9 SA"):
            state.apply(state.parse_action(name))
        while state.player >= 0:
            state.apply(max(state.legal_actions()))
        assert state.view(0).scores[1] == 0
        assert state.view(0).scores[0] == expected


# Multipliers, Slalom, Stöck and Weis


@pytest.mark.parametrize(("mode", "factor"), [(0, 1), (1, 1), (2, 2), (3, 2), (4, 3), (5, 3), (7, 3), (8, 3)])
def test_multipliers(melding, mode, factor):
    rng = np.random.default_rng(mode)
    for _ in range(20):
        state = melding.new_state()
        state.sample_chance(rng)
        state.apply(36 + mode)
        while state.player >= 0:
            random_move(state, rng)
        rules, row = melding.rules, state.row
        won = row[rules.WON : rules.WON + 2]
        assert row[rules.SCORE : rules.SCORE + 2].sum() == factor * (257 if 0 in won else 157)
        assert abs(state.returns()[0]) <= melding.info.utility_range[1]


def test_slalom_turns_the_order_every_trick(melding):
    hands = "H6 HA D6 DA C6 CA S6 SA H10 / H7 HK D7 DK C7 CK S7 SK D10 / H8 HQ D8 DQ C8 CQ S8 SQ C10 / "
    hands += "H9 HJ D9 DJ C9 CJ S9 SJ S10"
    state = dealt(melding, hands)
    assert state.legal_actions() == [36, 37, 38, 39, 40, 41, 42, 43, 44]
    state.apply(state.parse_action("slalom-obeabe"))
    for name in said("HA HK HQ HJ"):  # high cards win the first trick
        state.apply(state.parse_action(name))
    assert state.player == 0
    for name in said("D6 D7 D8 D9"):  # low cards the second
        state.apply(state.parse_action(name))
    assert state.player == 0
    for name in said("C6 C7 C8 CJ"):
        state.apply(state.parse_action(name))
    assert state.player == 3
    assert [t.winner for t in state.view(0).history] == [0, 0, 3]
    assert state.view(0).history[1].points == 3 * 8  # counted as Obeabe throughout: the six is worth nothing


def test_slalom_may_begin_with_undeufe(melding):
    state = dealt(melding, SUITS)
    state.apply(state.parse_action("slalom-undeufe"))
    for name in said("HA D6 C6 S6"):
        state.apply(state.parse_action(name))
    assert state.view(0).history[0] == (0, (8, 9, 18, 27), 0, 3 * 33)


def test_stoeck_counts_twenty_with_the_second_card(stoeck):
    state = dealt(stoeck, SUITS)
    state.apply(36)
    for name in said("HQ D6 C6 S6"):
        state.apply(state.parse_action(name))
    assert state.view(0).scores == (3, 0)
    state.apply(state.parse_action("HK"))
    assert state.view(0).scores == (23, 0)
    play_out(state)
    assert state.view(0).scores == (277, 0)
    assert state.returns()[0] == stoeck.info.utility_range[1] == 2.77


def test_no_stoeck_from_two_hands_or_without_trumps(stoeck):
    parted = SUITS.replace("HK", "DK", 1).replace("DQ DK", "DQ HK", 1)
    for hands, mode in ((parted, "hearts"), (SUITS, "obeabe"), (SUITS, "spades")):
        state = dealt(stoeck, hands)
        state.apply(state.parse_action(mode))
        play_out(state)
        rules, row = stoeck.rules, state.row
        extra = 20 if mode == "spades" else 0
        assert row[rules.EXTRA] == 0
        assert row[rules.EXTRA + 1] == extra


def bits(names):
    return sum(1 << card_id(name) for name in names.split())


@pytest.mark.parametrize(
    ("hand", "points"),
    [
        ("H6 H7 H9 H10 D6 D7 D9 D10 S6", 0),
        ("H6 H7 H8 D10 DJ DQ C6 C8 S6", 40),
        ("H6 H7 H8 H9 D10 DJ DQ DK S6", 100),
        ("H6 H7 H8 H9 H10 C6 C8 S6 S8", 100),
        ("H6 H7 H8 H9 H10 HJ C8 S6 S8", 150),
        ("H6 H7 H8 H9 H10 HJ HQ S6 S8", 200),
        ("H6 H7 H8 H9 H10 HJ HQ HK S8", 250),
        ("H6 H7 H8 H9 H10 HJ HQ HK HA", 300),
        ("H6 D6 C6 S6 H8 D9 CJ SQ SA", 100),
        ("H9 D9 C9 S9 H6 D7 CJ SQ SA", 150),
        ("HJ DJ CJ SJ H6 D7 C9 SQ SA", 200),
        ("HJ DJ CJ SJ H9 D9 C9 S9 H10", 370),
    ],
)
def test_points_of_melds(hand, points):
    assert melds_in(bits(hand), 0, 1)[0] == points
    assert sum(value for value, _ in twin.melds(hand.split())) == points


def test_a_card_in_two_melds_may_be_forbidden():
    both = bits("H10 HJ HQ DJ CJ SJ C6 C8 S6")
    assert melds_in(both, 0, 1)[0] == 220
    assert melds_in(both, 0, 0)[0] == 200
    assert melds_in(both, 0, 0)[2] == bits("HJ DJ CJ SJ")
    longer = bits("H8 H9 H10 HJ HQ D10 C10 S10 C6")  # at the same points the meld with more cards
    assert melds_in(longer, 0, 0)[0] == 100
    assert melds_in(longer, 0, 0)[2] == bits("H8 H9 H10 HJ HQ")
    split = bits("H6 H7 H8 H9 H10 DA CA SA HA")
    assert melds_in(split, 0, 0)[0] == melds_in(split, 0, 1)[0] == 200
    rest = bits("HJ HQ HK HA DJ CJ SJ C6 C8")  # without the jack a sequence of three is left
    assert melds_in(rest, 0, 0)[0] == 220
    assert melds_in(rest, 0, 1)[0] == 250


@pytest.mark.parametrize(
    ("hands", "mode", "forehand", "team"),
    [
        (("H6 H7 H8", "D6 D7 D8 D9", "", ""), "S", 0, 1),  # more points
        (("HA DA CA SA", "D6 D7 D8 D9 D10", "", ""), "S", 0, 1),  # same points, more cards
        (("H6 H7 H8", "D7 D8 D9", "", ""), "S", 0, 1),  # higher top card
        (("H6 H7 H8", "D7 D8 D9", "", ""), "U", 0, 0),  # lower is better in Undeufe
        (("H6 H7 H8", "D6 D7 D8", "", ""), "D", 0, 1),  # trumps
        (("H6 H7 H8", "D6 D7 D8", "", ""), "S", 0, 0),  # earlier in turn
        (("H6 H7 H8", "D6 D7 D8", "", ""), "S", 1, 1),
        (("", "", "", ""), "S", 0, -1),
    ],
)
def test_which_meld_is_best(hands, mode, forehand, team):
    sets = np.array([bits(hand) for hand in hands], np.int64)
    points, shown = np.zeros(4, np.int64), np.zeros(4, np.int64)
    assert best_team(sets, "HDCSOU".index(mode), 1, forehand, points, shown) == team
    expected = twin.best_meld_team([hand.split() for hand in hands], forehand, mode)
    assert expected[0] == (None if team < 0 else team)
    assert points.sum() == expected[1]


def test_the_better_team_scores_all_its_melds_after_the_first_trick():
    game = stammtisch.load_game("jass-schieber", weis=True)
    state = dealt(
        game,
        "H6 H7 H8 D6 D9 C6 C9 S8 S9 / D10 DJ DQ DK H9 HJ C7 C10 S7 / "
        "H10 HQ D7 D8 CA CK C8 S6 S10 / HK HA DA CJ CQ SJ SQ SK SA",
    )
    state.apply(state.parse_action("clubs"))
    for name in said("H6 H9 H10"):
        state.apply(state.parse_action(name))
        assert state.view(0).scores == (0, 0)
        assert state.view(0).shown == [[], [], [], []]
    state.apply(state.parse_action("HK"))
    assert state.view(0).scores == (0, 14 + 50 + 50)
    shown = [[CARDS[c] for c in cards] for cards in state.view(0).shown]
    assert shown == [[], ["D10", "DJ", "DQ", "DK"], [], ["SJ", "SQ", "SK", "SA"]]


def test_melds_of_random_deals_agree_with_the_plain_twin():
    rng = np.random.default_rng(5)
    points, shown = np.zeros(4, np.int64), np.zeros(4, np.int64)
    for _ in range(1500):
        cards = rng.permutation(36)
        hands = [cards[9 * p : 9 * p + 9].tolist() for p in range(4)]
        if rng.random() < 0.5:  # sorted packs have many melds
            hands = [(np.arange(9) + 9 * p + int(rng.integers(9))) % 36 for p in range(4)]
        sets = np.array([sum(1 << int(c) for c in hand) for hand in hands], np.int64)
        mode, forehand = int(rng.integers(6)), int(rng.integers(4))
        team = best_team(sets, mode, 1, forehand, points, shown)
        names = [[CARDS[c] for c in hand] for hand in hands]
        expected = twin.best_meld_team(names, forehand, "HDCSOU"[mode])
        assert (team, points.sum()) == (-1 if expected[0] is None else expected[0], expected[1])
        assert [{c for c in range(36) if int(shown[p]) >> c & 1} for p in range(4)] == [
            {card_id(name) for name in cards} for cards in expected[2]
        ]


# Whole games


def test_a_whole_game_adds_up():
    game = stammtisch.load_game("jass-schieber-2500")
    for seed in range(3):
        rng = np.random.default_rng(seed)
        state = game.new_state(seed)
        deals, earlier = 0, (0, 0)
        while state.player != TERMINAL:
            view = state.view(0)
            if state.player == CHANCE:
                gained = sum(view.totals) - sum(earlier)
                assert gained in ((157, 257) if deals else (0,))
                assert view.forehand == deals % 4
                assert max(view.totals) < 2500 or view.totals[0] == view.totals[1]
                deals, earlier = deals + 1, view.totals
                assert not state.returns().any()
            random_move(state, rng)
        first, second = state.view(0).totals
        assert max(first, second) >= 2500
        assert state.returns().tolist() == ([1, -1, 1, -1] if first > second else [-1, 1, -1, 1])
        assert deals <= game.info.max_moves // 38


def test_equal_totals_play_on():
    game = stammtisch.load_game("jass-schieber-2500")
    state = game.from_text(f"deal 9, points 2407:2307, forehand 0\nhands {SUITS}\nmode clubs\nplay -")
    while state.player >= 0:
        view = state.view(state.player)
        state.apply(min(view.legal_actions()))
    gained = state.view(0).totals[0] - 2407, state.view(0).totals[1] - 2307
    even = game.from_text(
        f"deal 9, points {2600 - gained[0]}:{2600 - gained[1]}, forehand 0\nhands {SUITS}\nmode clubs\nplay -"
    )
    play_out(even)
    assert even.player == CHANCE
    assert even.view(0).totals == (2600, 2600)


def test_a_game_may_stop_at_once_with_stoeck_before_weis_before_trick():
    game = stammtisch.load_game(
        "jass-schieber-2500", target=1000, ending="at-once", weis=True, stoeck=True, utility="points", pay="trick"
    )
    start = f"forehand 0\nhands {SUITS}\nmode hearts\nplay -"
    state = game.from_text(f"deal 5, points 700:950, {start}")
    for name in said("HJ DA CA SA"):  # team 0 has the best meld and scores before the trick is counted
        state.apply(state.parse_action(name))
    assert state.player == TERMINAL
    assert state.view(0).totals == (700 + 600, 950)
    assert state.returns()[0] == pytest.approx(3.5)
    state = game.from_text(f"deal 5, points 340:950, {start}")
    for name in said("HQ D6 C6 S6 HK"):
        state.apply(state.parse_action(name))
    assert state.player != TERMINAL
    state = game.from_text(f"deal 5, points 378:950, {start}")
    for name in said("HQ D6 C6 S6 HK"):  # 600 for melds and 3 for the trick leave 19: Stöck decides within the trick
        state.apply(state.parse_action(name))
    assert state.player == TERMINAL
    assert state.view(0).totals == (378 + 603 + 20, 950)


def test_points_of_a_game_may_be_paid_by_deal():
    with pytest.raises(ValueError, match='needs utility="points"'):
        stammtisch.load_game("jass-schieber-2500", pay="deal")
    env = stammtisch.aec_env("jass-schieber-2500", raw=True, target=400, utility="points", pay="deal")
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    total = np.zeros(4)
    while not any(env.terminations.values()):
        mask = env.infos[env.agent_selection]["action_mask"]
        env.step(int(rng.choice(np.flatnonzero(mask))))
        paid = np.array([env.rewards[f"player_{p}"] for p in range(4)])
        if paid.any() and not any(env.terminations.values()):
            assert env.position().view(0).history == []
        total += paid
    assert total == pytest.approx(env.position().returns())


# Text and pictures


def test_records_read_like_a_score_sheet(jass):
    text = f"forehand 3\nhands {SUITS}\nmode schieben obeabe\nplay SA H6 D6 C6 / SK H7"
    state = jass.from_text(text)
    assert state.to_text() == text
    assert state.player == 1
    assert jass.from_text(jass.new_state().to_text()) == jass.new_state()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "four lines"),
        ("forehand 4\nhands -\nmode -\nplay -", "begins with a line"),
        (f"forehand 0\nhands {ALL_HEARTS}\nmode -\nplay -", "not a deal"),
        ("forehand 0\nhands -\nmode hearts\nplay -", "no cards are dealt"),
        (f"forehand 0\nhands {SUITS}\nmode schieben schieben\nplay -", 'cannot read "schieben"'),
        (f"forehand 0\nhands {SUITS}\nmode hearts\nplay D6", 'cannot read "D6"'),
    ],
)
def test_wrong_records_are_explained(jass, text, message):
    with pytest.raises(BadText, match=message):
        jass.from_text(text)


def test_modes_may_be_said_in_several_ways(jass):
    state = dealt(jass, SUITS)
    for words, action in (("Trump H", 36), ("rosen", 36), ("eichel", 38), ("obe", 40), ("push", 42), ("HEARTS", 36)):
        assert state.parse_action(words) == action
    assert state.action_text(42) == "schieben"
    state.apply(36)
    assert state.action_text(card_id("H10")) == "H10"


@pytest.mark.parametrize(("pack", "sign", "name"), [("french", "♥J", "hearts"), ("swiss", "RoU", "Rosen")])
def test_boards_and_pictures_of_both_packs(pack, sign, name):
    game = stammtisch.load_game("jass-schieber", pack=pack)
    state = dealt(game, SUITS)
    state.apply(36)
    before = game.draw(state)
    state.apply(card_id("HJ"))
    after = game.draw(state)
    assert f"[{sign}]" in str(state)
    assert f"trumps {name}, chosen by player 0" in str(state)
    assert before.shape == after.shape == (640, 760, 3)
    marked = np.all(np.abs(after.astype(int) - (214, 96, 32)) < 8, axis=2)
    assert marked[340:450, 330:430].sum() > 100  # the last card, in front of player 0
