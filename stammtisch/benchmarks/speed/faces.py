"""Speed of every game through every face, with the ratio to a peer measured in the same run.

Each face is a task that performs at least so many steps and says how many it did. Ours and the peer's take turns in
short rounds, so that both meet the same machine; the best round of each counts, and the ratio is that of the two.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from typing import Any

import gymnasium as gym
import numpy as np

from stammtisch.benchmarks.speed import peers
from stammtisch.envs import GAMES, load_game
from stammtisch.envs.aec import aec_env
from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.state import State

Clock = Callable[[], float]
Task = Callable[[int], "int | tuple[int, float]"]  # steps to do; steps done, and what they took if not all the time
FACES = ("state", "aec", "single", "vector", "steps", "playouts")
_THREADED_FACES = ("vector", "steps", "playouts")
BATCH = 4096
ONE_THREAD = "ours, one thread"
_ROUNDS = 8
_LEAST = {"playouts": 10_000}


@dataclass(frozen=True)
class Speed:
    """Steps per second of one game through one face.

    Attributes:
        game: id of the game.
        face: what was measured.
        steps_per_s: our steps per second.
        peers: steps per second of each peer, and of ours with one thread where several were measured.
        threads: how many threads ours took; a peer takes as many as it is used to.
    """

    game: str
    face: str
    steps_per_s: float
    peers: dict[str, float]
    threads: int = 1

    def ratios(self) -> dict[str, float]:
        """Return how many times faster than each peer we are."""
        return {name: self.steps_per_s / theirs for name, theirs in self.peers.items()}

    def to_json(self) -> dict[str, Any]:
        """Return the figures and ratios, ready for ``json.dumps``."""
        return {**asdict(self), "ratios": self.ratios()}


@dataclass(frozen=True)
class Setting:
    """How a face is measured.

    Attributes:
        seed: decides the games that are played.
        threads: threads of ours, in the faces that can take several (vector, steps, playouts).
        batch: games of a batch.
        clock: what counts as time, see ``race``.
    """

    seed: int = 0
    threads: int = 1
    batch: int = BATCH
    clock: Clock = time.perf_counter


def measure(
    games: Sequence[str], faces: Sequence[str] = FACES, seconds: float = 1.0, setting: Setting | None = None
) -> Iterator[Speed]:
    """Measure games one by one; ``seconds`` is spent on each side of each comparison.

    Args:
        games: ids of games.
        faces: some of ``FACES``.
        seconds: time for each side.
        setting: how.
    """
    setting = setting or Setting()
    for game_id in games:
        for face in faces:
            used = setting.threads if face in _THREADED_FACES else 1
            ours = _TASKS[face](game_id, replace(setting, threads=used))
            theirs: dict[str, Task] = {**peers.tasks(game_id, face, setting.seed)}
            if used > 1:
                theirs[ONE_THREAD] = _TASKS[face](game_id, replace(setting, threads=1))
            least = setting.batch if face in ("vector", "steps") else _LEAST.get(face, 100)
            rates = race({"ours": ours, **theirs}, least, seconds, setting.clock)
            yield Speed(game_id, face, rates.pop("ours"), rates, used)


def first_decision(game: Game, seed: int) -> State:
    """Return the first state of a game in which a seat is to move."""
    state = game.new_state(seed=seed)
    rng = np.random.default_rng(seed)
    while state.player == CHANCE:
        state.sample_chance(rng)
    return state


def race(tasks: Mapping[str, Task], least: int, seconds: float, clock: Clock = time.perf_counter) -> dict[str, float]:
    """Return the best steps per second of each task over alternating rounds of equal time.

    Args:
        tasks: what to measure, by name.
        least: steps of the first, untimed look at a task's speed.
        seconds: spent on each task.
        clock: what counts as time; ``time.process_time`` leaves out what other programs take from tasks of one thread.
    """
    size = {}
    for name, task in tasks.items():
        task(1)  # compile and warm up
        size[name] = max(1, int(_rate(task, least, clock) * seconds / _ROUNDS))
    best = dict.fromkeys(tasks, 0.0)
    for _ in range(_ROUNDS):
        for name, task in tasks.items():
            best[name] = max(best[name], _rate(task, size[name], clock))
    return best


def _rate(task: Task, steps: int, clock: Clock) -> float:
    """Return the steps per second of one round."""
    begun = clock()
    done = task(steps)
    took = clock() - begun
    if isinstance(done, tuple):
        done, took = done
    return done / took


def _state_task(game_id: str, setting: Setting) -> Task:
    """Apply, chance, mask and observation through ``State``."""
    game = load_game(game_id)
    rng = np.random.default_rng(setting.seed)
    start = game.new_state(seed=setting.seed)
    choose = peers.Chooser(setting.seed).from_masks(game.info.num_actions)

    def task(steps: int) -> int:
        done = 0
        while done < steps:
            state = start.clone()
            while (player := state.player) != TERMINAL:
                if player == CHANCE:
                    state.sample_chance(rng)
                else:
                    state.observation(player)
                    state.apply(choose(state.legal_mask()))
                    done += 1
        return done

    return task


def _aec_task(game_id: str, setting: Setting) -> Task:
    env = aec_env(game_id, raw=True)
    env.reset(seed=setting.seed)
    choose = peers.Chooser(setting.seed).from_masks(env.game.info.num_actions)

    def task(steps: int) -> int:
        done = 0
        while done < steps:
            env.reset()
            for _ in env.agent_iter():
                observation, _, terminated, _, _ = env.last()
                env.step(None if terminated else choose(observation["action_mask"]))
                done += not terminated
        return done

    return task


def _single_task(game_id: str, setting: Setting) -> Task:
    env = gym.make(GAMES[game_id].env_id, opponent="random").unwrapped
    _, info = env.reset(seed=setting.seed)
    mask = info["action_mask"]
    choose = peers.Chooser(setting.seed).from_masks(len(mask))

    def task(steps: int) -> int:
        nonlocal mask
        for _ in range(steps):
            _, _, terminated, _, info = env.step(choose(mask))
            if terminated:
                _, info = env.reset()
            mask = info["action_mask"]
        return steps

    return task


def _vector_task(game_id: str, setting: Setting) -> Task:
    """Self-play steps of a batch, masks and observations included; choosing an action costs one pass over the masks."""
    stepping = _steps_task(game_id, setting)

    def task(steps: int) -> int:
        done = stepping(steps)
        assert isinstance(done, tuple)
        return done[0]

    return task


def _steps_task(game_id: str, setting: Setting) -> Task:
    """The same, but choosing is not on the clock: it takes one thread, however many a step is given."""
    batch, clock = setting.batch, setting.clock
    env = gym.make_vec(GAMES[game_id].env_id, num_envs=batch, opponent="self", threads=setting.threads)
    _, info = env.reset(seed=setting.seed)
    mask = info["action_mask"]

    def task(steps: int) -> tuple[int, float]:
        nonlocal mask
        took = 0.0
        rounds = max(1, steps // batch)
        for _ in range(rounds):
            actions = mask.view(np.bool_).argmax(axis=1)
            begun = clock()
            _, _, _, _, info = env.step(actions)
            took += clock() - begun
            mask = info["action_mask"]
        return rounds * batch, took

    return task


def _playouts_task(game_id: str, setting: Setting) -> Task:
    """Uniformly random games inside the kernel; a step is a transition, chance events included."""
    game = load_game(game_id)
    kernels = game.kernels("playouts")
    players = game.info.num_players
    seed, threads = setting.seed, setting.threads
    length = max(1, kernels.playouts(20, seed, np.zeros(players))[0] // 20)
    pool = ThreadPoolExecutor(threads)

    def task(steps: int) -> int:
        games = max(1, steps // (length * threads))
        parts = pool.map(lambda part: kernels.playouts(games, seed + part, np.zeros(players))[0], range(threads))
        return sum(parts)

    return task


_TASKS: dict[str, Callable[[str, Setting], Task]] = {
    "state": _state_task,
    "aec": _aec_task,
    "single": _single_task,
    "vector": _vector_task,
    "steps": _steps_task,
    "playouts": _playouts_task,
}
