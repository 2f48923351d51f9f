"""What networks see of Schieber: no names of colours, no hidden cards."""

import numpy as np
import pytest

from stammtisch.envs import load_game
from stammtisch.envs.core.rules import own, uncompiled
from stammtisch.envs.jass.family import sight

GAME = load_game("jass-schieber")
RULES = own(GAME.rules)
RENAMINGS = ((1, 0, 2, 3), (3, 1, 0, 2), (2, 3, 1, 0))


def rows_of_a_deal(seed, mode):
    """Yield the rows of one deal at which somebody has to play a card."""
    rng = np.random.default_rng(seed)
    state = GAME.new_state(seed=seed)
    while state.player < 0:
        state.sample_chance(rng)
    state.apply(RULES.FIRST_MODE + mode)
    while state.player >= 0:
        yield state._row.copy()
        state.apply(int(rng.choice(state.legal_actions())))


def seen(row, kind="card", hidden=None):
    """Return what the seat to move sees, its frame, and its legal cards."""
    row = row.copy()
    p = int(row[RULES.TURN])
    if hidden is not None:
        for q in range(4):
            if q != p:
                row[RULES.HAND + q] = hidden
    sets, order = np.zeros(sight.N_CARD_SETS, np.int64), np.zeros(4, np.int64)
    own_tricks, theirs = row[RULES.WON + (p & 1)], row[RULES.WON + 1 - (p & 1)]
    legal = uncompiled(RULES.legal_cards_of)(row, p)
    if kind == "card":
        obs = np.zeros(sight.CARD_LEN, np.int8)
        uncompiled(sight.card_sight)(row, p, legal, own_tricks, theirs, sets, order, obs)
    else:
        obs = np.zeros(sight.OPEN_LEN, np.int8)
        uncompiled(sight.open_sight)(row, p, own_tricks, theirs, sets, order, obs)
    return obs, order, int(legal)


def renamed_card(card, names):
    return 9 * names[card // 9] + card % 9


def replayed(seed, mode, names, plies):
    """Return the row after some cards of the deal, with other names of the colours."""
    rng = np.random.default_rng(seed)
    state = GAME.new_state(seed=seed)
    while state.player < 0:
        state.sample_chance(rng)
    twin = state.clone()
    for p in range(4):
        hand = int(state._row[RULES.HAND + p])
        twin._row[RULES.HAND + p] = sum(1 << renamed_card(c, names) for c in range(36) if hand >> c & 1)
    state.apply(RULES.FIRST_MODE + mode)
    twin.apply(RULES.FIRST_MODE + (names[mode] if mode < 4 else mode))
    for _ in range(plies):
        card = int(rng.choice(state.legal_actions()))
        state.apply(card)
        twin.apply(renamed_card(card, names))
    return state._row, twin._row


@pytest.mark.parametrize("mode", [0, 2, 4, 5])
@pytest.mark.parametrize("kind", ["card", "open"])
def test_names_of_colours_make_no_difference(mode, kind):
    for names in RENAMINGS:
        for plies in (0, 1, 6, 15, 27):
            row, twin = replayed(7, mode, names, plies)
            first, order, legal = seen(row, kind)
            second, twin_order, twin_legal = seen(twin, kind)
            assert np.array_equal(first, second)
            legal_cards = {uncompiled(sight.in_frame)(c, order) for c in range(36) if legal >> c & 1}
            assert legal_cards == {uncompiled(sight.in_frame)(c, twin_order) for c in range(36) if twin_legal >> c & 1}


def test_a_frame_can_be_undone():
    for row in rows_of_a_deal(3, 1):
        _, order, legal = seen(row)
        assert sorted(order) == [0, 1, 2, 3]
        assert order[0] == 1  # trumps first
        for card in range(36):
            assert uncompiled(sight.original)(uncompiled(sight.in_frame)(card, order), order) == card
        moved = uncompiled(sight.renamed)(legal, order)
        assert moved == sum(1 << uncompiled(sight.in_frame)(c, order) for c in range(36) if legal >> c & 1)


@pytest.mark.parametrize("mode", [0, 3, 4, 5])
def test_hidden_cards_are_not_seen(mode):
    for row in rows_of_a_deal(11, mode):
        clear, order, _ = seen(row)
        for hidden in (0, (1 << 36) - 1):
            other, other_order, _ = seen(row, hidden=hidden)
            assert np.array_equal(clear, other)
            assert np.array_equal(order, other_order)


def test_a_deal_seen_by_hand():
    """Spades are trumps, forehand leads the ace of hearts; the next seat holds the nell and a small heart."""
    state = GAME.new_state(seed=0)
    row = state._row
    row[:] = 0
    row[RULES.MODE] = 3
    row[RULES.TURN] = 1
    row[RULES.HAND + 1] = 1 << 30 | 1 << 0  # S9, H6
    row[RULES.PLAYED] = row[RULES.TABLE] = 1 << 8  # HA
    row[RULES.TRICK] = 9
    row[RULES.BEST], row[RULES.POT], row[RULES.PLAYED_COUNT] = 8, 11, 1
    obs, order, legal = seen(row)
    assert order[0] == 3
    assert legal == 1 << 30 | 1 << 0
    sets = obs[: sight.N_CARD_SETS * 36].reshape(sight.N_CARD_SETS, 36)
    hearts = list(order).index(0)
    assert set(np.flatnonzero(sets[0])) == {3, 9 * hearts}
    assert np.flatnonzero(sets[3]).tolist() == [9 * hearts + 8]  # on the table, by the seat three places on
    assert np.flatnonzero(sets[11]).tolist() == [9 * hearts + 8]  # it wins
    assert np.flatnonzero(sets[12]).tolist() == [3]  # the nell would take over
    assert not sets[4:8].any()
    assert not sets[13].any()  # the buur is still out
    facts = obs[sight.N_CARD_SETS * 36 :]
    assert facts[0] == 1  # a mode with trumps
    assert facts[3] == 1  # first trick
    assert facts[12 + 1] == 1  # second to play


def test_the_mode_is_chosen_by_the_hand_alone():
    sets, order = np.zeros(1, np.int64), np.zeros(4, np.int64)
    obs = np.zeros(sight.TRUMP_LEN, np.int8)
    hand = 0b111 << 27 | 0b1 << 9 | 0b11111 << 0
    uncompiled(sight.trump_sight)(hand, 1, sets, order, obs)
    assert order[:3].tolist() == [0, 3, 1]
    assert obs.sum() == 9 + 1
    assert obs[36] == 1
