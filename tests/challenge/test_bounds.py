"""What keeps cost and faults within bounds: the schedule, the announcer, the clerk, the door, the table of results."""

import json
import sqlite3
import threading
import types

import pytest

from stammtisch.arena.store import Store
from stammtisch.challenge.announcer import BURST, RATE, Announcer
from stammtisch.challenge.clerk import Clerk
from stammtisch.challenge.door import Door, Room, room_for
from stammtisch.challenge.faults import Faults
from stammtisch.challenge.ranking import table_message
from stammtisch.challenge.results import Results
from stammtisch.challenge.schedule import Schedule
from stammtisch.origins import OriginPolicy
from tests.challenge.fakes import FakeClock, FakeGuest, enter, new_lobby

# Faults


def test_a_fault_is_logged_the_first_the_tenth_and_the_hundredth_time(caplog):
    faults = Faults()
    for number in range(150):
        faults.note("the disk", ValueError(f"full\n\x1b[31m{number}"))
    assert faults.count("the disk") == 150
    assert [record.getMessage() for record in caplog.records] == [
        r"the disk: full\n\x1b[31m0",
        r"the disk: full\n\x1b[31m9 (10 times so far)",
        r"the disk: full\n\x1b[31m99 (100 times so far)",
    ]


# The clerk


def test_the_clerk_goes_on_after_a_job_that_failed(caplog):
    done = []
    clerk = Clerk()
    clerk.do("failing", lambda: 1 / 0)
    clerk.do("working", lambda: done.append(threading.current_thread().name))
    clerk.close()
    assert done == ["jass-clerk"]
    assert "failing: division by zero" in caplog.text


def test_nobody_waits_for_a_clerk_who_is_stuck(caplog):
    clerk, stuck = Clerk(), threading.Event()
    clerk.do("stuck", stuck.wait)
    taken = sum(clerk.do("waiting", lambda: None) for _ in range(1000))
    assert 400 < taken < 600
    assert "others wait for the disk" in caplog.text
    stuck.set()
    clerk.close()


def test_the_answer_to_a_question_is_raised_where_it_was_asked():
    clerk = Clerk()
    with pytest.raises(ZeroDivisionError):
        clerk.ask(lambda: 1 / 0)
    assert clerk.ask(lambda: 3) == 3
    clerk.close()


# Results


def plan_and_results(tmp_path):
    lobby, _ = new_lobby()
    results = Results(tmp_path / "results.sqlite", Clerk())
    return lobby.house.plan("a", "b", lobby.house.new_seeds()), results


def test_a_locked_results_file_costs_no_game(tmp_path, monkeypatch):
    monkeypatch.setattr("sqlite3.connect", lambda *a, connect=sqlite3.connect, **k: connect(*a, timeout=0, **k))
    plan, results = plan_and_results(tmp_path)
    other = sqlite3.connect(tmp_path / "results.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    results.add_unplayed(plan, [0, 2], 0)
    results._clerk.ask(lambda: None)  # what was asked for before is done
    assert results._clerk.faults.count("filing games") == 1
    other.execute("ROLLBACK")
    other.close()
    results.add_unplayed(plan, [4], 1)
    results.close()
    store = Store(tmp_path / "results.sqlite")
    (stored,) = store.plans()
    assert [record.number for record in store.games_of(stored)] == [0, 2, 4]
    store.close()
    assert results.games == 3


def test_a_game_that_can_never_be_filed_does_not_hold_up_the_others(tmp_path, caplog):
    plan, results = plan_and_results(tmp_path)
    for numbers in ([0], [0], [2]):
        results.add_unplayed(plan, numbers, 0)
    results.close()
    store = Store(tmp_path / "results.sqlite")
    assert [record.number for record in store.games_of(store.plans()[0])] == [0, 2]
    store.close()
    assert "a game is lost" in caplog.text


# The announcer


def test_cheap_changes_are_announced_at_once_and_dear_ones_together():
    clock, said = FakeClock(), []
    announcer = Announcer(clock, lambda: said.append(clock.now) or 100)
    for _ in range(50):
        announcer.changed()
    assert len(said) == 50
    said.clear()
    dear = Announcer(clock, lambda: said.append(clock.now) or 2 * BURST)
    for step in range(1000):
        clock.advance(step / 1000)
        dear.changed()
    clock.advance(100)
    assert said[0] == 0
    assert len(said) < 2 + (1 + 100 / 1000) * RATE / BURST
    assert said[-1] >= 0.999  # the last change was told
    assert clock.next_timer() is None


def test_who_stops_announces_nothing_more():
    clock, said = FakeClock(), []
    announcer = Announcer(clock, lambda: said.append(1) or 2 * BURST)
    announcer.changed()
    announcer.changed()
    announcer.stop()
    clock.advance(100)
    assert said == [1]


# Schedule and table


def test_every_pair_plays_every_game_once_in_joining_order():
    schedule, played = Schedule(4, 2), []
    while not schedule.is_over():
        free = set(range(4))
        for game, i, j in schedule.candidates(free):
            if {i, j} <= free:
                schedule.take(game, i, j)
                played.append((game, i, j))
                free -= {i, j}
    assert sorted(played) == [(game, i, j) for game in range(2) for i in range(4) for j in range(i + 1, 4)]
    assert played[:2] == [(0, 0, 1), (0, 2, 3)]


def test_who_gives_up_loses_what_has_not_begun():
    schedule = Schedule(3, 3)
    schedule.take(0, 0, 1)
    assert schedule.give_up(1) == [(0, 1, range(1, 3)), (1, 2, range(3))]
    assert schedule.candidates(range(3)) == [(0, 0, 2)]


def test_the_table_shows_the_newest_results_that_fit():
    names = ["🂡" * 100, "b"]
    results = [(0, 1, True)] * 1000
    message = table_message([], names, results, 1 << 16)
    assert 1 << 15 < len(message.text) <= 1 << 16
    shown = [result["id"] for result in message.data["pairingResults"]]
    assert shown == list(range(999, 999 - len(shown), -1))


def test_a_tournament_has_room_for_128_players():
    lobby, _ = new_lobby()
    where = {"sessionName": "cup", "sessionType": "TOURNAMENT", "sessionChoice": "JOIN_EXISTING"}
    guests = [enter(lobby, f"n{i}", **where) for i in range(129)]
    assert [guest.closed for guest in guests] == 128 * [False] + [True]
    assert guests[-1].farewell == (1000, "a tournament has at most 128 players")


# The door


class FakeConnection:
    def __init__(self, door):
        self.door, self.gone = door, False
        self.transport = types.SimpleNamespace(abort=self.lose)

    def lose(self):
        self.gone = True
        self.door.leave(self)

    def respond(self, status, text):
        return status, text


def new_door():
    return Door(OriginPolicy("127.0.0.1"), Room(10, 8), Faults())


def arrive(door):
    connection = FakeConnection(door)
    door.arrive(connection)
    return connection


def test_slow_connections_lose_their_own_place_only():
    door = new_door()
    inside = [arrive(door) for _ in range(5)]
    for connection in inside:
        door.enter(connection)
    slow = [arrive(door) for _ in range(100)]
    assert sum(not connection.gone for connection in slow) == 8
    honest = arrive(door)
    door.enter(honest)
    assert not honest.gone
    assert not any(connection.gone for connection in inside)


def test_there_are_never_more_connections_than_allowed():
    door = new_door()
    for _ in range(50):
        door.enter(arrive(door))
    assert len(door._all) == Room(10, 8).most


def test_the_limit_of_open_files_decides_how_many_fit(monkeypatch):
    resource = pytest.importorskip("resource")
    limit = [100, 256]
    monkeypatch.setattr(resource, "getrlimit", lambda which: tuple(limit))
    monkeypatch.setattr(resource, "setrlimit", lambda which, new: limit.__setitem__(slice(None), new))
    room = room_for(1000)
    assert limit == [256, 256]
    assert room.files <= 256
    assert room.guests >= 40
    limit[:] = [1024, 4096]
    room = room_for(1000)
    assert room.guests == 1000
    assert limit[0] == room.files
    assert room_for(10).guests == 10
    limit[:] = [64, 64]
    assert min(room_for(1000)) >= 1


# The lobby


def test_who_has_no_session_makes_room_in_a_full_server():
    lobby, clock = new_lobby(most_guests=3, patience_s=120)
    player = enter(lobby, "player")
    idle = [FakeGuest() for _ in range(2)]
    for guest in idle:
        lobby.connect(guest)
    early = FakeGuest()
    lobby.connect(early)
    assert early.farewell == (1013, "the server is full")
    clock.advance(6)
    late = FakeGuest()
    lobby.connect(late)
    assert late.types() == ["REQUEST_PLAYER_NAME"]
    assert idle[0].farewell[0] == 1013
    assert not player.closed
    assert not idle[1].closed


def test_a_newcomer_is_told_a_bounded_number_of_sessions():
    lobby, _ = new_lobby()
    for _ in range(300):
        enter(lobby, "a", sessionChoice="CREATE_NEW", sessionName="🂡" * 100)
    guest = FakeGuest()
    lobby.connect(guest)
    lobby.receive(guest, '{"type":"CHOOSE_PLAYER_NAME","data":"x"}')
    assert len(json.dumps(guest.sent[-1])) < 1 << 18
