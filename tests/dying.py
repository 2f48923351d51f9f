"""Commands that die without warning at a moment that is certain: right after a function has returned so many times."""

import os
import pathlib
import signal
import subprocess
import sys

_PROGRAM = """
import importlib, itertools, os, signal, sys, types
target, calls, clocked, *words = sys.argv[1:]
module, _, path = target.partition(":")
*owners, name = path.split(".")
owner = importlib.import_module(module)
for part in owners:
    owner = getattr(owner, part)
whole, counted = getattr(owner, name), itertools.count(1)

def deadly(*arguments, **keywords):
    result = whole(*arguments, **keywords)
    if next(counted) == int(calls):
        os.kill(os.getpid(), signal.SIGKILL)
    return result

setattr(owner, name, deadly)
if clocked:
    seconds = itertools.count()
    importlib.import_module(clocked).time = types.SimpleNamespace(perf_counter=lambda: float(next(seconds)))
from stammtisch.cli import main
sys.argv = ["stammtisch", *words]
main()
"""


def run_and_die(words, after, calls=1, clock_of=""):
    """Run ``stammtisch`` with these words; it kills itself with signal 9.

    Args:
        words: the command.
        after: the function, as ``module:name`` or ``module:Class.name``, looked up where it is called.
        calls: after so many calls of it.
        clock_of: a module whose clock goes on by one second whenever it looks.
    """
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(__file__).parents[1])}
    command = [sys.executable, "-c", _PROGRAM, after, str(calls), clock_of, *map(str, words)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
