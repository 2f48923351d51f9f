"""One writer at a time; a dead one does not count."""

import subprocess
import sys

import pytest

from stammtisch.errors import BadFile
from stammtisch.files.locks import FileLock

_HOLDER = """
import pathlib, sys, time
from stammtisch.files.locks import FileLock
lock = FileLock(pathlib.Path(sys.argv[1]))
print("held", flush=True)
time.sleep(60)
"""


def test_a_second_lock_names_the_holder_and_a_kill_lets_go(tmp_path):
    path = tmp_path / "results.sqlite"
    holder = subprocess.Popen([sys.executable, "-c", _HOLDER, str(path)], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(BadFile, match=f'^".*results.sqlite" is in use by process {holder.pid}; wait'):
            FileLock(path)
    finally:
        holder.kill()
        holder.wait()
    assert [item.name for item in tmp_path.iterdir()] == ["results.sqlite-lock"]
    FileLock(path).release()
    assert not list(tmp_path.iterdir())


def test_a_lock_can_be_taken_again_after_its_release(tmp_path):
    first = FileLock(tmp_path / "file")
    with pytest.raises(BadFile, match="in use"):
        FileLock(tmp_path / "file")
    first.release()
    first.release()
    FileLock(tmp_path / "file").release()


def test_a_lock_in_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(BadFile, match=r"cannot write .*: No such file or directory"):
        FileLock(tmp_path / "no" / "file")
