"""Plays a captured exchange against our server: the same clients say the same things when they have heard the same."""

import json
from dataclasses import dataclass, field

from stammtisch.challenge.house import House
from stammtisch.challenge.wire import cards_from_wire
from stammtisch.envs.jass import CARDS
from tests.challenge.fakes import FakeGuest, new_lobby, say


@dataclass
class Recorded:
    """One captured client, and the guest that stands in for it."""

    name: str
    lines: list
    guest: FakeGuest | None = None
    at: int = 0  # the next line
    heard: int = 0  # messages before it
    hands: list = field(default_factory=list)

    def next_action(self):
        """Return when the client acts next, or None if it waits for something."""
        if self.guest is None:
            return self.lines[0]["t"]
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line["dir"] == "c2s":
                return line["t"]
            if line["dir"] == "close":
                return 0.0 if not line["reason"] else None  # who left did so at once after what it heard last
            if self.heard == len(self.guest.sent):
                return None
            self.heard += 1
            self.at += 1
        return None

    def act(self, lobby):
        if self.guest is None:
            self.guest = FakeGuest()
            lobby.connect(self.guest)
            return
        line = self.lines[self.at]
        self.at += 1
        if line["dir"] == "close":
            lobby.disconnect(self.guest)
        else:
            message = line["msg"]
            lobby.receive(self.guest, message if isinstance(message, str) else json.dumps(message))


class Replay:
    """A capture played against our server."""

    def __init__(self, lines, **settings):
        self.clients = {}
        for line in lines:
            self.clients.setdefault(line["client"], Recorded(line["client"], [])).lines.append(line)
        for client in self.clients.values():
            client.hands = [
                cards_from_wire(line["msg"]["data"])
                for line in client.lines
                if line["dir"] == "s2c" and line["msg"]["type"] == "DEAL_CARDS"
            ]
        replay = self

        class CapturedHouse(House):
            def new_table(self, *arguments):
                table = super().new_table(*arguments)
                if any(client.hands for client in replay.clients.values()):
                    table._deal = lambda state: replay.deal(table, state)
                return table

        self.lobby, self.clock = new_lobby(CapturedHouse, **settings)
        self.lobby.house.make_bot = self.make_bot
        self.bots = []
        self.run()

    def make_bot(self, name):
        self.bots.append(FakeGuest())
        return self.bots[-1]

    def answer_for_bots(self):
        """Let the server's own bots, whose lines nobody captured, do what the first client saw them do."""
        seen = [line["msg"] for line in next(iter(self.clients.values())).lines if line["dir"] == "s2c"]
        for bot in self.bots:
            for question, answer, shown in (
                ("REQUEST_TRUMPF", "CHOOSE_TRUMPF", "BROADCAST_TRUMPF"),
                ("REQUEST_CARD", "CHOOSE_CARD", "PLAYED_CARDS"),
            ):
                done = [message["data"] for message in seen if message["type"] == shown][bot.types().count(shown) :]
                if bot.sent[-1]["type"] == question and done:
                    say(self.lobby, bot, answer, done[0][-1] if answer == "CHOOSE_CARD" else done[0])
                    return True
        return False

    def deal(self, table, state):
        """Deal what was dealt then."""
        by_guest = {id(client.guest): client for client in self.clients.values()}
        hands = [
            by_guest[id(table.seats[seat])].hands.pop(0) if id(table.seats[seat]) in by_guest else None
            for seat in range(4)
        ]
        if None in hands:
            hands = self.hands_of_bots(hands, int(state.row[state.game.rules.DEALS]))
        shown = " / ".join(" ".join(CARDS[card] for card in hand) for hand in hands)
        head = state.to_text().splitlines()[0]
        return state.game.from_text(f"{head}\nhands {shown}\nmode -\nplay -"), 0

    def hands_of_bots(self, hands, deal):
        """Give the bots the cards that they played in a deal, and any others when it was not played to the end."""
        seen = [line["msg"] for line in next(iter(self.clients.values())).lines if line["dir"] == "s2c"]
        finished = [at for at, message in enumerate(seen) if message["type"] == "BROADCAST_GAME_FINISHED"]
        starts = [0, *finished, len(seen)]
        held = [[], [], [], []]
        leader = deal % 4
        for message in seen[starts[deal] : starts[deal + 1]]:
            if message["type"] == "PLAYED_CARDS":
                cards = cards_from_wire(message["data"])
                held[(leader + len(cards) - 1) % 4].append(cards[-1])
            elif message["type"] == "BROADCAST_STICH":
                leader = message["data"]["seatId"]
        held = [own if own is not None else played for own, played in zip(hands, held, strict=True)]
        rest = [card for card in range(len(CARDS)) if not any(card in hand for hand in held)]
        for hand in held:
            while len(hand) < 9:
                hand.append(rest.pop())
        return held

    def run(self):
        while True:
            if self.answer_for_bots():
                continue
            waiting = [(client.next_action(), client.name) for client in self.clients.values()]
            ready = sorted((when, name) for when, name in waiting if when is not None)
            timer = self.clock.next_timer()
            if not ready and (timer is None or timer > self.clock.now + 1):
                return
            if not ready or (timer is not None and timer < ready[0][0]):
                self.clock.advance(timer)
                continue
            self.clock.advance(ready[0][0])
            self.clients[ready[0][1]].act(self.lobby)

    def heard(self, name):
        """Return what a client heard then, and what it heard now."""
        client = self.clients[name]
        then = [line["msg"] for line in client.lines if line["dir"] == "s2c"]
        return _comparable(then), _comparable(client.guest.sent)


def _comparable(messages):
    """Give players' ids and generated session names the order of their appearance; sort hands as they are dealt."""
    ids, names = {}, {}

    def clean(value, key=None):
        if isinstance(value, dict):
            return {k: clean(v, k) for k, v in value.items()}
        if isinstance(value, list):
            return [clean(v, key) for v in value]
        if key == "id" and isinstance(value, str):
            return ids.setdefault(value, len(ids))
        if key in ("sessionName", "name") and "_" in value:
            return names.setdefault(value, len(names))
        return value

    found = []
    for message in messages:
        data = message.get("data")
        if message["type"] == "DEAL_CARDS":
            data = sorted(data, key=lambda card: (card["color"], card["number"]))
        if message["type"] == "REQUEST_SESSION_CHOICE":
            data = ["generated" if "_" in name else name for name in data]
        found.append((message["type"], clean(data)))
    return found
