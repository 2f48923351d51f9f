"""Reversi against a plain twin of its rules, and against OpenSpiel."""

import numpy as np
import pyspiel
import pytest

from stammtisch import TERMINAL, load_game
from stammtisch.envs.reversi.game import disc_counts, owners
from tests.envs.reversi_twin import Twin


@pytest.mark.parametrize(
    ("size", "voluntary_pass", "positions"),
    [(4, False, 2500), (4, True, 2500), (6, False, 5500), (8, False, 5500), (10, False, 4500)],
)
def test_random_games_agree_with_the_plain_rules(size, voluntary_pass, positions):
    game = load_game(f"reversi-{size}x{size}", voluntary_pass=voluntary_pass)
    rng = np.random.default_rng(size)
    seen = 0
    while seen < positions:
        state, twin = game.new_state(), Twin(size, voluntary_pass)
        while True:
            legal = twin.legal()
            assert state.legal_actions() == legal
            assert "".join("-" if owner is None else "xo"[owner] for owner in owners(state)) == twin.text()
            seen += 1
            if twin.turn is None:
                break
            assert state.player == twin.turn
            action = legal[rng.integers(len(legal))]
            state.apply(action)
            twin.apply(action)
        black, white = twin.discs()
        assert state.player == TERMINAL
        assert disc_counts(state) == (black, white)
        assert state.returns().tolist() == [np.sign(black - white), np.sign(white - black)]


def test_random_games_agree_with_openspiel():
    game = load_game("reversi-8x8")
    peer = pyspiel.load_game("othello")
    assert peer.num_distinct_actions() == game.info.num_actions
    rng = np.random.default_rng(0)
    for _ in range(2000):
        state, other = game.new_state(), peer.new_initial_state()
        draws = iter(rng.random(game.info.max_moves).tolist())
        while not other.is_terminal():
            legal = other.legal_actions()
            assert state.player == other.current_player()
            assert state.legal_actions() == legal
            action = legal[int(next(draws) * len(legal))]
            state.apply(action)
            other.apply_action(action)
        assert state.player == TERMINAL
        assert state.returns().tolist() == other.returns()
