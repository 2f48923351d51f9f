"""The rote learner: tables that are learned, kept, merged and forgotten, and files that are whole or not there."""

import errno

import numpy as np
import pytest

import stammtisch
from stammtisch.baselines.search.rote_table import RoteTable
from stammtisch.errors import BadFile
from stammtisch.training.rote import train_rote

SMALL = {"nodes": 2000, "searches": 10, "answers": 200, "least_depth": 1}


@pytest.fixture(scope="module")
def morris():
    return stammtisch.load_game("morris-3")


@pytest.fixture(scope="module")
def learned(morris):
    return train_rote(morris, games=6, plies=8, seed=1, **SMALL)


def same(first, second):
    return all(np.array_equal(a, b) for a, b in zip(first.entries(), second.entries(), strict=True))


def test_training_is_decided_by_its_seed(morris, learned):
    assert len(learned) > 100
    assert learned.facts["games"] == 6
    assert same(learned, train_rote(morris, games=6, plies=8, seed=1, **SMALL))


def test_a_file_gives_back_the_table(morris, learned, tmp_path):
    path = tmp_path / "table.npz"
    learned.save(path)
    again = RoteTable.load(path, morris)
    assert same(learned, again)
    assert again.facts == learned.facts
    assert [file.name for file in tmp_path.iterdir()] == ["table.npz"]


def test_training_goes_on_with_a_file(morris, tmp_path):
    path = tmp_path / "table.npz"
    train_rote(morris, games=3, plies=8, seed=1, **SMALL, out=path)
    resumed = train_rote(morris, games=3, plies=8, seed=1, **SMALL, out=path, resume=True)
    assert resumed.facts["games"] == 6
    assert RoteTable.load(path, morris).facts["games"] == 6


def test_merging_adds_positions_and_keeps_the_deeper_entry(morris, learned):
    other = train_rote(morris, games=4, plies=8, seed=2, **SMALL)
    table = RoteTable(morris)
    table.merge(learned)
    table.merge(other)
    assert max(len(learned), len(other)) <= len(table) <= len(learned) + len(other)
    before = len(table)
    assert table.merge(other) == 0
    assert len(table) == before
    with pytest.raises(ValueError, match="cannot merge"):
        table.merge(RoteTable(stammtisch.load_game("morris-6")))


@pytest.mark.parametrize("eviction", ["depth", "use"])
def test_a_full_table_forgets(morris, learned, eviction):
    table = RoteTable(morris, max_size=50, eviction=eviction)
    table.merge(learned)
    assert len(table) <= 50
    assert table.evictions == 1
    if eviction == "depth":
        depths = learned.entries()[2] & 0xFF
        assert (table.entries()[2] & 0xFF).min() >= np.median(depths)


def test_the_agent_reads_its_table_and_answers_legally(morris, learned, tmp_path):
    path = tmp_path / "table.npz"
    learned.save(path)
    before = path.read_bytes()
    agent = stammtisch.load_agent(f"rote:table={path},nodes=500", morris, seed=0)
    state = morris.new_state()
    while state.player >= 0:
        action = agent.act(state.view(state.player))
        assert action in state.legal_actions()
        state.apply(action)
    assert path.read_bytes() == before


@pytest.mark.parametrize("damage", ["cut", "foreign", "empty"])
def test_damaged_files_are_refused(morris, learned, tmp_path, damage):
    path = tmp_path / "table.npz"
    learned.save(path)
    data = path.read_bytes()
    path.write_bytes({"cut": data[: len(data) // 2], "foreign": b"hello" * 100, "empty": b""}[damage])
    with pytest.raises(ValueError, match="rote table") as refused:
        RoteTable.load(path, morris)
    assert "pickle" not in str(refused.value)
    with pytest.raises(ValueError, match="rote table"):
        stammtisch.load_agent(f"rote:table={path}", morris)


def test_tables_of_other_games_and_missing_ones_are_named(learned, morris, tmp_path):
    path = tmp_path / "table.npz"
    learned.save(path)
    with pytest.raises(ValueError, match="learned for morris-3, not for morris-6"):
        RoteTable.load(path, stammtisch.load_game("morris-6"))
    with pytest.raises(ValueError, match=r"^cannot read rote table .*: there is no such file$"):
        RoteTable.load(tmp_path / "nowhere.npz", morris)


def test_a_failed_save_leaves_the_old_file(morris, learned, tmp_path, monkeypatch):
    path = tmp_path / "table.npz"
    learned.save(path)
    before = path.read_bytes()

    def fail(*arguments, **keywords):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(np, "savez_compressed", fail)
    with pytest.raises(BadFile, match=r"cannot write .*: No space left on device"):
        learned.save(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["table.npz"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"games": -1}, "games=-1"),
        ({"plies": 2}, "nothing is left to search: opening=2"),
        ({"searches": 0}, "searches=0"),
        ({"nodes": 0}, "needs a limit"),
        ({"eviction": "luck"}, "eviction"),
        ({"max_size": 0}, "max_size=0"),
    ],
)
def test_bad_trainings_are_refused(morris, arguments, message):
    with pytest.raises(ValueError, match=message):
        train_rote(morris, **{"games": 1, "plies": 8, **arguments})
