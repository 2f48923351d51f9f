"""Filling the disk cache of compiled kernels."""

import numpy as np

from stammtisch.envs.core.agents import load_agent
from stammtisch.envs.core.constants import CHANCE, DEAL, TERMINAL
from stammtisch.envs.core.game import Game
from stammtisch.envs.lanes import Lanes


def compile_game(game: Game) -> None:
    """Compile what the faces and the reference players of a game need, by playing one game with it."""
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
    kernels = game.stepping
    players = game.info.num_players
    row = np.zeros(game.rules.STATE_LEN, np.int64)
    streams = np.zeros(1, np.uint64)
    pay = np.zeros(players)
    kernels.step(row, streams, -1, np.zeros(players), pay, np.zeros(8, np.int64))
