"""The earlier import path of ``stammtisch.wrappers.libraries.tianshou.seats``."""

from stammtisch.wrappers.libraries.tianshou.seats import SeatedEnv, SeatReplayBuffer

__all__ = ["SeatReplayBuffer", "SeatedEnv"]
