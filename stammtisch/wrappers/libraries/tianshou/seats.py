"""The AEC environment for Tianshou: games that tell whose turn it is, and a buffer with a chain of its own per seat.

Tianshou stores what follows an action, which at our tables is a decision of the next player. ``SeatReplayBuffer`` keeps
an action back until its own seat decides again, so that any algorithm of Tianshou, n-step returns and advantages
included, learns from its own next decision and from its own reward since its last action.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pettingzoo import AECEnv

try:
    from tianshou.data import Batch, VectorReplayBuffer
    from tianshou.env import PettingZooEnv
except ImportError as error:
    raise ImportError(f"this adapter needs Tianshou: pip install stammtisch[tianshou] ({error})") from error

_STORED = ("obs", "act", "rew", "terminated", "truncated", "obs_next", "policy")


class SeatedEnv(PettingZooEnv):
    """An AEC environment of ours as Tianshou steps it.

    The observation is ``{"agent_id": "player_0", "obs": …, "mask": bool[num_actions]}`` of whoever decides next, the
    reward one number per seat. ``info`` has ``turn``, the number of actions of this game so far, and after the last one
    ``final_obs``, what every seat sees.

    Args:
        env: an AEC environment, such as ``stammtisch.aec_env("einstein-3x3", raw=True)``.
    """

    def __init__(self, env: AECEnv):
        self._turn = 0
        super().__init__(env)

    def reset(self, *args: Any, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start a new game."""
        self._turn = 0
        self.env.reset(*args, **kwargs)
        return self._shown(), {"turn": 0}

    def step(self, action: Any) -> tuple[dict[str, Any], NDArray[np.float64], bool, bool, dict[str, Any]]:
        """Take an action of the agent that was shown last."""
        self.env.step(int(action))
        self._turn += 1
        agents = self.env.possible_agents
        rewards = np.array([self.env.rewards.get(agent, 0.0) for agent in agents])
        over, cut = any(self.env.terminations.values()), any(self.env.truncations.values())
        info: dict[str, Any] = {"turn": self._turn}
        if over or cut:
            info["final_obs"] = [self.env.observe(agent)["observation"] for agent in agents]
        return self._shown(), rewards, over, cut, info

    def _shown(self) -> dict[str, Any]:
        agent = self.env.agent_selection
        observation = self.env.observe(agent)
        mask = observation["action_mask"].astype(np.bool_)
        return {"agent_id": agent, "obs": observation["observation"], "mask": mask}


class SeatReplayBuffer(VectorReplayBuffer):
    """Stores what happened between two decisions of the same seat, for a ``Collector`` over ``SeatedEnv``.

    Every seat of every game has a chain of its own. Its reward is what the seat earned since its last action, its next
    observation the one of its own next decision, or of the end. The ``Collector`` counts the returns of seat 0.

    Args:
        total_size: number of transitions of all seats together.
        agents: names of the seats, ``env.possible_agents``.
        num_games: number of games that are collected side by side.
        options: further arguments of ``VectorReplayBuffer``.
    """

    def __init__(self, total_size: int, agents: Sequence[str], num_games: int, **options: Any):
        if num_games < 1:
            raise ValueError(f"num_games must be at least 1, not {num_games}")
        self._seat = {agent: seat for seat, agent in enumerate(agents)}
        self._waiting: list[dict[int, Any]] = [{} for _ in range(num_games)]
        self._earned = np.zeros((num_games, len(agents)))
        self._returns = np.zeros(num_games)
        super().__init__(total_size, num_games * len(agents), **options)

    def reset(self, keep_statistics: bool = False) -> None:
        """Forget all transitions; with ``keep_statistics`` games go on, and so do the actions that are kept back."""
        super().reset(keep_statistics=keep_statistics)
        if not keep_statistics:
            for game in range(len(self._waiting)):
                self._begin(game)

    def _begin(self, game: int) -> None:
        self._waiting[game].clear()
        self._earned[game] = 0.0
        self._returns[game] = 0.0

    def _give_up(self, game: int) -> None:
        """End the chains of a game that was left before its end, so that none runs on into the next game."""
        for place in range(game * len(self._seat), (game + 1) * len(self._seat)):
            last = self.last_index[place]
            if self._lengths[place] and not self._meta.done[last]:
                self._meta.truncated[last] = self._meta.done[last] = True
                chain = self.buffers[place]
                chain._ep_return, chain._ep_len, chain._ep_start_idx = 0.0, 0, chain._insertion_idx

    def add(
        self, batch: Any, buffer_ids: NDArray[np.int64] | list[int] | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
        """Take one action per game in ``buffer_ids`` and store what has become complete.

        Returns:
            What ``Collector`` expects, for each game: an index, and when the game is over the return of seat 0, the
            number of stored transitions of the seat that moved last, and the index of the first of these.
        """
        games = np.arange(len(self._waiting)) if buffer_ids is None else np.asarray(buffer_ids)
        complete: list[Any] = []
        places: list[int] = []
        last: dict[int, int] = {}
        for i, game in enumerate(games.tolist()):
            for seat, transition in self._completed(game, batch[i]):
                complete.append(transition)
                places.append(game * len(self._seat) + seat)
            if batch.terminated[i] or batch.truncated[i]:
                mover = self._seat[str(batch.obs.agent_id[i])]
                last[i] = places.index(game * len(self._seat) + mover)
        index, length, first = (np.zeros(len(games), np.int64) for _ in range(3))
        returns = np.zeros(len(games))
        if complete:
            stored, _, lengths, firsts = super().add(Batch.stack(complete), places)
            for i, place in last.items():
                index[i], length[i], first[i] = stored[place], lengths[place], firsts[place]
                returns[i] = self._returns[games[i]]
        return index, returns, length, first

    def _completed(self, game: int, step: Any) -> list[tuple[int, Any]]:
        """Return the transitions that one action completes, with their seats."""
        waiting, earned = self._waiting[game], self._earned[game]
        if int(step.info["turn"]) == 1:
            self._give_up(game)
            self._begin(game)
        waiting[self._seat[str(step.obs.agent_id)]] = step
        earned += step.rew
        self._returns[game] += step.rew[0]
        over = bool(step.terminated or step.truncated)
        following = self._seat[str(step.obs_next.agent_id)]
        done = []
        for seat in sorted(waiting) if over else [following] if following in waiting else []:
            transition = Batch({key: waiting[seat][key] for key in _STORED if key in waiting[seat].get_keys()})
            transition.rew, earned[seat] = float(earned[seat]), 0.0
            transition.terminated, transition.truncated = bool(step.terminated), bool(step.truncated)
            transition.obs_next = Batch(step.obs_next) if not over else self._last_view(step, seat)
            done.append((seat, transition))
            del waiting[seat]
        return done

    def _last_view(self, step: Any, seat: int) -> Any:
        agent = next(agent for agent, number in self._seat.items() if number == seat)
        mask = np.ones_like(step.obs_next.mask)
        return Batch(agent_id=agent, obs=np.asarray(step.info["final_obs"][seat]), mask=mask)
