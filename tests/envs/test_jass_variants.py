"""Differenzler, Molotow and Coiffeur: the course of a deal and of a game, scoring, options, text; against the twins."""

import numpy as np
import pytest

import stammtisch
from stammtisch import CHANCE, TERMINAL, BadText
from stammtisch.envs.jass import CARDS, card_id, legal_cards
from tests.envs.jass_variants_twin import Deal
from tests.playing import random_move, random_states

SUITS = "H6 H7 H8 H9 H10 HJ HQ HK HA / D6 D7 D8 D9 D10 DJ DQ DK DA / C6 C7 C8 C9 C10 CJ CQ CK CA / "
SUITS += "S6 S7 S8 S9 S10 SJ SQ SK SA"
MODES = ["H", "D", "C", "S", "O", "U", None, "LO", "LU", "GO", "GU"]


@pytest.fixture(scope="module")
def differenzler():
    return stammtisch.load_game("jass-differenzler")


@pytest.fixture(scope="module")
def open_differenzler():
    return stammtisch.load_game("jass-differenzler", deals=3, predictions="open", pay="deal", legal_rule="server")


@pytest.fixture(scope="module")
def molotow():
    return stammtisch.load_game("jass-molotow")


@pytest.fixture(scope="module")
def later():
    return stammtisch.load_game("jass-molotow", trumps_from="next", deals=2, start="random")


@pytest.fixture(scope="module")
def coiffeur():
    return stammtisch.load_game("jass-coiffeur")


@pytest.fixture(scope="module")
def long_coiffeur():
    return stammtisch.load_game("jass-coiffeur", contracts=10, factors="swiss", utility="points", pay="deal")


def deals_of(game, seed, games):
    """Yield (state before, action) for every action of random games, and the state after the last."""
    rng = np.random.default_rng(seed)
    for number in range(games):
        state = game.new_state(seed=seed + number)
        while state.player != TERMINAL:
            if state.player == CHANCE:
                state.sample_chance(rng)
                continue
            action = int(rng.choice(state.legal_actions()))
            yield state.clone(), action
            state.apply(action)


def hand_names(state):
    return [[CARDS[c] for c in cards] for cards in hands_of(state)]


def hands_of(state):
    row, rules = state.row, state.game.rules
    return [[c for c in range(36) if int(row[rules.HAND + p]) >> c & 1] for p in range(4)]


def compare_with_twin(game, seed, games, named_at_once=True, under=True):
    """Play random games of cards and ask the twin for legal cards, turns, trumps and points throughout."""
    rules, deal, finished = game.rules, None, 0
    for state, action in deals_of(game, seed, games):
        if action >= 36:
            continue
        row = state.row
        if row[rules.PLAYED_COUNT] == 0:
            mode = int(row[rules.MODE])
            deal = Deal(hand_names(state), state.player, "?" if mode == 11 else MODES[mode], under, named_at_once)
        assert deal.player == state.player
        assert sorted(map(card_id, deal.legal())) == state.legal_actions()
        deal.play(CARDS[action])
        after = state.child(action)
        view = after.view(0)
        if after.player == CHANCE:
            continue
        if deal.mode != "?":
            assert deal.mode == MODES[view.mode]
        if not deal.trick and after.player != TERMINAL:
            assert after.player == deal.player
        points = deal.points()
        if len(view.scores) == 2:
            points = [points[0] + points[2], points[1] + points[3]]
        bonus = 100 if after.player == TERMINAL and len(points) == 2 and 0 in after.row[rules.WON :][:2] else 0
        assert sum(view.scores) == sum(points) + bonus
        if not bonus:
            assert list(view.scores) == points
        if not deal.trick:
            assert view.history[-1].winner == deal.last
            finished += 1
    return finished


def test_differenzler_agrees_with_the_twin(differenzler, open_differenzler):
    assert compare_with_twin(differenzler, 1, 25) == 25 * 9
    assert compare_with_twin(open_differenzler, 2, 6, under=False) > 100


def test_molotow_agrees_with_the_twin(molotow, later):
    assert compare_with_twin(molotow, 3, 40) == 40 * 9
    assert compare_with_twin(later, 4, 15, named_at_once=False) > 200


def test_coiffeur_agrees_with_the_twin(coiffeur, long_coiffeur):
    assert compare_with_twin(coiffeur, 5, 2, under=False) > 200
    assert compare_with_twin(long_coiffeur, 6, 2, under=False) > 300


def test_every_card_is_played_once_and_the_winner_leads(differenzler, molotow):
    for game in (differenzler, molotow):
        for state in random_states(game, seed=7, games=20):
            if state.player != TERMINAL:
                continue
            view = state.view(2)
            assert sorted(c for t in view.history for c in t.cards) == list(range(36))
            assert [t.leader for t in view.history] == [0, *(t.winner for t in view.history[:-1])]
            assert sum(view.scores) == sum(t.points for t in view.history) == 157
            for p in range(4):
                assert view.scores[p] == sum(t.points for t in view.history if t.winner == p)


def test_under_trumping_when_void_is_a_rule_of_its_own():
    hand, table = [card_id(c) for c in ("H7", "HQ", "SA", "S7")], [card_id("D10"), card_id("H10")]
    assert len(legal_cards(hand, table, 0, "void")) == 4
    assert [CARDS[c] for c in legal_cards(hand, table, 0)] == ["HQ", "S7", "SA"]
    holds = [*hand, card_id("D6")]
    assert [CARDS[c] for c in legal_cards(holds, table, 0, "void")] == ["HQ", "D6"]


# Differenzler


def predicted(game, hands=SUITS, trumps="hearts", predictions="-", plays="-"):
    return game.from_text(
        f"deal 1, totals 0:0:0:0, forehand 0, trumps {trumps}\nhands {hands}\npredictions {predictions}\nplay {plays}"
    )


def test_everyone_predicts_in_turn_and_forehand_leads(differenzler):
    state = predicted(differenzler)
    for seat, points in enumerate((157, 0, 10, 40)):
        assert state.player == seat
        assert state.legal_actions() == list(range(36, 194))
        state.apply(state.parse_action(str(points)))
    assert state.player == 0
    assert state.legal_actions() == list(range(9))


def test_the_penalty_is_the_distance_from_the_prediction(differenzler):
    state = predicted(differenzler, predictions="150 0 10 40")
    while state.player >= 0:
        state.apply(min(state.legal_actions()))
    assert state.view(1).scores == (157, 0, 0, 0)
    assert state.returns().tolist() == [-0.07, 0, -0.1, -0.4]
    assert state.view(1).totals == (7, 0, 10, 40)
    assert not differenzler.info.zero_sum
    assert differenzler.info.utility_range == (-1.57, 0)


def test_penalties_add_up_over_the_deals_and_are_paid_by_deal(open_differenzler):
    rng = np.random.default_rng(1)
    rules, step = open_differenzler.rules, open_differenzler.stepping
    row, chance = np.zeros(rules.STATE_LEN, np.int64), np.array([5], np.uint64)
    paid, pay, outcomes = np.zeros(4), np.zeros(4), np.zeros(8, np.int64)
    total, payments = np.zeros(4), 0
    player, _ = step.step(row, chance, -1, paid, pay, outcomes)
    while player != TERMINAL:
        state = open_differenzler.from_row(row)
        assert state.view(0).forehand == state.view(0).deal % 4
        player, _ = step.step(row, chance, int(rng.choice(state.legal_actions())), paid, pay, outcomes)
        total += pay
        payments += bool(pay.any())
    final = open_differenzler.from_row(row)
    assert payments == 3
    assert total == pytest.approx(final.returns())
    assert final.returns().tolist() == [-points / 100 for points in final.view(0).totals]


def test_trumps_are_drawn_with_the_deal_and_all_alike(differenzler):
    counts = np.zeros(4)
    for number in range(800):
        state = differenzler.new_state()
        state.apply(number)
        counts[state.view(0).mode] += 1
    assert counts.min() > 150


def test_a_deal_may_be_given_with_its_trumps(differenzler):
    deal = [[card_id(name) for name in hand.split()] for hand in SUITS.split("/")]
    state = differenzler.new_state(deal=deal, forehand=2, trump=3)
    assert state == differenzler.from_text(
        f"deal 1, totals 0:0:0:0, forehand 2, trumps spades\nhands {SUITS}\npredictions -\nplay -"
    )
    with pytest.raises(ValueError, match="comes with its trumps"):
        differenzler.new_state(deal=deal)
    with pytest.raises(ValueError, match="comes with its trumps"):
        differenzler.new_state(trump=1)


# Molotow


def molotow_state(game, hands, plays, forehand=0):
    return game.from_text(f"deal 1, totals 0:0:0:0, forehand {forehand}\nhands {hands}\nplay {plays}")


NAMING = "H6 HA DA D6 C6 C7 S6 S7 S8 / H7 H8 H9 D9 DJ C8 C9 S9 S10 / D7 D8 D10 DQ DK C10 CJ SJ SQ / "
NAMING += "H10 HJ HQ HK CQ CK CA SK SA"


def test_the_first_card_that_cannot_follow_names_the_trumps(molotow, later):
    state = molotow_state(molotow, NAMING, "DA D9 D7")
    assert state.view(0).mode is None
    state.apply(state.parse_action("CQ"))
    assert state.view(0).mode == 2
    assert state.player == 3  # it trumped its own trick
    assert state.view(0).scores == (0, 0, 0, 14)
    state = molotow_state(later, NAMING, "DA D9 D7 CQ")
    assert state.view(0).mode == 2
    assert state.player == 0  # trumps only from the next trick on
    assert state.view(0).scores == (14, 0, 0, 0)


def test_trumps_count_in_the_tricks_before_they_were_named(molotow):
    hands = "H6 H8 DA D6 C6 C7 S6 S7 S8 / H7 HJ H10 D9 DJ C8 C9 S9 S10 / H9 D8 D10 DQ DK C10 CJ SJ SQ / "
    hands += "D7 HA HQ HK CQ CK CA SK SA"
    state = molotow_state(molotow, hands, "H6 HJ H9 HA")
    assert state.view(0).scores == (0, 0, 0, 13)  # jack 2, ace 11
    for name in ("D7", "DA", "D9", "D8", "D6", "DJ", "D10"):
        state.apply(state.parse_action(name))
    assert state.view(0).mode is None
    state.apply(state.parse_action("HQ"))
    assert state.view(0).mode == 0
    assert state.view(0).history[0].winner == 3  # the ace keeps the trick that it won without trumps
    assert state.view(0).scores[3] == 20 + 14 + 11 + 2 + 10 + 3


def test_without_trumps_suit_must_be_followed_and_the_jack_has_no_privilege(molotow):
    hands = "H6 HA DA D6 C6 C7 S6 S7 S8 / HJ D7 D8 D9 DQ C8 C9 S9 S10 / H7 H8 H9 H10 D10 DJ C10 CJ SJ / "
    hands += "HQ HK DK CQ CK CA SQ SK SA"
    assert [CARDS[c] for c in molotow_state(molotow, hands, "H6").legal_actions()] == ["HJ"]
    assert [CARDS[c] for c in molotow_state(molotow, hands, "H6 HJ").legal_actions()] == ["H7", "H8", "H9", "H10"]


def test_few_points_win_and_returns_add_up_to_zero(molotow, later):
    for game, deals in ((molotow, 1), (later, 2)):
        for state in random_states(game, seed=8, games=10):
            if state.player == TERMINAL:
                totals = np.array(state.view(0).totals)
                assert totals.sum() == 157 * deals
                assert state.returns() == pytest.approx((totals.mean() - totals) / 100)


def test_some_card_always_names_trumps(molotow):
    assert all(s.view(0).mode is not None for s in random_states(molotow, seed=9, games=60) if s.player == TERMINAL)


# Coiffeur


def contract(game, said="-", plays="-", head="points 0:0, left HDCSOU12:HDCSOU12, forehand 0", hands=SUITS):
    return game.from_text(f"{head}\nhands {hands}\ncontract {said}\nplay {plays}")


def test_the_choice_goes_round_and_the_first_must_choose_in_the_end(coiffeur):
    state = contract(coiffeur)
    for seat in (0, 1, 2, 3):
        assert state.player == seat
        assert state.legal_actions() == list(range(36, 55))
        state.apply(state.parse_action("schieben"))
    assert state.player == 0
    assert state.legal_actions() == list(range(36, 54))


def test_the_chooser_leads_and_its_team_alone_scores(coiffeur):
    state = contract(coiffeur, "schieben spades")
    assert state.player == 1
    view = state.view(0)
    assert (view.contract, view.mode, view.declarer, view.passes) == ("spades", 3, 1, 1)
    while state.player >= 0:
        state.apply(min(state.legal_actions()))
    assert state.player == CHANCE
    assert state.view(0).totals == (0, 257)  # seat 3 has all trumps and takes every trick
    assert state.view(0).left[1] == ["hearts", "diamonds", "clubs", "obeabe", "undeufe", "joker1", "joker2"]
    assert state.view(0).left[0][3] == "spades"
    assert state.view(0).forehand == 1


@pytest.mark.parametrize(("said", "total"), [("hearts", 4 * 257), ("joker1-hearts", 7 * 257), ("obeabe", 5 * 257)])
def test_contracts_count_their_factor(coiffeur, said, total):
    state = contract(coiffeur, said)
    while state.player >= 0:
        state.apply(min(state.legal_actions()))
    assert state.view(0).totals == (total, 0)


def test_factors_of_the_pages(coiffeur, long_coiffeur):
    assert coiffeur.rules.CONTRACT_FACTOR.tolist() == [4, 3, 2, 1, 5, 6, 7, 8]
    assert long_coiffeur.rules.CONTRACT_FACTOR.tolist() == [2, 4, 1, 3, 5, 6, 9, 10, 7, 8]


def test_a_team_without_contracts_is_passed_over(coiffeur):
    head = "points 0:100, left H1:-, forehand 3"
    state = contract(coiffeur, head=head)
    assert state.player == 0
    assert len(state.legal_actions()) == 1 + 6 + 1
    state.apply(state.parse_action("schieben"))
    assert state.player == 2
    state.apply(state.parse_action("schieben"))
    assert state.player == 0
    assert coiffeur.rules.PASS not in state.legal_actions()


@pytest.mark.parametrize("which", ["coiffeur", "long_coiffeur"])
def test_each_team_plays_every_contract_once(which, request):
    game = request.getfixturevalue(which)
    rules = game.rules
    rng = np.random.default_rng(3)
    for seed in range(2):
        state = game.new_state(seed)
        played, recorded = [[], []], np.zeros(2, int)
        while state.player != TERMINAL:
            row = state.row
            if row[rules.PLAYED_COUNT] == 35:
                team, chosen = int(row[rules.DECLARER]) % 2, int(row[rules.CONTRACT])
                played[team].append(chosen)
            before = state.view(0).totals
            random_move(state, rng)
            if row[rules.PLAYED_COUNT] == 35:
                gained = np.subtract(state.view(0).totals, before)
                assert gained[1 - team] == 0
                assert gained[team] % rules.CONTRACT_FACTOR[chosen] == 0
                assert 0 <= gained[team] // rules.CONTRACT_FACTOR[chosen] <= 257
                recorded += gained
        assert [sorted(contracts) for contracts in played] == [list(range(rules.N_CONTRACTS))] * 2
        assert tuple(recorded) == state.view(0).totals
        difference = recorded[0] - recorded[1]
        expected = difference / 100 if which == "long_coiffeur" else np.sign(difference)
        assert state.returns().tolist() == pytest.approx([expected, -expected, expected, -expected])


def test_guschti_turns_after_five_tricks(long_coiffeur):
    head = "points 0:0, left HDCSOU12LG:HDCSOU12LG, forehand 0"
    order = long_coiffeur.rules.trick_order
    state = contract(long_coiffeur, "guschti-undeufe", head=head)
    assert [order(state.row, k) for k in range(9)] == [5] * 5 + [4] * 4
    state = contract(long_coiffeur, "slalom-obeabe", head=head)
    assert [order(state.row, k) for k in range(9)] == [4, 5] * 4 + [4]


def test_points_are_paid_by_deal_only_when_they_are_played_for():
    with pytest.raises(ValueError, match='needs utility="points"'):
        stammtisch.load_game("jass-coiffeur", pay="deal")


# Text and boards


@pytest.mark.parametrize(
    ("which", "text", "message"),
    [
        ("molotow", "deal 1, totals 0:0:0:0, forehand 0\nhands -", "three lines"),
        ("molotow", "deal 2, totals 0:0:0:0, forehand 0\nhands -\nplay -", "there is no deal 2"),
        ("later", "deal 2, totals 100:0:0:0, forehand 0\nhands -\nplay -", "cannot come from 1 deals"),
        ("molotow", "deal 1, totals 0:0:0, forehand 0\nhands -\nplay -", "begins like"),
        ("differenzler", "deal 1, totals 0:0:0:0, forehand 0\nhands -\npredictions -\nplay -", "ends like"),
        (
            "differenzler",
            "deal 1, totals 0:0:0:0, forehand 0, trumps hearts\nhands -\npredictions -\nplay -",
            "dealt together",
        ),
        (
            "differenzler",
            f"deal 1, totals 0:0:0:0, forehand 0, trumps hearts\nhands {SUITS}\npredictions 158\nplay -",
            'cannot read "158"',
        ),
        ("coiffeur", "points 0:0, left H:, forehand 0\nhands -\ncontract -\nplay -", "begins like"),
        ("coiffeur", "points 0:0, left HH:-, forehand 0\nhands -\ncontract -\nplay -", "no list of contracts"),
        ("coiffeur", "points 0:0, left L:H, forehand 0\nhands -\ncontract -\nplay -", "no list of contracts"),
        ("coiffeur", "points 9:0, left HDCSOU12:H, forehand 0\nhands -\ncontract -\nplay -", "cannot have 9 points"),
        ("coiffeur", "points 0:0, left -:-, forehand 0\nhands -\ncontract -\nplay -", "no contract is left"),
    ],
)
def test_wrong_records_are_explained(which, text, message, request):
    with pytest.raises(BadText, match=message):
        request.getfixturevalue(which).from_text(text)


def test_boards_tell_how_it_stands(differenzler, molotow, coiffeur):
    assert "trumps hearts, predictions 5:?:?:?, player 1 predicts" in str(predicted(differenzler, predictions="5"))
    assert "no trumps named yet" in str(molotow_state(molotow, SUITS, "-"))
    said = str(contract(coiffeur, "schieben joker2-obeabe"))
    assert "Obeabe as joker2, times 8, chosen by player 1 after 1 pass" in said
    assert "deal 1 of 16" in said
