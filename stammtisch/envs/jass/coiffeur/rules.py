"""Coiffeur Jass as numba functions on one int64 row; executed once per variant.

Each team has the same list of contracts and plays every one of them once: the four colours, Obeabe, Undeufe, two
jokers (any of these six modes) and in the long game Slalom and Guschti. Only the team that chose scores, its points
times the factor of the contract.

Row: that of ``play``, where mode -1 is not chosen yet and what was said is the number of passes in this deal; then per
team the points and tricks of this deal, the points recorded and the contracts left (one bit each); the contract of
this deal and the seat that chose it (-1: not chosen yet).
"""

from collections.abc import Mapping

import numpy as np
from numba import njit

from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.rng import CHANCE_STREAM, below, next_word
from stammtisch.envs.jass.family.cards import (
    DEAL_POINTS,
    GUSCHTI_OBE,
    GUSCHTI_UNDE,
    HIGHEST_RULE,
    LAST_TRICK,
    MATCH,
    N_CARDS,
    N_MODES,
    POINTS,
    SLALOM_OBE,
    SLALOM_UNDE,
    UNDEUFE,
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
    take_trick,
)

CONFIG: Mapping[str, int]

LONG = CONFIG["long"]  # ten contracts, else eight
FACTORS = CONFIG["factors"]
FRENCH, SWISS, SINGLE = 0, 1, 2
MATCH_BONUS = MATCH * CONFIG["match"]
RANDOM_START = CONFIG["random_start"]
PAY_POINTS = CONFIG["pay_points"]  # utility: recorded points / 100, else win or loss
POINTS_PER_UNIT = 100 if PAY_POINTS else None
PAY_DEALS = CONFIG["pay_deals"]

TEAMS = (0, 1, 0, 1)
JOKER_1, JOKER_2, SLALOM, GUSCHTI = 6, 7, 8, 9
N_CONTRACTS = 10 if LONG else 8
ALL_CONTRACTS = (1 << N_CONTRACTS) - 1
NO_MODE = NO_CONTRACT = NO_SEAT = -1

# What can be said, in the order of the actions: contract and mode.
_SIX = tuple((mode, mode) for mode in range(UNDEUFE + 1))
_JOKERS = tuple((joker, mode) for joker in (JOKER_1, JOKER_2) for mode in range(UNDEUFE + 1))
_LONG = ((SLALOM, SLALOM_OBE), (SLALOM, SLALOM_UNDE), (GUSCHTI, GUSCHTI_OBE), (GUSCHTI, GUSCHTI_UNDE))
CHOICES = np.array(_SIX + _JOKERS + (_LONG if LONG else ()), np.int64)
N_CHOICES = len(CHOICES)
FIRST_CHOICE = N_CARDS
PASS = FIRST_CHOICE + N_CHOICES
N_ACTIONS = PASS + 1
MAX_BRANCH = N_CHOICES + 1

_COLOUR_FACTORS = ((4, 3, 2, 1), (2, 4, 1, 3))[FACTORS] if FACTORS != SINGLE else ()
_FACTORS = (*_COLOUR_FACTORS, 5, 6, *((9, 10, 7, 8) if LONG else (7, 8)))
CONTRACT_FACTOR = np.array((1,) * N_CONTRACTS if FACTORS == SINGLE else _FACTORS, np.int64)
FACTOR = np.ones(N_MODES, np.int64)
MOST_POINTS = DEAL_POINTS + MATCH_BONUS
MOST_TOTAL = int(CONTRACT_FACTOR.sum()) * MOST_POINTS
N_DEALS = 2 * N_CONTRACTS
MAX_MOVES = N_DEALS * (N_CARDS + N_PLAYERS + 1)
_GREATEST = MOST_TOTAL / 100 if PAY_POINTS else 1.0
UTILITY = (-_GREATEST, _GREATEST)

SCORE, WON, TOTAL, LEFT = FRONT_LEN, FRONT_LEN + 2, FRONT_LEN + 4, FRONT_LEN + 6
CONTRACT, DECLARER = FRONT_LEN + 8, FRONT_LEN + 9
STATE_LEN = FRONT_LEN + 10

N_SHOWN_MODES = 10 if LONG else 6
SCORE_BITS = MOST_POINTS.bit_length()
TOTAL_BITS = MOST_TOTAL.bit_length()
_AT_MODE = OBS_FRONT_LEN
_AT_CONTRACT = _AT_MODE + N_SHOWN_MODES
_AT_PASSES = _AT_CONTRACT + N_CONTRACTS
_AT_SEATS = _AT_PASSES + N_PLAYERS
_AT_SCORE = _AT_SEATS + 4 * N_PLAYERS
_AT_TOTAL = _AT_SCORE + 2 * SCORE_BITS
_AT_LEFT = _AT_TOTAL + 2 * TOTAL_BITS
OBS_LEN = _AT_LEFT + 2 * N_CONTRACTS
OBS_SHAPE = (OBS_LEN,)
OBS_DTYPE = np.int8
OBS_RANGE = (0, 1)


@njit
def init(s, r):
    """Set up a game before its first deal."""
    s[:] = 0
    if RANDOM_START:
        s[FOREHAND] = below(r, CHANCE_STREAM, N_PLAYERS)
    s[LEFT] = ALL_CONTRACTS
    s[LEFT + 1] = ALL_CONTRACTS
    _await_deal(s)


@njit
def _await_deal(s):
    s[MODE] = NO_MODE
    s[CONTRACT] = NO_CONTRACT
    s[DECLARER] = NO_SEAT
    s[TURN] = CHANCE


@njit
def player(s):
    """Seat to move, CHANCE when cards are to be dealt, TERMINAL after the end."""
    return s[TURN]


@njit
def passes_allowed(s):
    """Return how often the choice may be passed on in this deal: once by everyone whose team has a contract left."""
    return 4 if s[LEFT] and s[LEFT + 1] else 2


@njit
def legal(s, acts):
    """List the legal actions in ascending order; none at the chance node, whose outcomes are too many."""
    p = s[TURN]
    if p < 0:
        return 0
    if s[MODE] != NO_MODE:
        return list_cards(legal_hand(s, p, trump_of(s[MODE]), HIGHEST_RULE), acts)
    n = 0
    for choice in range(N_CHOICES):
        if (s[LEFT + (p & 1)] >> CHOICES[choice, 0]) & 1:
            acts[n] = FIRST_CHOICE + choice
            n += 1
    if s[SAID] < passes_allowed(s):
        acts[n] = PASS
        n += 1
    return n


@njit
def sample(s, r):
    """Draw the number that decides the deal."""
    return np.int64(next_word(r, CHANCE_STREAM) >> np.uint64(1))


@njit
def apply(s, a):
    """Deal from the number ``a``, choose a contract, pass the choice on, or play a card."""
    p = s[TURN]
    if p == CHANCE:
        deal_pack(a, s[HAND : HAND + N_PLAYERS])
        begin(s)
    elif a < N_CARDS:
        _play(s, p, a)
    elif a == PASS:
        s[SAID] += 1
        s[TURN] = (p + 1) & 3
        _skip(s)
    else:
        s[CONTRACT] = CHOICES[a - FIRST_CHOICE, 0]
        s[MODE] = CHOICES[a - FIRST_CHOICE, 1]
        s[DECLARER] = p


@njit
def begin(s):
    """Let the first player whose team has a contract left choose, the hands being dealt."""
    s[TURN] = s[FOREHAND]
    _skip(s)


@njit
def _skip(s):
    """Move the turn on past a player whose team has no contract left."""
    if s[LEFT + (s[TURN] & 1)] == 0:
        s[TURN] = (s[TURN] + 1) & 3


@njit
def _play(s, p, card):
    mode = s[MODE]
    trick = s[PLAYED_COUNT] >> 2
    if not put_card(s, p, card, order_of(mode, trick), trump_of(mode), HIGHEST_RULE, POINTS[mode, card]):
        return
    winner, pot = take_trick(s)
    team = winner & 1
    s[WON + team] += 1
    if trick == TRICKS - 1:
        pot += LAST_TRICK
        if s[WON + 1 - team] == 0:
            pot += MATCH_BONUS
    s[SCORE + team] += pot
    if trick == TRICKS - 1:
        _end_deal(s)


@njit
def recorded(s):
    """Return what the finished deal brings to the team that chose."""
    return s[SCORE + (s[DECLARER] & 1)] * CONTRACT_FACTOR[s[CONTRACT]]


@njit
def _end_deal(s):
    team = s[DECLARER] & 1
    left = s[LEFT + team] & ~(np.int64(1) << s[CONTRACT])
    if left == 0 and s[LEFT + 1 - team] == 0:
        s[TURN] = TERMINAL
        return
    s[TOTAL + team] += recorded(s)
    s[LEFT + team] = left
    forehand = (s[FOREHAND] + 1) & 3
    s[:TOTAL] = 0
    s[FOREHAND] = forehand
    _await_deal(s)


@njit
def difference(s):
    """Return the points recorded for team 0 minus those of team 1."""
    found = s[TOTAL] - s[TOTAL + 1]
    if s[TURN] == TERMINAL:
        found += -recorded(s) if s[DECLARER] & 1 else recorded(s)
    return found


@njit
def returns(s, out):
    """Fill +1 for the winners and -1 for the losers, or the difference of the points recorded in hundreds."""
    value = difference(s) / 100.0 if PAY_POINTS else float(np.sign(difference(s)))
    for p in range(N_PLAYERS):
        out[p] = -value if p & 1 else value


if PAY_DEALS:

    @njit
    def rewards(s, out):
        """Fill the difference of the points recorded so far in hundreds."""
        returns(s, out)


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
    """Deal the cards that seat ``p`` does not see anew; all deals that agree with what is public are equally likely."""
    deal_hands_anew(s, p, r)


@njit
def observe(s, p, obs):
    """Fill the observation of seat ``p``."""
    observe_front(s, p, obs)
    mode = s[MODE]
    if mode != NO_MODE:
        obs[_AT_MODE + (mode if mode <= UNDEUFE else mode - 1)] = 1
        obs[_AT_CONTRACT + s[CONTRACT]] = 1
        obs[_AT_SEATS + 4 + ((s[DECLARER] - p) & 3)] = 1
    for k in range(s[SAID]):
        obs[_AT_PASSES + k] = 1
    obs[_AT_SEATS + ((s[FOREHAND] - p) & 3)] = 1
    if s[TURN] >= 0:
        obs[_AT_SEATS + 8 + ((s[TURN] - p) & 3)] = 1
        if mode != NO_MODE:
            obs[_AT_SEATS + 12 + ((s[TURN] - s[PLAYED_COUNT] - p) & 3)] = 1
    for j in range(2):
        team = (p + j) & 1
        mark(obs, _AT_SCORE + j * SCORE_BITS, s[SCORE + team])
        mark(obs, _AT_TOTAL + j * TOTAL_BITS, s[TOTAL + team])
        mark(obs, _AT_LEFT + j * N_CONTRACTS, s[LEFT + team])
