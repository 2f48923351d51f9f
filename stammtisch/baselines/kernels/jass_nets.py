"""Networks that play Schieber inside of searches; a kernel source.

What they say of a choice, what they choose, and how likely they make what the players have done so far.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from stammtisch.baselines.kernels.dense import dense_forward
from stammtisch.envs.core.rules import OwnRules
from stammtisch.envs.jass.family.cards import list_cards, lowest
from stammtisch.envs.jass.family.sight import (
    CARD_LEN,
    N_CARD_SETS,
    TRUMP_LEN,
    TRUMP_OUT,
    card_sight,
    in_frame,
    trump_sight,
)

RULES: OwnRules

begin, apply, legal_cards_of = RULES.begin, RULES.apply, RULES.legal_cards_of
TURN, HAND, PLAYED, BARRED, WON = RULES.TURN, RULES.HAND, RULES.PLAYED, RULES.BARRED, RULES.WON
MODE, NO_MODE, PUSHED, FOREHAND, TRICK = RULES.MODE, RULES.NO_MODE, RULES.PUSHED, RULES.FOREHAND, RULES.TRICK
FIRST_MODE, PASS, PLAYED_COUNT = RULES.FIRST_MODE, RULES.PASS, RULES.PLAYED_COUNT
SCORE, EXTRA, TABLE, POT, WINNER, BEST = RULES.SCORE, RULES.EXTRA, RULES.TABLE, RULES.POT, RULES.WINNER, RULES.BEST
N_PLAYERS, MAX_BRANCH, STATE_LEN, TRICKS = RULES.N_PLAYERS, RULES.MAX_BRANCH, RULES.STATE_LEN, RULES.TRICKS
N_MODES, N_COLOURS = 6, 4
NO_LEAK = np.float32(0.0)


class Nets(NamedTuple):
    """Networks packed as ``dense`` wants them, and how soft their choices are.

    Attributes:
        card: sizes and parameters of the one for cards.
        trump: of the one for the mode.
        softness: float64[3]: what the outputs are divided by before a softmax, for cards and for modes, and the share
            of choices taken to be made by chance, whatever the networks say.
    """

    card: Any
    trump: Any
    softness: Any


class NetRoom(NamedTuple):
    """Arrays to work in: sets of cards, frame, two sights, hidden units, outputs, scores of the choices, their list."""

    sets: Any
    order: Any
    sight: Any
    trump_sight: Any
    hidden: Any
    out: Any
    trump_out: Any
    scores: Any
    acts: Any


def new_room(widest: int) -> NetRoom:
    """Return arrays for networks whose widest hidden layer has so many units."""
    return NetRoom(
        np.zeros(N_CARD_SETS, np.int64),
        np.zeros(N_COLOURS, np.int64),
        np.zeros(CARD_LEN, np.int8),
        np.zeros(TRUMP_LEN, np.int8),
        np.zeros((2, widest), np.float32),
        np.zeros(36, np.float32),
        np.zeros(TRUMP_OUT, np.float32),
        np.zeros(MAX_BRANCH, np.float64),
        np.zeros(MAX_BRANCH, np.int64),
    )


@njit
def say_cards(s, nets, room):
    """Let the network speak on the cards of the seat to move; return how many are legal.

    ``room.acts`` and ``room.scores`` are filled. Of the hands only that of the seat is read.
    """
    p = s[TURN]
    allowed = legal_cards_of(s, p)
    n = list_cards(allowed, room.acts)
    card_sight(s, p, allowed, s[WON + (p & 1)], s[WON + 1 - (p & 1)], room.sets, room.order, room.sight)
    dense_forward(room.sight, nets.card[0], nets.card[1], NO_LEAK, False, room.hidden, room.out)
    for i in range(n):
        room.scores[i] = room.out[in_frame(room.acts[i], room.order)]
    return n


@njit
def say_modes(hand, pushed, nets, room):
    """Let the network speak on the choice of the mode; return how many choices there are.

    ``room.acts`` has the choices in the order of the actions, and ``room.scores`` what they are worth.
    """
    trump_sight(hand, pushed, room.sets, room.order, room.trump_sight)
    dense_forward(room.trump_sight, nets.trump[0], nets.trump[1], NO_LEAK, False, room.hidden, room.trump_out)
    for new in range(N_COLOURS):
        room.scores[room.order[new]] = room.trump_out[new]
    for k in range(N_COLOURS, TRUMP_OUT):
        room.scores[k] = room.trump_out[k]
    n = N_MODES if pushed else TRUMP_OUT
    for k in range(n):
        room.acts[k] = FIRST_MODE + k
    return n


@njit
def say(s, nets, room):
    """Let the networks speak on whatever the seat to move has to choose."""
    if s[MODE] == NO_MODE:
        return say_modes(s[HAND + s[TURN]], s[PUSHED], nets, room)
    return say_cards(s, nets, room)


@njit
def best_of(room, n):
    """Return the choice that the networks like best."""
    best = 0
    for i in range(1, n):
        if room.scores[i] > room.scores[best]:
            best = i
    return room.acts[best]


@njit
def choose(s, nets, room):
    """Return the choice of the seat to move; one that is forced costs nothing."""
    if s[MODE] != NO_MODE:
        allowed = legal_cards_of(s, s[TURN])
        if allowed & (allowed - 1) == 0:
            return np.int64(lowest(allowed))
    return np.int64(best_of(room, say(s, nets, room)))


@njit
def log_share(room, n, chosen, softness, by_chance):
    """Return the logarithm of how likely ``chosen`` is among ``n`` choices."""
    top = room.scores[0]
    for i in range(1, n):
        top = max(top, room.scores[i])
    total = 0.0
    mine = 0.0
    for i in range(n):
        part = np.exp((room.scores[i] - top) / softness)
        total += part
        if room.acts[i] == chosen:
            mine = part
    return np.log((1.0 - by_chance) * mine / total + by_chance / n)


@njit
def undeal(world, s):
    """Fill ``s`` with the deal of ``world`` as it was before anything was said."""
    for i in range(STATE_LEN):
        s[i] = world[i]
    for p in range(N_PLAYERS):
        s[HAND + p] = world[HAND + p] | world[PLAYED + p]
        s[PLAYED + p] = 0
        s[BARRED + p] = 0
    for t in range(TRICKS):
        s[TRICK + t] = 0
    for team in range(2):
        s[SCORE + team] = 0
        s[EXTRA + team] = 0
        s[WON + team] = 0
    s[MODE] = NO_MODE
    s[PUSHED] = 0
    s[PLAYED_COUNT] = 0
    s[TABLE] = 0
    s[POT] = 0
    s[WINNER] = 0
    s[BEST] = 0
    begin(s)


@njit
def log_likelihood(world, observer, nets, room, s):
    """Return the logarithm of how likely all that the others have chosen is, were these their hands.

    Args:
        world: a deal that agrees with everything public, not changed.
        observer: the seat whose own choices tell it nothing.
        nets: ``Nets``.
        room: ``NetRoom``.
        s: int64[STATE_LEN], scratch.
    """
    undeal(world, s)
    found = 0.0
    if world[PUSHED] and s[TURN] != observer:
        n = say_modes(s[HAND + s[TURN]], 0, nets, room)
        found += log_share(room, n, PASS, nets.softness[1], nets.softness[2])
    if world[PUSHED]:
        apply(s, np.int64(PASS))
    if world[MODE] == NO_MODE:
        return found
    if s[TURN] != observer:
        n = say_modes(s[HAND + s[TURN]], s[PUSHED], nets, room)
        found += log_share(room, n, FIRST_MODE + world[MODE], nets.softness[1], nets.softness[2])
    apply(s, np.int64(FIRST_MODE + world[MODE]))
    for ply in range(world[PLAYED_COUNT]):
        card = ((world[TRICK + (ply >> 2)] >> (6 * (ply & 3))) & 63) - 1
        p = s[TURN]
        if p != observer:
            allowed = legal_cards_of(s, p)
            if allowed & (allowed - 1):
                n = say_cards(s, nets, room)
                found += log_share(room, n, card, nets.softness[0], nets.softness[2])
        apply(s, np.int64(card))
    return found
