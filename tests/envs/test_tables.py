"""Tables of solved positions: right, whole, and equal to what the rules say without them."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from numba import njit

import stammtisch
from stammtisch.envs.core.tables import open_table, tables_folder
from stammtisch.envs.muehle.oracle import MuehleOracle
from stammtisch.envs.muehle.tables import MuehleTables, Sector
from stammtisch.errors import BadFile
from tests.envs.slow_morris import SlowSector, solve


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Folder with the tables of morris-3 and, of morris-6, the sectors up to seven men."""
    place = tmp_path_factory.mktemp("tables")
    for name in ("morris-3", "morris-6"):
        tables = stammtisch.load_game(name).tables(place)
        for part in tables.parts() if name == "morris-3" else [tables.part("3-3"), tables.part("4-3")]:
            tables.build(part)
    return place


def differences(tables: MuehleTables, sector: SlowSector) -> int:
    """Count the positions whose code is not what the plain solver found."""
    number_of = tables.index_kernels.number_of

    @njit
    def count(index, own, enemy, w, b, codes, turns):
        n = 0
        for i in range(len(own)):
            n += codes[number_of(index, own[i], enemy[i], w, b)] != turns[i] + 1
        return n

    index, codes = tables.index(max(sector.w, sector.b)), tables.codes(Sector(0, sector.w, sector.b))
    return count(index, sector.own, sector.enemy, sector.w, sector.b, codes, sector.turns)


def solved_slowly(game) -> list[SlowSector]:
    """Return the sectors 3-3, 4-3 and 3-4 by the plain solver."""
    first = SlowSector(game, 3, 3)
    solve(game, [first], [])
    pair = [SlowSector(game, 4, 3), SlowSector(game, 3, 4)]
    solve(game, pair, [first])
    return [first, *pair]


def test_many_positions_at_once_are_worth_what_each_is(folder):
    rng = np.random.default_rng(4)
    small = stammtisch.load_game("morris-3")
    states = []
    for _ in range(40):
        state = small.new_state()
        for _ in range(int(rng.integers(0, 30))):
            if state.player >= 0:
                state.apply(int(rng.choice(state.legal_actions())))
                states.append(state.clone())
    check_many(small.oracle(tables=folder), states)
    # A board of which only some sectors are there, as in Mühle.
    game = stammtisch.load_game("morris-6")
    tables = game.tables(folder)
    tables.is_complete = False
    oracle = MuehleOracle(game, tables)
    starts = [oracle.start(rng) for _ in range(100)]
    after = [state.child(int(rng.choice(state.legal_actions()))) for state in starts]
    unknown = oracle.value_of([game.new_state(), *starts])
    assert np.isnan(unknown).sum() == 2
    check_many(oracle, [game.new_state(), *starts, *after])


def check_many(oracle, states):
    """Compare the value of many positions with that of each; won, drawn and lost ones must be among them."""
    expected = [oracle.value(state) if oracle.covers(state) else [np.nan, np.nan] for state in states]
    np.testing.assert_array_equal(oracle.value_of(states), expected)
    assert {-1.0, 0.0, 1.0} <= set(np.array(expected)[:, 0])


def test_sectors_equal_the_plain_solver_on_every_position_of_every_symmetry(folder):
    game = stammtisch.load_game("morris-6")
    tables = game.tables(folder)
    assert [differences(tables, sector) for sector in solved_slowly(game)] == [0, 0, 0]


@pytest.mark.slow
def test_muehle_endgames_equal_the_plain_solver(tmp_path):
    game = stammtisch.load_game("muehle")
    tables = game.tables(tmp_path)
    for name in ("3-3", "4-3"):
        tables.build(tables.part(name))
    assert [differences(tables, sector) for sector in solved_slowly(game)] == [0, 0, 0]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "flying"), [("muehle", False), ("morris-12", True), ("morris-6", True)])
def test_three_against_three_equals_the_plain_solver_under_other_rules(tmp_path, name, flying):
    game = stammtisch.load_game(name, flying=flying)
    tables = game.tables(tmp_path)
    tables.build(tables.part("3-3"))
    sector = SlowSector(game, 3, 3)
    solve(game, [sector], [])
    assert differences(tables, sector) == 0
    assert tables.find_fault(tables.part("3-3"), 1, lambda line: None) is None


@pytest.mark.parametrize("name", ["morris-3", "morris-6"])
def test_every_position_is_worth_what_its_best_move_leads_to(folder, name):
    tables = stammtisch.load_game(name).tables(folder)
    parts = [part for part in tables.parts() if tables.has(part)]
    assert [tables.find_fault(part, 1, lambda line: None) for part in parts] == [None] * len(parts)


def test_a_wrong_entry_is_found(folder, tmp_path):
    tables = stammtisch.load_game("morris-3").tables(tmp_path)
    for part in tables.parts():
        tables.build(part)
    codes = tables.codes(Sector(0, 3, 3))
    at = int(np.flatnonzero(codes == 2)[0])
    codes[at] = 4  # in memory only
    assert "3-3" in tables.find_fault(tables.part("3-3"), 1, lambda line: None)


def test_three_mens_morris_is_won_from_the_centre(folder):
    game = stammtisch.load_game("morris-3")
    oracle = game.oracle(tables=folder)
    start = game.new_state()
    assert oracle.value(start).tolist() == [1.0, -1.0]
    assert [start.action_text(action) for action in oracle.best(start)] == ["b2"]
    assert oracle.distance(start) == 9
    solution = game.solve(start, every=True, tables=folder)
    assert (solution.distance, solution.distances[8]) == (9, 9)


def test_a_win_that_comes_too_late_is_a_draw(folder):
    game = stammtisch.load_game("morris-3", max_turns=8)
    assert game.oracle(tables=folder).value(game.new_state()).tolist() == [0.0, 0.0]
    game = stammtisch.load_game("morris-3", max_turns=9)
    assert game.oracle(tables=folder).value(game.new_state()).tolist() == [1.0, -1.0]


def test_values_are_those_of_the_positions_that_actions_lead_to(folder):
    game = stammtisch.load_game("morris-3")
    oracle, rng = game.oracle(tables=folder), np.random.default_rng(0)
    for _ in range(10):
        state = game.new_state()
        while state.player >= 0:
            values = oracle.values(state)
            assert values == {a: oracle.value(state.child(a))[state.player] for a in state.legal_actions()}
            assert max(values.values()) == oracle.value(state)[state.player]
            if oracle.value(state)[state.player] != 0:
                assert oracle.distances(state)[oracle.best(state)[0]] == oracle.distance(state)
            state.apply(int(rng.choice(state.legal_actions())))


@pytest.mark.slow
def test_positions_of_the_tables_are_worth_what_a_deep_search_finds(tmp_path):
    """Searches without tables find every win that is near enough, and none where there is none."""
    game = stammtisch.load_game("muehle")
    tables = game.tables(tmp_path)
    for name in ("3-3", "4-3", "4-4"):
        tables.build(tables.part(name))
    oracle, rng = game.oracle(tables=tmp_path), np.random.default_rng(1)

    def is_won(state, turns):
        """Whether the seat to move wins within so many turns; a turn is at most two actions."""
        search = stammtisch.load_agent(f"alphabeta:depth={2 * turns},exact=yes", game, seed=0)
        return search.act(state.view(state.player), explain=True).values.max() > 0.999

    seen = {-1.0: 0, 0.0: 0, 1.0: 0}
    for _ in range(400):
        state = oracle.start(rng)
        worth, turns = oracle.value(state)[state.player], oracle.distance(state)
        if worth == 1 and turns <= 3:
            assert is_won(state, turns), state
            assert turns == 1 or not is_won(state, turns - 2), state
        elif worth == -1 and turns <= 4:
            after = [state.child(action) for action in state.legal_actions()]
            assert all(is_won(child, turns - 1) for child in after if child.player != state.player), state
        else:
            assert not is_won(state, 2), state
        seen[float(worth)] += 1
    assert min(seen.values()) > 0


def test_rules_belong_to_the_name_of_a_table(tmp_path):
    names = {
        stammtisch.load_game("muehle", **options).tables(tmp_path).name
        for options in ({}, {"flying": False}, {"max_turns": 50}, {"repetition": True})
    }
    assert names == {"muehle.flying.remove-open-men-first", "muehle.no-flying.remove-open-men-first"}


def test_a_damaged_table_is_refused_in_one_line(folder, tmp_path):
    tables = stammtisch.load_game("morris-3").tables(tmp_path)
    part = tables.part("3-3")
    tables.build(part)
    path = tables.folder / part.files[0]
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(BadFile, match="checksum"):
        open_table(path).check_sum()
    for wrong in (whole[:-1], whole[:10], b"", b"\0" * 100, whole + b"\0"):
        path.write_bytes(wrong)
        with pytest.raises(BadFile, match="cannot read table"):
            tables.open(part.files[0])


def test_nothing_is_built_on_a_damaged_table(folder, tmp_path):
    game = stammtisch.load_game("morris-6")
    whole = (game.tables(folder).folder / "3-3.table").read_bytes()
    tables = game.tables(tmp_path)
    tables.folder.mkdir(parents=True)
    damaged = tables.folder / "3-3.table"
    damaged.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(BadFile, match=r'"[^"]*3-3.table".*checksum'):
        tables.build(tables.part("4-3"))
    assert list(tables.folder.iterdir()) == [damaged]
    damaged.write_bytes(whole)
    assert game.tables(tmp_path).build(tables.part("4-3"))


def test_uncovered_positions_tell_what_to_build(tmp_path):
    game = stammtisch.load_game("muehle")
    oracle = game.oracle(tables=tmp_path)
    board = "WWWBBB" + "." * 18
    state = game.from_board(board=board)
    assert not oracle.covers(state)
    with pytest.raises(ValueError, match="stammtisch tables build muehle --men 6"):
        oracle.value(state)
    with pytest.raises(ValueError, match="men are still to be placed"):
        oracle.value(game.new_state())


def test_folder_of_tables(tmp_path, monkeypatch):
    monkeypatch.delenv("STAMMTISCH_TABLES", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert tables_folder() == tmp_path / "stammtisch" / "tables"
    monkeypatch.setenv("STAMMTISCH_TABLES", str(tmp_path / "a"))
    assert tables_folder() == tmp_path / "a"
    assert tables_folder(tmp_path / "b") == tmp_path / "b"


@pytest.mark.slow
def test_a_killed_build_goes_on_where_it_was(tmp_path):
    command = [sys.executable, "-m", "stammtisch.cli", "tables", "build", "morris-6", "--dir", str(tmp_path)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    while not list(tmp_path.glob("*/4-*.table")):
        assert process.poll() is None
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    tables = stammtisch.load_game("morris-6").tables(tmp_path)
    done = {path: path.stat().st_mtime_ns for path in tables.folder.glob("*.table")}
    assert not all(map(tables.has, tables.parts()))
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    assert all(map(tables.has, tables.parts()))
    assert all(path.stat().st_mtime_ns == before for path, before in done.items())
    assert [tables.find_fault(part, 2, lambda line: None) for part in tables.parts()] == [None] * len(tables.parts())
