"""Logs for tests, written by hand from deals of ours."""

import json

import numpy as np

from stammtisch.envs.jass.family.names import CARDS
from stammtisch.training.jass.logs.drafts import points_of, winner_of
from stammtisch.training.jass.logs.lines import KIT_MODES, our_seat

CODES = {ours: theirs for theirs, ours in enumerate(KIT_MODES)}
PREFIX = "27.11.17 20:10:08,140 | INFO |  |  |  |  | "


def told_tricks(deals, number, cards=36):
    mode, leader = int(deals.mode[number]), int(deals.forehand[number])
    played = deals.cards[number, :cards].tolist()
    tricks = []
    for at in range(0, cards, 4):
        four = played[at : at + 4]
        trick = {"cards": [CARDS[card] for card in four], "first": our_seat(leader)}
        if len(four) == 4:
            trick["points"] = points_of(four, mode, at == 32)
            leader = winner_of(four, leader, mode)
            trick["win"] = our_seat(leader)
        tricks.append(trick)
    return tricks


def swisslos_deal(deals, number, cards=36):
    played = set(deals.cards[number, :cards].tolist())
    hands = [[]] * 4
    for seat in range(4):
        held = [c for c in range(36) if int(deals.hands[number, seat]) >> c & 1 and c not in played]
        hands[our_seat(seat)] = [CARDS[card] for card in held]
    told = {
        "trump": CODES[int(deals.mode[number])],
        "dealer": our_seat((int(deals.forehand[number]) - 1) % 4),
        "tricks": told_tricks(deals, number, cards),
        "player": [{"hand": hand} for hand in hands],
        "jassTyp": "SCHIEBER_2500",
    }
    if deals.passed[number]:
        told["tss"] = 1
    return told


def session(*rounds, players=(11, 0, 13, 14), prefix=PREFIX):
    return prefix + json.dumps({"players": list(players), "rounds": list(rounds)}, separators=(",", ":"))


def same_deals(found, wanted, numbers=None):
    """Tell whether deals are those wanted: hands, forehand, mode, pass, cards."""
    numbers = np.arange(len(wanted)) if numbers is None else np.array(numbers)
    names = ("hands", "forehand", "mode", "passed", "cards", "played")
    return all(np.array_equal(getattr(found, name), getattr(wanted, name)[numbers]) for name in names)
