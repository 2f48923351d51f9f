"""Full and read-only disks: one line, code 2, nothing half written, and what was there before stays."""

import errno
import json
import os
import pathlib
import shutil
import subprocess

import pytest

from stammtisch.arena.match import play_match
from stammtisch.arena.store import Store
from stammtisch.cli import main
from tests.attack.commands import LONG
from tests.attack.kill import STAMMTISCH

_LONGEST_S = 300.0
TRAININGS = [name for name in LONG if name.startswith(("train", "tune"))]
WRITERS = [name for name in LONG if name.startswith(("jass", "tables"))]  # that write files, but no database


def told_in_one_line(stderr: str, code: int, reason: str) -> None:
    assert code == 2, stderr
    assert "Traceback" not in stderr
    lines = [line for line in stderr.splitlines() if line.startswith("error: ")]
    assert len(lines) == 1, stderr
    assert reason in stderr, stderr


@pytest.fixture
def disk(tmp_path):
    """A small disk of its own, where the system lets us make one."""
    place = tmp_path / "disk"
    place.mkdir()
    if shutil.which("mount") is None or os.getuid() != 0:
        pytest.skip("only root can mount a small disk")
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", place], capture_output=True).returncode:
        pytest.skip("this system does not let us mount a small disk")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def make_read_only(disk: pathlib.Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)


def fill(disk: pathlib.Path) -> None:
    free = shutil.disk_usage(disk).free
    (disk / "filler").write_bytes(b"x" * free)


def run(words) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(words, capture_output=True, text=True, timeout=_LONGEST_S)


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_a_full_disk_ends_every_long_command_in_one_line(disk, name):
    fill(disk)
    done = run(LONG[name].line(disk))
    told_in_one_line(done.stderr, done.returncode, "error: cannot ")
    assert not [path for path in disk.rglob("*") if path.name.endswith(".part")]


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_a_read_only_disk_ends_every_long_command_in_one_line(disk, name):
    make_read_only(disk)
    done = run(LONG[name].line(disk))
    told_in_one_line(done.stderr, done.returncode, "Read-only file system")


def test_results_on_a_read_only_disk_are_replayed_and_reported_elsewhere(disk, tmp_path):
    store = Store(disk / "results.sqlite")
    play_match("einstein-3x3", ["heuristic", "random"], games=4, store=store)
    store.close()
    make_read_only(disk)
    replayed = run([*STAMMTISCH, "replay", str(disk), "--json"])
    assert json.loads(replayed.stdout) == {"games": 4, "faults": []}
    refused = run([*STAMMTISCH, "report", str(disk)])
    told_in_one_line(refused.stderr, refused.returncode, "Read-only file system")
    reported = run([*STAMMTISCH, "report", str(disk), "--out", str(tmp_path / "report")])
    assert reported.returncode == 0, reported.stderr
    assert (tmp_path / "report" / "report.html").is_file()


@pytest.mark.parametrize("name", [name for name in TRAININGS if name != "tune of an agent"] + WRITERS)
def test_a_disk_that_is_full_at_the_first_write_is_told_in_one_line(name, tmp_path, monkeypatch, capsys):
    if name in ("train dqn", "train sb3"):
        pytest.importorskip("sb3_contrib")
    place = tmp_path / "place"
    place.mkdir()
    words = LONG[name].words(place)

    def fail(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("stammtisch.files.writing.os.fsync", fail)
    monkeypatch.setattr("sys.argv", ["stammtisch", *words])
    with pytest.raises(SystemExit) as stopped:
        main()
    told_in_one_line(capsys.readouterr().err, stopped.value.code, "No space left on device")
    assert not [path for path in place.rglob("*") if path.is_file()]
