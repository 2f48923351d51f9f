"""Recording of games: one line of JSON per game, with the learner's decisions and what they earned."""

import json
import os
import pathlib
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv, VectorWrapper

from stammtisch.envs.core.game import Game
from stammtisch.envs.core.state import State
from stammtisch.envs.single import SingleAgentEnv
from stammtisch.envs.vector import BatchedEnv
from stammtisch.files import make_folder, writing_to


class _Recorder:
    """Collects the decisions of one game at a time and appends the finished game to a file."""

    def __init__(self, game: Game, path: str | os.PathLike[str]):
        self._game, self._path = game, pathlib.Path(path)
        make_folder(self._path.parent)
        self._decisions: list[list[Any]] = []

    def forget(self) -> None:
        """Begin a new game."""
        self._decisions = []

    def decide(self, state: State, action: int) -> None:
        """Note a decision before it is carried out."""
        view = state.view(state.player)
        text = view.action_text(action) if action in view.legal_actions() else "illegal"
        self._decisions.append([view.row.tolist(), action, text])

    def earn(self, reward: float) -> None:
        """Note what the last decision earned."""
        self._decisions[-1].append(reward)

    def finish(self, seat: int, terminated: bool) -> None:
        """Write the game."""
        line = {
            "game": self._game.id,
            "options": self._game.changed_options(),
            "seat": seat,
            "decisions": self._decisions,
            "return": sum(decision[3] for decision in self._decisions),
            "ended": "terminated" if terminated else "truncated",
        }
        with writing_to(self._path), self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        self.forget()


class RecordGames(gym.Wrapper[Any, Any, Any, Any]):
    """Appends every finished game to a file.

    A line has ``game``, ``options``, ``seat``, ``decisions`` (``[position, action, text, reward]``, the position as the
    learner may know it, hidden cards left out), ``return`` and ``ended`` (``terminated`` or ``truncated``).

    Args:
        env: a single-agent environment of any game.
        path: the file; it is made if need be, and appended to.
    """

    def __init__(self, env: gym.Env[Any, Any], path: str | os.PathLike[str]):
        super().__init__(env)
        if not isinstance(env.unwrapped, SingleAgentEnv):
            raise ValueError(f"RecordGames takes a single-agent environment of ours, not {env}")
        self._inner = env.unwrapped
        self._recorder = _Recorder(self._inner.game, path)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start a new game; one that was not finished is forgotten."""
        self._recorder.forget()
        return self.env.reset(seed=seed, options=options)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Take the learner's action and note it."""
        self._recorder.decide(self._inner.state, int(action))
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._recorder.earn(float(reward))
        if terminated or truncated:
            self._recorder.finish(self._inner.seat, terminated)
        return observation, reward, terminated, truncated, info


class VectorRecordGames(VectorWrapper):
    """Appends the finished games of some environments of a batch to a file, in lines like those of ``RecordGames``.

    Args:
        env: a ``BatchedEnv``, or wrappers around one.
        path: the file; it is made if need be, and appended to.
        lanes: how many of the games to record, from the first one on; recording costs time for each of them.
    """

    def __init__(self, env: VectorEnv, path: str | os.PathLike[str], lanes: int = 1):
        super().__init__(env)
        if not isinstance(env.unwrapped, BatchedEnv):
            raise ValueError(f"VectorRecordGames takes a BatchedEnv or wrappers around one, not {env}")
        self._inner = env.unwrapped
        if not 1 <= lanes <= self.num_envs:
            raise ValueError(f"lanes={lanes} is not allowed; there are {self.num_envs} games to record")
        self._recorders = [_Recorder(self._inner.game, path) for _ in range(lanes)]
        self._begins = np.zeros(self.num_envs, np.bool_)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start new games; those that were not finished are forgotten."""
        begun = np.asarray((options or {}).get("reset_mask", np.ones(self.num_envs)), np.bool_)
        answer = self.env.reset(seed=seed, options=options)
        self._begins &= ~begun
        for recorder, is_new in zip(self._recorders, begun.tolist(), strict=False):
            if is_new:
                recorder.forget()
        return answer

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Take the learner's actions and note them."""
        seats = self._inner.lanes.seats.copy()
        recording = [(lane, recorder) for lane, recorder in enumerate(self._recorders) if not self._begins[lane]]
        for lane, recorder in recording:
            recorder.decide(self._inner.state(lane), int(actions[lane]))
        observations, rewards, terminated, truncated, info = self.env.step(actions)
        done = terminated | truncated
        for lane, recorder in recording:
            recorder.earn(float(rewards[lane]))
            if done[lane]:
                recorder.finish(int(seats[lane]), bool(terminated[lane]))
        self._begins = done & (self._inner.autoreset_mode is AutoresetMode.NEXT_STEP)
        return observations, rewards, terminated, truncated, info
