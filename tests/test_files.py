"""Files appear whole or not at all."""

import pytest

from stammtisch.files import write_text, written_whole


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
    with pytest.raises(ValueError, match=r"cannot write .*no/file\.txt: No such file or directory"):
        write_text(tmp_path / "no" / "file.txt", "text")
