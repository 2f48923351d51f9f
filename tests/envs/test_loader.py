"""The disk cache of kernels: hit in the next process, right code for every game and every state of the sources."""

import os
import pathlib
import pickle
import shutil
import subprocess
import sys
import textwrap
import threading
import types

import numpy as np
import pytest

import stammtisch
from stammtisch.envs import GAMES
from stammtisch.envs.core import loader
from stammtisch.envs.warmup import compile_game
from tests.playing import random_state

PACKAGE = pathlib.Path(stammtisch.__file__).parent

# Prints the kernel's answer and how many cache hits and misses it took.
PROBE = """
import numpy as np, stammtisch
for game_id in {games}:
    game = stammtisch.load_game(game_id)
    counts = np.zeros(2, np.int64)
    perft = game.kernels("perft").perft
    perft(game.new_state(seed=0).row, {depth}, False, -1, counts)
    print(game_id, counts.sum(), sum(perft.stats.cache_hits.values()), sum(perft.stats.cache_misses.values()))
"""


def run(code, path, **environment):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        cwd=path,
        env={**os.environ, "PYTHONPATH": str(path), **environment},
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def copied(tmp_path):
    """A copy of the package without caches, to be edited and imported by other processes."""
    shutil.copytree(PACKAGE, tmp_path / "stammtisch", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def test_a_second_process_hits_the_cache_and_an_edited_rule_misses_it(copied):
    probe = PROBE.format(games=["einstein-3x3", "einstein-4x4"], depth=3)
    assert run(probe, copied).split() == ["einstein-3x3", "727", "0", "1", "einstein-4x4", "759", "0", "1"]
    assert run(probe, copied).split() == ["einstein-3x3", "727", "1", "0", "einstein-4x4", "759", "1", "0"]
    rules = copied / "stammtisch/envs/einstein/rules.py"
    original = rules.read_text()
    edited = original.replace("_CAN_GO_RIGHT & _CAN_GO_DOWN, 3,", "_CAN_GO_RIGHT & _CAN_GO_DOWN & (SIZE == 3), 3,")
    assert edited != original
    rules.write_text(edited)
    first, second = run(probe, copied).splitlines()
    assert first.split() == ["einstein-3x3", "727", "0", "1"]
    assert second.split()[1] != "759"
    rules.write_text(original)
    assert run(probe, copied).split() == ["einstein-3x3", "727", "1", "0", "einstein-4x4", "759", "1", "0"]


def test_a_changed_helper_of_the_rules_changes_the_tag(copied):
    probe = "import stammtisch; print(stammtisch.load_game('einstein-3x3').kernels('step').TAG)"
    before = run(probe, copied)
    helper = copied / "stammtisch/envs/core/rng.py"
    helper.write_text(helper.read_text() + "\n# changed\n")
    assert run(probe, copied) != before


def test_games_do_not_collide_where_the_cache_folder_cannot_be_written(copied):
    probe = PROBE.format(games=["einstein-3x3", "einstein-4x4"], depth=2)
    out = run(probe, copied, NUMBA_CACHE_DIR="/proc/no-such-place")
    assert [line.split()[1] for line in out.splitlines()] == ["84", "81"]


def test_first_step_of_a_warm_process_is_quick(copied):
    """Import, make, reset and step take under two seconds of processor time."""
    code = """
    import time
    begun = time.process_time()
    import gymnasium, stammtisch
    env = gymnasium.make("stammtisch/EinStein5x5-v0")
    _, info = env.reset(seed=0)
    env.step(int(info["action_mask"].argmax()))
    print(time.process_time() - begun)
    """
    run(code, copied)
    assert float(run(code, copied)) < 2


def test_importing_compiles_nothing_and_stays_light():
    code = """
    import sys, time
    import numpy, gymnasium
    begun = time.process_time()
    import stammtisch
    took = time.process_time() - begun
    heavy = [m for m in ("numba", "torch", "matplotlib", "PIL", "rich", "stable_baselines3") if m in sys.modules]
    print(took, heavy)
    """
    took, heavy = run(code, PACKAGE.parent).split(maxsplit=1)
    assert heavy.strip() == "[]"
    assert float(took) < 0.3


def test_every_kernel_keeps_one_signature(game):
    compile_game(game)
    state = random_state(game, 3, 9)
    state.legal_mask()
    for player in (0, np.int64(1)):
        state.observation(int(player))
    for family in (game.kernels("step"), game.lane_kernels(), game.lane_kernels(("heuristic",))):
        for name, value in vars(family).items():
            if hasattr(value, "signatures") and value.py_func.__qualname__.startswith(family.TAG):
                assert len(value.signatures) <= 1, (name, value.signatures)


def test_kernel_modules_are_shared_and_pickle_by_name(game):
    family = game.kernels("step")
    assert stammtisch.load_game(game.id).kernels("step") is family
    assert pickle.loads(pickle.dumps(family)) is family


def test_only_plain_values_can_be_bound():
    with pytest.raises(TypeError, match="cannot bind"):
        loader.load("stammtisch.envs.kernels.step", "x", RULES=object())


def test_a_second_thread_waits_for_the_whole_module(tmp_path, monkeypatch):
    """The source stops half-way until the test lets it go on; whoever loads it meanwhile must not see that half."""
    gate = types.ModuleType("gate_of_a_slow_source")
    gate.reached, gate.opened = threading.Event(), threading.Event()
    monkeypatch.setitem(sys.modules, gate.__name__, gate)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "slow_source.py").write_text(
        "from gate_of_a_slow_source import opened, reached\nreached.set()\nopened.wait(60)\nLAST = 1\n"
    )
    seen = []

    def look():
        seen.append(hasattr(loader.load("slow_source", "slow"), "LAST"))

    threads = [threading.Thread(target=look) for _ in range(3)]
    threads[0].start()
    assert gate.reached.wait(60)
    for thread in threads[1:]:
        thread.start()
    threads[1].join(0.1)  # one that does not wait is through by now
    gate.opened.set()
    for thread in threads:
        thread.join()
    assert seen == [True, True, True]


def test_a_source_that_fails_leaves_no_module(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "failing_source.py").write_text("FIRST = 1\nraise RuntimeError('half-way')\n")
    for _ in range(2):
        with pytest.raises(RuntimeError, match="half-way"):
            loader.load("failing_source", "failing")


def test_clearing_leaves_the_cache_files_of_others(copied):
    elsewhere = copied / "cache"
    (copied / "neighbour.py").write_text("from numba import njit\n@njit(cache=True)\ndef f(): return 1\nf()\n")
    code = """
    import pathlib, neighbour, stammtisch
    from stammtisch.envs.core.cache import clear_cache
    cached = lambda: sorted(f.name for f in pathlib.Path("cache").rglob("*.nb?"))
    stammtisch.load_game("einstein-3x3").new_state(seed=0)
    before = cached()
    mine = [name for name in before if not name.startswith("neighbour")]
    assert len(mine) >= 2 and len(before) == len(mine) + 2, before
    assert clear_cache() == len(mine)
    assert [name.partition(".")[0] for name in cached()] == ["neighbour", "neighbour"], cached()
    """
    run(code, copied, NUMBA_CACHE_DIR=str(elsewhere), XDG_CACHE_HOME=str(copied / "home"))


@pytest.mark.parametrize("game_id", ["einstein-6x6-3p", "reversi-10x10", "muehle", "jass-schieber"])
def test_no_index_leaves_its_array(game_id, tmp_path):
    """Whole random and heuristic games with numba's bounds checks on, in a process and cache of their own."""
    code = f"""
    import numpy as np, stammtisch
    from stammtisch.envs.warmup import compile_game
    from stammtisch.benchmarks import play_match
    game = stammtisch.load_game({game_id!r})
    compile_game(game)
    game.kernels("playouts").playouts(300, 1, np.zeros(game.info.num_players))
    play_match(game, ["heuristic", "random"], games=6, seed=1)
    print("fine")
    """
    assert game_id in GAMES
    out = run(code, PACKAGE.parent, NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=str(tmp_path))
    assert out.split() == ["fine"]
