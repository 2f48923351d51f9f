"""Progress files: growing, damaged, begun again."""

import json
import pathlib
import random

from stammtisch.studio.jobs.progress import ProgressLog, ProgressReader
from stammtisch.training.evaluator import CurvePoint


def point(step, score=0.5):
    return CurvePoint(step, "random", score, (score - 0.1, score + 0.1), 20)


def test_what_is_written_is_read_while_it_grows(tmp_path):
    path = tmp_path / "progress.jsonl"
    reader = ProgressReader(path)
    assert reader.look() == []
    log = ProgressLog(path, 100)
    assert log(10, "ten", {"error": 0.5, "moves": 7}, [point(10)]) is False
    assert [line.get("done") for line in reader.look()] == [None, 10]
    assert reader.look() == []
    log.stop_wanted = True
    assert log(90, None, {"error": 0.25}) is True
    assert reader.look()[0]["done"] == 100
    assert reader.figures()["error"] == [[10, 0.5], [100, 0.25]]
    assert list(reader.points) == [(10, "random")]


def test_a_run_that_goes_on_takes_back_what_came_after_its_checkpoint(tmp_path):
    path = tmp_path / "progress.jsonl"
    first = ProgressLog(path, 100)
    for _ in range(5):
        first(10, None, {"error": 1.0}, [point(first.done + 10, 0.9)])
    with path.open("ab") as file:
        file.write(b'{"done": 60, "s"')  # killed in the middle of a line
    second = ProgressLog(path, 100)
    second(30, None, None, [point(10), point(20), point(30)])
    second(10, None, {"error": 2.0}, [point(40)])
    reader = ProgressReader(path)
    reader.look()
    assert [line["done"] for line in reader.lines] == [10, 20, 30, 40]
    assert [reader.points[step, "random"]["score"] for step in (10, 20, 30, 40)] == [0.5] * 4
    assert (50, "random") not in reader.points


def test_a_full_disk_loses_lines_and_nothing_else(capsys):
    log = ProgressLog(pathlib.Path("/dev/full"), 10)
    assert log(10, "all", None, [point(10)]) is False
    assert log.done == 10
    assert "progress is not written: No space left on device" in capsys.readouterr().out


def test_damaged_files_are_read_as_far_as_they_can_be(tmp_path):
    path = tmp_path / "progress.jsonl"
    log = ProgressLog(path, 1000)
    for i in range(50):
        log(10, f"line {i}", {"error": i / 7}, [point(10 * i + 10)])
    whole = path.read_bytes()
    draw = random.Random(0)
    for _ in range(300):
        data = bytearray(whole)
        for _ in range(draw.randrange(1, 20)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        path.write_bytes(bytes(data[: draw.randrange(len(data))]))
        reader = ProgressReader(path)
        reader.look()
        json.dumps([reader.figures(), list(reader.points.values()), reader.seconds_left()], allow_nan=False)


def test_long_series_are_thinned():
    reader = ProgressReader(pathlib.Path("/nowhere"))
    reader.lines = [{"done": i, "s": float(i), "figures": {"loss": 1.0}} for i in range(5000)]
    assert len(reader.figures()["loss"]) <= 240
    assert reader.figures()["loss"][-1] == [4999, 1.0]
