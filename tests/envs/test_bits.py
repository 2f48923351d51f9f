"""Bits of masks, and the steps of Mühle that are counted by shifting the board."""

import numpy as np
import pytest

import stammtisch
from stammtisch.envs.core.bits import _counted_bit_at, bit_at


def test_the_fast_way_to_a_bit_finds_what_counting_finds():
    rng = np.random.default_rng(0)
    for mask in rng.integers(1, 1 << 62, 500).tolist():
        places = [place for place in range(62) if mask >> place & 1]
        for k in (0, len(places) // 2, len(places) - 1):
            assert bit_at(mask, k) == _counted_bit_at(mask, k) == places[k]


@pytest.mark.parametrize("game", ["muehle", "morris-3", "morris-6", "morris-12"])
def test_steps_of_men_are_counted_as_they_are_listed(game):
    rules = stammtisch.load_game(game).rules
    rng = np.random.default_rng(1)
    for _ in range(200):
        men, others = rng.integers(0, rules.FULL + 1, 2).tolist()
        empty = rules.FULL & ~(men | others)
        listed = sum(
            empty >> target & 1
            for start in range(rules.POINTS)
            if men >> start & 1
            for target in rules.NEIGHBOURS[start]
        )
        assert rules._steps_to(men, empty) == listed


def test_observations_of_the_raw_face_are_handed_out_once():
    env = stammtisch.aec_env("reversi-4x4", raw=True)
    env.reset(seed=0)
    first = env.last()[0]
    second = env.observe(env.agent_selection)
    assert second["observation"] is not first["observation"]
    assert (second["observation"] == first["observation"]).all()
    assert (second["action_mask"] == first["action_mask"]).all()
    first["action_mask"][:] = 1
    with pytest.raises(stammtisch.IllegalAction):
        env.step(0)
    assert env.agent_selection == "player_0"
    env.step(int(second["action_mask"].argmax()))
    assert env.agent_selection == "player_1"
