"""Filling and clearing the disk cache of compiled kernels."""

import os
import pathlib

import numpy as np

import stammtisch
from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.game import Game


def compile_game(game: Game) -> None:
    """Compile what the faces and the reference players of a game need, by playing one game with it."""
    from stammtisch.baselines import load_agent
    from stammtisch.envs.lanes import DEAL, Lanes

    rng = np.random.default_rng(0)
    for name in ("random", *game.POLICIES):
        agent = load_agent(name, game, seed=0)
        state = game.new_state(seed=0)
        while state.player != TERMINAL:
            if state.player == CHANCE:
                state.sample_chance(rng)
            else:
                view = state.view(state.player)
                view.legal_mask()
                state.legal_mask()
                state.observation(state.player)
                state.apply(agent.act(view))
        state.returns()
        lanes = Lanes(game, 1, name)
        lanes.todo[:] = DEAL
        lanes.advance()
    kernels = game.kernels("step")
    players = game.info.num_players
    row = np.zeros(game.rules.STATE_LEN, np.int64)
    streams = np.zeros(1, np.uint64)
    pay = np.zeros(players)
    kernels.step(row, streams, -1, np.zeros(players), pay, np.zeros(8, np.int64))


def clear_cache() -> int:
    """Delete the cache files of this package's kernels; return how many there were."""
    places = [pathlib.Path(stammtisch.__file__).parent]
    if elsewhere := os.environ.get("NUMBA_CACHE_DIR"):
        places.append(pathlib.Path(elsewhere))
    deleted = 0
    for place in places:
        for pattern in ("*.nbi", "*.nbc"):
            for file in place.rglob(pattern):
                file.unlink(missing_ok=True)
                deleted += 1
    return deleted
