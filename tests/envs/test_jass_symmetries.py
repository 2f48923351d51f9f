"""Symmetries of Schieber: renaming the suits of a deal and of all that is done in it changes nothing but names."""

import numpy as np
import pytest

from stammtisch.envs import load_game
from stammtisch.envs.jass.family.names import CARDS
from stammtisch.envs.jass.family.suits import renamings

VARIANTS = {
    "single": ({}, 24),
    "multipliers": ({"multipliers": True}, 4),
    "weis": ({"weis": True, "stoeck": True}, 24),
    "weis, each card once": ({"weis": True, "weis_overlap": False}, 24),
    "slalom": ({"slalom": True}, 24),
    "everything": ({"weis": True, "stoeck": True, "slalom": True, "multipliers": True}, 4),
    "begun by D7": ({"start": "D7"}, 6),
    "multipliers, begun by D7": ({"start": "D7", "multipliers": True}, 2),
    "jass-kit": ({"legal_rule": "jass-kit"}, 24),
    "points": ({"match_by": "points", "pay": "trick"}, 24),
    **{
        name: ({"observation": name}, 24)
        for name in ("jass-42", "jass-150", "jass-186", "jass-1302", "jass-1302-seats")
    },
}


def deal(rng, favour=None):
    """Four hands; with a suit to favour, seat 0 has most of it, so that melds occur."""
    cards = rng.permutation(36)
    if favour is not None:
        cards = np.concatenate([np.arange(9 * favour, 9 * favour + 9), [c for c in cards if c // 9 != favour]])
    return [cards[9 * seat : 9 * seat + 9].tolist() for seat in range(4)]


QUICK = ("single", "multipliers", "everything", "jass-42", "jass-186")  # each variant is compiled first


@pytest.mark.parametrize("variant", [v if v in QUICK else pytest.param(v, marks=pytest.mark.slow) for v in VARIANTS])
def test_a_renamed_deal_is_played_alike(variant):
    options, expected = VARIANTS[variant]
    game = load_game("jass-schieber", **options)
    symmetries = game.symmetries
    assert len(symmetries) == expected
    rng = np.random.default_rng(5)
    for number in range(6):
        symmetry = symmetries[int(rng.integers(len(symmetries)))]
        hands = deal(rng, number % 4 if number > 3 else None)
        state = game.new_state(0, deal=hands)
        other = game.new_state(0, deal=[symmetry.action[hand].tolist() for hand in hands])
        while state.player >= 0:
            assert state.player == other.player
            assert np.array_equal(np.sort(symmetry.action[state.legal_actions()]), other.legal_actions())
            for seat in range(4):
                seen = state.observation(seat).reshape(-1)[symmetry.observation]
                assert np.array_equal(seen, other.observation(seat).reshape(-1))
            action = int(rng.choice(state.legal_actions()))
            state.apply(action)
            other.apply(int(symmetry.action[action]))
        assert np.array_equal(state.returns(), other.returns())


def test_a_whole_game_has_the_symmetries_of_its_deals():
    game = load_game("jass-schieber-2500")
    assert len(game.symmetries) == 24
    moved = game.symmetries[7].observation
    assert np.array_equal(moved[378:], np.arange(378, 402))


def test_other_renamings_would_change_the_rules():
    game, all_of_them = load_game("jass-schieber", multipliers=True), load_game("jass-schieber").symmetries
    kept = {tuple(each.action) for each in game.symmetries}
    rng = np.random.default_rng(1)
    for symmetry in all_of_them:
        if tuple(symmetry.action) in kept:
            continue
        differs = False
        for mode in range(36, 40):
            hands = deal(rng)
            state = game.new_state(0, deal=hands)
            other = game.new_state(0, deal=[symmetry.action[hand].tolist() for hand in hands])
            state.apply(mode)
            other.apply(int(symmetry.action[mode]))
            while state.player >= 0:
                action = int(rng.choice(state.legal_actions()))
                state.apply(action)
                other.apply(int(symmetry.action[action]))
            differs |= not np.array_equal(state.returns(), other.returns())
        assert differs


def test_renamings_are_named_in_order():
    assert renamings("aaaa")[0] == (0, 1, 2, 3)
    first = load_game("jass-schieber").symmetries[1].action  # clubs and spades change places
    assert CARDS[first[CARDS.index("C10")]] == "S10"
    assert first[38] == 39
