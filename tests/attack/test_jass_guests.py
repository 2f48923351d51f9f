"""Hostile clients against our Jass server: whatever they do, the games of the others go on."""

import asyncio
import contextlib
import json
import random
import resource
import socket
import sqlite3

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from stammtisch.challenge.announcer import BURST
from tests.attack.crowd import enter, frame, mass_disconnect, server_program
from tests.challenge.fakes import FakeGuest, new_lobby
from tests.challenge.fakes import enter as seat
from tests.challenge.outside import OutsideBot, outside_chair
from tests.challenge.test_network import drained, quietly, running
from tests.challenge.test_server_logic import last, play_on, tournament

LONG_NAME = "🂡" * 60


async def honest_cup(url, names=("a", "b"), session="honest"):
    """Play a tournament of outside bots to its end; return the tables that its chair saw and how everybody ended."""
    chair = asyncio.create_task(outside_chair(url, session, len(names)))
    await asyncio.sleep(0.3)
    bots = [OutsideBot(url, name, session, seed) for seed, name in enumerate(2 * list(names))]
    ends = await asyncio.gather(*(bot.run() for bot in bots))
    assert [bot.odd for bot in bots] == len(bots) * [[]]
    return await chair, ends


def played_through(tables, ends):
    return "rank" in tables[-1]["ranking"][0] and set(ends) == {(1000, "Game Finished")}


# Names


def test_a_name_of_60_four_byte_characters_wrecks_no_tournament(tmp_path):
    async def play():
        async with running(tmp_path / "results.sqlite", log=tmp_path / "log", target=300) as (_, url):
            return await asyncio.wait_for(honest_cup(url, (LONG_NAME + "1", LONG_NAME + "2", "c")), 60)

    assert played_through(*asyncio.run(play()))
    logs = list((tmp_path / "log").iterdir())
    assert len(logs) == 3
    assert all(len(path.name) < 40 and path.name.isascii() for path in logs)
    assert sum(LONG_NAME + "1" in str(json.loads(path.read_text("utf-8"))) for path in logs) == 2


def test_a_long_name_is_told_in_a_reason_that_fits_its_frame(tmp_path):
    async def play():
        async with running(limit_s=20.0) as (_, url):
            chair = asyncio.create_task(outside_chair(url, "cup", 2))
            await asyncio.sleep(0.3)
            where = {"sessionChoice": "JOIN_EXISTING", "sessionName": "cup"}
            first, second, *_others = [await enter(url, name, **where) for name in (LONG_NAME, LONG_NAME, "b", "b")]
            while "REQUEST" not in str(await first.recv()):
                pass
            first.transport.abort()
            ended = await asyncio.wait_for(drained(second), 30)
            await chair
            return ended

    code, reason = asyncio.run(play())
    assert code == 1000
    assert reason.startswith("One of the clients of player 🂡")


@pytest.mark.parametrize("name", ["\x1b[2J", "a\nb", "\x9b31m", "\u202eevil", "\u2066x", "\u2028", "\u200f"])
def test_names_that_terminals_would_obey_are_refused(name):
    lobby, _ = new_lobby()
    told = []
    lobby.house.tell = told.append
    guest = FakeGuest()
    lobby.connect(guest)
    lobby.receive(guest, frame("CHOOSE_PLAYER_NAME", name))
    assert guest.sent[-1] == {"type": "BAD_MESSAGE", "data": {"data": ["has characters that cannot be shown"]}}
    lobby.receive(guest, frame("CHOOSE_PLAYER_NAME", "x"))
    choice = {"sessionChoice": "CREATE_NEW", "sessionName": name}
    lobby.receive(guest, frame("CHOOSE_SESSION", choice))
    assert guest.sent[-1]["type"] == "BAD_MESSAGE"
    lobby.house.say(f"{name} begins")
    assert told[0].isprintable()


# Disk and lines that fail


def broken(*arguments, **options):
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize(
    "target",
    [
        "stammtisch.challenge.journal.write_text",
        "pathlib.Path.exists",
        "stammtisch.arena.store.Store.add",
        "stammtisch.challenge.results.Store.add",
    ],
)
def test_a_disk_that_fails_ends_no_game(target, tmp_path, monkeypatch):
    async def play():
        async with running(tmp_path / "results.sqlite", log=tmp_path / "log", target=100) as (server, url):
            monkeypatch.setattr(target, broken)
            ended = await asyncio.wait_for(honest_cup(url), 60)
            return ended, server.results

    ended, results = asyncio.run(play())
    assert played_through(*ended)
    assert results.games == 1
    assert results.forfeits == 0


def test_a_locked_results_file_holds_up_no_game(tmp_path):
    """Another program holds the file as long as the tournament lasts; all games are filed in the end."""

    async def play():
        async with running(tmp_path / "results.sqlite", target=100, games=3) as (_, url):
            other = sqlite3.connect(tmp_path / "results.sqlite", isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            tables, ends = await asyncio.wait_for(honest_cup(url), 60)
            filed = other.execute("SELECT count(*) FROM games").fetchone()
            other.execute("ROLLBACK")
            other.close()
            return tables, ends, filed

    tables, ends, filed = asyncio.run(play())
    assert played_through(tables, ends)
    assert filed == (0,)
    after = sqlite3.connect(tmp_path / "results.sqlite")
    assert after.execute("SELECT count(*) FROM games").fetchone() == (3,)
    after.close()


class Unreachable(FakeGuest):
    """A connection that fails in the middle of a game."""

    def _send(self, message):
        super()._send(message)
        if message.type == "PLAYED_CARDS":
            raise RuntimeError("the line is cut")


def test_who_cannot_be_reached_disturbs_nobody_else():
    lobby, _ = new_lobby(limit_s=0.5)
    chair, bots = tournament(lobby, "a", "b", "c")
    bots[0][0].__class__ = Unreachable
    play_on(lobby, [guest for bot in bots for guest in bot], {})
    assert chair.farewell == (1000, "Game Finished")
    assert lobby.house.results.games == 3
    assert lobby.house.results.forfeits == 0  # it heard nothing wrong, so it could play on


def test_a_screen_that_is_gone_ends_no_game():
    lobby, _ = new_lobby()
    lobby.house.tell = broken
    chair, bots = tournament(lobby, "a", "b")
    play_on(lobby, [guest for bot in bots for guest in bot], {})
    assert chair.farewell == (1000, "Game Finished")


# Crowds


class Counting(FakeGuest):
    """A guest that only counts what it is sent."""

    def __init__(self):
        super().__init__()
        self.characters = 0

    def _send(self, message):
        self.characters += len(message.text)
        self.sent = [json.loads(message.text)]


@pytest.mark.parametrize("games", [1, 5])
def test_sixty_bots_that_leave_at_once_cost_a_bounded_number_of_characters(games, monkeypatch):
    monkeypatch.setattr("tests.challenge.fakes.FakeGuest", Counting)
    lobby, _ = new_lobby(games=games)
    chair, bots = tournament(lobby, *(LONG_NAME[:40] + str(i) for i in range(60)))
    everybody = [chair, *(guest for bot in bots for guest in bot)]
    before = sum(guest.characters for guest in everybody)
    for first, _ in bots:
        lobby.disconnect(first)
    assert chair.farewell == (1000, "Game Finished")
    assert lobby.house.results.games == games * 60 * 59 // 2
    assert len(last(chair, "BROADCAST_TOURNAMENT_RANKING_TABLE")["ranking"]) == 60
    # One table that the budget may overdraw, one in its place, and the final one.
    assert sum(guest.characters for guest in everybody) - before < 4 * BURST + 121 * 200_000


def test_sixty_bots_leave_a_server_that_goes_on(tmp_path):
    with server_program(tmp_path / "server", "--limit", "20") as server:
        flight = asyncio.run(asyncio.wait_for(mass_disconnect(server.url, 60, watchers=20), 120))
        print(flight.longest_ping_s, flight.seconds, flight.characters)
    assert len(flight.last_table["pairingResults"]) == 1770
    assert flight.tables < 20
    assert flight.characters < 2_000_000
    assert "1770 games, 1770 of them given up" in server.run.output
    assert len(server.run.output.splitlines()) < 20


def limit_files():
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))


def half_open(port, count):
    """Connect so often without a word; return the sockets."""
    found = []
    for number in range(count):
        each = socket.create_connection(("127.0.0.1", port), timeout=10)
        if number % 3 == 0:
            each.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        found.append(each)
    return found


def test_half_open_connections_use_up_nothing(tmp_path):
    with server_program(tmp_path / "server", "--target", "100", preexec_fn=limit_files) as server:
        waiting = half_open(server.port, 600)
        ended = asyncio.run(asyncio.wait_for(honest_cup(server.url), 120))
        more = half_open(server.port, 200)
        for each in [*waiting, *more]:
            each.close()
    assert played_through(*ended)
    output = server.run.output
    assert "has room for" in output
    assert "Traceback" not in output
    assert len(output.splitlines()) < 20


def test_who_does_not_finish_the_handshake_is_sent_away_in_time(monkeypatch):
    monkeypatch.setattr("stammtisch.challenge.server._OPEN_TIMEOUT_S", 0.1)

    async def play():
        async with running() as (server, _):
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n")
            with contextlib.suppress(ConnectionResetError):
                assert await asyncio.wait_for(reader.read(), 30) == b""
            writer.close()
            return server._door._all

    assert asyncio.run(play()) == set()


def test_who_comes_and_goes_before_a_game_fills_no_log(tmp_path):
    lobby, _ = new_lobby(log=tmp_path)
    seat(lobby, "stays", sessionChoice="CREATE_NEW", sessionName="s")
    for _ in range(500):
        lobby.disconnect(seat(lobby, "restless", sessionChoice="JOIN_EXISTING", sessionName="s"))
    assert len(lobby.sessions[0]._table._journal._items) == 100


# The door


@pytest.mark.parametrize(
    ("headers", "allowed", "welcome"),
    [
        ({}, (), True),
        ({"Origin": "http://evil.example"}, (), False),
        ({"Origin": "null"}, (), False),
        ({"Host": "evil.example:3000", "Origin": "http://evil.example:3000"}, (), False),
        ({"Host": "evil.example"}, (), False),
        ({"Origin": "http://evil.example"}, ("http://evil.example",), True),
        ({"Origin": "http://evil.example", "Host": "any"}, ("*",), True),
    ],
)
def test_only_allowed_web_pages_come_in(headers, allowed, welcome):
    async def play():
        async with running(allowed_origins=allowed) as (server, url):
            try:
                async with connect(url, additional_headers=headers) as guest:
                    return json.loads(await guest.recv())["type"], len(server.lobby._guests)
            except InvalidStatus as refused:
                return refused.response.status_code, len(server.lobby._guests)

    assert asyncio.run(play()) == (("REQUEST_PLAYER_NAME", 1) if welcome else (403, 0))


def raw_handshake(**headers):
    lines = {
        "Host": "127.0.0.1",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version": "13",
        **headers,
    }
    return ("GET / HTTP/1.1\r\n" + "".join(f"{key}: {value}\r\n" for key, value in lines.items()) + "\r\n").encode(
        "latin-1"
    )


GARBAGE = [
    b"",
    b"\x00" * 4000,
    b"\xff" * 100_000,
    b"POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\n0123456789",
    b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 10_000,
    b"GET /" + b"a" * 100_000,
    b"SSH-2.0-OpenSSH_9.6\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    raw_handshake(Host="127.0.0.1\r\nHost: 127.0.0.1"),
    raw_handshake(Origin="http://a\r\nOrigin: http://b"),
    raw_handshake(Origin="\x9b31m\x80"),
    raw_handshake(Host="\x9b31m"),
    raw_handshake() + b"\x81\xff" + b"\xff" * 8,  # a frame of 2**63 bytes
    raw_handshake() + b"\xf1\x80\x00\x00\x00\x00",  # reserved bits
    raw_handshake() + b"\x81\x05hello",  # not masked
    raw_handshake() + b"\x83\x80\x00\x00\x00\x00",  # an unknown kind of frame
    raw_handshake() + b"\x01\x80\x00\x00\x00\x00" + 20_000 * b"\x00\x80\x00\x00\x00\x00",  # endless empty fragments
    raw_handshake() + 5_000 * b"\x89\x80\x00\x00\x00\x00",  # pings
    raw_handshake() + b"\x88\x81\x00\x00\x00\x00x",  # half a code in a close frame
    raw_handshake() + b"\x88\xfe\x00\xff\x00\x00\x00\x00" + b"x" * 255,  # too long a close frame
    raw_handshake() + b"\x81\x82\x00\x00\x00\x00\xc3\x28",  # no UTF-8
]


async def throw(port, data):
    """Send bytes to a port and read what comes back until nothing does, a few seconds at most."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(data)
        await asyncio.wait_for(writer.drain(), 5)
        writer.write_eof()
        await asyncio.wait_for(reader.read(), 10)
    except (OSError, TimeoutError):
        pass
    finally:
        writer.transport.abort()


def test_garbage_on_the_port_disturbs_no_game(tmp_path):
    async def play(server):
        cup = asyncio.create_task(honest_cup(server.url))
        rng = random.Random(0)
        noise = [rng.randbytes(rng.randrange(1, 3000)) for _ in range(50)]
        noise += [raw_handshake() + rng.randbytes(rng.randrange(1, 3000)) for _ in range(50)]
        await asyncio.gather(*(throw(server.port, data) for data in [*GARBAGE, *noise]))
        return await asyncio.wait_for(cup, 120)

    with server_program(tmp_path / "server", "--limit", "20", "--target", "300") as server:
        assert played_through(*asyncio.run(play(server)))
    output = server.run.output
    assert "Traceback" not in output
    assert len(output.splitlines()) < 20
    assert all(line.isprintable() for line in output.splitlines())


def test_floods_and_readers_who_do_not_read_are_cut_off_while_others_play():
    async def flood(url, text):
        socket = await connect(url)
        for _ in range(2000):
            await quietly(socket.send(text))
        return (await drained(socket))[0]

    async def deaf(url):
        """Watch the honest cup without reading anything."""
        socket = await enter(url, "deaf", sessionChoice="SPECTATOR", sessionName="honest")
        socket.transport.pause_reading()
        return socket

    async def play():
        async with running(target=500) as (server, url):
            cup = asyncio.create_task(honest_cup(url))
            while not server.lobby.sessions:
                await asyncio.sleep(0.01)
            sleepers = [await deaf(url) for _ in range(5)]
            texts = ["x", frame("CHOOSE_CARD", {"number": 6, "color": "HEARTS"}), "[" * 5000, '{"type":' * 500]
            codes = await asyncio.gather(*(flood(url, text) for text in texts))
            ended = await asyncio.wait_for(cup, 120)
            for socket in sleepers:
                socket.transport.abort()
            return codes, ended, server.results.forfeits

    codes, ended, forfeits = asyncio.run(play())
    assert set(codes) <= {1008, 1006}
    assert played_through(*ended)
    assert forfeits == 0


def test_who_comes_and_goes_all_the_time_costs_the_others_little(tmp_path):
    """Two hundred joins and leaves of one tournament while another is played."""

    async def restless(url):
        for number in range(40):
            try:
                socket = await enter(url, f"r{number}", sessionChoice="JOIN_EXISTING", sessionName="restless")
                await socket.recv()
            except ConnectionClosed:
                continue
            socket.transport.abort()

    async def play():
        async with running(target=300) as (server, url):
            cup = asyncio.create_task(honest_cup(url))
            await asyncio.gather(*(restless(url) for _ in range(5)))
            ended = await asyncio.wait_for(cup, 120)
            while server.lobby._guests:
                await asyncio.sleep(0.01)
            return ended, server.lobby.sessions, server.results.forfeits

    ended, sessions, forfeits = asyncio.run(play())
    assert played_through(*ended)
    assert sessions == []
    assert forfeits == 0
