"""The earlier import path of ``stammtisch.wrappers.libraries.rllib.env``."""

from stammtisch.wrappers.libraries.rllib.env import RLlibEnv

__all__ = ["RLlibEnv"]
