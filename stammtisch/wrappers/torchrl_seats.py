"""The earlier import path of ``stammtisch.wrappers.libraries.torchrl.seats``."""

from stammtisch.wrappers.libraries.torchrl.seats import GROUP, own_decisions, seated_env

__all__ = ["GROUP", "own_decisions", "seated_env"]
