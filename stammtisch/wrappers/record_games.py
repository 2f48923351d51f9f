"""Recording of games: one line of JSON per game, with the learner's decisions and what they earned."""

import json
import os
import pathlib
from typing import Any

import gymnasium as gym

from stammtisch.envs.single import SingleAgentEnv


class RecordGames(gym.Wrapper[Any, Any, Any, Any]):
    """Appends every finished game to a file.

    A line has ``game``, ``options``, ``seat``, ``decisions`` (``[position, action, said, reward]``, the position as the
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
        self._path = pathlib.Path(path)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._decisions: list[list[Any]] = []

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start a new game; one that was not finished is forgotten."""
        self._decisions = []
        return self.env.reset(seed=seed, options=options)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Take the learner's action and note it."""
        state = self._inner.state
        view = state.view(state.player)
        legal = int(action) in view.legal_actions()
        said = view.action_text(int(action)) if legal else "illegal"
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._decisions.append([view.row.tolist(), int(action), said, float(reward)])
        if terminated or truncated:
            game = self._inner.game
            line = {
                "game": game.id,
                "options": game.changed_options(),
                "seat": self._inner.seat,
                "decisions": self._decisions,
                "return": sum(decision[3] for decision in self._decisions),
                "ended": "terminated" if terminated else "truncated",
            }
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
            self._decisions = []
        return observation, reward, terminated, truncated, info
