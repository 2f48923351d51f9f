"""Whenever a long command is killed, nothing is lost or half written, and the next run ends what it began."""

import json
import os
import subprocess

import pytest

import stammtisch
from stammtisch.arena.replay import verify
from stammtisch.arena.store import Store
from tests.attack.commands import LONG
from tests.attack.kill import STAMMTISCH, killed_runs

KILLS = int(os.environ.get("STAMMTISCH_KILLS", "10"))
_LONGEST_S = 600.0


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


def check(name, path):
    """Fail unless a result can be used as it is."""
    if path.suffix == ".sqlite":
        games_in(path)
    elif path.suffix == ".json":
        json.loads(path.read_text())
    else:
        agent = {"train ntuple": "ntuple:file=", "train rote": "rote:table=", "train dqn": "dqn:", "train sb3": "sb3:"}
        game = "einstein-3x3" if name == "train ntuple" else "morris-3"
        stammtisch.load_agent(f"{agent[name]}{path}", game)


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
        left = [path.name for path in run.folder.rglob("*") if path.name.endswith((".part", "-lock", "-journal"))]
        assert left == []
        if result.suffix == ".sqlite":
            whole = whole or games_in(result)
            assert games_in(result) == whole
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
