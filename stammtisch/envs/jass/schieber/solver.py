"""Jass with all four hands in sight, solved exactly: alpha-beta with a table of the positions between two tricks.

A value is the difference of points that are still to come, for team 0, before the mode's factor; melds and Stöck
do not depend on the play and are no part of it. Cards that count nothing and are neighbours in one hand are the
same card, and the table forgets which worthless cards exactly are left at the bottom of a colour.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from stammtisch.envs.core.jit import modular
from stammtisch.envs.core.rules import OwnRules, uncompiled
from stammtisch.envs.jass.family.cards import (
    COLOUR_OF,
    COLOUR_SET,
    LAST_TRICK,
    MATCH,
    N_CARDS,
    N_COLOURS,
    N_MODES,
    N_ORDERS,
    N_RANKS,
    POINTS,
    POWER,
    QUEEN,
    beats,
    legal_set,
    list_cards,
    lowest,
    order_of,
    trump_of,
)
from stammtisch.envs.jass.family.melds import best_team

RULES: OwnRules
kernel: Callable[[Callable[..., Any]], Any]

legal_cards_of, lead_colour = RULES.legal_cards_of, RULES.lead_colour
TURN, FOREHAND, PLAYED_COUNT = RULES.TURN, RULES.FOREHAND, RULES.PLAYED_COUNT
MODE, NO_MODE = RULES.MODE, RULES.NO_MODE
WINNER, BEST, TABLE, POT = RULES.WINNER, RULES.BEST, RULES.TABLE, RULES.POT
HAND, PLAYED, SCORE, WON, EXTRA = RULES.HAND, RULES.PLAYED, RULES.SCORE, RULES.WON, RULES.EXTRA
FACTOR, KIT_RULE, MATCH_BY_POINTS = RULES.FACTOR, RULES.KIT_RULE, RULES.MATCH_BY_POINTS
WEIS, WEIS_OVERLAP, STOECK, STOECK_POINTS = RULES.WEIS, RULES.WEIS_OVERLAP, RULES.STOECK, RULES.STOECK_POINTS
N_PLAYERS, TRICKS, HAND_SIZE = RULES.N_PLAYERS, RULES.TRICKS, RULES.HAND_SIZE

MOST = 1000  # no difference of points is greater
# Entry of the table: the four hands, leader, open matches and mode in two words; bounds and best card in the third.
KEY_0, KEY_1, INFO = 0, 1, 2
ENTRY = 3
BOUND_BITS = 12
_BOUND_MASK = (1 << BOUND_BITS) - 1
_LOW_BITS = 27  # of the third set in the first word
_LOW_MASK = (1 << _LOW_BITS) - 1
_FACTOR_1 = np.uint64(0x9E3779B97F4A7C15)
_FACTOR_2 = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)
_LIST_LEN = 2 * HAND_SIZE  # cards, then their scores


def _worthless() -> np.ndarray:
    """For every mode and colour, how many of the lowest ranks count nothing and come in the order of their ids."""
    lengths = np.zeros((N_MODES, N_COLOURS), np.int64)
    for mode in range(N_MODES):
        for colour in range(N_COLOURS):
            points = POINTS[mode, N_RANKS * colour : N_RANKS * (colour + 1)]
            lengths[mode, colour] = np.flatnonzero(points)[0] if points.any() else 0
    return lengths


def _squeezed() -> np.ndarray:
    """``[which, cards]``: the bits of ``cards`` at the places of the ones in ``which``, moved together."""
    table = np.zeros((16, 16), np.int64)
    for which in range(16):
        places = [i for i in range(4) if which >> i & 1]
        for cards in range(16):
            table[which, cards] = sum((cards >> place & 1) << i for i, place in enumerate(places))
    return table


def _beaten_by() -> np.ndarray:
    """For every order and card, the set of the cards that beat it if its colour was led or it is a trump."""
    sets = np.zeros((N_ORDERS, N_CARDS), np.int64)
    is_beaten = uncompiled(beats)
    for order in range(N_ORDERS):
        for card in range(N_CARDS):
            sets[order, card] = sum(1 << other for other in range(N_CARDS) if is_beaten(order, other, card))
    return sets


BEATEN_BY = _beaten_by()
WORTHLESS = _worthless()
SQUEEZED = _squeezed()


class SolverArrays(NamedTuple):
    """The arrays of the solver.

    Attributes:
        hands: int64[4], the cards that each seat still holds.
        lists: int64[36, 18], per card played the choices and how promising they are.
        table: int64[k, 3], known positions, k a power of two.
        nodes: int64[1], cards played so far.
    """

    hands: Any
    lists: Any
    table: Any
    nodes: Any


class RunningTrick(NamedTuple):
    """A running trick.

    Attributes:
        lead: colour led, NOT_LED between two tricks.
        best: card that wins it so far.
        winner: who played that card.
        table: set of its cards.
        pot: their points.
    """

    lead: Any
    best: Any
    winner: Any
    table: Any
    pot: Any


class Rest(NamedTuple):
    """What is still to be won.

    Attributes:
        scored: bit t is set when team t has taken a trick (or points), so that the other one cannot make a match.
        points: to come, those of the running trick and of the last trick included.
    """

    scored: Any
    points: Any


class Window(NamedTuple):
    """A value at most ``alpha`` is an upper bound, from ``beta`` on a lower one."""

    alpha: Any
    beta: Any


# Typed: a recursive function called with literals would be compiled once for each of them.
NOT_LED = ANY_CARD = np.int64(-1)
_NONE = np.int64(0)
NO_TRICK = RunningTrick(NOT_LED, _NONE, _NONE, _NONE, _NONE)


def new_work(places: int) -> SolverArrays:
    """Return arrays with a table of ``places`` entries, a power of two."""
    return SolverArrays(
        np.zeros(N_PLAYERS, np.int64),
        np.zeros((N_CARDS, _LIST_LEN), np.int64),
        np.zeros((places, ENTRY), np.int64),
        np.zeros(1, np.int64),
    )


@njit
def _squeeze(cards, held, mode):
    """Move the worthless cards at the bottom of every colour together, over the gaps that cards no longer held left."""
    moved = np.int64(0)
    for colour in range(N_COLOURS):
        shift = N_RANKS * colour
        low = (np.int64(1) << WORTHLESS[mode, colour]) - 1
        moved |= (cards & COLOUR_SET[colour] & ~(low << shift)) | (
            SQUEEZED[(held >> shift) & low, (cards >> shift) & low] << shift
        )
    return moved


@njit
def _keys(w, mode, leader, scored):
    """Return the two words that tell a position between two tricks."""
    first, second, third, fourth = w.hands[0], w.hands[1], w.hands[2], w.hands[3]
    held = first | second | third | fourth
    odd = _squeeze(second | fourth, held, mode)
    high = _squeeze(third | fourth, held, mode)
    key_0 = _squeeze(held, held, mode) | (high & _LOW_MASK) << N_CARDS
    key_1 = odd | (high >> _LOW_BITS | leader << 9 | scored << 11 | mode << 13) << N_CARDS
    return key_0, key_1


@modular
def _place(w, key_0, key_1):
    word = (np.uint64(key_0) * _FACTOR_1) ^ (np.uint64(key_1) * _FACTOR_2)
    word = (word ^ (word >> _HALF)) * _FACTOR_2
    return np.int64(word >> _HALF) & (len(w.table) - 1)


@njit
def _points_of_set(cards, mode):
    total = np.int64(0)
    while cards:
        total += POINTS[mode, lowest(cards)]
        cards &= cards - 1
    return total


@njit
def _end(winner, scored, rest):
    """Value of the last trick, which counts ``rest``, when ``winner`` takes it."""
    if winner & 1:
        return -rest - (0 if scored & 1 else MATCH)
    return rest + (0 if scored & 2 else MATCH)


@njit
def _last_trick(w, mode, leader, scored, rest):
    """Value of the last trick, in which nobody has a choice."""
    order = order_of(mode, TRICKS - 1)
    best = lowest(w.hands[leader])
    winner = leader
    for turn in range(1, N_PLAYERS):
        seat = (leader + turn) & 3
        card = lowest(w.hands[seat])
        if beats(order, card, best):
            best = card
            winner = seat
    return _end(winner, scored, rest)


@njit
def _list_moves(w, mode, order, ply, seat, best, winner, table, allowed, table_move):
    """List one of every group of equal cards and how promising each is; return how many."""
    lists = w.lists[ply]
    others = table
    for turn in range(1, N_PLAYERS):
        others |= w.hands[(seat + turn) & 3]
    position = ply & 3
    partner_wins = position > 0 and ((winner ^ seat) & 1) == 0
    to_come = np.int64(0)  # cards of the opponents who play after this seat
    if position < 3:
        to_come = w.hands[(seat + 1) & 3]
    if position == 0:
        to_come |= w.hands[(seat + 3) & 3]
    stays = partner_wins and BEATEN_BY[order, best] & to_come == 0
    n = 0
    last = np.int64(-1)  # the worthless card listed before
    while allowed:
        card = lowest(allowed)
        bit = allowed & -allowed
        allowed ^= bit
        points = POINTS[mode, card]
        if points == 0:
            if last >= 0 and COLOUR_OF[card] == COLOUR_OF[last]:
                between = (bit - 1) & ~((np.int64(2) << last) - 1)
                if others & between == 0:
                    last = card
                    continue
            last = card
        power = POWER[order, card]
        if card == table_move:
            score = np.int64(10000)
        elif position == 0 or beats(order, card, best):
            is_safe = BEATEN_BY[order, card] & to_come == 0
            score = points - power + (0 if stays else 100) if is_safe else -points - power
        else:
            score = points if stays else -2 * points - power
        lists[n] = card
        lists[HAND_SIZE + n] = score
        n += 1
    return n


@njit
def _pick(lists, i, n):
    """Bring the most promising card among ``i..n-1`` to place ``i`` and return it."""
    at = i
    for j in range(i + 1, n):
        if lists[HAND_SIZE + j] > lists[HAND_SIZE + at]:
            at = j
    card = lists[at]
    lists[at] = lists[i]
    lists[i] = card
    lists[HAND_SIZE + at] = lists[HAND_SIZE + i]
    return card


@njit
def _search(w, mode, ply, seat, trick, left, only, window):
    """Points to come for team 0 less those for team 1, or a bound of them outside of the window.

    Args:
        w: the arrays; its hands are as they were when the call returns.
        mode: of the deal.
        ply: cards played before.
        seat: to play.
        trick: the ``RunningTrick``.
        left: the ``Rest``.
        only: the cards that may be played, ANY_CARD for all.
        window: a ``Window``.
    """
    lead, best, winner, table, pot = trick
    scored, rest = left
    alpha, beta = window
    key_0, key_1, at = np.int64(0), np.int64(0), np.int64(0)
    low, high, move = -rest, rest, np.int64(-1)
    is_between = lead == NOT_LED and only == ANY_CARD

    # Step 1. What is known without looking ahead?
    if is_between:
        if ply == N_CARDS - N_PLAYERS:
            return _last_trick(w, mode, seat, scored, rest)
        low -= 0 if scored & 1 else MATCH
        high += 0 if scored & 2 else MATCH
        if low >= beta:
            return low
        if high <= alpha:
            return high
        key_0, key_1 = _keys(w, mode, seat, scored)
        at = _place(w, key_0, key_1)
        if w.table[at, KEY_0] == key_0 and w.table[at, KEY_1] == key_1:
            info = w.table[at, INFO]
            low = max(low, (info & _BOUND_MASK) - MOST)
            high = min(high, ((info >> BOUND_BITS) & _BOUND_MASK) - MOST)
            move = (info >> (2 * BOUND_BITS)) - 1
            if low >= beta or low == high:
                return low
            if high <= alpha:
                return high

    # Step 2. Cards, promising ones first.
    hand = w.hands[seat]
    order = order_of(mode, ply >> 2)
    allowed = legal_set(hand, lead, trump_of(mode), best, table, KIT_RULE) & only
    lists = w.lists[ply]
    n = _list_moves(w, mode, order, ply, seat, best, winner, table, allowed, move)
    is_max = seat & 1 == 0
    value = np.int64(-MOST if is_max else MOST)
    floor, ceiling = alpha, beta
    for i in range(n):
        card = _pick(lists, i, n)
        w.nodes[0] += 1
        w.hands[seat] = hand ^ (np.int64(1) << card)
        takes = lead == NOT_LED or beats(order, card, best)
        new_best = card if takes else best
        new_winner = seat if takes else winner
        new_pot = pot + POINTS[mode, card]
        if ply & 3 < 3:
            new_lead = COLOUR_OF[card] if lead == NOT_LED else lead
            new_table = table | np.int64(1) << card
            now = RunningTrick(new_lead, new_best, new_winner, new_table, new_pot)
            found = _search(w, mode, ply + 1, (seat + 1) & 3, now, left, ANY_CARD, Window(floor, ceiling))
        elif ply == N_CARDS - 1:
            found = _end(new_winner, scored, rest)
        else:
            gain = -new_pot if new_winner & 1 else new_pot
            new_scored = scored
            if not MATCH_BY_POINTS or new_pot > 0:
                new_scored |= 1 << (new_winner & 1)
            after = Rest(new_scored, rest - new_pot)
            found = gain + _search(
                w, mode, ply + 1, new_winner, NO_TRICK, after, ANY_CARD, Window(floor - gain, ceiling - gain)
            )
        w.hands[seat] = hand
        if (found > value) if is_max else (found < value):
            value = found
            move = card
            if is_max:
                floor = max(floor, value)
            else:
                ceiling = min(ceiling, value)
            if floor >= ceiling:
                break

    # Step 3. Remember it.
    if is_between:
        if value < beta:
            high = min(high, value)
        if value > alpha:
            low = max(low, value)
        w.table[at, KEY_0] = key_0
        w.table[at, KEY_1] = key_1
        w.table[at, INFO] = (low + MOST) | (high + MOST) << BOUND_BITS | (move + 1) << (2 * BOUND_BITS)
    return value


@njit
def _fixed_points(s):
    """Points for team 0 less those for team 1 whatever is played: scored so far, melds and Stöck to come."""
    mode = s[MODE]
    fixed = s[SCORE] + s[EXTRA] - s[SCORE + 1] - s[EXTRA + 1]
    if STOECK and mode < N_COLOURS:
        pair = np.int64(3) << (N_RANKS * mode + QUEEN)
        for p in range(N_PLAYERS):
            if s[HAND + p] & pair and ((s[HAND + p] | s[PLAYED + p]) & pair) == pair:
                fixed += (-STOECK_POINTS if p & 1 else STOECK_POINTS) * FACTOR[mode]
    if WEIS and s[PLAYED_COUNT] < N_PLAYERS:
        dealt = np.empty(N_PLAYERS, np.int64)
        points = np.empty(N_PLAYERS, np.int64)
        shown = np.empty(N_PLAYERS, np.int64)
        for p in range(N_PLAYERS):
            dealt[p] = s[HAND + p] | s[PLAYED + p]
        team = best_team(dealt, order_of(mode, 0), WEIS_OVERLAP, s[FOREHAND], points, shown)
        if team >= 0:
            for p in range(N_PLAYERS):
                fixed += (-points[p] if team else points[p]) * FACTOR[mode]
    return fixed


@njit
def tricks_left(s):
    """Return how many tricks are not finished yet; more than all before the mode is chosen."""
    return TRICKS - (s[PLAYED_COUNT] >> 2) if s[MODE] != NO_MODE else TRICKS + 1


@njit
def _set_up(s, w):
    """Put the hands of a row into the arrays; return the ``Rest``."""
    rest = s[POT] + LAST_TRICK
    for p in range(N_PLAYERS):
        w.hands[p] = s[HAND + p]
        rest += _points_of_set(s[HAND + p], s[MODE])
    kept = SCORE if MATCH_BY_POINTS else WON
    return Rest(np.int64(s[kept] > 0) | np.int64(s[kept + 1] > 0) << 1, rest)


@njit
def _probe(s, w, left, only, beta):
    """Search a row that ``_set_up`` has seen with the smallest window: is the value at least ``beta``?"""
    trick = RunningTrick(lead_colour(s), s[BEST], s[WINNER], s[TABLE], s[POT])
    return _search(w, s[MODE], s[PLAYED_COUNT], s[TURN], trick, left, only, Window(beta - 1, beta))


@njit
def _value(s, w, left, only, guess):
    """Close in on the exact value from a guess, by small windows (MTD(f), Plaat et al. 1996)."""
    low, high = np.int64(-MOST), np.int64(MOST)
    while low < high:
        beta = max(guess, low + 1)
        guess = _probe(s, w, left, only, beta)
        if guess < beta:
            high = guess
        else:
            low = guess
    return guess


@njit
def value_cards(s, w, acts, values):
    """Value every legal card of the seat to move; return how many there are.

    Args:
        s: a row in the play with all hands in sight, not changed.
        w: arrays of ``new_work``.
        acts: int64[MAX_BRANCH], filled with the legal cards.
        values: float64[MAX_BRANCH], filled with the difference of this deal's points for team 0 in hundreds.
    """
    left = _set_up(s, w)
    fixed = _fixed_points(s)
    n = list_cards(legal_cards_of(s, s[TURN]), acts)
    value = np.int64(0)
    for i in range(n):
        value = _value(s, w, left, np.int64(1) << acts[i], value)
        values[i] = (fixed + value * FACTOR[s[MODE]]) / 100.0
    return n


@njit
def value_of(s, w):
    """Return the value of a row in the play for team 0, as ``value_cards`` counts."""
    value = _value(s, w, _set_up(s, w), ANY_CARD, np.int64(0))
    return (_fixed_points(s) + value * FACTOR[s[MODE]]) / 100.0


@kernel
def solve_all(s, w, acts, values):
    """Value every legal card, as ``value_cards`` does."""
    return np.int64(value_cards(s, w, acts, values))


@kernel
def solve_best(s, w):
    """Return the value of a row in the play for team 0, as ``value_cards`` counts, and the first best card."""
    left = _set_up(s, w)
    acts = np.empty(HAND_SIZE, np.int64)
    n = list_cards(legal_cards_of(s, s[TURN]), acts)
    value = _value(s, w, left, ANY_CARD, np.int64(0))
    chosen = 0
    while chosen < n - 1:
        only = np.int64(1) << acts[chosen]
        if s[TURN] & 1:
            if _probe(s, w, left, only, value + 1) <= value:
                break
        elif _probe(s, w, left, only, value) >= value:
            break
        chosen += 1
    return (_fixed_points(s) + value * FACTOR[s[MODE]]) / 100.0, acts[chosen]
