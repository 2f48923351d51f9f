"""What a player may know: nothing leaks, and hidden cards are dealt anew exactly uniformly and never wrongly."""

import itertools
import json
import pathlib

import numpy as np
import pytest

import stammtisch
from stammtisch.envs.jass import CARDS, card_id
from stammtisch.envs.jass.family.cards import deal_unseen
from tests.envs import jass_twin as twin
from tests.envs.jass_hidden import plays_of, possible_deals
from tests.playing import random_move, random_state

POSITIONS = json.loads((pathlib.Path(__file__).parent.parent / "data" / "jass-positions.json").read_text("utf-8"))
MODES = "HDCSOU"
SUITS = "H6 H7 H8 H9 H10 HJ HQ HK HA / D6 D7 D8 D9 D10 DJ DQ DK DA / C6 C7 C8 C9 C10 CJ CQ CK CA / "
SUITS += "S6 S7 S8 S9 S10 SJ SQ SK SA"


@pytest.fixture(scope="module")
def jass():
    return stammtisch.load_game("jass-schieber")


@pytest.fixture(scope="module")
def melding():
    return stammtisch.load_game("jass-schieber", weis=True)


@pytest.fixture(scope="module")
def kit():
    return stammtisch.load_game("jass-schieber", legal_rule="jass-kit")


def position(game, hands, mode, plays, forehand=0):
    return game.from_text(f"forehand {forehand}\nhands {hands}\nmode {mode}\nplay {plays}")


def names(cards):
    return [CARDS[card] for card in cards]


def public(view):
    return (
        view.hand,
        view.table,
        view.history,
        view.mode,
        view.forehand,
        view.pushed,
        view.declarer,
        view.voids,
        view.barred,
        view.shown,
        view.scores,
        view.totals,
        view.to_move,
        view.legal_actions(),
    )


def test_a_view_tells_what_happened_at_the_table(jass):
    state = position(jass, SUITS, "schieben spades", "HA DA CA SA / SK H6 D6")
    view = state.view(2)
    assert names(view.hand) == ["C6", "C7", "C8", "C9", "C10", "CJ", "CQ", "CK"]
    assert [(seat, CARDS[card]) for seat, card in view.table] == [(3, "SK"), (0, "H6"), (1, "D6")]
    assert view.history == [(0, (8, 17, 26, 35), 3, 44)]
    assert view.scores == view.totals == (0, 44)
    assert (view.mode, view.declarer, view.pushed, view.forehand) == (3, 2, True, 0)
    assert view.to_move == 2
    # 1 and 2 did not follow hearts; 3 ruffed, which shows nothing; 0 and 1 have no trump, or only the Buur
    assert view.voids == [[3], [0, 3], [0], []]
    assert card_id("SJ") not in view.barred[0]
    assert view.barred[3] == []


def test_the_buur_may_hide_behind_a_discard_on_trumps(jass):
    state = position(jass, SUITS, "spades", "HA DA CA SA / SK H6")
    view = state.view(1)
    rng = np.random.default_rng(0)
    holders = set()
    for _ in range(300):
        sampled = view.sample_state(rng)
        holders |= {p for p in range(4) if card_id("SJ") in sampled.view(p).hand}
        assert not [c for c in sampled.view(0).hand if c // 9 == 3 and c != card_id("SJ")]
    assert holders == {0, 2, 3}


def test_an_under_trump_shows_a_hand_of_trumps_only(jass):
    hands = "C6 D6 D7 D8 D9 D10 DJ DQ DK / C7 HK HQ DA C8 S6 S7 S8 S9 / "
    hands += "C9 C10 CJ CQ CK CA S10 SJ SQ / H6 H7 H8 H9 H10 HJ HA SK SA"
    state = position(jass, hands, "hearts", "C6")
    row = state.row
    row[jass.rules.HAND + 3] = sum(1 << card_id(c) for c in ("H6", "H7", "H8"))  # few cards left, all trumps
    state = jass.from_row(row)
    for name in ("HQ", "C9", "H7"):
        state.apply(card_id(name))
    view = state.view(0)
    assert view.voids[3] == [1, 2, 3]
    assert set(view.barred[3]) == {c for c in range(36) if c // 9 != 0}
    assert view.voids[1] == []


def test_nothing_hidden_reaches_a_player(jass, melding):
    rng = np.random.default_rng(1)
    for game in (jass, melding):
        for seed in range(60):
            state = random_state(game, seed, int(rng.integers(1, 39)))
            for player in range(4):
                view = state.view(player)
                others = [game.rules.HAND + q for q in range(4) if q != player]
                assert not view.row[others].any()
                for _ in range(3):
                    other = view.sample_state(rng)
                    assert np.array_equal(other.view(player).row, view.row)
                    assert np.array_equal(other.observation(player), state.observation(player))
                    assert np.array_equal(other.view(player).legal_mask(), view.legal_mask())
                    assert public(other.view(player)) == public(view)


def test_the_faces_tell_no_outcome_of_the_deal():
    env = stammtisch.aec_env("jass-schieber", raw=True)
    env.reset(seed=3)
    assert set(env.infos[env.agent_selection]) == {"action_mask"}


def test_sampling_needs_nothing_but_the_view(jass):
    """The same redacted row and the same generator give the same deal, whatever the true cards are."""
    rng = np.random.default_rng(2)
    for seed in range(50):
        state = random_state(jass, seed, 20)
        player = seed % 4
        other = state.view(player).sample_state(rng)
        one = state.view(player).sample_state(np.random.default_rng(9))
        two = other.view(player).sample_state(np.random.default_rng(9))
        assert one == two


def test_sampled_deals_can_always_be_replayed(jass, kit, melding):
    rng = np.random.default_rng(3)
    for game, games in ((jass, 60), (kit, 25), (melding, 25)):
        for number in range(games):
            state = game.new_state(number)
            while state.player != stammtisch.TERMINAL:
                random_move(state, rng)
                for player in (number % 4, (number + 1) % 4):
                    sampled = state.view(player).sample_state(rng)
                    assert game.from_text(sampled.to_text()) == sampled
                    assert sampled.view(player).hand == state.view(player).hand


def consistent_deals(state, player):
    """All deals that agree with the public record, by brute force and the plain twin: hands of the three others."""
    view, rules = state.view(player), state.game.rules
    plays = plays_of(view)
    mode = MODES[view.mode]
    kit = bool(rules.KIT_RULE)
    shown = [{CARDS[c] for c in cards} for cards in view.shown]
    found = set()
    for deal, hands in possible_deals(state, player):
        said = [names(hand) for hand in hands]
        if not twin.replays(said, view.forehand, names(plays), mode, kit):
            continue
        if rules.WEIS and len(plays) >= 4:
            hands_shown = twin.best_meld_team(said, view.forehand, mode)[2]
            if hands_shown != shown:
                continue
        found.add(deal)
    return found


def counted_deals(state, player, n):
    """Count the deals that the kernel samples."""
    rules, k = state.game.rules, state.game.stepping
    row = state.view(player).row
    others = [rules.HAND + (player + i) % 4 for i in (1, 2, 3)]
    counts = {}
    for seed in range(n):
        k.deal_hidden(row, player, 7919 * seed + 1)
        hands = tuple(row[others].tolist())
        counts[hands] = counts.get(hands, 0) + 1
    return {
        tuple(tuple(c for c in range(36) if hand >> c & 1) for hand in hands): number
        for hands, number in counts.items()
    }


def surprise(counts, support, n):
    """Chi-square distance from the uniform distribution and its degrees of freedom."""
    assert set(counts) <= set(support)
    expected = n / len(support)
    return sum((counts.get(x, 0) - expected) ** 2 / expected for x in support), len(support) - 1


@pytest.mark.parametrize("which", ["jass", "kit", "melding"])
def test_hidden_cards_are_dealt_uniformly(which, request):
    """The stored positions come late in a deal, most of them after an under-trump or a discard on a trump lead."""
    game = request.getfixturevalue(which)
    positions = POSITIONS["server"] + (POSITIONS["jass-kit"] if which == "kit" else [])
    distance, freedom = 0.0, 0
    for entry in positions:
        state = game.from_text(entry["record"])
        support = consistent_deals(state, entry["player"])
        n = 60 * len(support)
        d, f = surprise(counted_deals(state, entry["player"], n), support, n)
        distance, freedom = distance + d, freedom + f
    assert freedom > 50
    assert abs(distance - freedom) < 4 * np.sqrt(2 * freedom)


def test_dealing_with_every_kind_of_constraint_is_uniform():
    rng = np.random.default_rng(7)
    r = np.array([12345], np.uint64)
    distance, freedom = 0.0, 0
    for _ in range(40):
        sizes = rng.integers(0, 4, 3)
        unseen = np.sort(rng.permutation(36)[: sizes.sum()]).tolist()
        owners = rng.permutation(np.repeat([0, 1, 2], sizes)).tolist()
        may = [{owner, *np.flatnonzero(rng.random(3) < 0.5).tolist()} for owner in owners]
        barred = [sum(1 << c for c, m in zip(unseen, may, strict=True) if p not in m) for p in range(3)]
        support = [d for d in itertools.product(*may) if all(d.count(p) == sizes[p] for p in range(3))]
        n = 50 * len(support)
        whole = sum(1 << c for c in unseen)
        counts = {}
        for _ in range(n):
            hands = deal_unseen(np.int64(whole), *map(np.int64, barred), *sizes, r)
            deal = tuple(next(p for p in range(3) if int(hands[p]) >> c & 1) for c in unseen)
            assert sum(map(int, hands)) == whole
            counts[deal] = counts.get(deal, 0) + 1
        d, f = surprise(counts, support, n)
        distance, freedom = distance + d, freedom + f
    assert freedom > 200
    assert abs(distance - freedom) < 4 * np.sqrt(2 * freedom)


def test_sampling_draws_no_more_than_there_are_cards(jass):
    """No deal is drawn in vain: one number for the sizes of the groups, and each unseen card is asked for twice."""
    gamma, words = 0x9E3779B97F4A7C15, 1 << 64
    inverse = pow(gamma, -1, words)  # a stream counts what was drawn from it in steps of gamma
    for seed in range(200):
        row = random_state(jass, seed, 2 + seed % 36).row
        stream = np.array([seed], np.uint64)
        jass.rules.resample_hidden(row, seed & 3, stream)
        drawn = (int(stream[0]) - seed) * inverse % words
        assert drawn <= 1 + 2 * 27
