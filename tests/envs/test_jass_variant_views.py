"""What a player of Differenzler, Molotow and Coiffeur may know: nothing leaks, what is hidden is drawn uniformly."""

import numpy as np
import pytest

import stammtisch
from stammtisch import TERMINAL
from stammtisch.envs.jass import CARDS
from tests.envs.jass_hidden import plays_of, possible_deals
from tests.envs.jass_variants_twin import can_be
from tests.envs.test_jass_views import surprise
from tests.playing import random_move, random_state

IDS = ["jass-differenzler", "jass-molotow", "jass-coiffeur"]


@pytest.fixture(scope="module", params=IDS)
def variant(request):
    return stammtisch.load_game(request.param)


@pytest.fixture(scope="module")
def later():
    return stammtisch.load_game("jass-molotow", trumps_from="next", deals=2, start="random")


def public(view):
    names = ("hand", "table", "history", "mode", "forehand", "barred", "voids", "scores", "totals", "to_move")
    more = ("predictions", "deal", "passes", "contract", "declarer", "left")
    return [getattr(view, name) for name in (*names, *(name for name in more if hasattr(view, name)))]


def test_nothing_hidden_reaches_a_player(variant):
    rng = np.random.default_rng(1)
    rules = variant.rules
    for seed in range(40):
        state = random_state(variant, seed, int(rng.integers(1, 41)))
        for player in range(4):
            view = state.view(player)
            hidden = [rules.HAND + q for q in range(4) if q != player]
            if getattr(rules, "PREDICTS", False) and state.player != TERMINAL:
                hidden += [rules.PREDICTION + q for q in range(4) if q != player]
            assert not view.row[hidden].any()
            for _ in range(2):
                other = view.sample_state(rng)
                assert np.array_equal(other.view(player).row, view.row)
                assert np.array_equal(other.observation(player), state.observation(player))
                assert np.array_equal(other.view(player).legal_mask(), view.legal_mask())
                assert public(other.view(player)) == public(view)


def test_sampling_needs_nothing_but_the_view(variant):
    rng = np.random.default_rng(2)
    for seed in range(25):
        state = random_state(variant, seed, 20)
        player = seed % 4
        other = state.view(player).sample_state(rng)
        one, two = (s.view(player).sample_state(np.random.default_rng(9)) for s in (state, other))
        assert one == two


def test_sampled_deals_can_always_be_replayed(variant, later):
    rng = np.random.default_rng(3)
    for game, games in ((variant, 8), (later, 3)):
        for number in range(games):
            state = game.new_state(number)
            for _ in range(41):
                if state.player == TERMINAL:
                    break
                random_move(state, rng)
                player = int(rng.integers(4))
                sampled = state.view(player).sample_state(rng)
                assert game.from_text(sampled.to_text()) == sampled
                assert sampled.view(player).hand == state.view(player).hand


def consistent_deals(state, player):
    """All hands of the three others that agree with every play, by brute force and the plain twin."""
    game, view = state.game, state.view(player)
    plays = [CARDS[c] for c in plays_of(view)]
    leader = view.history[0].leader
    mode = "?" if game.id == "jass-molotow" else "HDCSOU"[view.mode]
    under, at_once = game.id != "jass-coiffeur", bool(getattr(game.rules, "AT_ONCE", True))
    found = set()
    for deal, hands in possible_deals(state, player):
        names = [[CARDS[c] for c in hand] for hand in hands]
        if can_be(names, leader, plays, mode, under, at_once):
            found.add(deal)
    return found


def counted_deals(state, number, n):
    """Count the deals that the kernel samples, every position with random numbers of its own."""
    rules, k = state.game.rules, state.game.stepping
    player, row = state.player, state.view(state.player).row
    counts = {}
    for seed in np.random.default_rng(number).integers(2**62, size=n).tolist():
        k.deal_hidden(row, player, seed)
        hands = tuple(
            tuple(c for c in range(36) if int(row[rules.HAND + (player + i) % 4]) >> c & 1) for i in (1, 2, 3)
        )
        counts[hands] = counts.get(hands, 0) + 1
    return counts


def check_uniform(game, moves, positions):
    """Compare the deals that the kernel samples late in a game with all that are consistent."""
    distance, freedom, narrow = 0.0, 0, 0
    for seed in range(positions):
        state = random_state(game, 1000 + seed, moves)
        support = consistent_deals(state, state.player)
        unseen = 36 - int(state.row[game.rules.PLAYED_COUNT]) - len(state.view(state.player).hand)
        narrow += len(support) < 90 and unseen >= 6
        n = 30 * len(support)
        d, f = surprise(counted_deals(state, seed, n), support, n)
        distance, freedom = distance + d, freedom + f
    assert narrow  # what was shown must have ruled something out somewhere
    assert abs(distance - freedom) < 4 * np.sqrt(2 * freedom)


def test_hidden_cards_are_dealt_uniformly_in_differenzler():
    check_uniform(stammtisch.load_game("jass-differenzler"), moves=1 + 4 + 28, positions=12)


def test_hidden_cards_are_dealt_uniformly_in_molotow(later):
    check_uniform(stammtisch.load_game("jass-molotow"), moves=1 + 28, positions=16)
    check_uniform(later, moves=1 + 28, positions=12)


def test_who_names_trumps_has_shown_to_be_void_of_the_colour_led():
    game = stammtisch.load_game("jass-molotow")
    hands = "H6 HA DA D6 C6 C7 S6 S7 S8 / H7 H8 H9 D9 DJ C8 C9 S9 S10 / D7 D8 D10 DQ DK C10 CJ SJ SQ / "
    hands += "H10 HJ HQ HK CQ CK CA SK SA"
    state = game.from_text(f"deal 1, totals 0:0:0:0, forehand 0\nhands {hands}\nplay DA D9 D7 CQ")
    assert state.view(0).voids == [[], [], [], [1]]
    rng = np.random.default_rng(0)
    for _ in range(50):
        assert not [c for c in state.view(0).sample_state(rng).view(3).hand if c // 9 == 1]


def test_secret_predictions_are_drawn_uniformly_and_open_ones_kept():
    game = stammtisch.load_game("jass-differenzler")
    rng = np.random.default_rng(5)
    state = random_state(game, 3, 1 + 3)
    assert state.player == 3
    view = state.view(1)
    assert [p is None for p in view.predictions] == [True, False, True, True]
    drawn = np.array([view.sample_state(rng).row[game.rules.PREDICTION :][[0, 2]] - 1 for _ in range(2000)])
    assert drawn.min() == 0
    assert drawn.max() == 157
    assert np.abs(drawn.mean(axis=0) - 78.5).max() < 5
    assert state.view(3).sample_state(rng).row[game.rules.PREDICTION + 3] == 0  # seat 3 has not spoken yet
    spoken = stammtisch.load_game("jass-differenzler", deals=3, predictions="open", pay="deal", legal_rule="server")
    state = random_state(spoken, 3, 1 + 4 + 5)
    assert state.view(1).sample_state(rng).view(0).predictions == state.view(0).predictions
    assert None not in state.view(2).predictions


def test_predictions_are_told_when_all_is_played_out():
    state = random_state(stammtisch.load_game("jass-differenzler"), 4, 100)
    assert state.player == TERMINAL
    assert None not in state.view(0).predictions
    assert state.view(0).sample_state(np.random.default_rng(0)) == state


def test_the_faces_tell_no_outcome_of_the_deal():
    for game_id in IDS:
        env = stammtisch.aec_env(game_id, raw=True)
        env.reset(seed=3)
        assert set(env.infos[env.agent_selection]) == {"action_mask"}
