"""Hostile engines: they hang, crash, flood, lie or leave children behind; each loses its game and nothing else."""

import json
import os
import sys
import time

import pytest

import stammtisch
from stammtisch.baselines.engines.process import EngineProcess
from stammtisch.benchmarks import play_match
from stammtisch.errors import Forfeit

GAME = "einstein-3x3"
HELLO = "import sys, os, time, json\nread = lambda: sys.stdin.readline()\nsay = lambda x: print(x, flush=True)\n"
READY = HELLO + 'read(); say(\'{"type": "ready"}\')\n'
WORK = "for line in sys.stdin:\n    m = json.loads(line)\n    if m['type'] != 'move': continue\n"
FAULTS = {
    "dies at once": "raise SystemExit(3)",
    "hangs at once": HELLO + "time.sleep(60)",
    "is not ready": HELLO + "read(); say('{}')",
    "talks nonsense": HELLO + "read(); say('hello there')",
    "hangs later": READY + "time.sleep(60)",
    "crashes later": READY + WORK + "    sys.stderr.write('out of cheese\\n'); os._exit(7)",
    "answers illegally": READY + WORK + "    say(json.dumps({'action': 999}))",
    "says an illegal move": READY + WORK + "    say(json.dumps({'move': 'e2e4'}))",
    "says a number of the wrong kind": READY + WORK + "    say(json.dumps({'action': True}))",
    "says nothing of a move": READY + WORK + "    say('{}')",
    "floods a line": READY + WORK + "    sys.stdout.write('x' * 10_000_000); sys.stdout.flush()",
    "floods lines": READY + WORK + "    \n    while True: say('{\"id\": -1}')",
    "floods stderr": READY + WORK + "    sys.stderr.write('x' * 10_000_000); say('{}')",
    "closes its output": READY + WORK + "    os.close(1); time.sleep(60)",
    "nests deep": READY + WORK + "    say(chr(91) * 100_000)",
    "writes no text": READY + WORK + "    os.write(1, bytes(range(128, 256)) + b'\\n')",
    "never reads": HELLO + 'say(\'{"type": "ready"}\'); time.sleep(60)',
}


def spec(program, **options):
    more = "".join(f",{name}={value}" for name, value in {"timeout_s": 3, **options}.items())
    return f"engine:text,command={json.dumps([sys.executable, '-c', program])}{more}"


@pytest.mark.parametrize("program", FAULTS.values(), ids=FAULTS)
def test_a_hostile_engine_loses_its_games_and_the_match_goes_on(program):
    agent = stammtisch.load_agent(spec(program, timeout_s=1.0), GAME)  # an object: nobody warms it up
    result = play_match(GAME, ["random", agent], games=2, seed=0)
    assert result.wins == 2
    assert [record.events[-1] < 0 for record in result.records] == [True, True]
    assert result.forfeits == 2


def test_it_loses_that_game_only(tmp_path):
    """The engine crashes in its first life and plays well in the next ones."""
    mark = tmp_path / "mark"
    honest = WORK + "    say(json.dumps({'id': m['id'], 'action': m['legal'][0]}))\n"
    crashing = f"if not os.path.exists({str(mark)!r}):\n    open({str(mark)!r}, 'w'); os._exit(1)\n"
    agent = stammtisch.load_agent(spec(READY + crashing + honest), GAME)
    result = play_match(GAME, ["random", agent], games=6, seed=0)
    assert [record.events[-1] < 0 for record in result.records] == [True, False, False, False, False, False]
    mark.unlink()
    patient = stammtisch.load_agent(spec(READY + crashing + honest, retries=1), GAME)
    result = play_match(GAME, ["random", patient], games=2, seed=0)
    assert all(record.events[-1] >= 0 for record in result.records)


def test_what_it_said_last_is_told(tmp_path):
    log = tmp_path / "engine.log"
    agent = stammtisch.load_agent(spec(FAULTS["crashes later"], log=log), GAME)
    state = stammtisch.load_game(GAME).new_state()
    state.apply(0)
    with pytest.raises(Forfeit, match="ended with code 7; it said: out of cheese"):
        agent.act(state.view(0))
    assert "out of cheese" in log.read_text()


def test_children_are_killed_too(tmp_path):
    pid_file = tmp_path / "pid"
    program = HELLO + (
        "import subprocess\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(pid_file)!r}, 'w').write(str(child.pid)); say('x'); time.sleep(600)"
    )
    process = EngineProcess([sys.executable, "-c", program])
    assert process.line(time.monotonic() + 30) == "x"
    child = int(pid_file.read_text())
    process.kill()
    assert not process.is_running
    for _ in range(50):
        if not _is_alive(child):
            break
        time.sleep(0.1)
    assert not _is_alive(child)


def _is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_no_shell_reads_the_command(tmp_path):
    touched = tmp_path / "touched"
    program = HELLO + "say(json.dumps(sys.argv[1:]))"
    process = EngineProcess([sys.executable, "-c", program, f"; touch {touched}", "$HOME", "`id`"])
    assert json.loads(process.line(time.monotonic() + 30)) == [f"; touch {touched}", "$HOME", "`id`"]
    process.close()
    assert not touched.exists()
    assert os.environ.get("HOME")
