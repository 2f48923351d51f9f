"""Rewards for moves and mills in Mühle, as in the deep-Q report, in place of the result alone."""

from typing import Any, SupportsFloat

import gymnasium as gym

from stammtisch.envs.core.game import Game
from stammtisch.envs.core.state import State


class MillRewards(gym.Wrapper[Any, Any, Any, Any]):
    """Pays the learner for its actions, for the mills of both sides and for the result.

    The rewards of one step add up: ``move`` for the learner's action (a removal is an action too),
    ``own_mill`` if that action closed a mill, ``enemy_mill`` for every mill that the opponent closed before
    the learner decides again, and ``win`` or ``loss`` at the end; a draw pays nothing extra. A mill is paid
    once, when it is closed, not again when the man is removed; two mills closed at once count as one, as they
    remove one man. An illegal action that forfeits the game is a loss. In three men's morris a row is the win
    itself and not paid as a mill. With ``opponent="self"`` each step pays the seat that acted.

    Args:
        env: the single-agent environment of ``muehle``, ``morris-3``, ``morris-6`` or ``morris-12``.
        move: for every action of the learner.
        own_mill: for a mill of the learner.
        enemy_mill: for a mill of the opponent.
        win: at the end of a game won.
        loss: at the end of a game lost.

    Example:
        >>> import gymnasium, stammtisch
        >>> env = MillRewards(gymnasium.make("stammtisch/Muehle-v0", opponent="random"), win=1000, loss=-1000)
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        move: float = -1.0,
        own_mill: float = 200.0,
        enemy_mill: float = -200.0,
        win: float = 5000.0,
        loss: float = -5000.0,
    ):
        super().__init__(env)
        game = getattr(env.unwrapped, "game", None)
        if not isinstance(game, Game) or game.MILESTONE != "mill":
            raise ValueError(f"MillRewards pays for mills and needs a single-agent env of Mühle, not {env}")
        self.move, self.own_mill, self.enemy_mill, self.win, self.loss = move, own_mill, enemy_mill, win, loss
        self._mills = (0, 0)
        self._mover = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start a new game."""
        obs, info = self.env.reset(seed=seed, options=options)
        self._remember()
        return obs, info

    def step(self, action: Any) -> tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]:
        """Take the learner's action; what it earned until its next decision comes back as the reward."""
        seat = self.get_wrapper_attr("seat")
        seat = seat if seat >= 0 else self._mover
        before = self._mills
        obs, result, terminated, truncated, info = self.env.step(action)
        self._remember()
        reward = self.move
        reward += self.own_mill * (self._mills[seat] - before[seat])
        reward += self.enemy_mill * (self._mills[1 - seat] - before[1 - seat])
        if terminated and float(result) > 0:
            reward += self.win
        elif terminated and float(result) < 0:
            reward += self.loss
        return obs, reward, terminated, truncated, info

    def _remember(self) -> None:
        state: State = self.get_wrapper_attr("state")
        closed = state.game.milestones(state.row[None])[0]
        self._mills = int(closed[0]), int(closed[1])
        self._mover = max(state.player, 0)
