"""The PettingZoo face: every seat is an agent, chance is played by the environment; written once for all games."""

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from stammtisch.envs import GAMES
from stammtisch.envs.core.constants import ILLEGAL, TERMINAL
from stammtisch.envs.core.games import load_game_for
from stammtisch.envs.core.spaces import masked_observation
from stammtisch.envs.core.state import State
from stammtisch.envs.core.streams import seed_streams
from stammtisch.envs.exact import Exact, exact_values
from stammtisch.envs.rendering import RENDER_MODES, checked_render_mode, render_state

_LISTED_OUTCOMES = 8
_INT8 = np.dtype(np.int8)
_LARGEST = (1 << 63) - 1
_empty = np.empty


def aec_env(
    game: str,
    render_mode: str | None = None,
    raw: bool = False,
    show_all: bool = False,
    exact: Exact = False,
    **options: Any,
) -> AECEnv:
    """Return a game as a PettingZoo AEC environment.

    Args:
        game: id of the game.
        render_mode: None, ``"ansi"``, ``"rgb_array"`` or ``"human"``.
        raw: True leaves out PettingZoo's stock wrappers: faster, and an illegal action raises instead of losing.
        show_all: draw hidden cards too; by default a picture shows what the seat to move may see.
        exact: True puts the value of the position for the seat to move with perfect play into ``info["exact_value"]``,
            NaN where the oracle of the game does not know it, and never into the observation; a mapping is handed to
            the oracle. Where cards are hidden it would tell of them: only ``"open-cards"``, by this name, allows that.
        options: options of the game.
    """
    env = RawAEC(game, render_mode, show_all, exact, **options)
    if raw:
        return env
    loss = env.game.info.utility_range[0]
    checked = wrappers.TerminateIllegalWrapper(env, illegal_reward=loss)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(checked))


class RawAEC(AECEnv):
    """A game with one agent per seat, named ``player_0``, ``player_1`` and so on.

    What actions and observation mean is told by ``env.unwrapped.manual()``, the manual page of the game.

    The observation is ``{"observation": …, "action_mask": int8[num_actions]}``; the mask is all zeros off turn.
    ``infos`` holds the same ``action_mask``, and ``chance``: the outcomes since the last action, where they are public.
    """

    def __init__(
        self,
        game: str,
        render_mode: str | None = None,
        show_all: bool = False,
        exact: Exact = False,
        **options: Any,
    ):
        super().__init__()
        self.game = load_game_for(aec_env, game, options)
        self.render_mode = checked_render_mode(render_mode)
        self._show_all = show_all
        self._exact = exact_values(self.game, exact)
        self.metadata = {
            "name": GAMES[game].env_name,
            "render_modes": RENDER_MODES,
            "is_parallelizable": False,
            "render_fps": 2,
        }
        rules = self.game.rules
        self._k: Any = self.game.stepping
        self._public_chance = self.game.info.chance == "explicit"
        self.possible_agents = [f"player_{p}" for p in range(rules.N_PLAYERS)]
        self._seat = {agent: p for p, agent in enumerate(self.possible_agents)}
        self._observation_spaces = {agent: masked_observation(self.game) for agent in self.possible_agents}
        self._action_spaces = {agent: spaces.Discrete(rules.N_ACTIONS) for agent in self.possible_agents}
        self._row = np.zeros(rules.STATE_LEN, np.int64)
        self._streams = seed_streams(None, 1)
        self._paid = np.zeros(rules.N_PLAYERS, np.float64)
        self._pay = np.zeros(rules.N_PLAYERS, np.float64)
        self._outcomes = np.zeros(_LISTED_OUTCOMES, np.int64)
        self._sizes = rules.N_ACTIONS, rules.OBS_SHAPE, np.dtype(rules.OBS_DTYPE)
        self._has_paid = False
        self._ready_for = ""  # whose observation is at hand, and which
        self._ready: dict[str, Any] = {}
        self._last_action: int | None = None
        self.agent_selection = self.possible_agents[0]

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the same space object for every call."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the same space object for every call."""
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game; a seed decides every chance event from then on."""
        if seed is not None:
            self._streams = seed_streams(seed, 1)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._has_paid = False
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._last_action = None
        self._advance(-1)

    def step(self, action: Any) -> None:
        """Take an action of the selected agent; None for an agent whose game is over."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        number = -1 if action is None else int(action)
        if not 0 <= number <= _LARGEST:
            raise self.position()._illegal(number)
        self._advance(number)
        if self.render_mode == "human":
            self.render()

    def _advance(self, action: int) -> None:
        """Take an action, or begin a game when it is negative, and make ready what the next agent sees."""
        n_actions, shape, dtype = self._sizes
        mask, obs = _empty(n_actions, _INT8), _empty(shape, dtype)
        player, n, has_paid = self._k.turn(
            self._row, self._streams, action, self._paid, self._pay, self._outcomes, mask, obs
        )
        agent = self.agent_selection
        if action >= 0:
            if player == ILLEGAL:
                raise self.position()._illegal(action)
            self._cumulative_rewards[agent] = 0.0
            self.infos[agent] = {}
            self._last_action = action
        over = player == TERMINAL
        if has_paid or over:
            self.rewards = dict(zip(self.possible_agents, self._pay.tolist(), strict=True))
            self._accumulate_rewards()
            self._has_paid = True
        elif self._has_paid:
            self.rewards = dict.fromkeys(self.agents, 0.0)
            self._has_paid = False
        if over:
            self.terminations = dict.fromkeys(self.agents, True)
            player = (self._seat[agent] + 1) % len(self.possible_agents)
        self.agent_selection = self._ready_for = agent = self.possible_agents[player]
        self._ready = {"observation": obs, "action_mask": mask}
        info: dict[str, Any] = {"action_mask": mask}
        if self._public_chance:
            info["chance"] = self._outcomes[:n].tolist()
        if self._exact is not None:
            info["exact_value"] = self._exact.of(self.position(), self._seat[agent])
        self.infos[agent] = info

    def agent_iter(self, max_iter: int = sys.maxsize) -> Iterator[str]:
        """Yield the agent to act until the game is over for all, at most so many times."""
        for _ in range(min(max_iter, sys.maxsize)):
            if not self.agents:
                return
            yield self.agent_selection

    def last(self, observe: bool = True) -> tuple[dict[str, Any] | None, float, bool, bool, dict[str, Any]]:
        """Return observation, rewards since its last action, terminated, truncated and info of the selected agent."""
        agent = self.agent_selection
        shown = None
        if observe:
            if agent == self._ready_for:  # as in ``observe``, without calling it
                self._ready_for = ""
                shown = self._ready
            else:
                shown = self.observe(agent)
        reward, info = self._cumulative_rewards[agent], self.infos[agent]
        return shown, reward, self.terminations[agent], self.truncations[agent], info

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what ``agent`` sees now, and its mask."""
        if agent == self._ready_for:
            self._ready_for = ""  # arrays are handed out once, so that nobody changes what another one looks at
            return self._ready
        n_actions, shape, dtype = self._sizes
        seat = self._seat[agent]
        mask, obs = _empty(n_actions, _INT8), _empty(shape, dtype)
        self._k.fill_mask(self._row, seat, mask)
        self._k.fill_observation(self._row, seat, obs)
        return {"observation": obs, "action_mask": mask}

    def position(self) -> State:
        """Return a copy of the position, everything hidden included."""
        state = self.game.from_row(self._row)
        state.last_action = self._last_action
        return state

    def render(self) -> Any:
        """Return the picture that ``render_mode`` asks for."""
        seat = None if self._show_all else self._seat[self.agent_selection]
        return render_state(self.position(), self.render_mode, seat)

    def manual(self) -> str:
        """Return the manual page of the game: actions, observation plane by plane, rewards, options."""
        return self.game.manual()

    def close(self) -> None:
        """Nothing is held open."""
