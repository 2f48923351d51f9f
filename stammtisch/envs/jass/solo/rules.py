"""Differenzler and Molotow, in which everyone plays alone, as numba functions on one int64 row; executed per variant.

Differenzler (PREDICTS): the trumps are drawn with the deal, and everyone says in turn how many points it will make.
Molotow: no trumps at first; the first card that does not follow suit names them. Points are counted from the cards
taken, so the trumps named count as trumps in the tricks before, too: 157 points in every deal.

Row: that of ``play``, where what was said is the number of predictions; then per seat the points of this deal and the
total of the deals before (penalties in Differenzler, points in Molotow); number of deals before; in Differenzler per
seat 1 + its prediction, 0 when it is not said or not seen.
"""

from collections.abc import Mapping

import numpy as np
from numba import njit

from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.rng import CHANCE_STREAM, below, next_word
from stammtisch.envs.jass.family.cards import (
    COLOUR_OF,
    DEAL_POINTS,
    LAST_TRICK,
    N_CARDS,
    N_COLOURS,
    N_MODES,
    OBEABE,
    POINTS,
    UNNAMED,
    beats,
    deal_pack,
    list_cards,
    order_of,
    trump_of,
)
from stammtisch.envs.jass.family.play import (  # noqa: F401 - players and views read rows through the rules
    BARRED,
    BEST,
    FOREHAND,
    FRONT_LEN,
    HAND,
    MODE,
    N_PLAYERS,
    OBS_FRONT_LEN,
    PLAYED,
    PLAYED_COUNT,
    POT,
    SAID,
    TABLE,
    TRICK,
    TRICKS,
    TURN,
    WINNER,
    deal_hands_anew,
    hide_hands,
    is_void,
    lead_colour,
    legal_hand,
    mark,
    observe_front,
    put_card,
    seat_of,
    take_trick,
)

CONFIG: Mapping[str, int]

PREDICTS = CONFIG["predicts"]
OPEN = CONFIG["open"]  # everyone hears the predictions
AT_ONCE = CONFIG["at_once"]  # the card that names the trumps is one already in its own trick
N_DEALS = CONFIG["deals"]
RULE = CONFIG["rule"]
RANDOM_START = CONFIG["random_start"]
PAY_DEALS = CONFIG["pay_deals"]

TEAMS = (0, 1, 2, 3)
FIRST_PREDICTION = N_CARDS
N_ACTIONS = N_CARDS + (DEAL_POINTS + 1) * PREDICTS
MAX_BRANCH = DEAL_POINTS + 1 if PREDICTS else 9
MAX_MOVES = N_DEALS * (N_CARDS + N_PLAYERS * PREDICTS)
NO_MODE = -1
MOST_TOTAL = N_DEALS * DEAL_POINTS
ZERO_SUM = not PREDICTS
UTILITY = (-MOST_TOTAL / 100, 0.0) if PREDICTS else (-3 * MOST_TOTAL / 400, MOST_TOTAL / 400)
POINTS_PER_UNIT = 100
FACTOR = np.ones(N_MODES, np.int64)

SCORE, TOTAL, DEALS, PREDICTION = FRONT_LEN, FRONT_LEN + 4, FRONT_LEN + 8, FRONT_LEN + 9
STATE_LEN = PREDICTION + N_PLAYERS * PREDICTS

SCORE_BITS = DEAL_POINTS.bit_length()
TOTAL_BITS = MOST_TOTAL.bit_length() if N_DEALS > 1 else 0
DEAL_BITS = (N_DEALS - 1).bit_length()
N_SEEN = (N_PLAYERS if OPEN else 1) * PREDICTS
_AT_MODE = OBS_FRONT_LEN
_AT_SEATS = _AT_MODE + N_COLOURS
_AT_SCORE = _AT_SEATS + 3 * N_PLAYERS
_AT_SAID = _AT_SCORE + N_PLAYERS * SCORE_BITS
_AT_PREDICTION = _AT_SAID + N_PLAYERS * PREDICTS
_AT_TOTAL = _AT_PREDICTION + N_SEEN * SCORE_BITS
_AT_DEALS = _AT_TOTAL + N_PLAYERS * TOTAL_BITS
OBS_LEN = _AT_DEALS + DEAL_BITS
OBS_SHAPE = (OBS_LEN,)
OBS_DTYPE = np.int8
OBS_RANGE = (0, 1)


@njit
def init(s, r):
    """Set up a game before its first deal."""
    s[:] = 0
    if RANDOM_START:
        s[FOREHAND] = below(r, CHANCE_STREAM, N_PLAYERS)
    s[MODE] = NO_MODE
    s[TURN] = CHANCE


@njit
def player(s):
    """Seat to move, CHANCE when cards are to be dealt, TERMINAL after the end."""
    return s[TURN]


@njit
def legal(s, acts):
    """List the legal actions in ascending order; none at the chance node, whose outcomes are too many."""
    p = s[TURN]
    if p < 0:
        return 0
    if PREDICTS and s[SAID] < N_PLAYERS:
        for points in range(DEAL_POINTS + 1):
            acts[points] = FIRST_PREDICTION + points
        return DEAL_POINTS + 1
    return list_cards(legal_hand(s, p, trump_of(s[MODE]), RULE), acts)


@njit
def sample(s, r):
    """Draw the number that decides the deal."""
    return np.int64(next_word(r, CHANCE_STREAM) >> np.uint64(1))


@njit
def apply(s, a):
    """Deal from the number ``a``, predict, or play a card."""
    p = s[TURN]
    if p == CHANCE:
        deal_pack(a, s[HAND : HAND + N_PLAYERS])
        if PREDICTS:
            r = np.empty(1, np.uint64)
            r[0] = ~np.uint64(a)
            s[MODE] = below(r, 0, N_COLOURS)
        begin(s)
    elif PREDICTS and a >= FIRST_PREDICTION:
        s[PREDICTION + p] = 1 + a - FIRST_PREDICTION
        s[SAID] += 1
        s[TURN] = (p + 1) & 3
    else:
        _play(s, p, a)


@njit
def begin(s):
    """Give the turn to forehand, the hands being dealt and in Differenzler the trumps drawn."""
    if not PREDICTS:
        s[MODE] = UNNAMED
    s[TURN] = s[FOREHAND]


@njit
def _play(s, p, card):
    trick = s[PLAYED_COUNT] >> 2
    trump = trump_of(s[MODE])
    if AT_ONCE and s[MODE] == UNNAMED and s[TABLE] and COLOUR_OF[card] != lead_colour(s):
        _name_trumps(s, COLOUR_OF[card], trick)
    mode = s[MODE]
    if not put_card(s, p, card, order_of(mode, trick), trump, RULE, POINTS[mode, card]):
        return
    winner, pot = take_trick(s)
    s[SCORE + winner] += pot
    if not PREDICTS and s[MODE] == UNNAMED:
        colour = _colour_named(s[TRICK + trick])
        if colour >= 0:
            _name_trumps(s, colour, trick + 1)
    if trick == TRICKS - 1:
        s[SCORE + winner] += LAST_TRICK
        _end_deal(s)


@njit
def _colour_named(word):
    """Return the colour of the first card of a trick that did not follow suit, -1 if all did."""
    led = COLOUR_OF[(word & 63) - 1]
    while word:
        colour = COLOUR_OF[(word & 63) - 1]
        if colour != led:
            return colour
        word >>= 6
    return np.int64(-1)


@njit
def _name_trumps(s, colour, finished):
    """Make a colour trumps and count its cards in the finished tricks anew; those were won without trumps."""
    s[MODE] = colour
    for trick in range(finished):
        word = s[TRICK + trick]
        best = (word & 63) - 1
        extra = 0
        while word:
            card = (word & 63) - 1
            if beats(OBEABE, card, best):
                best = card
            extra += POINTS[colour, card] - POINTS[UNNAMED, card]
            word >>= 6
        s[SCORE + seat_of(s, best)] += extra


@njit
def trick_order(s, trick):
    """Return the order in which the cards of a trick of this deal compete."""
    if not PREDICTS:
        for earlier in range(trick + AT_ONCE):
            if s[TRICK + earlier] and _colour_named(s[TRICK + earlier]) >= 0:
                return s[MODE]
        return np.int64(OBEABE)
    return s[MODE]


@njit
def cost(s, p):
    """Return what a finished deal costs seat ``p``: how far its points are from its prediction, or its points."""
    if PREDICTS:
        return abs(s[SCORE + p] - (s[PREDICTION + p] - 1))
    return s[SCORE + p]


@njit
def _end_deal(s):
    if s[DEALS] + 1 == N_DEALS:
        s[TURN] = TERMINAL
        return
    for p in range(N_PLAYERS):
        s[TOTAL + p] += cost(s, p)
    deals, forehand = s[DEALS] + 1, (s[FOREHAND] + 1) & 3
    s[:TOTAL] = 0
    s[DEALS:] = 0
    s[DEALS] = deals
    s[FOREHAND] = forehand
    s[MODE] = NO_MODE
    s[TURN] = CHANCE


@njit
def _fill(s, deals, out):
    """Fill what so many finished deals pay: minus the penalties, or the mean of all points minus the own, / 100."""
    for p in range(N_PLAYERS):
        total = s[TOTAL + p]
        if s[TURN] == TERMINAL:
            total += cost(s, p)
        out[p] = -total / 100.0 if PREDICTS else (deals * DEAL_POINTS - 4 * total) / 400.0


@njit
def returns(s, out):
    """Fill minus the penalties in hundreds, or by how much the points are below the mean of all players."""
    _fill(s, N_DEALS, out)


if PAY_DEALS:

    @njit
    def rewards(s, out):
        """Fill the returns of the deals finished so far."""
        _fill(s, N_DEALS if s[TURN] == TERMINAL else s[DEALS], out)


@njit
def redact(s, p):
    """Blank the hands that seat ``p`` does not see, and the predictions unless they are said openly or played out."""
    hide_hands(s, p)
    if PREDICTS and not OPEN and s[TURN] != TERMINAL:
        for q in range(N_PLAYERS):
            if q != p:
                s[PREDICTION + q] = 0


@njit
def resample_hidden(s, p, r):
    """Deal the cards that seat ``p`` does not see anew, and draw the predictions that it has not heard.

    All deals in which every card so far was legal are equally likely, and so is every prediction: none is ruled out
    by what is public.
    """
    deal_hands_anew(s, p, r)
    if PREDICTS and not OPEN and s[TURN] != TERMINAL:
        for turn in range(s[SAID]):
            q = (s[FOREHAND] + turn) & 3
            if q != p:
                s[PREDICTION + q] = 1 + below(r, 0, DEAL_POINTS + 1)


@njit
def observe(s, p, obs):
    """Fill the observation of seat ``p``."""
    observe_front(s, p, obs)
    if 0 <= s[MODE] < N_COLOURS:
        obs[_AT_MODE + s[MODE]] = 1
    obs[_AT_SEATS + ((s[FOREHAND] - p) & 3)] = 1
    if s[TURN] >= 0:
        obs[_AT_SEATS + 4 + ((s[TURN] - p) & 3)] = 1
        obs[_AT_SEATS + 8 + ((s[TURN] - s[PLAYED_COUNT] - s[SAID] - p) & 3)] = 1
    for j in range(N_PLAYERS):
        q = (p + j) & 3
        mark(obs, _AT_SCORE + j * SCORE_BITS, s[SCORE + q])
        if N_DEALS > 1:
            mark(obs, _AT_TOTAL + j * TOTAL_BITS, s[TOTAL + q])
        if PREDICTS:
            if ((q - s[FOREHAND]) & 3) < s[SAID]:
                obs[_AT_SAID + j] = 1
            if j < N_SEEN and s[PREDICTION + q]:
                mark(obs, _AT_PREDICTION + j * SCORE_BITS, s[PREDICTION + q] - 1)
    mark(obs, _AT_DEALS, s[DEALS])
