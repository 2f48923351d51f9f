"""Registers every game with Gymnasium and, where it has a registry (1.27 on), with PettingZoo."""

import gymnasium as gym
import pettingzoo

from stammtisch.envs import GAMES


def register_all() -> None:
    """Register ids as strings; nothing is imported or compiled until an environment is made."""
    for game_id, entry in GAMES.items():
        if entry.env_id not in gym.registry:
            gym.register(
                entry.env_id,
                entry_point="stammtisch.envs.single:SingleAgentEnv",
                vector_entry_point="stammtisch.envs.vector:BatchedEnv",
                kwargs={"game": game_id},
            )
        if hasattr(pettingzoo, "register") and entry.env_id not in pettingzoo.aec_registry:
            pettingzoo.register("aec", entry.env_id, "stammtisch.envs.aec:aec_env", kwargs={"game": game_id})
