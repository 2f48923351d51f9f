"""Results files: foreign values are named, readers change nothing, writers come one at a time."""

import sqlite3

import pytest

from stammtisch.arena.plan import GameRecord, MatchPlan
from stammtisch.arena.store import Store
from stammtisch.errors import BadFile

PLAN = MatchPlan("einstein-3x3", ("heuristic", "random"), 2)
GAMES = [GameRecord(i, 0, (i, 1 - i), (1.0, -1.0), (1, 2, 3), 2) for i in range(2)]
DEEP = "[" * 50_000


@pytest.fixture
def path(tmp_path):
    store = Store(tmp_path / "results.sqlite")
    store.add(PLAN, GAMES)
    store.close()
    return tmp_path / "results.sqlite"


def read(path):
    store = Store(path, read_only=True)
    try:
        return [record for plan in store.plans() for record in store.games_of(plan)]
    finally:
        store.close()


@pytest.mark.parametrize(
    ("change", "values"),
    [
        ("UPDATE matches SET agents=?", ["null"]),
        ("UPDATE matches SET agents=?", [DEEP]),
        ("UPDATE matches SET options=?", ["[]"]),
        ("UPDATE matches SET seed=?", [-1]),
        ("UPDATE matches SET opening=?", ["first"]),
        ("UPDATE games SET number=? WHERE number=1", [-1]),
        ("UPDATE games SET number=? WHERE number=1", [2**62]),
        ("UPDATE games SET events=?", ["text"]),
        ("UPDATE games SET events=?", [b"\0"]),
        ("UPDATE games SET seating=?", ["{}"]),
        ("UPDATE games SET returns=?", ["[1e999, 0]"]),
        ("UPDATE games SET returns=?", ['["a", "b"]']),
        ("UPDATE games SET seconds=?", ["null"]),
        ("DELETE FROM about WHERE key=?", ["format"]),
        ("UPDATE about SET value=?", ["2"]),
    ],
)
def test_foreign_values_are_refused_in_one_line(path, change, values):
    with sqlite3.connect(path) as db:
        db.execute(change, values)
    with pytest.raises(BadFile, match=f'^cannot read results file "{path}": [^\n]+$') as caught:
        read(path)
    assert len(str(caught.value)) < 600


def test_readers_change_nothing_and_make_nothing(path, tmp_path):
    before = path.read_bytes()
    assert read(path) == GAMES
    assert path.read_bytes() == before
    assert [item.name for item in tmp_path.iterdir()] == ["results.sqlite"]
    with pytest.raises(BadFile, match="there is no such file"):
        read(tmp_path / "nowhere.sqlite")
    assert not (tmp_path / "nowhere.sqlite").exists()


def test_there_is_one_writer_and_any_number_of_readers(path):
    writer = Store(path)
    with pytest.raises(BadFile, match="is in use by process"):
        Store(path)
    assert read(path) == GAMES
    writer.close()
    Store(path).close()


def test_a_file_that_is_refused_is_not_kept_locked(path):
    with sqlite3.connect(path) as db:
        db.execute("DELETE FROM about")
    for _ in range(2):
        with pytest.raises(BadFile, match="has format None"):
            Store(path)
    assert not path.with_name("results.sqlite-lock").exists()
