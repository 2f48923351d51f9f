"""Live pictures: their spots carry the actions they stand for, and moves can be marked in them."""

import re

import numpy as np
import pytest

import stammtisch
from stammtisch.envs import GAMES
from stammtisch.envs.core.constants import CHANCE, TERMINAL

LARGE = {"reversixt-8", "jass-schieber-2500", "jass-coiffeur", "jass-differenzler", "jass-molotow"}


def some_states(game, n=12):
    rng = np.random.default_rng(3)
    state = game.new_state(3)
    for _ in range(n):
        while state.player == CHANCE:
            state.sample_chance(rng)
        if state.player == TERMINAL:
            return
        yield state
        state = state.child(int(rng.choice(state.legal_actions())))


@pytest.mark.parametrize("game_id", GAMES)
def test_every_action_has_its_spots_in_the_picture(game_id):
    game = stammtisch.load_game(game_id)
    for state in some_states(game, 4 if game_id in LARGE else 12):
        canvas = game.picture(state.seen_by(state.player), near=state.player)
        ways = {action: game.way(state, action) for action in state.legal_actions()}
        svg = canvas.to_svg(ways)
        carried = re.findall(r'data-spot="([^"]*)" data-actions="([^"]*)"', svg)
        steps = [(action, name) for name, actions in carried for action in actions.split()]
        assert sorted(steps) == sorted((f"{a}.{i}", name) for a, way in ways.items() for i, name in enumerate(way))
        assert all(name in canvas.spots for way in ways.values() for name in way)
        assert svg.count("<g ") == svg.count("</g>")


def test_spots_say_the_same_as_moves_of_muehle_and_reversi():
    for game_id in ("muehle", "reversi-8x8"):
        game = stammtisch.load_game(game_id)
        for state in some_states(game, 60):
            for action in state.legal_actions():
                assert "-".join(game.way(state, action)) in (state.action_text(action).removeprefix("x"), "")


def test_a_picture_that_is_not_live_has_neither_spots_nor_groups():
    game = stammtisch.load_game("muehle")
    svg = game.picture(game.new_state()).to_svg()
    assert "spot" not in svg
    assert "<g" not in svg


def test_a_marked_move_is_drawn():
    game = stammtisch.load_game("reversi-4x4")
    state = game.new_state()
    plain, marked = game.picture(state), game.picture(state)
    marked.mark_way(game.way(state, state.legal_actions()[0]))
    assert not np.array_equal(plain.to_array(), marked.to_array())
    assert len(marked.to_svg()) > len(plain.to_svg())


def test_no_hidden_card_is_in_the_picture_of_a_seat():
    game = stammtisch.load_game("jass-schieber")
    for state in some_states(game, 20):
        view = state.view(1)
        svg = game.picture(state.seen_by(1), near=1).to_svg({})
        cards = set(re.findall(r'data-kind="([A-Z]\w+)"', svg))
        from stammtisch.envs.jass.family.names import CARDS

        table = {card for _, card in view.table} | {c for trick in view.history[-1:] for c in trick.cards}
        assert cards <= {CARDS[card] for card in {*view.hand, *table}}
