"""Players: the table of agents, and ``load_agent``."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from stammtisch.errors import UnknownName, unknown

if TYPE_CHECKING:
    from stammtisch.baselines.agent import Agent
    from stammtisch.envs.core.game import Game
    from stammtisch.envs.core.streams import Seed


@dataclass(frozen=True)
class Player:
    """One row of the table: where the agent is, what it is told beside its options, and a sentence for people."""

    agent: str
    help: str
    fixed: Mapping[str, Any] = field(default_factory=dict)


_POLICY = "stammtisch.baselines.policy:PolicyAgent"

AGENTS: dict[str, Player] = {
    "random": Player(_POLICY, "plays a legal action by lot", {"policy": "random"}),
    "heuristic": Player(_POLICY, "the reference bot of each game", {"policy": "heuristic"}),
    "greedy": Player(
        _POLICY, "Jass: takes the trick when it can, leaves it where points are unwanted", {"policy": "greedy"}
    ),
    "strong": Player(_POLICY, "Mühle: the reference bot with more features", {"policy": "strong"}),
    "minimax": Player("stammtisch.baselines.minimax:Minimax", "plain minimax to a fixed depth, expectimax at dice"),
    "alphabeta": Player("stammtisch.baselines.alphabeta:AlphaBeta", "alpha-beta search, with the Star cuts at dice"),
    "rote": Player("stammtisch.baselines.rote:Rote", "alpha-beta search with a table learned by self-play"),
    "ntuple": Player("stammtisch.baselines.ntuple.agent:NTupleAgent", "plays by a learned n-tuple network"),
    "mc": Player("stammtisch.baselines.mc:FlatMonteCarlo", "flat Monte Carlo: simulates every legal action"),
    "mcts": Player("stammtisch.baselines.mcts:TreeSearch", "Monte Carlo tree search (UCT)"),
    "mctse": Player("stammtisch.baselines.mctse:ExpectimaxTreeSearch", "Monte Carlo tree search for dice games"),
    "pimc": Player("stammtisch.baselines.pimc:WorldSampling", "hidden cards: votes over many deals of them"),
    "ismcts": Player(
        "stammtisch.baselines.ismcts:InformationSetSearch", "hidden cards: tree search with a new deal every time"
    ),
    "dqn": Player("stammtisch.baselines.dqn:DeepQ", "deep Q-learning, in Mühle with a network per phase: dqn:FILE"),
    "sb3": Player("stammtisch.baselines.sb3:SavedModelAgent", "a model trained with Stable-Baselines3: sb3:FILE"),
}


def agent_class(name: str) -> type["Agent"]:
    """Return the class behind an agent's name."""
    if name not in AGENTS:
        raise unknown("agent", name, AGENTS)
    module, _, attribute = AGENTS[name].agent.partition(":")
    return getattr(importlib.import_module(module), attribute)


def load_agent(spec: "str | Agent", game: "Game | str", seed: "Seed" = None) -> "Agent":
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
        from stammtisch.envs import load_game

        game = load_game(game)
    if not isinstance(spec, str):
        return spec
    name, _, rest = spec.partition(":")
    cls = agent_class(name)
    texts: dict[str, str] = {}
    for place, part in enumerate(filter(None, rest.split(","))):
        key, equals, value = part.partition("=")
        if not equals and not place and cls.MAIN_OPTION:
            key, value = cls.MAIN_OPTION, part
        elif not equals:
            raise UnknownName(f'cannot read "{part}" in agent "{spec}"; write name:key=value,key=value')
        if key not in cls.OPTIONS:
            raise unknown(f"option for agent {name}", key, cls.OPTIONS)
        texts[key] = value
    options = {key: cls.OPTIONS[key].parse(key, value) for key, value in texts.items()}
    return cls(game, seed=seed, spec=spec, **options, **AGENTS[name].fixed)
