"""The table of agents by name, filled by the players of this package and by outside ones, and ``load_agent``."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stammtisch.envs.core.agent import Agent
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.games import load_game
from stammtisch.envs.core.options import read_pairs, split_pairs
from stammtisch.envs.core.streams import Seed
from stammtisch.errors import unknown


@dataclass(frozen=True)
class AgentEntry:
    """One row of the table: where the agent is, a sentence for people, and arguments beside its options."""

    agent: str
    help: str
    fixed: Mapping[str, Any] = field(default_factory=dict)


AGENTS: dict[str, AgentEntry] = {}


def agent_class(name: str) -> type[Agent]:
    """Return the class behind an agent's name."""
    if name not in AGENTS:
        raise unknown("agent", name, AGENTS)
    module, _, attribute = AGENTS[name].agent.partition(":")
    return getattr(importlib.import_module(module), attribute)


def load_agent(spec: str | Agent, game: Game | str, seed: Seed = None) -> Agent:
    """Return an agent for a game, for example ``load_agent("random", "einstein-5x5", seed=0)``.

    Args:
        spec: ``"name"`` or ``"name:key=value,key=value"``, for agents from files also ``"name:FILE,key=value"``; an
            agent object is handed back as it is.
        game: a game or its id.
        seed: decides everything the agent draws.

    Raises:
        ValueError: the agent or an option does not exist, or the agent cannot play this game.
    """
    if isinstance(game, str):
        game = load_game(game)
    if not isinstance(spec, str):
        return spec
    name, _, rest = spec.partition(":")
    cls = agent_class(name)
    options = read_pairs(cls.OPTIONS, split_pairs(rest), owner=f"agent {name}", main=cls.MAIN_OPTION)
    return cls(game, seed=seed, spec=spec, **options, **AGENTS[name].fixed)
