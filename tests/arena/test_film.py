"""Films of games: GIF with what is installed anyway, MP4 with one package more."""

import json
import sys

import numpy as np
import pytest
from PIL import Image

from stammtisch.arena.film import frames_of, write_film
from stammtisch.arena.plan import MatchPlan
from stammtisch.arena.play import MatchPlayer
from stammtisch.video import check_video, write_video
from tests.test_cli import call

PLAN = MatchPlan("einstein-3x3", ("random", "heuristic"), 2, seed=1)


@pytest.fixture(scope="module")
def record():
    return MatchPlayer(PLAN).play(range(2))[1]


def test_a_game_becomes_a_gif_with_a_picture_per_position(record, tmp_path):
    path = tmp_path / "game.gif"
    write_film(PLAN, record, path, frames_per_second=4)
    with Image.open(path) as film:
        assert film.format == "GIF"
        assert film.n_frames == len(record.events) + 1
        assert film.info["duration"] == 250
        film.seek(film.n_frames - 1)
        assert film.info["duration"] > 2000  # the end stays
        assert film.size == next(frames_of(PLAN, record)).shape[1::-1]


def test_a_game_becomes_an_mp4(record, tmp_path):
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    path = tmp_path / "game.mp4"
    frames = [frame[:-1, :-1] for frame in frames_of(PLAN, record)]  # odd sizes
    write_video(frames, path, 2.0)
    reader = imageio_ffmpeg.read_frames(str(path))
    facts = next(reader)
    assert facts["fps"] == 2.0
    height, width = frames[0].shape[:2]
    assert facts["size"] == (width + width % 2, height + height % 2)
    first = np.frombuffer(next(reader), np.uint8).reshape(facts["size"][1], facts["size"][0], 3)
    assert np.abs(first[:height, :width].astype(int) - frames[0]).mean() < 8
    assert sum(1 for _ in reader) + 1 == len(frames) + 4


@pytest.mark.parametrize(
    ("name", "message"), [("game.avi", "ends in .gif or .mp4"), ("nowhere/game.gif", "No such file"), ("x", "ends in")]
)
def test_films_that_cannot_be_written_are_refused(name, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        check_video(tmp_path / name)


def test_mp4_without_its_package_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(ValueError, match=r'pip install "stammtisch\[video\]"'):
        check_video(tmp_path / "game.mp4")


def test_a_film_needs_pictures_and_time(tmp_path):
    with pytest.raises(ValueError, match="at least one picture"):
        write_video([], tmp_path / "none.gif")
    with pytest.raises(ValueError, match="above 0"):
        write_video([], tmp_path / "none.gif", 0)
    assert not list(tmp_path.iterdir())


def test_replay_writes_a_stored_game_as_a_film(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    call("match", "jass-schieber", "random", "greedy", "--games", "2", "--out", "games.sqlite")
    told = json.loads(call("replay", "games.sqlite", "--game", "1", "--film", "game.gif", "--seat", "0", "--json"))
    assert told == {"film": "game.gif", "game": "jass-schieber", "agents": ["random", "greedy"], "number": 1}
    with Image.open("game.gif") as film:
        assert film.n_frames > 36
    for words, message in (
        (("--game", "9"), "no game 9 in match 1"),
        (("--match", "7"), "no match 7"),
        (("--seat", "4"), "no seat 4"),
    ):
        with pytest.raises(ValueError, match=message):
            call("replay", "games.sqlite", *words, "--film", "other.gif")
    assert not (tmp_path / "other.gif").exists()
