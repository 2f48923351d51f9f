"""The course protocol of ReversiXT: whole games between server and clients, and clients that misbehave."""

import asyncio
import contextlib
import itertools
import struct

import pytest

import stammtisch
from stammtisch import TERMINAL
from stammtisch.arena.replay import verify
from stammtisch.arena.store import Store
from stammtisch.benchmarks.suites.stored import stored_suite
from stammtisch.challenge.reversixt import wire
from stammtisch.challenge.reversixt.client import run_client
from stammtisch.challenge.reversixt.follower import Follower
from stammtisch.challenge.reversixt.referee import TimeLimits
from stammtisch.challenge.reversixt.server import CourseServer, CourseSettings
from stammtisch.envs.reversixt.map import format_map, parse_map
from stammtisch.envs.reversixt.moves import to_triple

FOUR = "4\n1\n1 1\n6 6\n0 0 0 b 0 0\n0 0 0 0 i 0\n0 0 1 2 0 0\n0 0 4 3 0 0\n0 c 0 0 0 0\n0 0 0 x 0 0\n"
QUIET = {"tell": lambda line: None}


SPECS = ["heuristic", "random", "mcts:iterations=20", "maxn:depth=1"]


@pytest.fixture(scope="module")
def game():
    """The game of the server; what clients need is compiled too, since here all share one process."""
    game = stammtisch.load_game("reversixt", map=FOUR, give_up=True)
    theirs = stammtisch.load_game("reversixt", map=FOUR)
    state = theirs.new_state()
    for spec in SPECS:
        agent = stammtisch.load_agent(spec, theirs)
        agent.limit(time_s=0.01, depth=1)
        state.apply(agent.act(state.view(state.player)))
    state.is_legal(0)
    theirs.disqualify(state, 0)
    return game


def fed(data):
    """Return a reader at the end of some bytes."""
    reader = asyncio.StreamReader()
    reader.feed_data(data)
    reader.feed_eof()
    return reader


def read_all(data, allowed):
    async def read():
        reader, frames = fed(data), []
        while (frame := await wire.read_frame(reader, allowed)) is not None:
            frames.append(frame)
        return frames

    return asyncio.run(read())


def test_messages_have_the_bytes_of_the_protocol():
    assert wire.group_message(7) == bytes([1, 0, 0, 0, 1, 7])
    assert wire.answer_message((258, 3, 21)) == bytes([5, 0, 0, 0, 5, 1, 2, 0, 3, 21])
    assert wire.move_message((258, 3, 20), 4) == bytes([6, 0, 0, 0, 6, 1, 2, 0, 3, 20, 4])
    assert wire.request_message(1000, 2) == bytes([4, 0, 0, 0, 5, 0, 0, 3, 232, 2])
    assert wire.phase_end_message() == bytes([8, 0, 0, 0, 0])
    assert wire.game_end_message() == bytes([9, 0, 0, 0, 0])
    assert wire.disqualified_message(3) == bytes([7, 0, 0, 0, 1, 3])
    assert wire.player_message(3) == bytes([3, 0, 0, 0, 1, 3])
    assert wire.map_message("2\n") == bytes([2, 0, 0, 0, 2]) + b"2\n"


def test_messages_are_read_back():
    data = wire.answer_message((1, 2, 3)) + wire.group_message(9)
    frames = read_all(data, wire.FROM_CLIENT)
    assert wire.read_answer(frames[0].payload) == (1, 2, 3)
    assert frames[1] == (wire.GROUP, b"\x09")
    assert wire.read_request(wire.request_message(5, 6)[5:]) == (5, 6)
    assert wire.read_move(wire.move_message((1, 2, 3), 4)[5:]) == ((1, 2, 3), 4)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (struct.pack(">BI", 99, 0), "type 99; allowed: 1, 5"),
        (struct.pack(">BI", 5, 1 << 31), "type 5 with 2147483648 bytes; it has 5 to 5"),
        (struct.pack(">BI", 5, 4) + b"1234", "with 4 bytes"),
        (b"\x05\x00", "ended within a message"),
        (struct.pack(">BI", 5, 5) + b"12", "ended within a message"),
    ],
)
def test_broken_messages_are_refused_before_they_are_read(data, message):
    with pytest.raises(wire.BadBytes, match=message):
        read_all(data, wire.FROM_CLIENT)


async def play(game, clients, settings=None, results=None):
    """Let clients, each a coroutine function of the port, play one game at a server; return server, lines, outcomes."""
    lines = []
    server = CourseServer(game, settings or CourseSettings(TimeLimits(patience_s=20.0)), results, lines.append)
    await server.start("127.0.0.1", 0)
    tasks = []
    for number, client in enumerate(clients, 1):
        tasks.append(asyncio.create_task(client(server.port)))
        while not any(line.startswith(f"group {number} ") for line in lines) and not tasks[-1].done():
            await asyncio.sleep(0.002)  # seats go by the order of arrival
    await asyncio.wait_for(server.finished.wait(), 120)
    outcomes = await asyncio.gather(*tasks)
    await server.stop()
    return server, lines, outcomes


def agent_client(spec, group):
    return lambda port: run_client("127.0.0.1", port, spec, group, seed=group, **QUIET)


def test_four_different_clients_play_a_game_to_its_end(game, tmp_path):
    clients = [agent_client(spec, group) for group, spec in enumerate(SPECS, 1)]
    server, lines, outcomes = asyncio.run(play(game, clients, results=tmp_path / "results.sqlite"))
    assert (server.played, server.disqualified) == (1, 0)
    assert [outcome.ended for outcome in outcomes] == ["finished"] * 4
    assert [outcome.player for outcome in outcomes] == [1, 2, 3, 4]
    assert len({outcome.stones for outcome in outcomes}) == 1
    assert lines[-1].startswith("game over: group 1: ")
    store = Store(tmp_path / "results.sqlite")
    (plan,) = store.plans()
    assert plan.agents == ("group 1", "group 2", "group 3", "group 4")
    records = store.games_of(plan)
    assert verify(plan, records) == (1, [])
    ((_, _, ratings),) = stored_suite(store, "cup").tournaments
    assert sorted((rating.name, rating.games) for rating in ratings) == [(name, 1) for name in plan.agents]
    store.close()
    ranks = [outcome.rank for outcome in outcomes]
    best = max(range(4), key=lambda seat: records[0].returns[seat])
    assert ranks[best] == 1


async def join(port, group):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(wire.group_message(group))
    return reader, writer


async def until_asked(reader):
    """Follow a game until the own turn; return what is known then, None if the game is over before."""
    follower = Follower()
    while (frame := await wire.read_frame(reader, wire.FROM_SERVER)) is not None:
        if follower.receive(frame) is not None:
            return follower
        if follower.is_over:
            return None
    return None


def misbehaving(how):
    async def client(port):
        reader, writer = await join(port, 2)
        with contextlib.suppress(OSError, wire.BadBytes):
            if how == "floods":
                await wire.read_frame(reader, wire.FROM_SERVER)  # once the game has begun
                for _ in range(2000):
                    writer.write(wire.answer_message((0, 0, 0)) * 1000)
                    await asyncio.sleep(0)
                    if writer.is_closing() or writer.transport.get_write_buffer_size() > 1 << 22:
                        break
            elif how == "leaves early":
                writer.transport.abort()
                return how
            follower = await until_asked(reader)
            if follower is not None:
                illegal = (0, 0, 5)
                assert illegal not in [to_triple(follower.game, a) for a in follower.state.legal_actions()]
                if how == "cheats":
                    writer.write(wire.answer_message(illegal))
                elif how == "lies about lengths":
                    writer.write(struct.pack(">BI", 5, 1 << 31) + b"x" * 100)
                elif how == "leaves":
                    writer.close()
                elif how == "stops within a message":
                    writer.write(wire.answer_message((1, 1, 0))[:7])
                elif how == "asks to join again":
                    writer.write(wire.group_message(1))
                elif how == "answers twice":
                    legal = to_triple(follower.game, follower.state.legal_actions()[0])
                    writer.write(wire.answer_message(legal) * 2)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(reader.read(-1), 30)
        writer.close()
        return how

    return client


@pytest.mark.parametrize(
    "how",
    [
        "cheats",
        "lies about lengths",
        "leaves",
        "stops within a message",
        "hangs",
        "floods",
        "asks to join again",
        "answers twice",
    ],
)
def test_whoever_misbehaves_is_disqualified_and_costs_nobody_else_anything(game, how):
    clients = [agent_client("random", 1), misbehaving(how), agent_client("random", 3), agent_client("heuristic", 4)]
    slow = how in ("hangs", "stops within a message")
    limits = TimeLimits(patience_s=1.0) if slow else TimeLimits(patience_s=60.0)
    server, lines, outcomes = asyncio.run(play(game, clients, CourseSettings(limits)))
    assert server.disqualified == 1, lines
    assert any("group 2 (player 2) is disqualified" in line for line in lines)
    assert [outcomes[seat].ended for seat in (0, 2, 3)] == ["finished"] * 3
    assert lines[-1].count("disqualified") == 1


def test_a_client_that_leaves_before_the_game_frees_its_seat(game):
    clients = [agent_client("random", 1), misbehaving("leaves early")]
    clients += [agent_client("random", group) for group in (3, 4, 5)]
    server, _, outcomes = asyncio.run(play(game, clients))
    assert server.disqualified == 0
    assert [outcome.player for outcome in outcomes if not isinstance(outcome, str)] == [1, 2, 3, 4]


def test_who_floods_while_waiting_loses_its_place(game):
    async def flooder(port):
        reader, writer = await join(port, 2)
        with contextlib.suppress(OSError):
            writer.write(wire.answer_message((0, 0, 0)) * 1000)
            assert await reader.read(-1) == b""
        writer.close()
        return "flooded"

    clients = [agent_client("random", 1), flooder, *(agent_client("random", group) for group in (3, 4, 5))]
    server, _, outcomes = asyncio.run(play(game, clients))
    assert (server.played, server.disqualified) == (1, 0)
    assert outcomes[1] == "flooded"


def test_strangers_at_the_door_are_turned_away(game):
    async def stranger(port):
        for junk in (b"GET / HTTP/1.1\r\n\r\n", b"\x01\x00\x00\x00\x02ab", b"", b"\x05\x00\x00\x00\x05hello"):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(junk)
            if not junk:
                writer.write_eof()
            with contextlib.suppress(OSError):
                assert await reader.read(-1) == b""
            writer.close()
        return "turned away"

    clients = [stranger, *(agent_client("random", group) for group in (2, 3, 4, 5))]
    server, _, outcomes = asyncio.run(play(game, clients))
    assert outcomes[0] == "turned away"
    assert (server.played, server.disqualified) == (1, 0)


def test_time_is_kept_in_accounts_and_unused_time_carried_over(game):
    seen = []

    async def watcher(port):
        reader, writer = await join(port, 1)
        follower = Follower()
        while not follower.is_over:
            frame = await wire.read_frame(reader, wire.FROM_SERVER)
            limits = follower.receive(frame)
            if limits is not None:
                seen.append(limits)
                writer.write(wire.answer_message(to_triple(follower.game, follower.state.legal_actions()[0])))
        writer.close()

    clients = [watcher, *(agent_client("random", group) for group in (2, 3, 4))]
    settings = CourseSettings(TimeLimits(move_s=5.0, depth=3, prepare_s=60.0))
    asyncio.run(play(game, clients, settings))
    limits_ms = [limit for limit, _ in seen]
    assert limits_ms[0] == 65000
    assert all(depth == 3 for _, depth in seen)
    assert all(later <= earlier + 5000 for earlier, later in itertools.pairwise(limits_ms))
    assert limits_ms[-1] > limits_ms[0]


def test_the_last_one_left_wins(game):
    clients = [leaving(1), leaving(2), leaving(3), agent_client("random", 4)]
    server, _, outcomes = asyncio.run(play(game, clients))
    assert server.disqualified == 3
    assert outcomes[3].rank == 1
    assert outcomes[3].ended == "finished"


def leaving(group):
    async def client(port):
        reader, writer = await join(port, group)
        await until_asked(reader)
        writer.close()
        return "left"

    return client


def test_a_client_says_what_was_wrong_with_a_server():
    async def outcome_with(messages):
        async def serve(reader, writer):
            await reader.read(6)
            writer.write(messages)
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        found = await run_client("127.0.0.1", port, "random", 1, **QUIET)
        server.close()
        return found

    def ended(*messages):
        return asyncio.run(outcome_with(b"".join(messages))).ended

    good = wire.map_message(FOUR), wire.player_message(1)
    assert "closed the connection" in ended()
    assert "a map that cannot be read: line 1, column 1" in ended(wire.map_message("one\n"))
    assert "player number of 5" in ended(good[0], wire.player_message(5))
    assert "before map and player number" in ended(wire.request_message(0, 0))
    assert "type 200" in ended(b"\xc8\0\0\0\0")
    assert "that cannot be" in ended(*good, wire.move_message((5, 5, 0), 1))
    assert "out of turn" in ended(good[0], wire.player_message(2), wire.request_message(0, 0))
    assert "cannot be disqualified" in ended(*good, wire.disqualified_message(9))
    assert ended(*good, wire.disqualified_message(1)) == "disqualified"
    assert "a second map" in ended(*good, good[0])


def test_a_server_that_is_not_there_is_named():
    with pytest.raises(ValueError, match=r"cannot reach 127\.0\.0\.1:1:"):
        asyncio.run(run_client("127.0.0.1", 1, "random", 1, retry_s=0.0, **QUIET))


def test_a_follower_ends_where_the_table_ends(game):
    """What a client knows after each message is what the server knows."""
    follower = Follower()
    follower.receive(wire.Packet(wire.MAP, format_map(parse_map(FOUR)).encode()))
    follower.receive(wire.Packet(wire.PLAYER, b"\x02"))
    state = game.new_state()
    while state.player != TERMINAL:
        assert follower.state.player == state.player
        if state.player == 1:
            state.apply(game.rules.GIVE_UP)
            follower.receive(wire.Packet(wire.DISQUALIFIED, b"\x02"))
        else:
            action = state.legal_actions()[0]
            message = wire.move_message(to_triple(game, action), state.player + 1)
            state.apply(action)
            follower.receive(wire.Packet(wire.MOVE, message[5:]))
    follower.receive(wire.Packet(wire.PHASE_END, b""))
    follower.receive(wire.Packet(wire.GAME_END, b""))
    assert follower.is_over
    assert follower.is_out
    assert game.stones(follower.state) == game.stones(state)
