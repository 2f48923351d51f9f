"""What positions tell by name, on states and on views."""

import copy
import json
import pickle

import numpy as np
import pytest

import stammtisch
from stammtisch.envs import GAMES, game_class
from tests.playing import random_states


def test_einstein_tells_die_and_stones():
    state = stammtisch.load_game("einstein-3x3").new_state()
    assert state.die is None
    state.apply(1)
    assert state.die == 2
    assert len(state.stones) == 6
    assert state.view(0).die == 2
    assert set(state.facts()) == {"die", "stones"}


def test_reversi_tells_discs():
    state = stammtisch.load_game("reversi-6x6").new_state()
    assert state.discs == (2, 2)
    assert state.board.count(None) == 32


def test_muehle_tells_phase_and_men():
    game = stammtisch.load_game("muehle")
    state = game.new_state()
    assert (state.phase, state.in_hand, state.men, state.turn) == ("placing", (9, 9), (9, 9), 0)
    for move in ("a7", "a1", "d7", "d1", "g7"):
        state.apply(state.parse_action(move))
    assert state.phase == "removing"
    assert state.in_hand == (6, 7)
    flying = game.from_board(board="WWW" + "." * 12 + "BBBB" + "." * 5, turn=40)
    assert flying.phase in ("flying", "over")


def test_jass_tells_mode_and_table_but_no_other_hand():
    game = stammtisch.load_game("jass-schieber")
    state = game.new_state()
    state.sample_chance(np.random.default_rng(1))
    assert state.mode is None
    assert len(state.hand) == 9
    state.apply(36)
    assert (state.mode, state.declarer, state.pushed) == (0, 0, False)
    state.apply(state.legal_actions()[0])
    assert len(state.table) == 1
    assert state.view(2).hand != state.hand
    assert set(state.view(2).facts()) == set(state.facts())
    other = state.view(2).sample_state(np.random.default_rng(7))
    assert other.view(2).facts() == state.view(2).facts()


@pytest.mark.parametrize("game_id", ["einstein-3x3", "reversi-4x4", "morris-3", "jass-molotow"])
def test_facts_are_plain_values_in_every_position(game_id):
    game = stammtisch.load_game(game_id)
    for state in random_states(game, seed=3, games=2):
        json.dumps(state.facts())
        if state.player >= 0:
            json.dumps(state.view(state.player).facts())


def test_manual_pages_list_them():
    for game_id in GAMES:
        cls = game_class(game_id)
        for name, fact in cls.FACTS.items():
            assert f"| `{name}` |" in cls.manual()
            assert not hasattr(stammtisch.envs.core.state.State, name)
            assert fact.help


def test_other_names_stay_unknown():
    state = stammtisch.load_game("reversi-4x4").new_state()
    with pytest.raises(AttributeError, match="'State' object has no attribute 'die'"):
        state.die
    with pytest.raises(AttributeError):
        state.view(0).phase


@pytest.mark.parametrize("game_id", ["einstein-3x3", "reversi-4x4", "jass-schieber"])
def test_views_tell_without_looking_names_up_anew_and_can_be_copied(game_id):
    game = stammtisch.load_game(game_id)
    state = next(state for state in random_states(game, seed=2) if state.player >= 0)
    view = state.view(state.player)
    assert isinstance(view, game.view_class)
    assert not hasattr(type(view), "__getattr__")  # which would slow down every attribute
    for again in (pickle.loads(pickle.dumps(view)), copy.copy(view), copy.deepcopy(view)):
        assert (type(again).__name__, again.player) == (game.view_class.__name__, view.player)
        assert again.facts() == view.facts()
