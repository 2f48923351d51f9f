"""Whenever a long command is killed, nothing is lost or half written, and the next run ends what it began."""

import json
import os
import subprocess

import pytest

import stammtisch
from stammtisch.arena.replay import verify
from stammtisch.arena.store import Store
from stammtisch.benchmarks.regret.plan import RegretPlan
from stammtisch.benchmarks.regret.rows import RegretStore
from stammtisch.envs.core.tables import open_table
from stammtisch.training.jass.deals import read_deals
from tests.attack.commands import LONG
from tests.attack.kill import STAMMTISCH, killed_runs

KILLS = int(os.environ.get("STAMMTISCH_KILLS", "10"))
_LONGEST_S = 600.0
UNFINISHED = (".part", ".parts", ".begun", "-lock", "-journal")
AGENTS = {
    "train ntuple": ("ntuple:file=", "einstein-3x3"),
    "train rote": ("rote:table=", "morris-3"),
    "train dqn": ("dqn:", "morris-3"),
    "train sb3": ("sb3:", "morris-3"),
    "train alphazero": ("alphazero:", "einstein-3x3"),
    "train supervised": ("supervised:", "jass-schieber"),
    "train rl-jass": ("rl-jass:", "jass-schieber"),
}


def games_in(path):
    """Return every game of a results file, all of them right."""
    store = Store(path, read_only=True)
    try:
        games = {}
        for plan in store.plans():
            records = store.games_of(plan)
            assert verify(plan, records)[1] == []
            games |= {(plan.agents, record.number): record.events for record in records}
        return games
    finally:
        store.close()


def judged_in(path):
    """Return every judged game of a file of decisions."""
    store = RegretStore(path, read_only=True)
    try:
        plan = RegretPlan("einstein-3x3", "mcts:iterations=30", games=40).checked()
        return {game.number: game.decisions for game in store.games_of(plan)}
    finally:
        store.close()


def kept_in(path):
    """Return what a result holds, where the same command must always leave the same; None elsewhere."""
    if path.name == "regret.sqlite":
        return judged_in(path)
    if path.suffix == ".sqlite":
        return games_in(path)
    if path.suffix == ".table":
        return open_table(path).entries.tobytes()
    is_deals = path.suffix == ".npz" and path.stem in ("d", "deals")
    return {name: array.tobytes() for name, array in read_deals(path).arrays().items()} if is_deals else None


def check(name, path):
    """Fail unless a result can be used as it is."""
    if path.suffix == ".table":
        open_table(path).check_sum()
    elif kept_in(path) is not None:
        pass
    elif path.suffix == ".json":
        json.loads(path.read_text())
    else:
        agent, game = AGENTS[name]
        stammtisch.load_agent(f"{agent}{path}", game)


def go_on(command, folder):
    """Run a command again; one that was killed before it had written anything begins anew."""
    for resume in (True, False):
        words = command.line(folder, resume)
        done = subprocess.run(words, capture_output=True, text=True, timeout=_LONGEST_S)
        if "leave out --resume" not in done.stderr:
            break
    return done


def survive(name, folder, kills):
    """Kill a command and let it go on; return how often it was killed at work."""
    command = LONG[name]
    killed, whole = 0, None
    for run in killed_runs(command.line, folder, kills, timeout_s=_LONGEST_S):
        result = run.folder / command.result
        if run.killed:
            killed += 1
            if result.exists() and result.stat().st_size:
                check(name, result)
            done = go_on(command, run.folder)
            assert done.returncode == 0, done.stderr
        check(name, result)
        assert [path.name for path in run.folder.rglob("*") if path.name.endswith(UNFINISHED)] == []
        kept = kept_in(result)
        whole = kept if whole is None else whole
        assert kept == whole
    return killed


def test_a_match_survives_kills(tmp_path):
    survive("match", tmp_path, 2)


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_long_commands_survive_kills(name, tmp_path):
    assert survive(name, tmp_path, KILLS)


def test_a_second_process_on_one_results_file_is_told_so_at_once(tmp_path):
    path = tmp_path / "results.sqlite"
    store = Store(path)
    try:
        words = [
            *STAMMTISCH,
            "match",
            "einstein-3x3",
            "random",
            "random",
            "--games",
            "2",
            "--out",
            str(path),
            "--resume",
        ]
        done = subprocess.run(words, capture_output=True, text=True, timeout=_LONGEST_S)
        assert done.returncode == 2
        assert f"is in use by process {os.getpid()}; wait for its end" in " ".join(done.stderr.split())
    finally:
        store.close()
