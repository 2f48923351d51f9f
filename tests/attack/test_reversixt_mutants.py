"""Mutated bytes against both ends of the ReversiXT protocol: refused or understood, never a crash, never a wait."""

import asyncio
import random
import struct

import pytest

import stammtisch
from stammtisch import TERMINAL
from stammtisch.challenge.reversixt import wire
from stammtisch.challenge.reversixt.follower import Follower
from stammtisch.challenge.reversixt.referee import TimeLimits
from stammtisch.challenge.reversixt.server import CourseServer, CourseSettings
from stammtisch.envs.reversixt.map import format_map, parse_map
from stammtisch.envs.reversixt.moves import to_triple
from stammtisch.errors import BadText

TEXT = format_map(
    parse_map("2\n1\n1 1\n4 5\n0 b 0 c 0\n0 1 2 0 0\n0 2 1 i 0\n0 x 0 0 0\n0 0 7 <-> 4 3 3\n0 1 6 <-> 4 1 2\n")
)
MESSAGES = 20_000
GAMES = 60


@pytest.fixture(scope="module")
def game():
    return stammtisch.load_game("reversixt", map=TEXT, give_up=True)


def mutant(data, rng):
    """Return a message with something changed, cut, repeated or put in its place."""
    kind = rng.randrange(8)
    if kind == 0:
        return rng.randbytes(rng.randrange(40))
    if kind == 1:
        return data[: rng.randrange(len(data))]
    if kind == 2:
        return data + rng.choice([data, rng.randbytes(3), b"\0"])
    if kind == 3:
        return struct.pack(">BI", data[0], rng.choice([0, 1, 4, 6, 255, 1 << 16, 1 << 31, (1 << 32) - 1])) + data[5:]
    if kind == 4:
        return bytes([rng.randrange(256)]) + data[1:]
    changed = bytearray(data)
    for _ in range(rng.randrange(1, 4)):
        changed[rng.randrange(5 if kind == 5 else 0, len(changed)) if len(changed) > 5 else 0] = rng.randrange(256)
    return bytes(changed)


def frames_of(data, allowed):
    """Return the messages in some bytes up to the first that is refused; fails if reading never ends."""

    async def read():
        reader, frames = asyncio.StreamReader(), []
        reader.feed_data(data)
        reader.feed_eof()
        try:
            while (frame := await asyncio.wait_for(wire.read_frame(reader, allowed), 10)) is not None:
                frames.append(frame)
        except wire.BadBytes:
            pass
        return frames

    return read


def test_mutated_messages_of_clients_are_read_or_refused():
    async def try_all():
        rng = random.Random(1)
        understood = 0
        for _ in range(MESSAGES):
            original = rng.choice(
                [wire.group_message(3), wire.answer_message((1, 2, 0)), wire.answer_message((3, 0, 2))]
            )
            for frame in await frames_of(mutant(original, rng), wire.FROM_CLIENT)():
                understood += 1
                if frame.type == wire.ANSWER:
                    assert len(wire.read_answer(frame.payload)) == 3
        return understood

    assert 0 < asyncio.run(try_all()) < 2 * MESSAGES


def test_mutated_messages_of_servers_are_followed_or_refused(game):
    """A client goes on from every point of a game with a mutated message, or says what was wrong."""

    async def try_all():
        rng = random.Random(2)
        refused = sent = 0
        while sent < MESSAGES:
            follower, state = Follower(), game.new_state()
            follower.receive(wire.Packet(wire.MAP, TEXT.encode()))
            follower.receive(wire.Packet(wire.PLAYER, b"\x01"))
            while state.player != TERMINAL and not follower.is_over and sent < MESSAGES:
                legal = [a for a in state.legal_actions() if a != game.rules.GIVE_UP]
                action = rng.choice(legal)
                good = wire.move_message(to_triple(game, action), state.player + 1)
                others = [good, wire.request_message(100, 0), wire.disqualified_message(2), wire.phase_end_message()]
                for _ in range(20):
                    sent += 1
                    # A game apart for each, so that what is understood does no harm to the next.
                    apart = Follower()
                    apart.game, apart.state, apart.seat = follower.game, follower.state.clone(), follower.seat
                    for frame in await frames_of(mutant(rng.choice(others), rng), wire.FROM_SERVER)():
                        if frame.type == wire.MAP:
                            continue
                        try:
                            apart.receive(frame)
                        except wire.BadBytes:
                            refused += 1
                            break
                state.apply(action)
                follower.receive(wire.Packet(wire.MOVE, good[5:]))
                assert follower.state.player == state.player
        return refused

    assert asyncio.run(try_all()) > MESSAGES / 20


def test_mutated_maps_are_read_or_refused():
    rng = random.Random(3)
    read = 0
    for _ in range(MESSAGES // 4):
        payload = mutant(wire.map_message(TEXT), rng)[5:]
        try:
            board = parse_map(wire.read_text(payload))
        except (wire.BadBytes, BadText):
            continue
        read += 1
        assert parse_map(format_map(board)) == board
    assert read


def test_games_against_mutating_clients_always_end(game):
    """One honest client and one that mutates an answer now and then: every game ends, and the honest one stays in."""
    theirs = stammtisch.load_game("reversixt", map=TEXT)
    warm = theirs.new_state()  # nobody is patient enough for a compiler
    while warm.player >= 0:
        warm.apply(warm.parse_action(warm.action_text(warm.legal_actions()[0])))
    theirs.disqualify(theirs.new_state(), 0)

    async def client(port, group, rng):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(wire.group_message(group))
        follower = Follower()
        try:
            while not follower.is_over:
                frame = await wire.read_frame(reader, wire.FROM_SERVER)
                if frame is None:
                    break
                if follower.receive(frame) is not None:
                    legal = follower.state.legal_actions()
                    answer = wire.answer_message(to_triple(follower.game, legal[len(legal) // 2]))
                    writer.write(mutant(answer, rng) if rng is not None and rng.random() < 0.3 else answer)
        except OSError:
            pass
        writer.close()
        return follower

    async def try_all():
        rng = random.Random(4)
        lines = []
        server = CourseServer(game, CourseSettings(TimeLimits(patience_s=1.0), games=GAMES), None, lines.append)
        await server.start("127.0.0.1", 0)
        for _ in range(GAMES):
            honest = asyncio.create_task(client(server.port, 1, None))
            while not lines or "group 1 is here" not in lines[-1]:
                await asyncio.sleep(0.001)
            follower, _ = await asyncio.wait_for(asyncio.gather(honest, client(server.port, 2, rng)), 60)
            assert follower.is_over
            assert not follower.is_out
        await asyncio.wait_for(server.finished.wait(), 60)
        await server.stop()
        return server

    server = asyncio.run(try_all())
    assert server.played == GAMES
    assert 0 < server.disqualified <= GAMES
