"""Files appear whole or not at all."""

import errno
import os
import subprocess
import sys

import pytest

from stammtisch.errors import BadFile
from stammtisch.files import check_writable, make_folder, write_text, written_whole
from stammtisch.files.locks import try_lock


def fail_halfway(path):
    with written_whole(path) as file:
        file.write(b"half")
        assert path.read_bytes() == "first ü\r\n".encode()
        file.write(bytes([1 // 0]))


def test_a_file_is_replaced_only_when_it_is_complete(tmp_path):
    path = tmp_path / "file.txt"
    write_text(path, "first ü\r\n")
    with pytest.raises(ZeroDivisionError):
        fail_halfway(path)
    assert path.read_bytes() == "first ü\r\n".encode()
    write_text(path, "second")
    assert path.read_text() == "second"
    assert [item.name for item in tmp_path.iterdir()] == ["file.txt"]


def test_what_cannot_be_written_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"cannot write .*no/file\.txt\": No such file or directory"):
        write_text(tmp_path / "no" / "file.txt", "text")


@pytest.mark.parametrize(
    ("place", "reason"),
    [("no/file", "No such file or directory"), ("folder", "Is a directory"), ("text/file", "Not a directory")],
)
def test_places_that_cannot_be_written_are_told_before_the_work(tmp_path, place, reason):
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_text("")
    for attempt in (check_writable, lambda path: write_text(path, "text")):
        with pytest.raises(BadFile, match=f'^cannot write ".*{place}": {reason}$'):
            attempt(tmp_path / place)
    check_writable(tmp_path / "file")
    assert sorted(item.name for item in tmp_path.iterdir()) == ["folder", "text"]


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "text").write_text("")
    with pytest.raises(BadFile, match=r'^cannot write ".*text": File exists$'):
        make_folder(tmp_path / "text")
    assert make_folder(tmp_path / "a" / "b").is_dir()


def fail_on_full_disk(path):
    with written_whole(path) as file:
        file.write(b"new")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_leaves_the_old_file_and_no_part(tmp_path):
    path = tmp_path / "file.txt"
    write_text(path, "old")
    with pytest.raises(BadFile, match="No space left on device"):
        fail_on_full_disk(path)
    assert path.read_text() == "old"
    assert [item.name for item in tmp_path.iterdir()] == ["file.txt"]


def dead_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_parts_that_a_killed_process_left_are_removed_by_the_next_write(tmp_path):
    left = tmp_path / f".model.npz.{dead_pid()}.part"
    left.write_bytes(b"half")
    others = [f".model.npz.{os.getppid()}.part", ".notes.part", f"model.{dead_pid()}.part", ".model.npz.-1.part"]
    for name in others:
        (tmp_path / name).write_bytes(b"")
    write_text(tmp_path / "other.txt", "text")
    assert sorted(item.name for item in tmp_path.iterdir()) == sorted(["other.txt", *others])


def test_a_part_that_is_locked_is_being_written_whoever_its_number_belongs_to(tmp_path):
    left = tmp_path / f".model.npz.{dead_pid()}.part"
    with left.open("wb") as file:
        assert try_lock(file)
        check_writable(tmp_path / "other.txt")
        assert left.exists()
