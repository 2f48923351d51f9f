"""Archives whose members lie about themselves are refused before memory is taken."""

import io
import zipfile

import numpy as np
import pytest

from stammtisch.errors import BadFile
from stammtisch.files.archives import opened_archive
from tests.attack.memory import most_memory

HEADER = np.array('{"format": "test"}')


def member(array: np.ndarray, shape: tuple[int, ...] | None = None) -> bytes:
    """Return an array as a file, perhaps with another shape in its head."""
    file = io.BytesIO()
    told = {"descr": np.lib.format.dtype_to_descr(array.dtype), "fortran_order": False, "shape": shape or array.shape}
    np.lib.format.write_array_header_1_0(file, told)
    return file.getvalue() + array.tobytes()


def archive(path, members, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", method) as file:
        for name, data in members.items():
            file.writestr(f"{name}.npy", data)


def keys_of(path, differences):
    with opened_archive(path, "table") as found:
        return found.ascending("keys", differences)


def test_arrays_come_back_as_they_were(tmp_path):
    path = tmp_path / "a.npz"
    keys = np.array([-5, 3, 2**62])
    grid = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.savez_compressed(path, header=HEADER, keys=np.diff(keys, prepend=0), grid=grid)
    with opened_archive(path, "table") as found:
        assert found.header() == {"format": "test"}
        assert found.ascending("keys", differences=True).tolist() == keys.tolist()
        assert found.shape("grid", np.float32, 2) == (2, 3)
        assert np.array_equal(found.array("grid", np.float32, 2), grid)
        assert found.names == ["header", "keys", "grid"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (member(np.zeros(3)), "float64 of 1 dimensions, not int64 of 1"),
        (member(np.array(3)), "int64 of 0 dimensions"),
        (member(np.arange(3), (3_000_000_000,)), "says that it has 24,000,000,000 bytes, not 24"),
        (member(np.arange(3), (-3,)), "a form that we never use"),
        (member(np.arange(3))[:-1], "says that it has"),
        (member(np.array([1, 2, 2])), "do not rise"),
        (b"", "EOF|magic"),
        (b"\x93NUMPY\x01\x00\x10\x00" + b"(" * 16, "."),
    ],
)
def test_false_members_are_refused_without_taking_memory(tmp_path, data, said):
    path = tmp_path / "a.npz"
    archive(path, {"keys": data})
    with most_memory(32 << 20), pytest.raises(BadFile, match=f"^cannot read table .*({said})"):
        keys_of(path, differences=False)


def test_a_bomb_of_equal_keys_is_refused_at_its_first_piece(tmp_path):
    path = tmp_path / "bomb.npz"
    archive(path, {"keys": member(np.zeros(50_000_000, np.int64))})
    assert path.stat().st_size < 1_000_000
    with most_memory(64 << 20), pytest.raises(BadFile, match="do not rise"):
        keys_of(path, differences=True)


def test_other_methods_of_compression_are_refused(tmp_path):
    path = tmp_path / "a.npz"
    archive(path, {"keys": member(np.arange(3))}, zipfile.ZIP_BZIP2)
    with pytest.raises(BadFile, match="compressed in a way"), opened_archive(path, "table") as found:
        found.array("keys", np.int64)


def test_mapped_arrays_are_compared_with_their_checksum(tmp_path):
    path = tmp_path / "a.npz"
    archive(path, {"weights": member(np.arange(100, dtype=np.float32))}, zipfile.ZIP_STORED)
    with opened_archive(path, "network") as found:
        assert found.mapped("weights", np.float32)[99] == 99
    data = bytearray(path.read_bytes())
    data[data.index(np.float32(50).tobytes())] ^= 1
    path.write_bytes(data)
    with pytest.raises(BadFile, match="Bad CRC-32"), opened_archive(path, "network") as found:
        found.mapped("weights", np.float32)


def test_a_missing_member_is_named(tmp_path):
    path = tmp_path / "a.npz"
    archive(path, {"keys": member(np.arange(3))})
    with pytest.raises(BadFile, match=r'a.npz": it has no header$'), opened_archive(path, "table") as found:
        found.header()
