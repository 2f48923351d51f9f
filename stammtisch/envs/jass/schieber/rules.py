"""Schieber Jass as numba functions on one int64 row; executed once per variant.

Cards, modes and sets of cards are those of ``cards``; seats play in the order 0, 1, 2, 3, seats 0 and 2
against 1 and 3. The deal is one chance event: a number from which the four hands follow. The row keeps the
hands, not the number.

Row: that of ``play``, where mode -1 is not chosen yet and what was said is whether forehand passed the choice
on; then per team the points and tricks of this deal, its points for Weis and Stöck, and the points of the deals
before; number of deals before; with Weis per seat the cards shown.
"""

from collections.abc import Mapping

import numpy as np
from numba import njit

from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.rng import CHANCE_STREAM, below, next_word
from stammtisch.envs.jass.family.cards import (
    DEAL_POINTS,
    KING,
    LAST_TRICK,
    MATCH,
    N_CARDS,
    N_COLOURS,
    N_RANKS,
    POINTS,
    QUEEN,
    SCHIEBEN,
    UNDEUFE,
    deal_pack,
    list_cards,
    order_of,
    trump_of,
)
from stammtisch.envs.jass.family.melds import best_team
from stammtisch.envs.jass.family.play import (  # noqa: F401 - players and views read rows through the rules
    BARRED,
    BEST,
    FOREHAND,
    FRONT_LEN,
    HAND,
    HAND_SIZE,
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

TARGET = CONFIG["target"]  # 0: a single deal
START = CONFIG["start"]  # a card whose holder begins, or one of:
START_SEAT_0, START_RANDOM = -1, -2
KIT_RULE = CONFIG["kit_rule"]
MATCH_BY_POINTS = CONFIG["match_by_points"]
MULTIPLIERS = CONFIG["multipliers"]
WEIS = CONFIG["weis"]
WEIS_OVERLAP = CONFIG["weis_overlap"]
STOECK = CONFIG["stoeck"]
SLALOM = CONFIG["slalom"]
STOP_AT_ONCE = CONFIG["stop_at_once"]
PAY_POINTS = CONFIG["pay_points"]  # utility: points / 100, else win or loss
POINTS_PER_UNIT = 100 if PAY_POINTS else None
PAY = CONFIG["pay"]
PAY_AT_END, PAY_DEALS, PAY_TRICKS = 0, 1, 2
ENCODING = CONFIG["encoding"]
FULL, STATUS_42, TABLE_150, COUNTED_186, HISTORY_1302, SEATS_1302 = range(6)

TEAMS = (0, 1, 0, 1)
FIRST_MODE = N_CARDS
PASS = FIRST_MODE + SCHIEBEN
N_ACTIONS = PASS + 1 + 2 * SLALOM
MAX_BRANCH = 9
NO_MODE = -1

FACTOR = np.array((1, 1, 2, 2, 3, 3, 0, 3, 3) if MULTIPLIERS else (1, 1, 1, 1, 1, 1, 0, 1, 1), np.int64)
STOECK_POINTS = 20
# Two sequences of nine are the most that one team can meld.
_WITHOUT = DEAL_POINTS + MATCH + 600 * WEIS
_WITH_TRUMPS = _WITHOUT + STOECK_POINTS * STOECK
MOST_POINTS = max(2 * _WITH_TRUMPS, 3 * _WITHOUT) if MULTIPLIERS else _WITH_TRUMPS
# Equal totals play on, but not for ever: with multipliers they could.
MOST_DEALS = 2 * TARGET // DEAL_POINTS + 8 if TARGET else 1
MAX_MOVES = MOST_DEALS * (N_CARDS + 2)
_GREATEST = 1.0 if not PAY_POINTS else (max(TARGET - 1, 0) + MOST_POINTS) / 100
UTILITY = (-_GREATEST, _GREATEST)

PUSHED = SAID
SCORE, WON, EXTRA, TOTAL = FRONT_LEN, FRONT_LEN + 2, FRONT_LEN + 4, FRONT_LEN + 6
DEALS = FRONT_LEN + 8
SHOWN = DEALS + 1
STATE_LEN = SHOWN + N_PLAYERS * WEIS

N_SHOWN_MODES = 8 if SLALOM else 6
SCORE_BITS = MOST_POINTS.bit_length()
TOTAL_BITS = (TARGET + (8 if MULTIPLIERS else 2) * MOST_POINTS).bit_length() if TARGET else 0
_AT_MODE = OBS_FRONT_LEN
_AT_PHASE = _AT_MODE + N_SHOWN_MODES
_AT_SEATS = _AT_PHASE + 2
_AT_SCORE = _AT_SEATS + 4 * 4
_AT_TOTAL = _AT_SCORE + 2 * SCORE_BITS
_AT_SHOWN = _AT_TOTAL + 2 * TOTAL_BITS
FULL_LEN = _AT_SHOWN + 4 * N_CARDS * WEIS
OBS_LEN = (FULL_LEN, 42, 150, 186, 1302, 1302)[ENCODING]
OBS_SHAPE = (OBS_LEN,)
OBS_DTYPE = np.int8
OBS_RANGE = (0, 4 if ENCODING == STATUS_42 else 1)


@njit
def init(s, r):
    """Set up a game before its first deal."""
    s[:] = 0
    if START == START_RANDOM:
        s[FOREHAND] = below(r, CHANCE_STREAM, N_PLAYERS)
    s[MODE] = NO_MODE
    s[TURN] = CHANCE


@njit
def player(s):
    """Seat to move, CHANCE when cards are to be dealt, TERMINAL after the end."""
    return s[TURN]


@njit
def legal_cards_of(s, p):
    """Return the set of cards that seat ``p``, to move in the play, may play."""
    return legal_hand(s, p, trump_of(s[MODE]), KIT_RULE)


@njit
def legal(s, acts):
    """List the legal actions in ascending order; none at the chance node, whose outcomes are too many."""
    p = s[TURN]
    if p < 0:
        return 0
    if s[MODE] != NO_MODE:
        return list_cards(legal_cards_of(s, p), acts)
    n = 0
    for a in range(FIRST_MODE, N_ACTIONS):
        if a != PASS or not s[PUSHED]:
            acts[n] = a
            n += 1
    return n


@njit
def sample(s, r):
    """Draw the number that decides the deal."""
    return np.int64(next_word(r, CHANCE_STREAM) >> np.uint64(1))


@njit
def apply(s, a):
    """Deal from the number ``a``, choose a mode, pass the choice on, or play a card."""
    p = s[TURN]
    if p == CHANCE:
        deal_pack(a, s[HAND : HAND + N_PLAYERS])
        begin(s)
    elif a < N_CARDS:
        _play(s, p, a)
    elif a == PASS:
        s[PUSHED] = 1
        s[TURN] = (p + 2) & 3
    else:
        s[MODE] = a - FIRST_MODE
        s[TURN] = s[FOREHAND]


@njit
def begin(s):
    """Let forehand choose, the hands being dealt; everybody knows who holds the card that begins."""
    if START >= 0 and s[DEALS] == 0:
        for p in range(N_PLAYERS):
            if (s[HAND + p] >> START) & 1:
                s[FOREHAND] = p
            else:
                s[BARRED + p] = np.int64(1) << START
    s[TURN] = s[FOREHAND]


@njit
def _play(s, p, card):
    bit = np.int64(1) << card
    mode = s[MODE]
    trick = s[PLAYED_COUNT] >> 2
    complete = put_card(s, p, card, order_of(mode, trick), trump_of(mode), KIT_RULE, POINTS[mode, card])
    if STOECK and mode < N_COLOURS:
        pair = (np.int64(1) << (N_RANKS * mode + QUEEN)) | (np.int64(1) << (N_RANKS * mode + KING))
        if bit & pair and (s[PLAYED + p] & pair) == pair:
            s[EXTRA + (p & 1)] += STOECK_POINTS * FACTOR[mode]
            if _reaches_target(s, p & 1):
                return
    if complete:
        _end_trick(s, trick)


@njit
def _end_trick(s, trick):
    winner, pot = take_trick(s)
    team = winner & 1
    s[WON + team] += 1
    if WEIS and trick == 0 and _score_melds(s):
        return
    if trick == TRICKS - 1:
        pot += LAST_TRICK
        if s[(SCORE if MATCH_BY_POINTS else WON) + 1 - team] == 0:
            pot += MATCH
    s[SCORE + team] += pot * FACTOR[s[MODE]]
    if not _reaches_target(s, team) and trick == TRICKS - 1:
        _end_deal(s)


@njit
def _reaches_target(s, team):
    """End the game if it stops at once and the team, which has just scored, has reached the target."""
    if STOP_AT_ONCE and points_of(s, team) >= TARGET:
        s[TURN] = TERMINAL
        return True
    return False


@njit
def _score_melds(s):
    """Let the team with the best meld score and show its melds; tell whether that ends the game."""
    points = np.empty(N_PLAYERS, np.int64)
    shown = np.empty(N_PLAYERS, np.int64)
    team = best_team(_dealt(s), order_of(s[MODE], 0), WEIS_OVERLAP, s[FOREHAND], points, shown)
    if team < 0:
        return False
    for p in range(N_PLAYERS):
        s[SHOWN + p] = shown[p]
        s[EXTRA + team] += points[p] * FACTOR[s[MODE]]
        for q in range(N_PLAYERS):
            if q != p:
                s[BARRED + q] |= shown[p]
    return _reaches_target(s, team)


@njit
def _dealt(s):
    """Return the four hands as they were dealt."""
    hands = np.empty(N_PLAYERS, np.int64)
    for p in range(N_PLAYERS):
        hands[p] = s[HAND + p] | s[PLAYED + p]
    return hands


@njit
def points_of(s, team):
    """Return all points of a team so far, those of earlier deals included."""
    return s[TOTAL + team] + s[SCORE + team] + s[EXTRA + team]


@njit
def _end_deal(s):
    first, second = points_of(s, 0), points_of(s, 1)
    if TARGET == 0 or (max(first, second) >= TARGET and first != second) or s[DEALS] + 1 == MOST_DEALS:
        s[TURN] = TERMINAL
        return
    deals, forehand = s[DEALS] + 1, (s[FOREHAND] + 1) & 3
    s[:] = 0
    s[TOTAL] = first
    s[TOTAL + 1] = second
    s[DEALS] = deals
    s[FOREHAND] = forehand
    s[MODE] = NO_MODE
    s[TURN] = CHANCE


@njit
def returns(s, out):
    """Fill the difference of the teams' points in hundreds, or +1 for the winners and -1 for the losers."""
    difference = points_of(s, 0) - points_of(s, 1)
    value = difference / 100.0 if PAY_POINTS else float(np.sign(difference))
    for p in range(N_PLAYERS):
        out[p] = -value if p & 1 else value


if PAY != PAY_AT_END:

    @njit
    def rewards(s, out):
        """Fill the difference of the points paid so far in hundreds, after every deal or every trick."""
        difference = s[TOTAL] - s[TOTAL + 1]
        if PAY == PAY_TRICKS or s[TURN] == TERMINAL:
            difference = points_of(s, 0) - points_of(s, 1)
        for p in range(N_PLAYERS):
            out[p] = -difference / 100.0 if p & 1 else difference / 100.0


@njit
def trick_order(s, trick):
    """Return the order in which the cards of a trick of this deal compete."""
    return order_of(s[MODE], trick)


@njit
def redact(s, p):
    """Blank the hands that seat ``p`` does not see."""
    hide_hands(s, p)


@njit
def resample_hidden(s, p, r):
    """Deal the cards that seat ``p`` does not see anew; all deals that agree with what is public are equally likely.

    A deal agrees when every card so far was legal for its holder and the melds shown come out the same: with Weis
    a deal whose melds come out otherwise is drawn again.
    """
    deal_hands_anew(s, p, r)
    while WEIS and s[PLAYED_COUNT] >= N_PLAYERS and not _melds_as_shown(s):
        deal_hands_anew(s, p, r)


@njit
def _melds_as_shown(s):
    points = np.empty(N_PLAYERS, np.int64)
    shown = np.empty(N_PLAYERS, np.int64)
    best_team(_dealt(s), order_of(s[MODE], 0), WEIS_OVERLAP, s[FOREHAND], points, shown)
    return np.array_equal(shown, s[SHOWN : SHOWN + N_PLAYERS])


@njit
def observe(s, p, obs):
    """Fill the observation of seat ``p`` in the encoding chosen."""
    if ENCODING == FULL:
        _observe_full(s, p, obs)
    elif ENCODING == STATUS_42:
        _observe_status(s, p, obs)
    else:
        _observe_planes(s, p, obs)


@njit
def _observe_full(s, p, obs):
    observe_front(s, p, obs)
    if WEIS:
        for j in range(N_PLAYERS):
            mark(obs, _AT_SHOWN + j * N_CARDS, s[SHOWN + ((p + j) & 3)])
    mode = s[MODE]
    if mode != NO_MODE:
        obs[_AT_MODE + (mode if mode <= UNDEUFE else mode - 1)] = 1
    elif s[TURN] >= 0:
        obs[_AT_PHASE] = 1
    obs[_AT_PHASE + 1] = s[PUSHED]
    obs[_AT_SEATS + ((s[FOREHAND] - p) & 3)] = 1
    if mode != NO_MODE:
        obs[_AT_SEATS + 4 + ((s[FOREHAND] + 2 * s[PUSHED] - p) & 3)] = 1
    if s[TURN] >= 0:
        obs[_AT_SEATS + 8 + ((s[TURN] - p) & 3)] = 1
        if mode != NO_MODE:
            obs[_AT_SEATS + 12 + ((s[TURN] - s[PLAYED_COUNT] - p) & 3)] = 1
    for j in range(2):
        team = (p + j) & 1
        mark(obs, _AT_SCORE + j * SCORE_BITS, s[SCORE + team] + s[EXTRA + team])
        if TARGET:
            mark(obs, _AT_TOTAL + j * TOTAL_BITS, s[TOTAL + team])


@njit
def _mark_mode(s, obs, at):
    """Mark the mode among six places; Slalom shows as the order of the running trick."""
    if s[MODE] != NO_MODE:
        obs[at + order_of(s[MODE], s[PLAYED_COUNT] >> 2)] = 1


@njit
def _observe_status(s, p, obs):
    obs[:] = 0
    mark(obs, 0, s[HAND + p])
    word = s[TRICK + (s[PLAYED_COUNT] >> 2)] if s[TABLE] else 0
    for position in range(s[PLAYED_COUNT] & 3):
        obs[((word >> (6 * position)) & 63) - 1] = 2 + position
    _mark_mode(s, obs, N_CARDS)


@njit
def _observe_planes(s, p, obs):
    obs[:] = 0
    mark(obs, 0, s[HAND + p])
    tricks = s[PLAYED_COUNT] >> 2
    word = s[TRICK + tricks] if s[TABLE] else 0
    for position in range(s[PLAYED_COUNT] & 3):
        obs[(1 + position) * N_CARDS + ((word >> (6 * position)) & 63) - 1] = 1
    if ENCODING == COUNTED_186:
        finished = (s[PLAYED] | s[PLAYED + 1] | s[PLAYED + 2] | s[PLAYED + 3]) & ~s[TABLE]
        mark(obs, 4 * N_CARDS, finished)
    if ENCODING >= HISTORY_1302:
        for trick in range(min(tricks, TRICKS - 1)):
            word = s[TRICK + trick]
            for position in range(4):
                card = ((word >> (6 * position)) & 63) - 1
                slot = position if ENCODING == HISTORY_1302 else (seat_of(s, card) - p) & 3
                obs[(4 + 4 * trick + slot) * N_CARDS + card] = 1
    _mark_mode(s, obs, OBS_LEN - 6)
