"""Hours in minutes: millions of steps, resets, matches and loads, with memory that stays flat.

How long it takes is up to ``STAMMTISCH_SOAK`` (1 by default: 30 million steps, and ten minutes of the processor for the
rest, in equal parts for all games); 0.01 is a trial.
"""

import gc
import os
import subprocess
import sys
import time

import numpy as np
import pytest

import stammtisch
from stammtisch.arena.match import play_match
from stammtisch.envs import GAMES
from stammtisch.envs.vector import BatchedEnv
from tests.attack.kill import STAMMTISCH
from tests.attack.memory import peak, reset_peak

SHARE = float(os.environ.get("STAMMTISCH_SOAK", "1"))
STEPS = 30_000_000
SECONDS = 600
LANES = 1024
_LEAST_ROUNDS, _SAMPLES = 60, 30
_MOST_GROWTH = 48 << 20

pytestmark = pytest.mark.slow


def grows(work, done):
    """Return by how many bytes the process grows from the first third of some work to its last third.

    Args:
        work: a round of it, told its number.
        done: what share of the work is done after so many rounds.
    """
    sizes = []
    number = 0
    while number < _LEAST_ROUNDS or done(number) < 1:
        work(number)
        number += 1
        if min(done(number), number / _LEAST_ROUNDS) * _SAMPLES >= len(sizes):
            gc.collect()
            reset_peak()
            sizes.append(peak())
    third = len(sizes) // 3
    return max(sizes[-third:]) - max(sizes[:third])


def test_millions_of_steps_with_masks_over_all_games(game_id):
    env = BatchedEnv(game_id, LANES, "random")
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=0)
    masks = info["action_mask"]
    ended = 0

    def step(number):
        nonlocal masks, ended
        assert masks.any(axis=1).all()
        actions = np.where(masks == 1, rng.random(masks.shape, np.float32), -1.0).argmax(axis=1)
        observations, rewards, terminated, truncated, info = env.step(actions)
        assert np.isfinite(rewards).all()
        assert observations.shape[0] == LANES
        assert not truncated.any()
        masks = info["action_mask"]
        ended += int(terminated.sum())

    rounds = SHARE * STEPS / len(GAMES) / LANES
    assert grows(step, lambda number: number / rounds) < _MOST_GROWTH
    assert ended or rounds < 1000


def test_resets_matches_and_loads_leave_nothing_behind(game_id):
    game = stammtisch.load_game(game_id)
    others = len(set(game.info.teams)) - 1
    env = stammtisch.aec_env(game_id)
    search = "ismcts:iterations=8" if game.info.hidden else "mcts:iterations=8"

    def work(number):
        env.reset(seed=number)
        stammtisch.load_agent(search, game, seed=number)
        play_match(game, ["heuristic", *["random"] * others], games=2, seed=number)
        BatchedEnv(game_id, 8, "heuristic").reset(seed=number)

    work(0)  # compiles what is needed
    begun, seconds = time.process_time(), SHARE * SECONDS / len(GAMES)
    assert grows(work, lambda _: (time.process_time() - begun) / seconds) < _MOST_GROWTH


_CHECKED = """
import numpy as np
from stammtisch.arena.match import play_match
from stammtisch.envs.vector import BatchedEnv
for game in {games}:
    env = BatchedEnv(game, 16, "random", on_illegal="forfeit")
    rng = np.random.default_rng(0)
    env.reset(seed=0)
    for _ in range({steps}):
        masks = env.lanes.masks
        env.step(np.where(masks == 1, rng.random(masks.shape), -1.0).argmax(axis=1))
    teams = len(set(env.game.info.teams))
    play_match(game, ["heuristic", *["random"] * (teams - 1)], games=4)
"""


@pytest.mark.parametrize("family", ["einstein", "reversi", "m", "jass"])
def test_no_kernel_looks_outside_its_arrays(family, tmp_path):
    games = [game_id for game_id in GAMES if game_id.startswith(family)][: 2 if SHARE < 1 else None]
    code = _CHECKED.format(games=games, steps=int(50 + 450 * SHARE))
    checks = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, **checks}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize(
    "words",
    [
        ["games"],
        ["match", "einstein-3x3", "heuristic", "random", "--games", "4", "--out", "OUT/results.sqlite"],
        ["match", "jass-schieber", "heuristic", "random", "--games", "4", "--workers", "2"],
        ["train", "ntuple", "einstein-3x3", "--episodes", "200", "--games", "4", "--out", "OUT/net.npz"],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_development_mode_finds_nothing_to_warn_of(words, tmp_path):
    words = [word.replace("OUT", str(tmp_path)) for word in words]
    strict = {"PYTHONDEVMODE": "1", "PYTHONWARNINGS": "error::ResourceWarning"}
    done = subprocess.run([*STAMMTISCH, *words], env={**os.environ, **strict}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    ours = [line for line in done.stderr.splitlines() if "Warning" in line and "/stammtisch/" in line]
    assert ours == []
