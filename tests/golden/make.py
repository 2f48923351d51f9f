"""Writes the golden playthroughs: ``python -m tests.golden.make [GAME…]``. A deliberate act, told in the changelog."""

import pathlib
import sys

import numpy as np

import stammtisch
from stammtisch import CHANCE, TERMINAL
from stammtisch.envs import GAMES

FOLDER = pathlib.Path(__file__).parent
BOARD_EVERY = 12


def transcript(game_id):
    """Return a random game as text: every event as people say it, the position now and then, the result."""
    game = stammtisch.load_game(game_id)
    rng = np.random.default_rng(1)
    state = game.new_state(seed=1)
    lines = [f"game {game_id}", *_position(state)]
    events = 0
    while state.player != TERMINAL:
        if state.player == CHANCE and game.info.chance == "sampled":
            lines.append(f"chance {state.sample_chance(rng)}")
        else:
            legal = state.legal_actions()
            action = legal[rng.integers(len(legal))]
            who = "chance" if state.player == CHANCE else f"player {state.player}"
            lines.append(f"{who}: {state.action_text(action)} [{len(legal)} legal]")
            state.apply(action)
        events += 1
        if events % BOARD_EVERY == 0 and state.player != TERMINAL:
            lines += _position(state)
    lines += _position(state)
    lines.append("returns " + " ".join(f"{value:.9g}" for value in state.returns()))
    return "\n".join(lines) + "\n"


def _position(state):
    return ["position", *("    " + line for line in state.to_text().splitlines())]


if __name__ == "__main__":
    for name in sys.argv[1:] or GAMES:
        (FOLDER / f"{name}.txt").write_text(transcript(name), "utf-8")
