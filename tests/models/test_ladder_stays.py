"""Rungs play as they did when they were measured: their answers in fixed positions are kept beside this file.

Whoever changes a search changes the ladder, and every rating measured on it. If that must be, measure the ladders anew
(`stammtisch ladder GAME --measure`), say so in the changelog and write the answers with `python -m
tests.models.test_ladder_stays`.
"""

import json
import pathlib
import sys

import numpy as np
import pytest

import stammtisch
from stammtisch.models.ladders import read_ladders

KEPT = pathlib.Path(__file__).with_name("ladder_answers.json")
QUICK = ("einstein-3x3", "reversi-4x4")
WATCHED = (*QUICK, "einstein-5x5", "reversi-8x8", "muehle", "jass-schieber")
POSITIONS = 4


def answers(game_id):
    """Return what every rung plays in a few positions of random games."""
    ladder = read_ladders()[game_id]
    game = stammtisch.load_game(game_id, **ladder.options)
    rng = np.random.default_rng(11)
    views = []
    while len(views) < POSITIONS:
        state = game.new_state(seed=len(views))
        moves = 3 + 3 * len(views)
        while state.player != stammtisch.TERMINAL:
            if state.player == stammtisch.CHANCE:
                state.sample_chance(rng)
            elif moves == 0 and len(state.legal_actions()) > 1:
                views.append(state.view(state.player))
                break
            else:
                moves = max(0, moves - 1)
                state.apply(int(rng.choice(state.legal_actions())))
    return {
        rung.agent: [int(stammtisch.load_agent(rung.agent, game, seed=5).act(view)) for view in views]
        for rung in ladder.rungs
    }


@pytest.mark.parametrize(
    "game_id", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in WATCHED]
)
def test_rungs_play_as_they_did(game_id):
    kept = json.loads(KEPT.read_text("utf-8"))
    assert game_id in kept, "write the answers: python -m tests.models.test_ladder_stays"
    assert answers(game_id) == kept[game_id]


if __name__ == "__main__":
    found = json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}
    for name in sys.argv[1:] or WATCHED:
        found[name] = answers(name)
        KEPT.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
        print(name)
