"""Reversi solved from its start: the first moves in tables, right, resumed, and used by solver and oracle."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import stammtisch
from stammtisch.envs.core.tables import open_table, write_table
from stammtisch.envs.reversi import score_search
from stammtisch.envs.reversi.endgame import solve
from stammtisch.envs.reversi.openings import OpeningTables
from stammtisch.envs.reversi.score_search import PLACES, ScoreSearch
from stammtisch.errors import BadFile
from tests.envs.test_reversi_endgame import minimax
from tests.test_cli import call


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """The tables of 4x4, built."""
    tables = OpeningTables(stammtisch.load_game("reversi-4x4"), tmp_path_factory.mktemp("openings"))
    assert tables.build(tables.parts()[0], threads=1)
    return tables


def test_what_is_said_of_the_small_board_holds_in_the_solver(small):
    known = small.read()
    assert [len(level) for level in small.levels] == [1, 1, 3]
    assert list(known) == small.keys
    assert known[small.keys[0]] == (-10, -10)
    for level in small.levels:
        for key, state in level.items():
            assert known[key].low <= solve(state).score <= known[key].high


def test_the_start_is_looked_up_in_the_folder_that_was_named(small):
    found = small.game.solve(small.game.new_state(), tables=small.folder.parent)
    assert (found.score, found.nodes) == (-10, 0)


def test_a_position_is_known_however_the_board_is_turned(small):
    game, rng = small.game, np.random.default_rng(1)
    for _ in range(20):
        state = game.new_state()
        for _ in range(4):
            state.apply(int(rng.choice(state.legal_actions())))
            board = np.array(list("".join(state.to_text().split("\n")[:-1]).replace(" ", ""))).reshape(4, 4)
            for turns in range(4):
                for each in (np.rot90(board, turns), np.rot90(board, turns).T):
                    turned = game.from_board(board="".join(each.ravel()), to_move=state.player)
                    assert small.key(turned) == small.key(state)


def test_a_narrow_question_is_answered_as_minimax_would():
    game = stammtisch.load_game("reversi-6x6", reward="discs")
    search, rng = ScoreSearch(game, PLACES), np.random.default_rng(2)
    for _ in range(10):
        state = game.new_state()
        while state.player >= 0 and game.rules.empties(state.row) > 6:
            state.apply(int(rng.choice(state.legal_actions())))
        if state.player < 0:
            continue
        score = minimax(state, state.player, to_winner=False)
        assert search.bound(state, score) == score
        assert search.bound(state, score + 1) == score
        assert search.bound(state, score - 3) >= score - 3


def test_a_search_in_pieces_gives_the_same(monkeypatch):
    game = stammtisch.load_game("reversi-6x6")
    state = game.new_state()
    rng = np.random.default_rng(5)
    while game.rules.empties(state.row) > 16:
        state.apply(int(rng.choice(state.legal_actions())))
    whole = ScoreSearch(game, PLACES).bound(state, 0)
    monkeypatch.setattr(score_search, "_PIECE", 50)
    lines: list[str] = []
    assert (ScoreSearch(game, PLACES, lines.append).bound(state, 0) >= 0) == (whole >= 0)
    assert len(lines) > 2


@pytest.mark.parametrize("place", [0, 2, 5, 8], ids=["start", "between", "last", "another"])
def test_a_wrong_score_is_found(small, tmp_path, place):
    part = small.parts()[0]
    table = open_table(small.folder / part.files[0])
    entries = np.array(table.entries)
    states = {key: state for level in small.levels for key, state in level.items()}
    truth = solve(states[small.keys[place // 2]]).score
    entries[place] = 128 + truth + (2 if place % 2 == 0 else -2)  # too high a lower bound, or too low an upper one
    tables = OpeningTables(small.game, tmp_path)
    tables.folder.mkdir()
    write_table(tables.folder / part.files[0], entries, {"name": tables.name, "part": part.name, "positions": 5})
    assert "is said to be" in tables.find_fault(part, 1, lambda line: None)
    assert small.find_fault(part, 2, lambda line: None) is None


def test_a_build_that_was_killed_goes_on_where_it_was(tmp_path):
    script = (
        "import time, stammtisch; from stammtisch.envs.reversi import openings\n"
        "bound = openings.ScoreSearch.bound\n"
        "openings.ScoreSearch.bound = lambda *a: (time.sleep(0.3), bound(*a))[1]\n"
        f"tables = openings.OpeningTables(stammtisch.load_game('reversi-4x4'), {str(tmp_path)!r})\n"
        "tables.build(tables.parts()[0])\n"
    )
    tables = OpeningTables(stammtisch.load_game("reversi-4x4"), tmp_path)
    begun = tables.folder / "first-2-moves.begun"
    process = subprocess.Popen([sys.executable, "-c", script])
    try:
        ends = time.monotonic() + 120
        while not begun.is_file() and time.monotonic() < ends:
            time.sleep(0.02)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    before = json.loads(begun.read_text())
    assert any(row[2:] != [-16, 16] for row in before)
    asked: list[str] = []
    assert tables.build(tables.parts()[0], tell=asked.append)
    fresh: list[str] = []
    anew = OpeningTables(tables.game, tmp_path / "anew")
    assert anew.build(anew.parts()[0], tell=fresh.append)
    assert len(asked) < len(fresh)
    assert not begun.exists()
    assert tables.find_fault(tables.parts()[0], 1, lambda line: None) is None
    assert not tables.build(tables.parts()[0])


def test_a_damaged_beginning_is_refused_in_one_line(tmp_path):
    tables = OpeningTables(stammtisch.load_game("reversi-4x4"), tmp_path)
    tables.folder.mkdir()
    (tables.folder / "first-2-moves.begun").write_text('[["x", 1, 2]]')
    with pytest.raises(BadFile, match="no list of positions and scores"):
        tables.build(tables.parts()[0])


def test_boards_that_are_not_solved_say_so():
    for name, options in (("reversi-8x8", {}), ("reversi-6x6", {"voluntary_pass": True})):
        with pytest.raises(ValueError, match="is not solved from its start"):
            stammtisch.load_game(name, **options).tables()


def test_solver_and_oracle_look_the_start_up(monkeypatch, small):
    game = small.game
    start = game.new_state()
    expected = solve(start)
    assert expected.nodes > 0
    monkeypatch.setenv("STAMMTISCH_TABLES", str(small.folder.parent))
    found = game.solve(start, every=True)
    assert (found.score, found.nodes, found.returns.tolist()) == (-10, 0, [-1.0, 1.0])
    assert found.scores == dict.fromkeys(start.legal_actions(), -10.0)
    assert found.best == expected.best
    oracle = game.oracle(empties=8)
    assert oracle.covers(start)
    assert not oracle.covers_from(start)
    assert oracle.value(start).tolist() == [-1.0, 1.0]
    assert oracle.values(start) == dict.fromkeys(start.legal_actions(), -1.0)
    second = start.child(start.legal_actions()[0])
    assert oracle.value(second).tolist() == [-1.0, 1.0]
    assert oracle.values(second) == pytest.approx(game.oracle(empties=14).values(second))
    assert not oracle.covers(second.child(second.legal_actions()[0]))


def test_the_command_builds_and_verifies(tmp_path):
    assert "1 parts" in call("tables", "build", "reversi-4x4", "--dir", str(tmp_path))
    assert "every position" in call("tables", "verify", "reversi-4x4", "--dir", str(tmp_path), "--deep")


@pytest.mark.slow
def test_six_by_six_is_lost_by_four(tmp_path):
    tables = OpeningTables(stammtisch.load_game("reversi-6x6"), tmp_path)
    assert [len(level) for level in tables.levels] == [1, 1, 3]
    tables.build(tables.parts()[0])
    assert tables.read()[tables.keys[0]] == (-4, -4)
