"""Mutated messages against server and client: no crash, no stuck game, nothing left; 120,000 in the slow part."""

import gc
import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stammtisch import load_game
from stammtisch.challenge.messages import BadMessage, Message, read_message
from stammtisch.challenge.player import Player
from stammtisch.challenge.thinker import Thinker
from tests.attack.mutants import mutant
from tests.challenge.fakes import FakeGuest, captured, new_lobby

FEW = 3000
RUNS, PER_RUN = 10, 6000
FROM_CLIENTS = [
    line["msg"] for line in captured("edge-cases") if line["dir"] == "c2s" and isinstance(line["msg"], dict)
] + [
    {"type": "REQUEST_REGISTRY_BOTS"},
    {"type": "ADD_BOT_FROM_REGISTRY", "data": {"sessionName": "seat", "bot": {"name": "heuristic"}}},
]
FROM_SERVER = [line["msg"] for line in captured("session")[:2500] if line["dir"] == "s2c" and line["client"] != "a2"]


class Visitor(FakeGuest):
    """A guest that answers what it is asked, but only the first legal action, and remembers nothing."""

    def __init__(self, game):
        super().__init__()
        self.player = Player(game)
        self.reply = None
        self.finished = 0

    def _send(self, message):
        read_message(message.text, "S")  # whatever the server says is a message of the protocol
        choice = self.player.receive(message)
        if choice is not None:
            self.reply = choice.answer(choice.actions[0])
        elif message.type == "REQUEST_PLAYER_NAME":
            self.reply = Message("CHOOSE_PLAYER_NAME", "v")
        elif message.type == "REQUEST_SESSION_CHOICE":
            self.reply = Message("CHOOSE_SESSION", {"sessionChoice": "AUTOJOIN"})
        self.finished += message.type == "BROADCAST_WINNER_TEAM"


def act(lobby, visitor):
    """Let a visitor send what it owes; tell whether it did."""
    reply, visitor.reply = visitor.reply, None
    if reply is None or visitor.closed:
        return False
    lobby.receive(visitor, reply.text)
    return True


def fuzz_server(seed, count, log=None):
    """Send ``count`` mutants into a server where an honest game is being played."""
    rng = random.Random(seed)
    told = []
    lobby, clock = new_lobby(games=2, limit_s=0.5, patience_s=30, most_guests=40, log=log)
    lobby.house.tell = told.append
    game = lobby.house.game
    lobby.house.make_bot = lambda name: Visitor(game)
    honest = [Visitor(game) for _ in range(4)]
    for visitor in honest:
        lobby.connect(visitor)
        lobby.receive(visitor, Message("CHOOSE_PLAYER_NAME", "honest").text)
        lobby.receive(visitor, Message("CHOOSE_SESSION", {"sessionChoice": "JOIN_EXISTING", "sessionName": "h"}).text)
    guests = []
    sent = 0
    while sent < count:
        guests = [guest for guest in guests if not guest.closed]
        if len(guests) < 8 or rng.random() < 0.002:
            guests.append(Visitor(game))
            lobby.connect(guests[-1])
        guest = rng.choice(guests)
        for _ in range(rng.randrange(3)):
            act(lobby, rng.choice(guests))
        model = json.loads(guest.reply.text) if guest.reply is not None else rng.choice(FROM_CLIENTS)
        lobby.receive(guest, mutant(model, rng, FROM_CLIENTS))
        sent += 1
        act(lobby, rng.choice(honest))
        if rng.random() < 0.02:
            clock.advance(clock.now + rng.choice([0.1, 0.6]))
        if rng.random() < 0.005:
            lobby.disconnect(rng.choice(guests))
    while sum(act(lobby, visitor) for visitor in honest):
        pass
    assert [visitor.farewell for visitor in honest] == 4 * [(1000, "Game Finished")]
    assert lobby.house.results.games > 0
    for guest in list(lobby._guests):
        lobby.disconnect(guest)
    while clock.next_timer() is not None:
        clock.advance(clock.next_timer())
    assert lobby.sessions == []
    assert lobby._guests == {}
    assert lobby._arrived == {}
    assert lobby.sessions == []
    assert all(line.isprintable() for line in told)
    lobby.house.clerk.close()


def test_some_mutants_against_the_server(tmp_path):
    fuzz_server(0, FEW, tmp_path)
    logs = list(tmp_path.iterdir())
    assert logs
    for path in logs:
        assert json.loads(path.read_text("ascii"))


@pytest.mark.slow
@settings(max_examples=RUNS)
@given(st.integers(0, 2**32))
def test_many_mutants_against_the_server(seed):
    fuzz_server(seed, PER_RUN)


def fuzz_client(seed, count):
    """Feed ``count`` messages of a captured game to a client, most of them mutated."""
    game = load_game("jass-schieber-2500", match_by="points")
    thinker = Thinker("heuristic", game, seed)
    rng = random.Random(seed)
    player = Player(game)
    mutants = answers = 0
    while mutants < count:
        at = rng.randrange(len(FROM_SERVER) - 200)
        for message in FROM_SERVER[at : at + 200]:
            text = json.dumps(message)
            if rng.random() < 0.6:
                text = mutant(message, rng, FROM_SERVER)
                mutants += 1
            try:
                heard = read_message(text, "S")
            except BadMessage:
                continue
            choice = player.receive(heard)
            if choice is not None:
                answer = choice.answer(thinker.choose_now(choice))
                assert read_message(answer.text, "C") == answer
                answers += 1
    assert answers > 0
    thinker.close()


def test_some_mutants_against_the_client():
    fuzz_client(0, FEW)


@pytest.mark.slow
@settings(max_examples=RUNS)
@given(st.integers(0, 2**32))
def test_many_mutants_against_the_client(seed):
    fuzz_client(seed, PER_RUN)


def test_nothing_is_left_behind():
    counts = []
    for seed in range(5):
        fuzz_server(seed, 600)
        gc.collect()
        counts.append(len(gc.get_objects()))
    assert counts[-1] - counts[1] < 200


def heard_in(frame, sender):
    try:
        return read_message(frame, sender)
    except BadMessage as error:
        return error


@given(st.text() | st.binary(), st.sampled_from("CS"))
def test_any_frame_is_a_message_or_a_bad_message(frame, sender):
    heard = heard_in(frame, sender)
    assert heard.text if isinstance(heard, Message) else json.dumps(heard.reply)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=8,
)


@settings(max_examples=200)
@given(st.sampled_from([message["type"] for message in FROM_CLIENTS + FROM_SERVER]), _JSON, st.sampled_from("CS"))
def test_any_data_is_checked(kind, data, sender):
    heard = heard_in(json.dumps({"type": kind, "data": data}), sender)
    if isinstance(heard, Message):
        assert read_message(heard.text, sender) == heard
    else:
        assert json.dumps(heard.reply)
