"""A bot as an outsider would write it: from the protocol page alone, sharing nothing with the package."""

import asyncio
import json
import random

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

TRUMP_ORDER = [6, 7, 8, 10, 12, 13, 14, 9, 11]


def may_play(hand, table, mode, trump):
    """Return the cards of a hand that may be played; cards are (number, colour)."""
    if not table:
        return hand
    led = table[0][1]
    follow = [card for card in hand if card[1] == led]
    if mode != "TRUMPF":
        return follow or hand
    trumps = [card for card in hand if card[1] == trump]
    if led == trump:
        return trumps if any(number != 11 for number, _ in trumps) else hand
    if len(trumps) == len(hand):
        return hand
    highest = max((TRUMP_ORDER.index(number) for number, colour in table if colour == trump), default=-1)
    over = [card for card in trumps if TRUMP_ORDER.index(card[0]) > highest]
    return (follow or [card for card in hand if card[1] != trump]) + over


class OutsideBot:
    """One connection of a tournament's bot, which plays at random and says so when something is odd."""

    def __init__(self, url, name, session, seed):
        self.url, self.name, self.session = url, name, session
        self.rng = random.Random(seed)
        self.hand, self.mode, self.trump = [], None, None
        self.tricks, self.odd, self.kinds = 0, [], []
        self.ranking = None

    async def run(self):
        async with connect(self.url) as socket:
            try:
                while True:
                    message = json.loads(await socket.recv())
                    self.kinds.append(message["type"])
                    reply = self.answer(message["type"], message.get("data"))
                    if reply is not None:
                        await socket.send(json.dumps(reply))
            except ConnectionClosed as closed:
                return closed.rcvd.code, closed.rcvd.reason

    def answer(self, kind, data):
        if kind == "REQUEST_PLAYER_NAME":
            return {"type": "CHOOSE_PLAYER_NAME", "data": self.name}
        if kind == "REQUEST_SESSION_CHOICE":
            where = {"sessionName": self.session, "sessionType": "TOURNAMENT"}
            return {"type": "CHOOSE_SESSION", "data": {"sessionChoice": "JOIN_EXISTING", **where}}
        if kind == "DEAL_CARDS":
            self.hand = [(card["number"], card["color"]) for card in data]
        elif kind == "REQUEST_TRUMPF":
            if data is False and self.rng.random() < 0.3:
                return {"type": "CHOOSE_TRUMPF", "data": {"mode": "SCHIEBE"}}
            mode = self.rng.choice(["TRUMPF", "OBEABE", "UNDEUFE"])
            colour = {"trumpfColor": self.rng.choice(self.hand)[1]} if mode == "TRUMPF" else {}
            return {"type": "CHOOSE_TRUMPF", "data": {"mode": mode, **colour}}
        elif kind == "BROADCAST_TRUMPF":
            self.mode, self.trump = data["mode"], data.get("trumpfColor")
        elif kind == "REQUEST_CARD":
            table = [(card["number"], card["color"]) for card in data]
            number, colour = self.rng.choice(may_play(self.hand, table, self.mode, self.trump))
            return {"type": "CHOOSE_CARD", "data": {"number": number, "color": colour}}
        elif kind == "PLAYED_CARDS":
            played = (data[-1]["number"], data[-1]["color"])
            self.hand = [card for card in self.hand if card != played]
        elif kind == "BROADCAST_STICH":
            self.tricks += 1
        elif kind == "BROADCAST_GAME_FINISHED":
            if sum(score["currentRoundPoints"] for score in data) not in (157, 257) or self.hand:
                self.odd.append((kind, data))
        elif kind == "BROADCAST_TOURNAMENT_RANKING_TABLE":
            self.ranking = data
        elif kind in ("REJECT_CARD", "REJECT_TRUMPF", "BAD_MESSAGE", "ERROR"):
            self.odd.append((kind, data))
        return None


async def outside_chair(url, session, bots):
    """Open a tournament as its spectator, start it when all are there, and return the tables seen."""
    tables = []
    async with connect(url) as socket:
        await socket.recv()
        await socket.send(json.dumps({"type": "CHOOSE_PLAYER_NAME", "data": "chair"}))
        await socket.recv()
        where = {"sessionName": session, "sessionType": "TOURNAMENT", "asSpectator": True}
        await socket.send(json.dumps({"type": "CHOOSE_SESSION", "data": {"sessionChoice": "CREATE_NEW", **where}}))
        started = False
        try:
            while True:
                message = json.loads(await asyncio.wait_for(socket.recv(), 300))
                if message["type"] != "BROADCAST_TOURNAMENT_RANKING_TABLE":
                    continue
                tables.append(message["data"])
                ranking = message["data"]["ranking"]
                if not started and len(ranking) == bots and all(row["connectedClients"] == 2 for row in ranking):
                    started = True
                    await socket.send(json.dumps({"type": "START_TOURNAMENT"}))
        except ConnectionClosed:
            return tables
