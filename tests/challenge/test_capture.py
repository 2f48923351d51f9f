"""The captured exchanges of the original server, replayed with our server and with our client."""

import functools

import pytest

from stammtisch import load_agent, load_game
from stammtisch.challenge.messages import BadMessage, Message, read_message
from stammtisch.challenge.player import Player
from stammtisch.challenge.wire import card_from_wire, mode_from_wire
from stammtisch.envs.jass import legal_cards
from stammtisch.envs.jass.family.cards import N_CARDS
from tests.challenge.fakes import captured, scenarios
from tests.challenge.replaying import Replay

SCENARIOS = scenarios()
LIKE_THE_ORIGINAL = [
    "reject_card_then_leave",
    "schiebe_twice",
    "unknown_trump_mode",
    "wrong_type_for_card",
    "non_json_during_game",
    "card_out_of_range",
    "seating_all_team0",
    "seating_1100",
    "spectator_single",
    "join_bot",
]


@functools.cache
def replayed_session():
    return Replay(captured("session"))


@functools.cache
def replayed(scenario):
    return Replay(SCENARIOS[scenario], multipliers=True, games=2)


def test_every_captured_message_passes_its_schema_and_comes_out_the_same():
    refused = []
    for line in captured("session") + captured("edge-cases"):
        if line["dir"] == "close":
            continue
        whole = line["msg"]
        text = Message(whole["type"], whole.get("data")).text if isinstance(whole, dict) else whole
        try:
            message = read_message(text, "S" if line["dir"] == "s2c" else "C")
        except BadMessage:
            refused.append(line["scenario"])
        else:
            assert (message.type, message.data) == (whole["type"], whole.get("data"))
    assert refused == ["unknown_trump_mode", "trumpf_without_colour", "non_json_during_game", "card_out_of_range"]


@pytest.mark.parametrize("name", ["spectator", "a1", "b1", "a2", "b2"])
def test_our_server_says_in_the_captured_tournament_what_the_original_said(name):
    then, now = replayed_session().heard(name)
    assert [kind for kind, _ in now] == [kind for kind, _ in then]
    assert now == then
    assert replayed_session().clients[name].guest.farewell == (1000, "Game Finished")
    if name != "spectator":
        tricks = [data for kind, data in now if kind == "BROADCAST_STICH"]
        assert len(tricks) == 270
        assert tricks == [data for kind, data in then if kind == "BROADCAST_STICH"]


@pytest.mark.parametrize("scenario", LIKE_THE_ORIGINAL)
def test_our_server_treats_edge_cases_like_the_original(scenario):
    replay = replayed(scenario)
    for name, client in replay.clients.items():
        then, now = replay.heard(name)
        assert now == then, name
        closed = [line["reason"] for line in client.lines if line["dir"] == "close"]
        if closed[0]:
            assert client.guest.farewell == (1000, closed[0])


def test_a_third_connection_is_refused_and_does_not_count():
    replay = replayed("tournament_third_client_and_disconnect")
    assert replay.clients["a3"].guest.farewell == (1000, "This Player already has two registered clients!")
    assert replay.clients["b2"].guest.farewell == (1000, "One of the clients of player beta disconnected")
    for name in replay.clients:
        then, now = replay.heard(name)
        # The original took the refused connection off the bot's two.
        fixed = [_with_two_connections(kind, data) for kind, data in then]
        assert now == fixed, name


def _with_two_connections(kind, data):
    if kind == "BROADCAST_TOURNAMENT_RANKING_TABLE" and len(data["ranking"]) == 2:
        alpha = [row for row in data["ranking"] if row["playerName"] == "alpha"]
        beta = [row for row in data["ranking"] if row["playerName"] == "beta"]
        if beta[0]["connectedClients"] == 2:
            alpha[0]["connectedClients"] = 2
    return kind, data


def test_trumps_without_a_colour_are_answered_with_an_error_and_cost_the_game():
    then, now = replayed("trumpf_without_colour").heard("p0")
    asked = [kind for kind, _ in then].index("REQUEST_TRUMPF") + 1
    assert now[:asked] == then[:asked]
    assert now[asked] == ("BAD_MESSAGE", {"data.trumpfColor": ["Data trumpfcolor can't be blank"]})
    winner = ("BROADCAST_WINNER_TEAM", {"name": "Team 2", "points": 0, "currentRoundPoints": 0})
    assert now[asked + 1 :] == [winner]


def test_a_late_answer_is_not_taken_for_the_next_question():
    """In the capture a spade jack, ten hearts too late, was played into the next game."""
    replay = replayed("tournament_timeout")
    then, now = replay.heard("b1")
    questions = [at for at, (kind, _) in enumerate(then) if kind == "REQUEST_CARD"]
    asked = questions[1] + 1
    assert now[:asked] == then[:asked]
    assert [kind for kind, _ in now[asked : asked + 3]] == ["BAD_MESSAGE", "REQUEST_CARD", "PLAYED_CARDS"]
    assert now[asked + 2][1][-1] == {"number": 8, "color": "CLUBS"}
    assert then[asked][1][-1] == {"number": 11, "color": "SPADES"}


def test_a_tournament_started_too_early_can_be_started_later():
    replay = replayed("tournament_start_incomplete")
    for name in replay.clients:
        then, now = replay.heard(name)
        assert now[: len(then)] == then
        assert now[len(then)][0] == "BROADCAST_TOURNAMENT_STARTED"


# The client


def players():
    """Yield the lines of every captured player."""
    for source in [captured("session"), *SCENARIOS.values()]:
        for name in dict.fromkeys(line["client"] for line in source):
            lines = [line for line in source if line["client"] == name]
            if any(line["dir"] == "s2c" and line["msg"]["type"] == "DEAL_CARDS" for line in lines):
                yield lines


def test_our_client_gives_legal_answers_from_each_seat():
    game = load_game("jass-schieber-2500", match_by="points")
    agents = [load_agent(spec, game, seed=1) for spec in ("heuristic", "random")]
    answers = {}
    for lines in players():
        player, pending = Player(game), None
        hand, mode, rejected = [], None, False
        for line in lines:
            if line["dir"] == "c2s" and pending is not None:
                choice, table = pending
                assert choice.view is not None or rejected
                if _action(line["msg"]) in choice.actions:
                    answers[player.seat] = answers.get(player.seat, 0) + 1
                for agent in agents if choice.view is not None else ():
                    ours = agent.act(choice.view)
                    assert ours in choice.actions
                    if ours < N_CARDS:
                        assert ours in legal_cards(hand, table, mode)
                pending = None
            if line["dir"] != "s2c":
                continue
            rejected = (rejected or line["msg"]["type"].startswith("REJECT_")) and pending is None
            message = read_message(Message(line["msg"]["type"], line["msg"].get("data")).text, "S")
            if message.type == "DEAL_CARDS":
                hand = [card_from_wire(card) for card in message.data]
            elif message.type == "BROADCAST_TRUMPF":
                mode = mode_from_wire(message.data)
            elif message.type == "PLAYED_CARDS":
                hand = [card for card in hand if card not in [card_from_wire(c) for c in message.data]]
            choice = player.receive(message)
            if choice is not None:
                table = [card_from_wire(card) for card in message.data] if message.type == "REQUEST_CARD" else []
                pending = choice, table
    assert sorted(answers) == [0, 1, 2, 3]
    assert min(answers.values()) > 275


def _action(message):
    if not isinstance(message, dict):
        return None
    try:
        answer = read_message(Message(message["type"], message.get("data")).text, "C")
    except BadMessage:
        return None
    if answer.type == "CHOOSE_CARD":
        return card_from_wire(answer.data)
    return N_CARDS + mode_from_wire(answer.data) if answer.type == "CHOOSE_TRUMPF" else None


def test_the_points_of_our_client_are_those_of_the_server():
    game = load_game("jass-schieber-2500", match_by="points")
    for name in ("a1", "b1", "a2", "b2"):
        player = Player(game)
        tricks = 0
        for line in captured("session"):
            if line["client"] != name or line["dir"] != "s2c":
                continue
            message = read_message(Message(line["msg"]["type"], line["msg"].get("data")).text, "S")
            if message.type == "PLAYED_CARDS" and len(message.data) == 4:
                player.receive(message)
                counted = player._state.view(player.seat).totals  # before the server says them
                continue
            if message.type == "BROADCAST_STICH":
                points = {score["name"]: score["points"] for score in message.data["teams"]}
                assert counted == (points["Team 1"], points["Team 2"])
                tricks += 1
            player.receive(message)
        assert tricks == 270
        assert player.won == [name in ("b1", "b2")]
