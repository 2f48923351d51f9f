"""The earlier import path of ``stammtisch.wrappers.libraries.sb3.vec_env``."""

from stammtisch.wrappers.libraries.sb3.vec_env import SB3VecEnv

__all__ = ["SB3VecEnv"]
