"""Server and clients over real sockets on loopback."""

import asyncio
import contextlib
import json
import random
import time

import pytest
from websockets.asyncio.client import connect
from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed

from stammtisch import load_game
from stammtisch.arena.replay import verify
from stammtisch.arena.store import Store
from stammtisch.benchmarks.reports.report import write_report
from stammtisch.benchmarks.suites.stored import stored_suite
from stammtisch.challenge.client import Seat, run_client
from stammtisch.challenge.house import Settings
from stammtisch.challenge.server import LONGEST_FRAME, Server
from stammtisch.challenge.thinker import Thinker
from tests.attack.mutants import mutant
from tests.attack.test_jass_mutants import FROM_CLIENTS
from tests.challenge.outside import OutsideBot, outside_chair


@pytest.fixture(scope="module")
def game():
    game = load_game("jass-schieber-2500", match_by="points")
    thinker = Thinker("heuristic", game, 0)
    thinker.warm()
    thinker.close()
    return game


def ignore(line):
    pass


@contextlib.asynccontextmanager
async def running(results=None, allowed_origins=(), **settings):
    """Run a server; yields it and its address."""
    rules = Settings(**{"limit_s": 20.0, "seed": 1, **settings})
    server = Server(rules, results=results, tell=ignore, allowed_origins=allowed_origins)
    await server.start(port=0)
    try:
        yield server, f"ws://127.0.0.1:{server.port}"
    finally:
        await server.stop()


def our_bot(url, game, spec, session, name=None):
    thinkers = [Thinker(spec, game, seed, limit_s=10.0) for seed in range(2)]
    return run_client(Seat(url, name or spec, session, tournament=True), game, thinkers, tell=ignore)


# Tournaments


def test_outside_bots_and_ours_play_a_tournament_to_the_end(game, tmp_path):
    path = tmp_path / "results.sqlite"

    async def play():
        async with running(path) as (_, url):
            chair = asyncio.create_task(outside_chair(url, "cup", 4))
            await asyncio.sleep(0.3)
            outsiders = [OutsideBot(url, name, "cup", seed) for seed, name in enumerate(2 * ["$\\out_1$", "<b>out 2"])]
            ends = [asyncio.create_task(bot.run()) for bot in outsiders]
            ours = [asyncio.create_task(our_bot(url, game, spec, "cup")) for spec in ("heuristic", "greedy")]
            return await chair, outsiders, await asyncio.gather(*ends), await asyncio.gather(*ours)

    tables, outsiders, ends, ours = asyncio.run(play())
    final = tables[-1]
    assert len(final["pairingResults"]) == 6
    assert [row["rank"] for row in final["ranking"]] == [1, 2, 3, 4]
    assert {row["playerName"] for row in final["ranking"][:2]} == {"heuristic", "greedy"}
    assert ends == 4 * [(1000, "Game Finished")]
    assert [bot.odd for bot in outsiders] == [[], [], [], []]
    assert all(bot.kinds.count("BROADCAST_WINNER_TEAM") == 3 for bot in outsiders)
    assert all(bot.tricks % 9 == 0 for bot in outsiders)
    for connections in ours:
        assert [(each.games, each.late, each.failed) for each in connections] == 2 * [(3, 0, 0)]
        assert connections[0].won == connections[1].won

    # The arena knows the games: they replay from their seeds, and everybody is rated and reported.
    store = Store(path)
    assert [verify(plan, store.games_of(plan)) for plan in store.plans()] == 6 * [(1, [])]
    result = stored_suite(store, "cup")
    store.close()
    rated = {rating.name: rating for rating in result.tournaments[0][2]}
    assert {name: rating.games for name, rating in rated.items()} == dict.fromkeys(rated, 3)
    first = final["pairingResults"][-1]
    match = next(m for m in result.matches() if m.agents == [first["player1"], first["player2"]])
    assert (match.score == 1.0) == first["firstPlayerWon"]
    page = write_report(result, tmp_path, ["test"], habits=False).read_text("utf-8")
    assert "&lt;b&gt;out 2" in page
    assert "<b>out 2" not in page


def test_given_up_games_are_filed_and_replayed(game, tmp_path):
    path = tmp_path / "results.sqlite"

    async def play():
        async with running(path, games=2) as (_, url):
            chair = asyncio.create_task(outside_chair(url, "cup", 2))
            await asyncio.sleep(0.3)
            ours = asyncio.create_task(our_bot(url, game, "heuristic", "cup"))
            quitter = OutsideBot(url, "quitter", "cup", 0)
            partner = asyncio.create_task(OutsideBot(url, "quitter", "cup", 1).run())
            leaving = asyncio.create_task(quitter.run())
            while quitter.tricks < 3:
                await asyncio.sleep(0.01)
            leaving.cancel()
            return await chair, await partner, await ours

    tables, partner, ours = asyncio.run(play())
    assert partner == (1000, "One of the clients of player quitter disconnected")
    assert [row["playerName"] for row in tables[-1]["ranking"] if row.get("crashed")] == ["quitter"]
    assert ours[0].won == 1  # the other game was not played
    store = Store(path)
    (plan,) = store.plans()
    records = store.games_of(plan)
    assert verify(plan, records) == (2, [])
    assert [record.events[-1] for record in records] == 2 * [-1 - plan.agents.index("quitter")]
    assert [record.number for record in records] == [0, 2]
    assert stored_suite(store, "cup").tournaments[0][2][0].name == "heuristic"
    store.close()


def test_a_person_can_fill_the_table_with_bots(game):
    async def play():
        async with running() as (server, url), connect(url) as socket:
            bot = OutsideBot(url, "me", "s", 0)
            while True:
                message = json.loads(await socket.recv())
                data = message.get("data")
                if message["type"] == "REQUEST_SESSION_CHOICE":
                    reply = {"type": "CHOOSE_SESSION", "data": {"sessionChoice": "CREATE_NEW", "sessionName": "s"}}
                elif message["type"] == "BROADCAST_SESSION_JOINED" and len(data["playersInSession"]) < 4:
                    reply = {"type": "JOIN_BOT", "data": {"sessionName": "s"}}
                elif message["type"] == "BROADCAST_WINNER_TEAM":
                    return data["points"], server.results.games
                else:
                    reply = bot.answer(message["type"], data)
                if reply is not None:
                    await socket.send(json.dumps(reply))

    points, games = asyncio.run(play())
    assert points >= 2500
    assert games == 1


# Faults


async def drained(socket):
    """Read until the server closes; return code and reason."""
    try:
        while True:
            await asyncio.wait_for(socket.recv(), 30)
    except ConnectionClosed as closed:
        return (closed.rcvd.code, closed.rcvd.reason) if closed.rcvd else (1006, "")


async def quietly(awaitable):
    with contextlib.suppress(ConnectionClosed, OSError):
        await awaitable


def test_bad_guests_cost_nobody_else_anything(game):
    """A tournament runs to its end while others flood, send huge, binary and broken frames, hang up and hang."""

    async def play():
        async with running(games=2) as (server, url):
            chair = asyncio.create_task(outside_chair(url, "cup", 2))
            await asyncio.sleep(0.3)
            ours = [asyncio.create_task(our_bot(url, game, spec, "cup")) for spec in ("heuristic", "greedy")]

            huge = await connect(url)
            await quietly(huge.send("x" * (LONGEST_FRAME + 1)))
            assert (await drained(huge))[0] == 1009

            flood = await connect(url)
            for _ in range(1000):
                await quietly(flood.send("hello"))
            assert (await drained(flood))[0] == 1008

            binary = await connect(url)
            await binary.send(b"\xff\x00")
            await binary.recv()
            assert json.loads(await binary.recv())["type"] == "BAD_MESSAGE"
            binary.transport.abort()

            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(b"GET / HTTP/1.1\r\nnonsense\r\n\r\n")
            await reader.read(1000)
            writer.close()

            hanging = await connect(url)  # says nothing at all
            tables = await chair
            results = await asyncio.gather(*ours)
            await hanging.close()
            return tables, results, server.results.forfeits

    tables, results, forfeits = asyncio.run(play())
    assert tables[-1]["ranking"][0]["rank"] == 1
    assert [each.games for connections in results for each in connections] == 4 * [2]
    assert forfeits == 0


def test_who_does_not_read_is_cut_off(game, monkeypatch):
    monkeypatch.setattr("stammtisch.challenge.server._MOST_UNSENT", 4096)

    async def play():
        async with running() as (server, url):
            deaf = await connect(url, max_queue=1)
            await deaf.recv()
            await deaf.send(json.dumps({"type": "CHOOSE_PLAYER_NAME", "data": "deaf"}))
            await deaf.send(json.dumps({"type": "CHOOSE_SESSION", "data": {"sessionChoice": "AUTOJOIN"}}))
            deaf.transport.pause_reading()
            while not server.lobby.sessions:
                await asyncio.sleep(0.01)
            (guest,) = server.lobby._guests
            big = "y" * 60_000
            for _ in range(150):
                server.lobby.receive(guest, big)  # every one is answered with a copy
                if guest.closed:
                    break
            while server.lobby.sessions:
                await asyncio.sleep(0.01)
            deaf.transport.abort()

    asyncio.run(asyncio.wait_for(play(), 60))


def test_mutants_over_sockets(game):
    async def fuzz(url, seed):
        rng = random.Random(seed)
        sent = 0
        while sent < 500:
            async with connect(url) as socket:
                with contextlib.suppress(ConnectionClosed):
                    for _ in range(50):
                        sent += 1
                        await socket.send(mutant(rng.choice(FROM_CLIENTS), rng, FROM_CLIENTS))
                        with contextlib.suppress(TimeoutError):
                            await asyncio.wait_for(socket.recv(), 0.001)

    async def play():
        async with running(patience_s=1.0) as (server, url):
            await asyncio.gather(*(fuzz(url, seed) for seed in range(4)))
            chair = asyncio.create_task(outside_chair(url, "after", 2))
            await asyncio.sleep(0.3)
            await asyncio.gather(*(our_bot(url, game, spec, "after") for spec in ("heuristic", "greedy")))
            assert (await chair)[-1]["ranking"][0]["rank"] == 1
            return server.results.games

    assert asyncio.run(play()) >= 1


# The client


def test_the_client_comes_back_when_the_line_breaks(game):
    """A server that hangs up without a word, twice, before it lets the game end."""
    seen = []

    async def flaky(socket):
        await socket.send('{"type":"REQUEST_PLAYER_NAME"}')
        seen.append(json.loads(await socket.recv()))
        if len(seen) < 3:
            socket.transport.abort()
            return
        await socket.send("no JSON at all")
        await socket.send('{"type":"REQUEST_CARD","data":"nonsense"}')
        await socket.close(1000, "Game Finished")

    async def play():
        async with serve(flaky, "127.0.0.1", 0) as listener:
            port = listener.sockets[0].getsockname()[1]
            seat = Seat(f"ws://127.0.0.1:{port}", "back again")
            return await run_client(seat, game, [Thinker("heuristic", game, 0)], tell=ignore)

    (outcome,) = asyncio.run(play())
    assert outcome.connections == 3
    assert outcome.ended == "Game Finished"
    assert seen == 3 * [{"type": "CHOOSE_PLAYER_NAME", "data": "back again"}]


def test_the_client_waits_for_a_server_that_starts_later(game):
    async def play():
        async with running() as (server, url):
            port = server.port
        client = asyncio.create_task(our_bot(f"ws://127.0.0.1:{port}", game, "heuristic", "cup"))
        await asyncio.sleep(0.5)
        later = Server(Settings(limit_s=20.0), tell=ignore)
        await later.start(port=port)
        url = f"ws://127.0.0.1:{port}"
        chair = asyncio.create_task(outside_chair(url, "cup", 2))
        await asyncio.sleep(0.3)
        other = asyncio.create_task(our_bot(url, game, "greedy", "cup"))
        tables = await chair
        await asyncio.gather(client, other)
        await later.stop()
        return tables

    assert len(asyncio.run(play())[-1]["pairingResults"]) == 1


def test_no_server_at_all_is_said_in_one_line(game):
    seat = Seat("ws://127.0.0.1:1", "x", retry_s=0.0)
    with pytest.raises(ValueError, match="no challenge server at ws"):
        asyncio.run(run_client(seat, game, [Thinker("heuristic", game, 0)], tell=ignore))
    with pytest.raises(ValueError, match="give an address like ws://localhost:3000"):
        asyncio.run(run_client(Seat("localhost", "x"), game, [Thinker("heuristic", game, 0)], tell=ignore))


def test_a_late_agent_is_replaced_by_a_fast_move(game, tmp_path):
    """An agent that needs half a second at every tenth decision still answers within a fifth of it."""

    class Sleepy:
        spec, policy, game = "sleepy", None, None

        def __init__(self, fast):
            self.fast, self.asked = fast, 0

        def act(self, view):
            self.asked += 1
            if self.asked % 10 == 0:
                time.sleep(0.5)
            return self.fast.act(view)

    async def play():
        async with running(limit_s=0.4) as (server, url):
            chair = asyncio.create_task(outside_chair(url, "cup", 2))
            await asyncio.sleep(0.3)
            thinkers = [Thinker("heuristic", game, seed, limit_s=0.1) for seed in range(2)]
            for thinker in thinkers:
                thinker.agent = Sleepy(thinker.agent)
            seat = Seat(url, "sleepy", "cup", tournament=True)
            log = tmp_path / "exchange.jsonl"
            sleepy = asyncio.create_task(run_client(seat, game, thinkers, log_path=log, tell=ignore))
            other = asyncio.create_task(our_bot(url, game, "heuristic", "cup"))
            await chair
            await other
            return await sleepy, server.results

    outcomes, results = asyncio.run(play())
    assert results.games == 1
    assert sum(outcome.late for outcome in outcomes) > 5
    lines = [json.loads(line) for line in (tmp_path / "exchange.jsonl").read_text("utf-8").splitlines()]
    assert {line["client"] for line in lines} == {"sleepy#1", "sleepy#2"}
    assert [line["dir"] for line in lines][-2:] == ["close", "close"]
    assert sum(line["dir"] == "c2s" and line["msg"]["type"] == "CHOOSE_CARD" for line in lines) > 30
