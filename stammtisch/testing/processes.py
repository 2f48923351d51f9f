"""The disk cache of any game: a second process finds what the first one compiled, and computes the same."""

import json
import os
import subprocess
import sys
import tempfile
from typing import Any

from stammtisch.envs.core.game import Game
from stammtisch.envs.core.games import GAMES
from stammtisch.testing.playing import BrokenPromise, expect

# Counts positions with a cached kernel; prints the counts and how often the cache was hit and missed.
_PROBE = """
import json, sys
import numpy as np
import stammtisch
from stammtisch.envs.core.games import GameEntry, know_game
asked = json.loads(sys.argv[1])
know_game(asked["id"], GameEntry(**asked["entry"]))
game = stammtisch.load_game(asked["id"], **asked["options"])
counts = np.zeros(2, np.int64)
step, perft = game.kernels("step"), game.kernels("perft").perft
state = game.new_state(seed=0)
rng = np.random.default_rng(0)
while state.player == stammtisch.CHANCE and game.info.chance == "sampled":
    state.sample_chance(rng)
perft(state.row, 2, False, -1, counts)
stats = perft.stats
told = {"tag": step.TAG, "counts": counts.tolist(), "start": state.to_text()}
print(json.dumps([told, sum(stats.cache_hits.values()), sum(stats.cache_misses.values())]))
"""
_TIMEOUT_S = 600


def cache(game: Game) -> None:
    """A second process finds compiled kernels on disk, and they compute the same; nothing to ask without compiler."""
    from stammtisch.envs.core.jit import IS_OFF

    if IS_OFF:
        return
    with tempfile.TemporaryDirectory() as folder:
        first, second = _probe(game, folder), _probe(game, folder)
    expect(first[1:] == [0, 1], f"the first process hits the empty cache {first[1]} times")
    expect(
        first[0]["tag"] == second[0]["tag"],
        "two processes give the sources different hashes: what the rules are bound to must not depend on the process",
    )
    expect(first[0] == second[0], f"two processes compute different things: {first[0]} and {second[0]}")
    expect(second[1:] == [1, 0], "the second process compiles again instead of finding the kernel on disk")


def _probe(game: Game, folder: str) -> list[Any]:
    """Return what a process of its own found, its hits and its misses."""
    entry = GAMES[game.id]
    asked = {
        "id": game.id,
        "entry": {"env_name": entry.env_name, "game": entry.game, "variant": dict(entry.variant)},
        "options": game.changed_options(),
    }
    places = [os.path.abspath(place) for place in sys.path if place == "" or os.path.isdir(place)]
    done = subprocess.run(
        [sys.executable, "-c", _PROBE, json.dumps(asked)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(places), "NUMBA_CACHE_DIR": folder},
        timeout=_TIMEOUT_S,
    )
    if done.returncode != 0:
        raise BrokenPromise(f"a process of its own fails:\n{done.stderr.strip()}")
    found: list[Any] = json.loads(done.stdout.splitlines()[-1])
    return found
