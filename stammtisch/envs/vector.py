"""The vector face: many games stepped by one kernel call, written once for all games."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from stammtisch.envs.core.constants import DEAL, SKIP, TERMINAL
from stammtisch.envs.core.games import load_game_for
from stammtisch.envs.core.spaces import observation_box
from stammtisch.envs.core.state import State
from stammtisch.envs.exact import Exact, exact_values
from stammtisch.envs.lanes import Lanes, Opponent, Opponents
from stammtisch.envs.rendering import RENDER_MODES, checked_render_mode, render_state
from stammtisch.errors import IllegalAction


class BatchedEnv(VectorEnv):
    """A batch of games as a Gymnasium vector environment; the contract of the learner is that of ``SingleAgentEnv``.

    What actions and observation mean is told by ``env.unwrapped.manual()``, the manual page of the game.

    ``info`` holds ``action_mask`` (int8[n, num_actions]), ``seat``, ``player``, ``rewards`` (float64[n, players]) and
    the presence flags that Gymnasium wants (``_action_mask`` …). Every array is fresh unless ``copy=False``.

    Args:
        game: id of the game.
        num_envs: number of games.
        opponent: as in ``SingleAgentEnv``; a batched policy ``(obs, mask, rng) -> actions`` is asked once per round for
            all games in which it is to move.
        partner: who sits in the learner's team; by default like the opponent.
        seat: the learner's seat or ``"random"``.
        on_illegal: ``"forfeit"`` or ``"raise"``.
        autoreset_mode: ``NextStep`` (Gymnasium's default), ``SameStep`` (with ``final_obs``) or ``Disabled``.
        max_episode_steps: truncate a game after so many actions of the learner.
        threads: split the kernel among so many threads at most; how many pay, it finds out by the clock.
        copy: False hands out the inner arrays, which the next step overwrites.
        render_mode: None, ``"ansi"`` or ``"rgb_array"``; ``render`` returns one picture per game.
        allow_cheaters: let opponents or partners sit there that see all cards (agent ``cheater``), for research only.
        show_all: draw hidden cards too, as in ``SingleAgentEnv``.
        exact: as in ``SingleAgentEnv``; ``info["exact_value"]`` is a float64[n].
        options: options of the game.
    """

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        opponent: Opponents = "random",
        partner: Opponent | None = None,
        seat: int | str = "random",
        on_illegal: str = "forfeit",
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        threads: int = 1,
        copy: bool = True,
        render_mode: str | None = None,
        show_all: bool = False,
        allow_cheaters: bool = False,
        exact: Exact = False,
        **options: Any,
    ):
        if num_envs < 1:
            raise ValueError(f"num_envs must be at least 1, not {num_envs}")
        if on_illegal not in ("forfeit", "raise"):
            raise ValueError(f'on_illegal={on_illegal!r} is not allowed; choose "forfeit" or "raise"')
        self.game = load_game_for(BatchedEnv, game, options)
        self.num_envs = num_envs
        self.render_mode = checked_render_mode(render_mode)
        self._show_all = show_all
        self._exact = exact_values(self.game, exact)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {"autoreset_mode": self.autoreset_mode, "render_modes": RENDER_MODES, "render_fps": 2}
        self.single_observation_space = observation_box(self.game)
        self.single_action_space = spaces.Discrete(self.game.rules.N_ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.lanes = Lanes(self.game, num_envs, opponent, partner, seat, threads, allow_cheaters=allow_cheaters)
        self._raise_illegal = on_illegal == "raise"
        self._copy = copy
        self.lanes.limit_games(max_episode_steps)
        self._present = np.ones(num_envs, np.bool_)
        self._everyone = np.arange(num_envs)
        self._shape = (num_envs, *self.game.rules.OBS_SHAPE)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Start new games in all lanes, or in those of ``options["reset_mask"]``."""
        lanes = self.lanes
        if seed is not None:
            lanes.seed(seed)
        which = np.ones(self.num_envs, np.bool_)
        if options and "reset_mask" in options:
            which = np.asarray(options["reset_mask"], np.bool_)
            if which.shape != (self.num_envs,):
                raise ValueError(f"reset_mask has shape {which.shape}; it must be ({self.num_envs},)")
        if self._copy:
            lanes.renew_outputs(keep=True)
        lanes.pay[:] = 0.0
        self._deal(which)
        return self._observation(), self._info(lanes.seats.copy(), lanes.players.copy())

    def _deal(self, which: NDArray[np.bool_]) -> None:
        self.lanes.todo[:] = np.where(which, DEAL, SKIP)
        self.lanes.advance()
        self.lanes.taken[which] = 0
        self.lanes.done[which] = False

    def step(
        self, actions: Any
    ) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Take one action per game; a game that ended in the last step begins anew instead (``NextStep``)."""
        lanes = self.lanes
        if np.shape(actions) != (self.num_envs,):
            raise ValueError(f"actions have shape {np.shape(actions)}; it must be ({self.num_envs},)")
        lanes.actions[:] = actions
        if self.autoreset_mode is not AutoresetMode.NEXT_STEP and lanes.done.any():
            raise RuntimeError(f"game {int(np.flatnonzero(lanes.done)[0])} is over or not begun; call reset() first")
        if self._raise_illegal:
            self._refuse_illegal(~lanes.done)
        lanes.renew_outputs(self._copy)
        lanes.step()
        rewards, terminated, truncated = lanes.rewards, lanes.terminated, lanes.truncated
        if self.autoreset_mode is AutoresetMode.SAME_STEP and lanes.done.any():
            info = self._begin_again()
        else:
            info = self._info(lanes.seats_told, lanes.players_told)
        return self._observation(), rewards, terminated, truncated, info

    def _begin_again(self) -> dict[str, Any]:
        """Reset the finished lanes at once and tell how they ended."""
        lanes = self.lanes
        done = lanes.done.copy()
        finals = np.empty(self.num_envs, object)  # None where no game ended
        ended = done.nonzero()[0]
        for lane, final in zip(ended.tolist(), self._observation()[ended], strict=True):
            finals[lane] = final
        rewards = lanes.pay.copy()
        self._deal(done)
        lanes.pay[:] = rewards
        info = self._info(lanes.seats.copy(), lanes.players.copy())
        info["final_obs"], info["_final_obs"] = finals, done
        return info

    def _refuse_illegal(self, acting: NDArray[np.bool_]) -> None:
        lanes = self.lanes
        inside = (lanes.actions >= 0) & (lanes.actions < lanes.masks.shape[1])
        legal = inside & (lanes.masks[self._everyone, np.where(inside, lanes.actions, 0)] == 1)
        wrong = np.flatnonzero(acting & ~legal)
        if len(wrong):
            lane = wrong[0]
            raise IllegalAction(f"game {lane}: {lanes.state(lane)._illegal(int(lanes.actions[lane]))}")

    def _observation(self) -> NDArray[Any]:
        return self.lanes.obs.reshape(self._shape)

    def _info(self, seats: NDArray[np.int64], players: NDArray[np.int64]) -> dict[str, Any]:
        lanes = self.lanes
        values: dict[str, Any] = {"action_mask": lanes.masks, "seat": seats, "player": players, "rewards": lanes.pay}
        if self._exact is not None:
            every = range(self.num_envs)
            states, watching = [lanes.state(i) for i in every], [lanes.watching_seat(i) for i in every]
            values["exact_value"] = self._exact.of_many(states, watching)
        return values | {f"_{key}": self._present for key in values}

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions as ``bool[n, num_actions]``; all True where a game is over."""
        return self.lanes.masks.astype(np.bool_)

    def saved(self) -> dict[str, NDArray[Any]]:
        """Return everything but the state of ``lanes.rng`` that a later ``restore`` needs to go on."""
        return {**self.lanes.saved(), "taken": self.lanes.taken.copy(), "done": self.lanes.done.copy()}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what ``saved`` returned; outside agents are to be seeded anew (``lanes.seed_agents``).

        Raises:
            ValueError: it was saved elsewhere, or cannot be.
        """
        taken, done = arrays["taken"], arrays["done"]
        if taken.shape != (self.num_envs,) or done.shape != taken.shape or done.dtype != np.bool_:
            raise ValueError(f"it does not say of {self.num_envs} games whether they are over")
        self.lanes.restore(arrays)
        if not done[self.lanes.players == TERMINAL].all():
            raise ValueError("games that are over are said to go on")
        self.lanes.taken[:], self.lanes.done[:] = taken, done

    def state(self, index: int) -> State:
        """Return a copy of one position, everything hidden included: for tools, not for the learner."""
        return self.lanes.state(index)

    def render(self) -> tuple[Any, ...]:
        """Return one picture per game."""
        return tuple(
            render_state(self.state(i), self.render_mode, None if self._show_all else self.lanes.watching_seat(i))
            for i in range(self.num_envs)
        )

    def manual(self) -> str:
        """Return the manual page of the game: actions, observation plane by plane, rewards, options."""
        return self.game.manual()
