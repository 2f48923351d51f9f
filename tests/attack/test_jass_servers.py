"""Hostile servers against our Jass client: it plays on or ends in a line, and its terminal obeys nobody."""

import asyncio
import contextlib
import json
import pathlib
import random
import threading

import pytest
from websockets.asyncio.server import serve

from stammtisch import load_game
from stammtisch.challenge.client import Seat, run_client
from stammtisch.challenge.messages import BadMessage, read_message
from stammtisch.challenge.thinker import Thinker
from stammtisch.cli import main
from tests.attack.crowd import frame
from tests.attack.mutants import mutant
from tests.challenge.fakes import captured

EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202eevil\u2028\nline"
HUGE = int("9" * 401)
SESSION = [line["msg"] for line in captured("session") if line["client"] == "a1" and line["dir"] == "s2c"]


@contextlib.contextmanager
def hostile_server(handler):
    """Serve in a thread of its own; yields the address."""
    ready = threading.Event()
    found = {}

    async def run():
        async with serve(handler, "127.0.0.1", 0, compression=None) as listener:
            found["port"] = listener.sockets[0].getsockname()[1]
            found["loop"], found["stop"] = asyncio.get_running_loop(), asyncio.Event()
            ready.set()
            await found["stop"].wait()

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    assert ready.wait(30)
    try:
        yield f"ws://127.0.0.1:{found['port']}"
    finally:
        found["loop"].call_soon_threadsafe(found["stop"].set)
        thread.join()


def saying(frames, code=1000, reason="Game Finished"):
    """Return a handler that sends frames, whatever it hears, and closes."""

    async def handler(socket):
        async def listen():
            async for _ in socket:
                pass

        listening = asyncio.create_task(listen())
        for number, text in enumerate(frames):
            await socket.send(text)
            if number % 50 == 0:
                await (await socket.ping())  # the client has read so far
        await socket.close(code, reason)
        listening.cancel()

    return handler


def play(url, tell=lambda line: None, log=None, **seat):
    """Let our client play at an address; return what came of it."""
    game = load_game("jass-schieber-2500", match_by="points")
    where = Seat(url, "me", retry_s=0.0, reconnections=0, **seat)
    return asyncio.run(asyncio.wait_for(run_client(where, game, [Thinker("heuristic", game, 0)], 0, log, tell), 120))[0]


def command(monkeypatch, capsys, *words):
    """Run the command line; return its exit code and what it wrote."""
    monkeypatch.setattr("sys.argv", ["stammtisch", "jass-client", *words])
    code = 0
    try:
        main()
    except SystemExit as stopped:
        code = stopped.code or 0
    written = capsys.readouterr()
    return code, written.out + written.err


def is_clean(text):
    return all(line.isprintable() for line in text.split("\n"))


# Tables


def table(*rows, **more):
    data = {"ranking": list(rows), "pairingResults": [], **more}
    return frame("BROADCAST_TOURNAMENT_RANKING_TABLE", data)


@pytest.mark.parametrize(
    "rows",
    [
        [{"playerName": "a", "connectedClients": 2}],
        [{"playerName": "a", "connectedClients": 2, "rank": 1}, {"playerName": "b", "connectedClients": 2}],
        [{"playerName": "a", "connectedClients": 2}, {"playerName": "b", "connectedClients": 2, "rank": 1}],
        [{"playerName": "a", "connectedClients": 2, "rating": 1500}],
        [{"playerName": EVIL, "connectedClients": 2, "rank": 1, "rating": 1500.5, "crashed": True}],
        [{"playerName": "[red]a[/red]", "connectedClients": 2, "rank": 1, "rating": 1500}],
        [{"playerName": "a", "connectedClients": 2, "rank": HUGE, "rating": 1}],
        [{"playerName": "a", "connectedClients": 2, "rank": 1, "rating": HUGE}],
        [{"playerName": "a", "connectedClients": HUGE, "rank": 1, "rating": -HUGE}],
        [{"playerName": "a", "connectedClients": None, "rank": [], "rating": {}}],
        [],
    ],
)
def test_any_table_ends_in_a_line_and_a_clean_terminal(rows, monkeypatch, capsys):
    with hostile_server(saying([table(*rows)])) as url:
        code, written = command(monkeypatch, capsys, url, "--retry", "0")
    assert code == 0
    assert "Game Finished" in written
    assert is_clean(written)


@pytest.mark.parametrize("number", ["9" * 401, "9" * 5000, "1e400", "-1e400", "1" + "0" * 400 + ".5", "NaN"])
def test_numbers_beyond_reason_are_refused_wherever_they_stand(number):
    for template in (
        '{"type":"BROADCAST_WINNER_TEAM","data":{"name":"Team 1","points":%s,"currentRoundPoints":0}}',
        '{"type":"BROADCAST_GAME_FINISHED","data":[{"name":"Team 1","points":0,"currentRoundPoints":%s},'
        '{"name":"Team 2","points":0,"currentRoundPoints":0}]}',
        '{"type":"BROADCAST_SESSION_JOINED","data":{"sessionName":"s","playersInSession":[],'
        '"player":{"id":"x","seatId":%s,"name":"n"}}}',
        '{"type":"PLAYED_CARDS","data":[{"number":%s,"color":"HEARTS"}]}',
    ):
        with pytest.raises(BadMessage):
            read_message(template % number, "S")


def test_a_message_with_a_million_faults_is_not_looked_at_to_the_end():
    zeros = ",".join(1_000_000 * ["0"])
    text = f'{{"type":"BROADCAST_TOURNAMENT_RANKING_TABLE","data":{{"ranking":[],"pairingResults":[{zeros}]}}}}'
    with pytest.raises(BadMessage) as refused:
        read_message(text, "S")
    assert len(refused.value.reply) <= 20


@pytest.mark.parametrize("depth", [100, 400, 900, 100_000])
@pytest.mark.parametrize("kind", ["ERROR", "BAD_MESSAGE", "REQUEST_CARD", "REQUEST_TRUMPF"])
def test_deep_messages_are_read_or_refused(kind, depth):
    told = []
    deep = f'{{"type":"{kind}","data":{depth * "["}{depth * "]"}}}'
    with hostile_server(saying([deep])) as url:
        outcome = play(url, told.append)
    assert outcome.ended == "Game Finished"
    assert told


# Names and reasons


def evil_session():
    """Return a whole captured game in which every name is an attack on the terminal."""
    text = json.dumps(SESSION)
    for name in {row["name"] for message in SESSION if message["type"] == "BROADCAST_TEAMS" for row in message["data"]}:
        text = text.replace(json.dumps(name), json.dumps(name + EVIL))
    return [json.dumps(message) for message in json.loads(text)]


def test_names_and_reasons_never_reach_the_terminal_or_the_log_raw(monkeypatch, capsys, tmp_path):
    log = tmp_path / "exchange.jsonl"
    frames = [*evil_session(), frame("ERROR", EVIL), frame("BAD_MESSAGE", {EVIL: [EVIL]}), EVIL, frame(EVIL, EVIL)]
    with hostile_server(saying(frames, 1000, EVIL)) as url:
        code, written = command(monkeypatch, capsys, url, "--retry", "0", "--log", str(log), "--name", "me")
    assert code == 0
    assert "evil" in written
    assert is_clean(written)
    lines = log.read_text("utf-8").split("\n")
    assert all(line.isascii() and line.isprintable() for line in lines)
    assert [json.loads(line)["dir"] for line in lines if line][-1] == "close"


@pytest.mark.parametrize(
    ("code", "reason", "told"),
    [
        (1000, "", "code 1000"),
        (1000, "Game Finished", "Game Finished"),
        (1008, "too many", "too many"),
        (1013, "the server is full", "the server is full"),
        (4999, EVIL, r"\x1b]0;owned"),
    ],
)
def test_the_reason_of_the_server_is_told(code, reason, told):
    with hostile_server(saying([], code, reason)) as url:
        ended = play(url).ended
    assert ended.startswith(told)
    assert ended.isprintable()


def test_who_closed_the_connection_is_told():
    async def cut(socket):
        socket.transport.abort()

    with hostile_server(cut) as url:
        assert play(url).ended == "the line broke"
    with hostile_server(saying(["x" * (1 << 23)])) as url:
        assert play(url).ended.startswith("closed by this side: ")


def answering(data):
    """Return a handler of raw connections that sends bytes and hangs up."""

    async def handler(reader, writer):
        writer.write(data)
        with contextlib.suppress(OSError):
            await writer.drain()
        writer.close()

    return handler


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x1b[2J\r\n\r\n",
        b"\x00" * 1000,
        b"HTTP/1.1 403 \x9b31m\r\nContent-Length: 5\r\n\r\n\x1b[2Ja",
        b"HTTP/1.1 500 Oh\r\nContent-Length: 100000\r\n\r\n" + 100_000 * b"\x1b",
        b"HTTP/1.1 101 Switching\r\nUpgrade: \x9b31m\r\nConnection: \x80\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: ws://127.0.0.1:1/\x9b\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 10_000,
        b"X" * 100_000,
    ],
)
def test_what_is_no_server_is_told_in_one_clean_line(data, monkeypatch, capsys):
    done = threading.Event()
    found = {}

    def run():
        async def listen():
            server = await asyncio.start_server(answering(data), "127.0.0.1", 0)
            found["port"] = server.sockets[0].getsockname()[1]
            done.set()
            await asyncio.to_thread(found["stop"].wait)
            server.close()

        asyncio.run(listen())

    found["stop"] = threading.Event()
    thread = threading.Thread(target=run)
    thread.start()
    assert done.wait(30)
    try:
        code, written = command(monkeypatch, capsys, f"ws://127.0.0.1:{found['port']}", "--retry", "0")
    finally:
        found["stop"].set()
        thread.join()
    assert code == 2
    assert "no challenge server at" in written
    assert "Traceback" not in written
    assert is_clean(written)
    assert len(written) < 1000


# Floods


def test_a_server_full_of_faults_is_told_of_in_a_few_lines():
    told = []
    with hostile_server(saying([f"nonsense {i}" for i in range(3000)])) as url:
        outcome = play(url, told.append)
    assert outcome.ended == "Game Finished"
    assert len(told) == 21
    assert "not shown" in told[-1]


def test_a_log_that_cannot_be_written_costs_no_game(tmp_path):
    full = pathlib.Path("/dev/full")
    if not full.exists():
        pytest.skip("needs /dev/full")
    told = []
    with hostile_server(saying([json.dumps(message) for message in SESSION])) as url:
        outcome = play(url, told.append, full)
    assert outcome.games == 1
    assert sum("playing on without it" in line for line in told) == 1


def mutated_session(seed, count):
    """Return a captured session, again and again, with so many of its messages mutated."""
    rng = random.Random(seed)
    frames, mutants = [], 0
    while mutants < count:
        for message in SESSION:
            changed = rng.random() < 0.3
            mutants += changed
            frames.append(mutant(message, rng, SESSION) if changed else json.dumps(message))
    return frames


def survives_mutants(seed, count):
    told = []
    with hostile_server(saying(mutated_session(seed, count))) as url:
        outcome = play(url, told.append)
    assert outcome.ended == "Game Finished"
    assert outcome.games > 0
    assert all(line.isprintable() for line in told)


def test_two_thousand_mutants_of_a_server():
    survives_mutants(0, 2000)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 11))
def test_a_hundred_thousand_mutants_of_a_server(seed):
    survives_mutants(seed, 10_000)
