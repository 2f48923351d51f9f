"""Many deals of Schieber side by side for a learner: who has to decide, what it sees, and what each choice leads to.

A kernel source. A lane is one deal. Forced cards are played at once, and so are those of a reference bot.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from stammtisch.envs.core.rng import below
from stammtisch.envs.core.rules import OwnRules, Policy
from stammtisch.envs.jass.family.cards import N_CARDS, list_cards, lowest
from stammtisch.envs.jass.family.sight import (
    N_CARD_SETS,
    card_sight,
    in_frame,
    open_sight,
    original,
    renamed,
    trump_sight,
)

RULES: OwnRules
BOT: Policy
kernel: Callable[[Callable[..., Any]], Any]

init, apply, sample = RULES.init, RULES.apply, RULES.sample
legal, legal_cards_of = RULES.legal, RULES.legal_cards_of
points_of = RULES.points_of
TURN, HAND, WON, PLAYED_COUNT, FOREHAND = RULES.TURN, RULES.HAND, RULES.WON, RULES.PLAYED_COUNT, RULES.FOREHAND
PUSHED, MODE, FIRST_MODE, PASS = RULES.PUSHED, RULES.MODE, RULES.FIRST_MODE, RULES.PASS
STATE_LEN, MAX_BRANCH, N_PLAYERS = RULES.STATE_LEN, RULES.MAX_BRANCH, RULES.N_PLAYERS
bot_choose, BOT_IS_RANDOM = BOT.choose, BOT.IS_RANDOM
N_STREAMS = 1 + N_PLAYERS
N_SUITS, N_MODES = 4, 6
SELF, BY_BOT = 0, 1
_LAST = N_CARDS - N_PLAYERS  # cards played before the last trick, in which nobody has a choice


@njit
def choose(s, r, acts):
    """Return what the bot does."""
    if BOT_IS_RANDOM:
        return acts[below(r, 1 + s[TURN], legal(s, acts))]
    return bot_choose(s, r, acts)


@njit
def _lead(s):
    """Points of team 0 less those of team 1, in hundreds."""
    return (points_of(s, 0) - points_of(s, 1)) / 100.0


@njit
def _finish(s):
    """Play the last trick, in which everything is forced."""
    while s[TURN] >= 0:
        apply(s, np.int64(lowest(s[HAND + s[TURN]])))


@kernel
def deal(rows, streams):
    """Deal anew in every lane.

    Args:
        rows: int64[n, STATE_LEN], filled.
        streams: uint64[n, 5], the chance of each lane and a stream per seat.
    """
    for i in range(len(rows)):
        init(rows[i], streams[i])
        apply(rows[i], np.int64(sample(rows[i], streams[i])))


@kernel
def look_at_modes(rows, sights, orders, after):
    """Show forehand and its partner, and whoever sees all hands, what there is to choose.

    Args:
        rows: int64[n, STATE_LEN], deals before the choice.
        sights: int8[n, 2, TRUMP_LEN], filled: forehand, who may pass on, and the partner, to whom it was.
        orders: int64[n, 2, 4], filled: the frames of both.
        after: int8[n, 6, OPEN_LEN], filled: the deal in each mode, as forehand leads.
    """
    sets = np.empty(N_CARD_SETS, np.int64)
    frame = np.empty(N_SUITS, np.int64)
    s = np.empty(STATE_LEN, np.int64)
    for i in range(len(rows)):
        row = rows[i]
        p = row[FOREHAND]
        trump_sight(row[HAND + p], 0, sets, orders[i, 0], sights[i, 0])
        trump_sight(row[HAND + ((p + 2) & 3)], 1, sets, orders[i, 1], sights[i, 1])
        for mode in range(N_MODES):
            s[:] = row
            apply(s, FIRST_MODE + mode)
            open_sight(s, p, 0, 0, sets, frame, after[i, mode])


@kernel
def bot_modes(rows, streams, kinds):
    """Let the bot choose where it has the seat; lanes of others wait."""
    acts = np.empty(MAX_BRANCH, np.int64)
    for i in range(len(rows)):
        s = rows[i]
        while s[MODE] < 0 and kinds[i, s[TURN]] == BY_BOT:
            apply(s, np.int64(choose(s, streams[i], acts)))


@kernel
def bot_opinions(rows, streams, frames, choices):
    """Fill what the bot would choose as forehand, and as its partner after a pass, named in their frames.

    Args:
        rows: int64[n, STATE_LEN], deals before the choice.
        streams: uint64[n, 5].
        frames: int64[n, 2, 4].
        choices: int64[n, 2], filled: 0..3 a colour, 4 Obeabe, 5 Undeufe, 6 passing on.
    """
    acts = np.empty(MAX_BRANCH, np.int64)
    s = np.empty(STATE_LEN, np.int64)
    for i in range(len(rows)):
        s[:] = rows[i]
        for who in range(2):
            mode = np.int64(choose(s, streams[i], acts)) - FIRST_MODE
            if mode < N_SUITS:
                new = 0
                while frames[i, who, new] != mode:
                    new += 1
                mode = new
            choices[i, who] = mode
            if who == 0:
                apply(s, np.int64(PASS))


@kernel
def bot_cards(rows, streams, active, n, orders, cards):
    """Fill the card that the bot would play, named in the frame, where a lane has a choice."""
    acts = np.empty(MAX_BRANCH, np.int64)
    for i in range(n):
        card = np.int64(choose(rows[active[i]], streams[active[i]], acts))
        cards[i] = in_frame(card, orders[i])


@kernel
def put_modes(rows, modes, passes):
    """Choose the modes of lanes that wait for one: by forehand, or after passing on by its partner."""
    for i in range(len(rows)):
        s = rows[i]
        if s[MODE] < 0:
            if passes[i] and not s[PUSHED]:
                apply(s, np.int64(PASS))
            apply(s, FIRST_MODE + modes[i])


@njit
def _run(s, r, kinds, acts):
    """Play on to the next choice that is not the bot's; tell whether there is one."""
    while s[TURN] >= 0:
        if s[PLAYED_COUNT] >= _LAST:
            _finish(s)
            return False
        p = s[TURN]
        allowed = legal_cards_of(s, p)
        if allowed & (allowed - 1) == 0:
            apply(s, np.int64(lowest(allowed)))
        elif kinds[p] == BY_BOT:
            apply(s, np.int64(choose(s, r, acts)))
        else:
            return True
    return False


@kernel
def look(rows, streams, kinds, active, sights, orders, legals, leads, movers):
    """Play on to the next choice of every lane and show it; return how many lanes have one.

    Args:
        rows: int64[n, STATE_LEN].
        streams: uint64[n, 5].
        kinds: int64[n, 4], SELF or BY_BOT for every seat.
        active: int64[n], filled with the lanes that have a choice.
        sights: int8[n, CARD_LEN], filled for these, place by place, like the following.
        orders: int64[n, 4]: the frames.
        legals: int64[n]: the legal cards in the frame.
        leads: float64[n]: of team 0, so far.
        movers: int64[n]: who has to choose.
    """
    sets = np.empty(N_CARD_SETS, np.int64)
    acts = np.empty(MAX_BRANCH, np.int64)
    n = 0
    for i in range(len(rows)):
        s = rows[i]
        if not _run(s, streams[i], kinds[i], acts):
            continue
        p = s[TURN]
        team = p & 1
        allowed = legal_cards_of(s, p)
        card_sight(s, p, allowed, s[WON + team], s[WON + 1 - team], sets, orders[n], sights[n])
        legals[n] = renamed(allowed, orders[n])
        active[n] = i
        leads[n] = _lead(s)
        movers[n] = p
        n += 1
    return n


@kernel
def look_ahead(rows, active, n, orders, after, counts, cards, gains, signs):
    """Show every choice as it is after each card, to somebody who sees all hands; return how many there are.

    Args:
        rows: int64[m, STATE_LEN].
        active: int64[m], the lanes that have a choice.
        n: how many.
        orders: int64[m, 4], their frames.
        after: int8[k, OPEN_LEN], filled, choice after choice, like the following; k at least ``9 * n``.
        counts: int64[m], filled: legal cards per choice.
        cards: int64[k]: the cards, in the frame.
        gains: float64[k]: what team 0 has more than before, in hundreds.
        signs: float64[k]: +1 where team 0 is to play on, -1 where team 1 is, 0 where the deal is over.
    """
    sets = np.empty(N_CARD_SETS, np.int64)
    acts = np.empty(MAX_BRANCH, np.int64)
    frame = np.empty(N_SUITS, np.int64)
    s = np.empty(STATE_LEN, np.int64)
    k = 0
    for i in range(n):
        row = rows[active[i]]
        before = _lead(row)
        count = list_cards(legal_cards_of(row, row[TURN]), acts)
        counts[i] = count
        for c in range(count):
            s[:] = row
            apply(s, acts[c])
            if s[PLAYED_COUNT] >= _LAST:
                _finish(s)
            cards[k] = in_frame(acts[c], orders[i])
            gains[k] = _lead(s) - before
            if s[TURN] < 0:
                signs[k] = 0.0
                after[k, :] = 0
            else:
                q = s[TURN]
                signs[k] = -1.0 if q & 1 else 1.0
                open_sight(s, q, s[WON + (q & 1)], s[WON + 1 - (q & 1)], sets, frame, after[k])
            k += 1
    return k


@kernel
def look_openly(rows, active, n, sights):
    """Show every choice to somebody who sees all hands: int8[n, OPEN_LEN]."""
    sets = np.empty(N_CARD_SETS, np.int64)
    frame = np.empty(N_SUITS, np.int64)
    for i in range(n):
        s = rows[active[i]]
        p = s[TURN]
        open_sight(s, p, s[WON + (p & 1)], s[WON + 1 - (p & 1)], sets, frame, sights[i])


@kernel
def put_cards(rows, active, n, orders, cards):
    """Play a card, named in the frame, in every lane that has a choice."""
    for i in range(n):
        apply(rows[active[i]], np.int64(original(cards[i], orders[i])))


@kernel
def results(rows, leads):
    """Fill the points of team 0 less those of team 1 of finished deals, in hundreds."""
    for i in range(len(rows)):
        leads[i] = _lead(rows[i])
