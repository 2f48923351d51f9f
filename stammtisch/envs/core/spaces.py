"""Gymnasium spaces of a game's observation and mask."""

import numpy as np
from gymnasium import spaces

from stammtisch.envs.core.game import Game


def observation_box(game: Game) -> spaces.Box:
    """Return the space of ``State.observation``."""
    low, high = game.rules.OBS_RANGE
    return spaces.Box(low, high, game.rules.OBS_SHAPE, game.rules.OBS_DTYPE)


def masked_observation(game: Game) -> spaces.Dict:
    """Return the space of observation and action mask together, as PettingZoo's games show them."""
    mask = spaces.Box(0, 1, (game.rules.N_ACTIONS,), np.int8)
    return spaces.Dict({"observation": observation_box(game), "action_mask": mask})
