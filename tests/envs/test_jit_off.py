"""``NUMBA_DISABLE_JIT=1``: everything runs in Python as well, to be stepped through, and comes to the same."""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import stammtisch
from tests.envs.everything import NOT_LEARNED, PARTS, SEARCHES, load

ROOT = pathlib.Path(stammtisch.__file__).parents[1]
FLOAT32_ROUNDING = 1e-5  # Python adds to float32 weights in float32, compiled code in float64
CASES = [(game_id, part) for game_id in SEARCHES for part in PARTS if part != "training" or game_id not in NOT_LEARNED]
QUICK = [(game_id, part) for game_id, part in CASES if part in ("faces", "matches") or game_id == "einstein-3x3"]
SLOW = [case for case in CASES if case not in QUICK]


def in_python(game_id, part):
    done = subprocess.run(
        [sys.executable, "-m", "tests.envs.everything", game_id, part],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": "1"},
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def compare(game_id, part):
    compiled = json.loads(json.dumps(PARTS[part](load(game_id))))
    found = in_python(game_id, part)
    if part == "training":
        assert set(found) == set(compiled)
        for name, values in compiled.items():
            np.testing.assert_allclose(found[name], values, rtol=FLOAT32_ROUNDING)
    else:
        assert found == compiled


@pytest.mark.parametrize(("game_id", "part"), QUICK)
def test_python_plays_as_compiled_code_does(game_id, part):
    compare(game_id, part)


@pytest.mark.slow
@pytest.mark.parametrize(("game_id", "part"), SLOW)
def test_python_thinks_and_learns_as_compiled_code_does(game_id, part):
    compare(game_id, part)


def test_the_debugger_stops_where_the_page_on_debugging_says(tmp_path):
    page = (ROOT / "docs/debug.md").read_text("utf-8")
    script = tmp_path / "my_script.py"
    script.write_text(page.split("```python\n")[1].split("```")[0])
    session = page.split("```text\n$ ")[1].split("```")[0].splitlines()[1:]
    commands = [line.removeprefix("(Pdb) ") for line in session if line.startswith("(Pdb) ")]
    done = subprocess.run(
        [sys.executable, "-m", "pdb", str(script)],
        input="\n".join([*commands, "quit\n"]),
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": "1"},
        timeout=60,
    )
    for line in session:
        if not line.startswith("(Pdb) "):
            assert line.removeprefix("> …") in done.stdout, done.stdout
