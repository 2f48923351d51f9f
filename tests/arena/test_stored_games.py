"""Games that are kept: played once only, found as they were, and checked by playing them again."""

import sqlite3
from dataclasses import replace

import pytest

import stammtisch
from stammtisch.arena.plan import MatchPlan, game_streams
from stammtisch.arena.play import MatchPlayer, states_of
from stammtisch.arena.replay import verify
from stammtisch.arena.store import Store
from stammtisch.benchmarks import play_match


def test_a_store_gives_back_what_was_played_and_plays_only_what_is_missing(tmp_path):
    store = Store(tmp_path / "r.sqlite")
    few = play_match("einstein-3x3", ["heuristic", "random"], games=10, seed=4, store=store)
    many = play_match("einstein-3x3", ["heuristic", "random"], games=30, seed=4, store=store)
    again = play_match("einstein-3x3", ["heuristic", "random"], games=30, seed=4, store=store)
    plain = play_match("einstein-3x3", ["heuristic", "random"], games=30, seed=4)
    assert many.records == again.records == plain.records
    assert few.records == plain.records[:10]
    assert store.plans() == [MatchPlan("einstein-3x3", ("heuristic", "random"), 30, 4)]
    other = play_match("einstein-3x3", ["heuristic", "random"], games=10, seed=5, store=store)
    assert other.records != few.records
    assert len(store.plans()) == 2


def test_the_same_game_is_never_stored_twice(tmp_path):
    store = Store(tmp_path / "r.sqlite")
    plan = MatchPlan("einstein-3x3", ("random", "random"), 4)
    records = MatchPlayer(plan).play(range(4))
    store.add(plan, records)
    with pytest.raises(ValueError, match=r"cannot write .*UNIQUE constraint"):
        store.add(plan, records[3:])
    assert store.games_of(plan) == records


def test_replaying_finds_every_kind_of_fault(tmp_path):
    path = tmp_path / "r.sqlite"
    store = Store(path)
    plan = MatchPlan("einstein-4x4", ("heuristic", "random"), 6, 1)
    play_match("einstein-4x4", ["heuristic", "random"], games=6, seed=1, store=store)
    assert verify(plan, store.games_of(plan)) == (6, [])
    records = store.games_of(plan)
    broken = [
        (replace(records[0], events=records[0].events[:-1]), "goes on"),
        (replace(records[1], returns=records[1].returns[::-1]), "result"),
        (replace(records[2], events=(5, *records[2].events[1:])), "seed draws"),
        (replace(records[3], seating=(0, 0)), "seating"),
        (replace(records[4], moves=1), "is over"),
    ]
    for record, message in broken:
        _, faults = verify(plan, [record])
        assert len(faults) == 1
        assert message in faults[0]


def test_damaged_and_foreign_result_files_are_refused_and_kept(tmp_path):
    torn = tmp_path / "torn.sqlite"
    torn.write_bytes(b"SQLite format 3\0" + b"\xff" * 4000)
    foreign = tmp_path / "foreign.sqlite"
    with sqlite3.connect(foreign) as db:
        db.execute("CREATE TABLE recipes (name TEXT)")
    text = tmp_path / "notes.txt"
    text.write_text("not a database at all, but long enough to be looked at" * 10)
    for path in (torn, foreign, text):
        before = path.read_bytes()
        with pytest.raises(ValueError, match=path.name):
            Store(path)
        assert path.read_bytes() == before
    with pytest.raises(ValueError, match="no folder"):
        Store(tmp_path / "nowhere" / "r.sqlite")


def test_a_full_disk_is_named_and_nothing_is_lost(tmp_path):
    store = Store(tmp_path / "r.sqlite")
    plan = MatchPlan("einstein-5x5", ("random", "random"), 4000)
    player = MatchPlayer(plan)
    store.add(plan, player.play(range(10)))
    (pages,) = store._db.execute("PRAGMA page_count").fetchone()
    store._db.execute(f"PRAGMA max_page_count={pages + 2}")
    with pytest.raises(ValueError, match="full"):
        store.add(plan, player.play(range(10, 4000)))
    assert len(store.games_of(plan)) == 10


def test_kernel_games_and_games_by_moves_are_the_same(game):
    others = len(set(game.info.teams)) - 1
    plan = MatchPlan(game.id, ("heuristic", *["random"] * others), 4, 3, opening=2)
    inside = MatchPlayer(plan)
    outside = MatchPlayer(plan)
    outside._kinds = None
    assert inside._kinds is not None
    assert inside.play(range(4)) == outside.play(range(4))


def test_the_states_of_a_game_end_where_the_game_ended():
    result = play_match("einstein-5x5", ["random", "heuristic"], games=2, seed=3, random_start=True)
    game = stammtisch.load_game("einstein-5x5", random_start=True)
    states = [state for state, _ in states_of(game, result.records[1], 3, 2)]
    assert tuple(states[-1].returns()) == result.records[1].returns
    assert len(states) == 1 + len(result.records[1].events)


def test_streams_are_shared_by_a_group_where_they_should_be():
    streams = game_streams(7, 2, 2, range(4))
    assert streams[0, 0] == streams[1, 0] != streams[2, 0]
    assert streams[0, -1] == streams[1, -1] != streams[2, -1]
    assert len(set(streams[:, 1:3].ravel().tolist())) == 8


def test_openings_keep_deterministic_agents_from_repeating_games():
    """Mühle has no dice: without an opening, equal players would play the same game again and again."""
    same = play_match("reversi-4x4", ["minimax:depth=2", "minimax:depth=2"], games=20, seed=1)
    varied = play_match("reversi-6x6", ["minimax:depth=2", "minimax:depth=2"], games=20, seed=1, opening=6)
    assert same.duplicates > varied.duplicates


def test_pairing_shrinks_the_variance():
    """The same dice for both colours: the score of pairs varies less than that of single games."""
    result = play_match("einstein-3x3", ["random", "random"], games=4000, seed=2)
    width = result.ci95[1] - result.ci95[0]
    unpaired = 2 * 1.96 * (0.25 / result.games) ** 0.5
    assert width < 1.02 * unpaired
