"""The single-agent face: one learner, opponents in the other seats, written once for all games."""

import operator
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from stammtisch.envs.core.constants import DEAL
from stammtisch.envs.core.games import load_game_for
from stammtisch.envs.core.spaces import observation_box
from stammtisch.envs.core.state import State
from stammtisch.envs.exact import Exact, exact_values
from stammtisch.envs.lanes import Lanes, Opponent, Opponents
from stammtisch.envs.rendering import RENDER_MODES, checked_render_mode, render_state
from stammtisch.errors import IllegalAction


class SingleAgentEnv(gym.Env[NDArray[Any], np.int64]):
    """A game as a Gymnasium environment for one learner.

    What actions and observation mean is told by ``env.unwrapped.manual()``, the manual page of the game, which is also
    ``help(type(env.unwrapped.game))`` and a page of the documentation site (``docs/``, under "Games").

    ``reset`` and ``step`` return the learner's own next decision point (or the end of the game) and the sum of its own
    rewards since its last action, whatever the others did meanwhile. With ``opponent="self"`` the learner decides for
    every seat: what comes back is the next decision of whoever is to move, in that seat's frame, and the reward is that
    of the seat that acted; ``info["rewards"]`` always has the rewards of all seats.

    ``info`` holds ``action_mask`` (int8, also by ``action_masks()``; ones after the end), ``seat`` (the learner's
    seat), ``player`` (seat to move, -2 after the end), ``rewards`` and, after an illegal action, ``illegal_action``.

    Args:
        game: id of the game.
        opponent: agent spec, agent, batched policy, a pool of these (list, or mapping to weights), or ``"self"``.
        partner: who sits in the learner's team, where there are teams; by default like the opponent.
        seat: the learner's seat or ``"random"``.
        on_illegal: ``"forfeit"`` ends the game with a loss, ``"raise"`` raises ``IllegalAction``.
        render_mode: None, ``"ansi"``, ``"rgb_array"`` or ``"human"`` (prints the ansi picture).
        allow_cheaters: let opponents or partners sit there that see all cards (agent ``cheater``), for research only.
        show_all: draw hidden cards too; by default a picture shows what the learner may see, with ``opponent="self"``
            what the seat to move may see.
        exact: True puts the value of the position for the learner with perfect play into ``info["exact_value"]``,
            NaN where the oracle of the game does not know it, and never into the observation; a mapping is handed to
            the oracle. Where cards are hidden it would tell of them: only ``"open-cards"``, by this name, allows that.
        options: options of the game.
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 2}

    def __init__(
        self,
        game: str,
        opponent: Opponents = "random",
        partner: Opponent | None = None,
        seat: int | str = "random",
        on_illegal: str = "forfeit",
        render_mode: str | None = None,
        show_all: bool = False,
        allow_cheaters: bool = False,
        exact: Exact = False,
        **options: Any,
    ):
        if on_illegal not in ("forfeit", "raise"):
            raise ValueError(f'on_illegal={on_illegal!r} is not allowed; choose "forfeit" or "raise"')
        self.game = load_game_for(SingleAgentEnv, game, options)
        self.render_mode = checked_render_mode(render_mode)
        self._show_all = show_all
        self._exact = exact_values(self.game, exact)
        self._raise_illegal = on_illegal == "raise"
        self._lanes = Lanes(self.game, 1, opponent, partner, seat, allow_cheaters=allow_cheaters)
        rules = self.game.rules
        self._shape = rules.OBS_SHAPE
        self.observation_space = observation_box(self.game)
        self.action_space = spaces.Discrete(rules.N_ACTIONS)
        self._last_action: int | None = None
        self._running = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Start a new game; a seed decides everything that is drawn from then on."""
        super().reset(seed=seed)
        lanes = self._lanes
        if seed is not None:
            lanes.seed(seed)
        lanes.todo[0] = DEAL
        lanes.pay[0] = 0.0
        lanes.advance()
        lanes.done[0] = False
        self._running = True
        self._last_action = None
        if self.render_mode == "human":
            self.render()
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Take the learner's action and play on to its next decision."""
        if not self._running:
            raise RuntimeError("the game is over or not begun; call reset() first")
        lanes = self._lanes
        number = operator.index(action)
        legal = 0 <= number < lanes.masks.shape[1] and bool(lanes.masks[0, number])
        if self._raise_illegal and not legal:
            raise IllegalAction(str(lanes.state(0)._illegal(number)))
        lanes.actions[0] = number
        lanes.step()
        self._last_action = number if legal else self._last_action
        terminated = bool(lanes.terminated[0])
        self._running = not terminated
        info = self._info()
        if not legal:
            info["illegal_action"] = number
        reward = float(lanes.rewards[0])
        if self.render_mode == "human":
            self.render()
        return self._observation(), reward, terminated, False, info

    def _observation(self) -> NDArray[Any]:
        obs: NDArray[Any] = self._lanes.obs[0].reshape(self._shape).copy()
        return obs

    def _info(self) -> dict[str, Any]:
        lanes = self._lanes
        info = {
            "action_mask": lanes.masks[0].copy(),
            "seat": int(lanes.seats[0]),
            "player": int(lanes.players[0]),
            "rewards": lanes.pay[0].copy(),
        }
        if self._exact is not None:
            info["exact_value"] = self._exact.of(lanes.state(0), lanes.watching_seat(0))
        return info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions as ``bool[num_actions]``; all True after the end."""
        mask: NDArray[np.bool_] = self._lanes.masks[0].astype(np.bool_)
        return mask

    @property
    def seat(self) -> int:
        """The learner's seat in this game; -1 when it plays all of them."""
        return int(self._lanes.seats[0])

    @property
    def state(self) -> State:
        """A copy of the current position, everything hidden included: for tools, not for the learner."""
        state = self._lanes.state(0)
        state.last_action = self._last_action
        return state

    def render(self) -> Any:
        """Return the picture that ``render_mode`` asks for."""
        return render_state(self.state, self.render_mode, None if self._show_all else self._lanes.watching_seat(0))

    def manual(self) -> str:
        """Return the manual page of the game: actions, observation plane by plane, rewards, options."""
        return self.game.manual()

    def close(self) -> None:
        """Nothing is held open."""
