"""Steps per second that Stable-Baselines3 can collect: our adapter against its ``DummyVecEnv`` of single games."""

import functools
import time
from collections.abc import Iterator, Sequence

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from stammtisch.benchmarks.speed.faces import Speed, Task, race
from stammtisch.envs import GAMES
from stammtisch.envs.vector import BatchedEnv

ENVS = 256


def legal_actions(masks: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return each game's first legal action from a place on that is drawn: cheap, so that it dilutes no ratio."""
    start = int(rng.integers(masks.shape[1]))
    found: NDArray[np.int64] = masks[:, start:].argmax(axis=1)
    found += start
    left = (~masks[np.arange(len(masks)), found]).nonzero()[0]
    if len(left):
        found[left] = masks[left].argmax(axis=1)
    return found


def sb3_speed(games: Sequence[str], seconds: float = 1.0, seed: int = 0) -> Iterator[Speed]:
    """Measure games one by one with random legal actions; both sides take turns, ``seconds`` of processor time each."""
    from sb3_contrib.common.maskable.utils import get_action_masks
    from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv

    from stammtisch.wrappers.libraries.sb3.vec_env import SB3VecEnv

    def collecting(env: VecEnv) -> Task:
        env.seed(seed)
        env.reset()
        rng = np.random.default_rng(seed)

        def task(steps: int) -> int:
            done = 0
            while done < steps:
                env.step(legal_actions(get_action_masks(env), rng))
                done += ENVS
            return done

        return task

    for game_id in games:
        ours = collecting(SB3VecEnv(BatchedEnv(game_id, ENVS, "random", autoreset_mode="SameStep")))
        make_one = functools.partial(gym.make, GAMES[game_id].env_id, opponent="random")
        theirs = collecting(DummyVecEnv([make_one] * ENVS))
        rates = race({"ours": ours, "DummyVecEnv": theirs}, ENVS, seconds, time.process_time)
        yield Speed(game_id, f"sb3, {ENVS} games", rates.pop("ours"), rates)
