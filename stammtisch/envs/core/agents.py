"""``load_agent``: players by their names, by the places of their classes, or from files."""

import importlib.util
import sys
from collections.abc import Mapping
from typing import Any

from stammtisch.envs.core.agent import ActingObject, Agent, AgentLike
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.games import load_game
from stammtisch.envs.core.options import read_pairs, split_pairs
from stammtisch.envs.core.plugins import resolve
from stammtisch.envs.core.specs import AGENTS, AgentEntry, is_place, split_spec
from stammtisch.envs.core.streams import Seed
from stammtisch.errors import unknown

__all__ = ["AGENTS", "AgentEntry", "agent_class", "load_agent", "make_agent", "read_spec", "seated", "split_spec"]

MODELS: dict[str, str] = {}  # base class of a library's models, and the agent that plays one, both "module:Class"


def agent_class(name: str) -> type[Agent]:
    """Return the class behind an agent's name, or in the place ``"package.module:Class"``."""
    if is_place(name):
        module = name.partition(":")[0]
        if "." not in module and importlib.util.find_spec(module) is None:
            raise unknown("agent", module, AGENTS)
        target = name
    elif name in AGENTS:
        target = AGENTS[name].agent
    else:
        raise unknown("agent", name, AGENTS)
    found = resolve(target, f'cannot load agent "{name}"')
    if not (isinstance(found, type) and issubclass(found, Agent)):
        raise ValueError(f'cannot load agent "{name}": "{target}" is no class derived from stammtisch.Agent')
    return found


def load_agent(spec: str | AgentLike, game: Game | str, seed: Seed = None) -> Agent:
    """Return an agent for a game, for example ``load_agent("random", "einstein-5x5", seed=0)``.

    Args:
        spec: ``"name"`` or ``"name:key=value,key=value"``, for agents from files also ``"name:FILE,key=value"``, for
            a class of any package ``"package.module:Class,key=value"``; what it leaves out is as suits the game, or
            the agent's default. An agent object is handed back as it is; any other object with ``act(view)`` and a
            model of Stable-Baselines3 become one.
        game: a game or its id.
        seed: decides everything the agent draws.

    Raises:
        ValueError: the agent or an option does not exist, or the agent cannot play this game.
    """
    if isinstance(game, str):
        game = load_game(game)
    if not isinstance(spec, str):
        return seated(spec, game)
    name, options = read_spec(spec)
    return make_agent(name, options, game, seed, spec)


def read_spec(spec: str) -> tuple[str, dict[str, Any]]:
    """Return the name of an agent, or the place of its class, and the options that its spec gives."""
    name, rest = split_spec(spec)
    cls = agent_class(name)
    return name, read_pairs(cls.OPTIONS, split_pairs(rest), owner=f"agent {name}", main=cls.MAIN_OPTION)


def make_agent(name: str, options: Mapping[str, Any], game: Game, seed: Seed, spec: str) -> Agent:
    """Return an agent from what ``read_spec`` gives; the spec is what it goes by."""
    fixed = AGENTS[name].fixed if name in AGENTS else {}
    suited = game.AGENTS.get(name, {})
    return agent_class(name)(game, seed=seed, spec=spec, **{**suited, **options, **fixed})


def seated(player: Any, game: Game) -> Agent:
    """Return an object as an agent: an agent itself, anything with ``act(view)``, or a model that we know.

    Raises:
        ValueError: it is none of these; the message says what would be right.
    """
    if isinstance(player, Agent):
        return player
    if isinstance(player, type):
        raise ValueError(f"an agent is an object, not the class {player.__name__}; give an instance of it")
    if callable(getattr(player, "act", None)):
        return ActingObject(game, player)
    for base, agent in MODELS.items():
        module, _, name = base.partition(":")
        # Whoever has such a model has imported its library: nothing is loaded to look.
        if (known := sys.modules.get(module)) is not None and isinstance(player, getattr(known, name)):
            adapter: Agent = resolve(agent, "cannot seat a model")(game, player)
            return adapter
    hint = "; for a batched policy (obs, mask, rng) -> actions give BatchPolicyAgent(game, policy)"
    raise ValueError(
        'an agent is an agent spec such as "heuristic", an object with act(view) (a subclass of stammtisch.Agent, say) '
        f"or a model of Stable-Baselines3, not {player!r}{hint if callable(player) else ''}"
    )
