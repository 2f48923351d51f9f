"""What tests of interrupted trainings share."""

import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
from safetensors.numpy import load_file


def kill_when(words, is_time):
    """Start ``stammtisch`` with these words and kill it, without warning, as soon as ``is_time()``."""
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(__file__).parents[2])}
    command = [sys.executable, "-m", "stammtisch.cli", *words]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    while not is_time() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL


def assert_same_arrays(first, second):
    a, b = load_file(first), load_file(second)
    assert sorted(a) == sorted(b)
    for name, array in a.items():
        assert np.array_equal(array, b[name]), name
