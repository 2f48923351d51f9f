"""At whatever step of writing the disk gets full, a training ends at once, in one line, with nothing half written."""

import pathlib

import pytest

from tests.attack.commands import LONG
from tests.attack.full_disk import ends_on_full_disks
from tests.attack.test_disks import TRAININGS, told_in_one_line

pytest.importorskip("sb3_contrib")

FEW, ALL = 4, 1000  # moments


def words_of(name):
    return [word.replace("/PLACE", "OUT") for word in LONG[name].words(pathlib.Path("/PLACE"))]


@pytest.mark.parametrize(
    ("name", "moments"),
    [
        pytest.param("train dqn", FEW, id="train dqn"),
        *(pytest.param(name, ALL, id=f"{name}, all", marks=pytest.mark.slow) for name in TRAININGS),
    ],
)
def test_a_training_ends_wherever_the_disk_gets_full(name, moments, tmp_path):
    whole, *ends = ends_on_full_disks(words_of(name), tmp_path, moments)
    assert whole.code == 0, whole.stderr
    assert len(ends) == min(moments, whole.steps)
    for end in ends:
        assert end.steps > end.moment
        told_in_one_line(end.stderr, end.code, "No space left on device")
        assert set(end.left) <= set(whole.left)  # no part of a file
