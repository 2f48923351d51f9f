"""Observations of Jass: the thesis' inputs to the letter, and the full encoding read back."""

import numpy as np
import pytest

import stammtisch
from stammtisch.envs.jass import card_id
from stammtisch.envs.jass.family.encodings import card_encoding, trump_encoding
from tests.playing import random_states

SIZES = (42, 150, 186, 1302)


@pytest.fixture(scope="module")
def jass():
    return stammtisch.load_game("jass-schieber")


@pytest.fixture(scope="module")
def encoded():
    names = [f"jass-{size}" for size in SIZES]
    return {name: stammtisch.load_game("jass-schieber", observation=name) for name in [*names, "jass-1302-seats"]}


def worked_example(game):
    """Trump clubs, hand H6 CJ SA, D10 on the table, HA in a finished trick."""
    rules = game.rules
    row = game.new_state().row
    row[rules.TURN], row[rules.MODE], row[rules.PLAYED_COUNT] = 0, 2, 5
    row[rules.HAND] = sum(1 << card_id(c) for c in ("H6", "CJ", "SA"))
    row[rules.TABLE] = 1 << card_id("D10")
    row[rules.TRICK + 1] = card_id("D10") + 1
    row[rules.PLAYED + 3] = 1 << card_id("D10") | 1 << card_id("HA")
    return game.from_row(row)


def test_the_worked_example_of_the_thesis(encoded):
    long = worked_example(encoded["jass-186"]).observation(0)
    assert np.flatnonzero(long).tolist() == [0, 23, 35, 49, 152, 182]
    assert long.max() == 1
    short = worked_example(encoded["jass-42"]).observation(0)
    assert {i: int(short[i]) for i in np.flatnonzero(short)} == {0: 1, 23: 1, 35: 1, 13: 2, 38: 1}
    middle = worked_example(encoded["jass-150"]).observation(0)
    assert np.flatnonzero(middle).tolist() == [0, 23, 35, 49, 146]


def test_observations_are_the_encodings_of_the_view(jass, encoded):
    for state in random_states(jass, seed=1, games=4):
        for player in range(4):
            view = state.view(player)
            for size in SIZES:
                shown = encoded[f"jass-{size}"].from_row(state.row).observation(player)
                assert shown.shape == (size,)
                assert np.array_equal(shown, card_encoding(view, size))


def test_the_history_by_seats_tells_who_played_what(jass, encoded):
    by_order, by_seat = encoded["jass-1302"], encoded["jass-1302-seats"]
    for state in random_states(jass, seed=2, games=2):
        for player in range(4):
            one = by_order.from_row(state.row).observation(player)[144:1296].reshape(8, 4, 36)
            two = by_seat.from_row(state.row).observation(player)[144:1296].reshape(8, 4, 36)
            for k, trick in enumerate(state.view(player).history[:8]):
                for position, card in enumerate(trick.cards):
                    assert one[k, position, card] == 1
                    assert two[k, (trick.leader + position - player) % 4, card] == 1
            assert one.sum() == two.sum() == 4 * min(8, len(state.view(player).history))


def test_trump_inputs(jass):
    state = jass.new_state()
    state.apply(5)
    for player in range(4):
        view = state.view(player)
        assert np.flatnonzero(trump_encoding(view, 36)).tolist() == view.hand
        assert trump_encoding(view, 37)[36] == 0
    state.apply(42)
    assert trump_encoding(state.view(2), 37)[36] == 1
    assert trump_encoding(state.view(2), 37).sum() == 10
    with pytest.raises(ValueError, match="choose 36 or 37"):
        trump_encoding(state.view(2), 38)
    with pytest.raises(ValueError, match="choose 42, 150, 186 or 1302"):
        card_encoding(state.view(2), 36)


def number(bits):
    return sum(int(bit) << i for i, bit in enumerate(bits))


def test_the_full_observation_can_be_read_back(jass):
    assert jass.info.observation_shape == (378,)
    for state in random_states(jass, seed=3, games=4):
        for player in range(4):
            view, obs = state.view(player), state.observation(player)
            relative = [(player + j) % 4 for j in range(4)]
            assert np.flatnonzero(obs[:36]).tolist() == view.hand
            finished = {(((t.leader + i) - player) % 4, c) for t in view.history for i, c in enumerate(t.cards)}
            assert set(zip(*np.nonzero(obs[36:180].reshape(4, 36)), strict=True)) == finished
            table = {((seat - player) % 4, card) for seat, card in view.table}
            assert set(zip(*np.nonzero(obs[180:324].reshape(4, 36)), strict=True)) == table
            for j in (1, 2, 3):
                voids = obs[324 + 4 * (j - 1) : 328 + 4 * (j - 1)]
                assert np.flatnonzero(voids).tolist() == view.voids[relative[j]]
            assert np.flatnonzero(obs[336:342]).tolist() == ([] if view.mode is None else [view.mode])
            assert obs[342] == (view.mode is None and view.to_move >= 0)
            assert obs[343] == view.pushed
            assert relative[int(obs[344:348].argmax())] == view.forehand
            if view.declarer is None:
                assert not obs[348:352].any()
            else:
                assert relative[int(obs[348:352].argmax())] == view.declarer
            if view.to_move >= 0:
                assert relative[int(obs[352:356].argmax())] == view.to_move
            if view.to_move >= 0 and view.mode is not None:
                leader = view.table[0][0] if view.table else view.to_move
                assert relative[int(obs[356:360].argmax())] == leader
            scores = view.scores[player % 2], view.scores[1 - player % 2]
            assert (number(obs[360:369]), number(obs[369:378])) == scores


def test_the_whole_game_also_shows_the_totals():
    game = stammtisch.load_game("jass-schieber-2500")
    assert game.info.observation_shape == (402,)
    state = game.from_text("deal 4, points 312:1845, forehand 3\nhands -\nmode -\nplay -")
    assert (number(state.observation(1)[378:390]), number(state.observation(1)[390:402])) == (1845, 312)
