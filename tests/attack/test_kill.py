"""The harness that kills: it spares the first run, kills the others at different moments, leaves nothing running."""

import subprocess
import sys

import pytest

from tests.attack.kill import killed_runs

_WORKER = """
import sys, time, subprocess
child = subprocess.Popen(["sleep", "60"])
print("child", child.pid, "begins", flush=True)
for number in range(20):
    time.sleep(0.02)
    print("step", number, flush=True)
child.kill()
"""


def test_the_whole_run_comes_first_and_then_the_kills(tmp_path):
    whole, *others = killed_runs(lambda folder: [sys.executable, "-c", _WORKER], tmp_path, 3, ready="begins")
    assert not whole.killed
    assert "step 19" in whole.output
    killed = [run for run in others if run.killed]
    assert killed
    assert all(run.process.returncode == -9 for run in killed)
    assert [run.moment_s for run in killed] == sorted(run.moment_s for run in killed)
    for run in others:
        child = run.output.split()[1]
        state = subprocess.run(["ps", "-o", "stat=", "-p", child], capture_output=True, text=True).stdout
        assert state[:1] in ("", "Z")  # gone, or only waiting to be taken off the list


def test_a_first_run_that_took_longer_than_the_others_is_no_measure(tmp_path):
    once = "import pathlib, time, sys; p = pathlib.Path(sys.argv[1]); time.sleep(0.5 if p.exists() else 8); p.touch()"
    words = [sys.executable, "-c", once, str(tmp_path / "compiled")]
    assert any(run.killed for run in killed_runs(lambda folder: words, tmp_path, 4))


def test_a_command_that_fails_by_itself_is_no_run(tmp_path):
    with pytest.raises(AssertionError, match="broken"):
        list(killed_runs(lambda folder: [sys.executable, "-c", "raise SystemExit('broken')"], tmp_path, 1))
