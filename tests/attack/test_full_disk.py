"""At whatever step of writing the disk gets full, a training ends at once, in one line, with nothing half written."""

import pytest

from tests.attack.commands import LONG
from tests.attack.full_disk import ends_on_full_disks
from tests.attack.test_disks import TRAININGS, WRITERS, told_in_one_line

pytest.importorskip("sb3_contrib")

FEW, SOME, ALL = 4, 24, 1000  # moments
MOMENTS = dict.fromkeys([name for name in TRAININGS if name != "tune of an agent"], ALL)
MOMENTS |= dict.fromkeys(["train alphazero", "train supervised", "train rl-jass", *WRITERS], SOME)


def words_of(name, folder):
    place = folder / "PLACE"
    return [word.replace(str(place), "OUT") for word in LONG[name].words(place)]


@pytest.mark.parametrize(
    ("name", "moments"),
    [
        pytest.param("train dqn", FEW, id="train dqn"),
        *(pytest.param(name, most, id=f"{name}, all", marks=pytest.mark.slow) for name, most in MOMENTS.items()),
    ],
)
def test_a_training_ends_wherever_the_disk_gets_full(name, moments, tmp_path):
    whole, *ends = ends_on_full_disks(words_of(name, tmp_path), tmp_path / "runs", moments)
    assert whole.code == 0, whole.stderr
    assert len(ends) == min(moments, whole.steps)
    for end in ends:
        assert end.steps > end.moment
        told_in_one_line(end.stderr, end.code, "No space left on device")
        left = {name for name in end.left if ".parts/" not in name}  # what an import can go on with
        assert left <= set(whole.left)  # no part of a file
