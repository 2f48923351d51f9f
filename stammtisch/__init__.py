"""Gymnasium and PettingZoo environments for the games people play at a regulars' table.

Importing this package registers the environments and compiles nothing.
"""

from typing import TYPE_CHECKING, Any

from stammtisch.baselines import load_agent
from stammtisch.envs import load_game
from stammtisch.envs.core.agent import Agent
from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.options import Option
from stammtisch.envs.registration import register_all, register_game, register_plugins
from stammtisch.errors import BadText, IllegalAction, UnknownName
from stammtisch.version import __version__

if TYPE_CHECKING:
    from stammtisch.envs.aec import aec_env

__all__ = [
    "CHANCE",
    "TERMINAL",
    "Agent",
    "BadText",
    "Game",
    "IllegalAction",
    "Option",
    "UnknownName",
    "__version__",
    "aec_env",
    "load_agent",
    "load_game",
    "register_game",
]


def __getattr__(name: str) -> Any:
    if name == "aec_env":
        from stammtisch.envs.aec import aec_env

        return aec_env
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


register_all()
register_plugins()  # last: they may use everything above
