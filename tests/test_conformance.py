"""The promises of Game, State and View, asked of every game; more of them than anyone else would wait for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stammtisch.testing import CHECKS, promises
from stammtisch.testing.playing import random_state

PROMISES = [name for name, check in CHECKS.items() if check.__module__ == promises.__name__]


@pytest.mark.parametrize("check", PROMISES)
def test_every_game_keeps_its_promises(game, check):
    CHECKS[check](game)


@given(text=st.text(max_size=80))
def test_corrupt_records_are_refused(game, text):
    assert not promises.read_exactly_or_refused(game, text)


@given(seed=st.integers(0, 49), cut=st.integers(1, 400), letter=st.characters())
def test_damaged_records_are_read_exactly_or_refused(game, seed, cut, letter):
    record = random_state(game, seed, 12).to_text()
    cut %= len(record)
    promises.read_exactly_or_refused(game, record[:cut] + letter + record[cut + 1 :])
