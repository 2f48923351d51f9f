"""The AEC environment for RLlib: one agent per seat, each shown only its own decisions and paid all it earns."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from stammtisch.envs.aec import RawAEC

try:
    from ray.rllib.env.multi_agent_env import MultiAgentEnv
except ImportError as error:
    raise ImportError(
        f"this adapter needs RLlib, in an environment of its own: pip install stammtisch[rllib] ({error})"
    ) from error


class RLlibEnv(MultiAgentEnv):
    """A game as a ``MultiAgentEnv`` with the agents ``player_0``, ``player_1`` and so on.

    Only the agent whose turn it is gets an observation, ``{"observations": float32[length], "action_mask":
    float32[num_actions]}``; at the end all that have acted get one. Rewards name every agent that is paid, whether it
    waits or not, so that RLlib adds up what an agent earns between two of its own decisions.

    Args:
        config: ``game``, the id of a game; ``on_illegal``, where ``"forfeit"`` makes an illegal action lose the game
            (the default, because RLlib's checker plays without the mask) and ``"raise"`` raises; options of the game.
            ``config.environment(RLlibEnv, env_config={"game": "einstein-3x3"})`` passes it.

    Example:
        >>> env = RLlibEnv({"game": "einstein-3x3"})
        >>> sorted(env.reset(seed=0)[0])
        ['player_0']
    """

    def __init__(self, config: Mapping[str, Any] | None = None):
        options = dict(config or {})
        if "game" not in options:
            raise ValueError('RLlibEnv needs the id of a game in its configuration: {"game": "einstein-3x3"}')
        on_illegal = options.pop("on_illegal", "forfeit")
        if on_illegal not in ("forfeit", "raise"):
            raise ValueError(f'on_illegal={on_illegal!r} is not allowed; choose "forfeit" or "raise"')
        super().__init__()
        self._forfeit = on_illegal == "forfeit"
        self.env = RawAEC(options.pop("game"), **options)
        self.game = self.env.game
        rules = self.game.rules
        low, high = rules.OBS_RANGE
        shown = spaces.Box(low, high, (int(np.prod(rules.OBS_SHAPE)),), np.float32)
        mask = spaces.Box(0, 1, (rules.N_ACTIONS,), np.float32)
        self.possible_agents = self.env.possible_agents[:]
        self.agents = self.possible_agents[:]
        self.observation_spaces = {
            agent: spaces.Dict({"observations": shown, "action_mask": mask}) for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(rules.N_ACTIONS) for agent in self.possible_agents}
        self._over = True
        self._acted: set[str] = set()
        self._unpaid: dict[str, float] = {}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start a new game."""
        self.env.reset(seed=seed, options=options)
        self._over = False
        self._acted = set()
        self._unpaid = {}
        return {self.env.agent_selection: self._shown(self.env.agent_selection)}, {}

    def step(
        self, action_dict: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Any]]:
        """Take the action of the agent whose turn it is."""
        mover = self.env.agent_selection
        if self._over:
            raise RuntimeError("the game is over; call reset() first")
        if set(action_dict) != {mover}:
            raise ValueError(f"it is the turn of {mover}, but actions came for {', '.join(action_dict) or 'nobody'}")
        if self._forfeits(action_dict[mover]):
            self._over = True
            self._unpaid[mover] = self._unpaid.get(mover, 0.0) + self.game.info.utility_range[0]
        else:
            self.env.step(action_dict[mover])
            self._over = self.env.terminations[mover]
            for agent, reward in self.env.rewards.items():
                self._unpaid[agent] = self._unpaid.get(agent, 0.0) + reward
        self._acted.add(mover)
        rewards = {agent: self._unpaid.pop(agent) for agent in self.possible_agents if self._is_paid(agent, mover)}
        everybody = [agent for agent in self.possible_agents if agent in self._acted]
        shown = {agent: self._shown(agent) for agent in (everybody if self._over else [self.env.agent_selection])}
        return shown, rewards, {"__all__": self._over}, {"__all__": False}, {}

    def _forfeits(self, action: Any) -> bool:
        mask = self.env.infos[self.env.agent_selection]["action_mask"]
        return self._forfeit and not (0 <= int(action) < len(mask) and mask[int(action)])

    def _is_paid(self, agent: str, mover: str) -> bool:
        return agent in self._acted and (agent == mover or self._unpaid.get(agent, 0.0) != 0.0)

    def _shown(self, agent: str) -> dict[str, Any]:
        seen = self.env.observe(agent)
        mask = np.ones_like(seen["action_mask"]) if self._over else seen["action_mask"]
        return {
            "observations": seen["observation"].reshape(-1).astype(np.float32),
            "action_mask": mask.astype(np.float32),
        }

    def render(self) -> Any:
        """Return the picture that the option ``render_mode`` asks for."""
        return self.env.render()
