"""Sitting down, playing, and everything that guests can do wrong, without a network."""

import json

import pytest

from stammtisch.challenge.player import Player
from tests.challenge.fakes import FakeGuest, enter, new_lobby, say

TOURNAMENT = {"sessionName": "cup", "sessionType": "TOURNAMENT"}


def single(lobby, count=4, **choice):
    return [enter(lobby, f"n{i}", **choice) for i in range(count)]


def tournament(lobby, *names):
    """Let bots of two connections each join, and return the spectator and the connections by bot."""
    chair = enter(lobby, "chair", sessionChoice="CREATE_NEW", asSpectator=True, **TOURNAMENT)
    bots = [[enter(lobby, name, sessionChoice="JOIN_EXISTING", **TOURNAMENT) for _ in range(2)] for name in names]
    say(lobby, chair, "START_TOURNAMENT")
    return chair, bots


def play_on(lobby, guests, players, until=None, most=100_000):
    """Let guests answer every question with the first legal action; return how many answers were given."""
    answers = 0
    for _ in range(most):
        moved = False
        for guest in guests:
            player, heard = players.setdefault(guest, [Player(lobby.house.game), 0])
            choice = None
            while heard < len(guest.sent):
                choice = player.receive(_message(guest.sent[heard])) or (choice if heard else None)
                if guest.sent[heard]["type"] == "BROADCAST_WINNER_TEAM":
                    choice = None
                heard += 1
            players[guest][1] = heard
            if choice is not None and not guest.closed:
                answer = choice.answer(choice.actions[0])
                lobby.receive(guest, answer.text)
                answers += 1
                moved = True
        if not moved or (until is not None and until()):
            return answers
    raise AssertionError("the game does not end")


def _message(whole):
    from stammtisch.challenge.messages import Message, read_message

    return read_message(Message(whole["type"], whole.get("data")).text, "S")


def last(guest, kind):
    return [message.get("data") for message in guest.sent if message["type"] == kind][-1]


# Gathering


def test_a_newcomer_is_asked_for_name_and_session():
    lobby, _ = new_lobby()
    single(lobby, 1)
    guest = FakeGuest()
    lobby.connect(guest)
    say(lobby, guest, "CHOOSE_PLAYER_NAME", "x")
    assert guest.types() == ["REQUEST_PLAYER_NAME", "REQUEST_SESSION_CHOICE"]
    assert len(guest.sent[1]["data"]) == 1  # the session that waits
    assert guest.sent[0] == {"type": "REQUEST_PLAYER_NAME"}


def test_autojoin_takes_the_first_session_that_waits_even_a_tournament():
    lobby, _ = new_lobby()
    enter(lobby, "a", sessionChoice="CREATE_NEW", **TOURNAMENT)
    enter(lobby, "b")
    assert len(lobby.sessions) == 1
    assert [row["playerName"] for row in last(enter(lobby, "b"), "BROADCAST_TOURNAMENT_RANKING_TABLE")["ranking"]] == [
        "a",
        "b",
    ]


def test_create_new_always_makes_a_session_and_names_need_not_be_unique():
    lobby, _ = new_lobby()
    for _ in range(2):
        enter(lobby, "a", sessionChoice="CREATE_NEW", sessionName="s")
    assert [session.name for session in lobby.sessions] == ["s", "s"]


def test_the_game_is_played_to_the_target_and_everybody_is_sent_home():
    lobby, _ = new_lobby()
    guests = single(lobby)
    watcher = enter(lobby, "w", sessionChoice="SPECTATOR", sessionName=lobby.sessions[0].name)
    play_on(lobby, guests, {})
    winner = last(guests[0], "BROADCAST_WINNER_TEAM")
    assert winner["points"] >= 2500
    assert winner["currentRoundPoints"] == 0
    assert all(guest.farewell == (1000, "Game Finished") for guest in [*guests, watcher])
    assert lobby.sessions == []
    assert lobby.finished == 1
    assert lobby.house.results.games == 1
    for message in guests[0].sent:
        if message["type"] == "BROADCAST_GAME_FINISHED":
            assert sum(score["currentRoundPoints"] for score in message["data"]) in (157, 257)
    assert not {"DEAL_CARDS", "REQUEST_CARD", "REQUEST_TRUMPF"} & set(watcher.types())


def test_a_spectator_may_come_before_the_players():
    lobby, _ = new_lobby()
    watcher = enter(lobby, "w", sessionChoice="SPECTATOR", sessionName="s")
    assert watcher.sent[-1] == {"type": "SESSION_JOINED", "data": {"sessionName": "s", "playersInSession": []}}
    single(lobby, sessionChoice="JOIN_EXISTING", sessionName="s")
    assert "BROADCAST_TEAMS" in watcher.types()


def test_bots_fill_seats():
    lobby, _ = new_lobby()
    guest = enter(lobby, "n0", sessionChoice="CREATE_NEW", sessionName="s")
    say(lobby, guest, "REQUEST_REGISTRY_BOTS")
    assert guest.sent[-1] == {"type": "SEND_REGISTRY_BOTS", "data": [{"name": "heuristic"}]}
    say(lobby, guest, "JOIN_BOT", {"sessionName": "other"})
    assert len(lobby.sessions[0]._table.seats) == 1
    say(lobby, guest, "JOIN_BOT", {"sessionName": "s", "chosenTeamIndex": 0})
    say(lobby, guest, "ADD_BOT_FROM_REGISTRY", {"sessionName": "s", "bot": {"name": "nobody"}})
    say(lobby, guest, "ADD_BOT_FROM_REGISTRY", {"sessionName": "s", "bot": {"name": "heuristic"}})
    assert sorted(lobby.sessions[0]._table.seats) == [0, 1, 2]
    say(lobby, guest, "JOIN_BOT", {"sessionName": "s"})
    assert guest.types()[-2:] == ["DEAL_CARDS", "REQUEST_TRUMPF"]


def test_the_server_is_full():
    lobby, _ = new_lobby(most_guests=2)
    single(lobby, 2)
    guest = FakeGuest()
    lobby.connect(guest)
    assert guest.farewell[0] == 1013


# Tournaments


def test_everyone_meets_everyone_and_free_bots_play_at_once():
    lobby, _ = new_lobby()
    chair, bots = tournament(lobby, "a", "b", "c", "d")
    guests = [guest for bot in bots for guest in bot]
    assert sum("BROADCAST_TEAMS" in guest.types() for guest in guests) == 8  # two games at once
    play_on(lobby, guests, {})
    table = last(chair, "BROADCAST_TOURNAMENT_RANKING_TABLE")
    assert [row["rank"] for row in table["ranking"]] == [1, 2, 3, 4]
    met = [(result["player1"], result["player2"]) for result in table["pairingResults"]]
    assert sorted(met) == sorted([("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")])
    assert [result["id"] for result in table["pairingResults"]] == list(range(6))[::-1]
    ratings = [row["rating"] for row in table["ranking"]]
    assert ratings == sorted(ratings, reverse=True)
    assert chair.farewell == (1000, "Game Finished")


def test_only_a_spectator_starts_a_tournament():
    lobby, _ = new_lobby()
    bots = [[enter(lobby, name, sessionChoice="JOIN_EXISTING", **TOURNAMENT) for _ in range(2)] for name in "ab"]
    say(lobby, bots[0][0], "START_TOURNAMENT")
    assert "BROADCAST_TOURNAMENT_STARTED" not in bots[0][0].types()


def test_no_two_pairs_get_the_same_cards():
    lobby, _ = new_lobby(seed=1)
    _, bots = tournament(lobby, "a", "b", "c", "d")
    assert bots[0][0].sent[-2]["type"] == bots[2][0].sent[-2]["type"] == "DEAL_CARDS"
    assert bots[0][0].sent[-2]["data"] != bots[2][0].sent[-2]["data"]


def test_a_bot_that_does_not_answer_loses_this_game_only():
    lobby, clock = new_lobby(games=2, limit_s=0.5)
    _, (first, second) = tournament(lobby, "a", "b")
    clock.advance(clock.now + 0.49)
    assert "BROADCAST_WINNER_TEAM" not in first[0].types()
    clock.advance(clock.now + 0.05)
    assert last(second[0], "BROADCAST_WINNER_TEAM")["name"] == "Team 2"
    play_on(lobby, [*first, *second], {})
    assert last(second[0], "BROADCAST_TOURNAMENT_RANKING_TABLE")["ranking"][0]["rank"] == 1
    assert [guest.farewell for guest in first] == 2 * [(1000, "Game Finished")]


def test_a_bot_that_leaves_before_the_start_is_forgotten():
    lobby, _ = new_lobby()
    chair = enter(lobby, "chair", sessionChoice="CREATE_NEW", asSpectator=True, **TOURNAMENT)
    guest = enter(lobby, "a")
    lobby.disconnect(guest)
    assert last(chair, "BROADCAST_TOURNAMENT_RANKING_TABLE")["ranking"] == []
    lobby.disconnect(chair)
    assert lobby.sessions == []


def test_both_bots_gone_still_ends_the_tournament():
    lobby, _ = new_lobby(games=3)
    chair, (first, second) = tournament(lobby, "a", "b")
    lobby.disconnect(first[0])
    lobby.disconnect(second[1])
    assert chair.farewell == (1000, "Game Finished")
    assert lobby.sessions == []


# Faults


@pytest.mark.parametrize("text", ["hello", "", "[]", "null", "{}", '{"type":1}', "[" * 5000, '{"type":"X","data":NaN}'])
def test_nonsense_before_a_game_gets_an_error_and_hurts_nobody(text):
    lobby, _ = new_lobby()
    guest = FakeGuest()
    lobby.connect(guest)
    lobby.receive(guest, text)
    assert guest.sent[-1] == {"type": "BAD_MESSAGE", "data": text}
    say(lobby, guest, "CHOOSE_PLAYER_NAME", "x")
    lobby.receive(guest, text)
    assert guest.sent[-1]["type"] == "BAD_MESSAGE"
    say(lobby, guest, "CHOOSE_SESSION", {"sessionChoice": "AUTOJOIN"})
    lobby.receive(guest, text)
    assert guest.sent[-1]["type"] == "BAD_MESSAGE"
    guests = [guest, *single(lobby, 3)]
    assert "REQUEST_TRUMPF" in guests[0].types()


@pytest.mark.parametrize(
    ("kind", "data", "errors"),
    [
        ("CHOOSE_PLAYER_NAME", "", {"data": ["Data can't be blank"]}),
        ("CHOOSE_PLAYER_NAME", None, {"data": ["Data can't be blank"]}),
        ("CHOOSE_PLAYER_NAME", 7, {"data": ["7 is not a text"]}),
        ("CHOOSE_PLAYER_NAME", "x" * 101, {"data": ["longer than 100 characters"]}),
        ("CHOOSE_PLAYER_NAME", "\ud800", {"data": ["has characters that cannot be shown"]}),
        ("CHOOSE_SESSION", {}, {"data.sessionChoice": ["Data sessionchoice can't be blank"]}),
        ("CHOOSE_SESSION", {"sessionChoice": "X"}, {"data.sessionChoice": ["X is not included in the list"]}),
        (
            "CHOOSE_SESSION",
            {"sessionChoice": "AUTOJOIN", "chosenTeamIndex": True},
            {"data.chosenTeamIndex": ["True is not included in the list"]},
        ),
    ],
)
def test_fields_that_are_wrong_are_named(kind, data, errors):
    lobby, _ = new_lobby()
    guest = FakeGuest()
    lobby.connect(guest)
    say(lobby, guest, kind, data)
    assert guest.sent[-1] == {"type": "BAD_MESSAGE", "data": errors}


def test_who_says_nothing_is_sent_away():
    lobby, clock = new_lobby(patience_s=120)
    guest = FakeGuest()
    lobby.connect(guest)
    clock.advance(121)
    assert guest.farewell[0] == 1008
    assert lobby._guests == {}


def test_who_hangs_in_a_single_game_loses_it():
    lobby, clock = new_lobby(patience_s=60)
    guests = single(lobby)
    clock.advance(61)
    assert last(guests[1], "BROADCAST_WINNER_TEAM")["name"] == "Team 2"
    assert lobby.house.results.forfeits == 1
    lobby.disconnect(guests[0])
    assert lobby.sessions == []


def test_one_bad_game_leaves_the_others_alone():
    lobby, _ = new_lobby()
    good = single(lobby)
    bad = single(lobby)
    lobby.receive(bad[0], "hello")
    assert last(bad[1], "BROADCAST_WINNER_TEAM")["name"] == "Team 2"
    play_on(lobby, good, {})
    assert last(good[0], "BROADCAST_WINNER_TEAM")["points"] >= 2500


def test_nonsense_of_who_is_not_asked_costs_nothing():
    lobby, _ = new_lobby()
    guests = single(lobby)
    lobby.receive(guests[1], "hello")
    assert guests[1].sent[-1] == {"type": "BAD_MESSAGE", "data": "hello"}
    say(lobby, guests[2], "CHOOSE_CARD", {"number": 6, "color": "HEARTS"})
    say(lobby, guests[3], "START_TOURNAMENT")
    play_on(lobby, guests, {})
    assert last(guests[0], "BROADCAST_WINNER_TEAM")["points"] >= 2500


def test_a_flood_costs_the_seat():
    lobby, _ = new_lobby()
    guests = single(lobby)
    for _ in range(201):
        say(lobby, guests[3], "CHOOSE_CARD", {"number": 6, "color": "HEARTS"})
    assert guests[3].farewell == (1008, "too many messages that nobody asked for")
    assert last(guests[0], "ERROR") == "Player n3 left the game!"
    assert last(guests[0], "BROADCAST_WINNER_TEAM")["name"] == "Team 1"


def test_endless_illegal_cards_are_a_flood():
    lobby, _ = new_lobby()
    guests = single(lobby)
    say(lobby, guests[0], "CHOOSE_TRUMPF", {"mode": "OBEABE"})
    held = guests[0].sent[[m["type"] for m in guests[0].sent].index("DEAL_CARDS")]["data"]
    missing = next(
        {"number": number, "color": "HEARTS"}
        for number in range(6, 15)
        if {"number": number, "color": "HEARTS"} not in held
    )
    for _ in range(150):
        say(lobby, guests[0], "CHOOSE_CARD", missing)
    assert guests[0].types()[-2:] == ["REJECT_CARD", "REQUEST_CARD"]
    for _ in range(60):
        say(lobby, guests[0], "CHOOSE_CARD", missing)
    assert guests[0].farewell[0] == 1008


def test_a_seat_given_up_before_the_start_is_free_again():
    lobby, _ = new_lobby()
    guests = single(lobby, 3)
    lobby.disconnect(guests[1])
    newcomer = enter(lobby, "new")
    assert newcomer.sent[-1]["data"]["player"]["seatId"] == 1
    enter(lobby, "n3")
    assert "BROADCAST_TEAMS" in guests[0].types()


def test_an_empty_session_is_forgotten():
    lobby, _ = new_lobby()
    guest = enter(lobby, "n0", sessionChoice="CREATE_NEW", sessionName="s")
    watcher = enter(lobby, "w", sessionChoice="SPECTATOR", sessionName="s")
    lobby.disconnect(guest)
    assert len(lobby.sessions) == 1
    lobby.disconnect(watcher)
    assert lobby.sessions == []


# Late answers


def late_bot():
    """Return a tournament whose first bot has missed its first question, a choice of the mode."""
    lobby, clock = new_lobby(games=3, limit_s=0.5, seed=5)
    _, (first, second) = tournament(lobby, "a", "b")
    clock.advance(clock.now + 0.6)
    assert first[0].types()[-1] == "REQUEST_TRUMPF"  # of the second game
    return lobby, clock, first, second


def test_a_late_answer_is_refused_and_the_question_asked_again():
    lobby, _, first, _ = late_bot()
    say(lobby, first[0], "CHOOSE_TRUMPF", {"mode": "UNDEUFE"})  # to the first game
    assert first[0].types()[-2:] == ["BAD_MESSAGE", "REQUEST_TRUMPF"]
    say(lobby, first[0], "CHOOSE_TRUMPF", {"mode": "OBEABE"})  # to the second
    assert last(first[0], "BROADCAST_TRUMPF") == {"mode": "OBEABE"}
    assert first[0].types()[-1] == "REQUEST_CARD"
    say(lobby, first[0], "CHOOSE_TRUMPF", {"mode": "OBEABE"})  # to the second, asked again
    assert first[0].types()[-1] == "BAD_MESSAGE"
    assert first[0].types().count("BROADCAST_WINNER_TEAM") == 1  # the game goes on


def test_who_forgets_a_missed_question_loses_nothing_more():
    lobby, _, first, _ = late_bot()
    say(lobby, first[0], "CHOOSE_TRUMPF", {"mode": "OBEABE"})
    say(lobby, first[0], "CHOOSE_TRUMPF", {"mode": "OBEABE"})
    assert first[0].types()[-1] == "REQUEST_CARD"
    held = last(first[0], "DEAL_CARDS")
    say(lobby, first[0], "CHOOSE_CARD", held[0])
    assert last(first[0], "PLAYED_CARDS") == [held[0]]


def test_a_late_answer_of_another_kind_is_refused_and_the_game_goes_on():
    lobby, _, first, _ = late_bot()
    say(lobby, first[0], "CHOOSE_TRUMPF", {"mode": "SCHIEBE"})
    say(lobby, first[0], "CHOOSE_TRUMPF", {"mode": "SCHIEBE"})
    say(lobby, first[1], "CHOOSE_TRUMPF", {"mode": "OBEABE"})
    assert first[0].types()[-1] == "REQUEST_CARD"
    say(lobby, first[0], "CHOOSE_TRUMPF", {"mode": "SCHIEBE"})
    assert first[0].types()[-1] == "BAD_MESSAGE"
    say(lobby, first[0], "CHOOSE_CARD", last(first[0], "DEAL_CARDS")[0])
    assert first[0].types()[-1] == "PLAYED_CARDS"


def test_an_answer_to_a_game_that_another_ended_is_late_too():
    lobby, _ = new_lobby(games=2, limit_s=0.5)
    _, (first, second) = tournament(lobby, "a", "b")
    lobby.receive(first[0], "hello")  # a loses, b was not asked
    say(lobby, first[0], "CHOOSE_TRUMPF", {"mode": "OBEABE"})
    assert last(second[0], "BROADCAST_TRUMPF") == {"mode": "OBEABE"}  # nothing was owed: the bad message was the answer


def test_messages_are_plain_ascii_whatever_the_names():
    lobby, _ = new_lobby()
    guest = enter(lobby, "Zoë 🂡")
    assert last(guest, "BROADCAST_SESSION_JOINED")["player"]["name"] == "Zoë 🂡"
    assert json.dumps(guest.sent[-1]).isascii()
