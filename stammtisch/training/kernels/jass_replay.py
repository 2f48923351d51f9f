"""Kernels on the rules of Schieber that play recorded deals again; executed once per variant.

A record is what ``deals.Deals`` holds: hands as sets, forehand, mode, cards in playing order.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from stammtisch.envs.core.constants import TERMINAL
from stammtisch.envs.core.rng import below, unit
from stammtisch.envs.core.rules import OwnRules, Policy
from stammtisch.envs.jass.family.cards import N_CARDS, N_COLOURS, beats
from stammtisch.envs.jass.family.sight import N_CARD_SETS, card_sight, renamed

RULES: OwnRules
POLICY: Policy | None  # who plays, for ``play_deals``
kernel: Callable[[Callable[..., Any]], Any]

player, legal, apply, sample, init = RULES.player, RULES.legal, RULES.apply, RULES.sample, RULES.init
observe, returns, legal_cards_of = RULES.observe, RULES.returns, RULES.legal_cards_of
STATE_LEN, OBS_LEN, MAX_BRANCH, N_PLAYERS = RULES.STATE_LEN, RULES.OBS_LEN, RULES.MAX_BRANCH, RULES.N_PLAYERS
TURN, FOREHAND, PUSHED, MODE, HAND, BARRED = (
    RULES.TURN,
    RULES.FOREHAND,
    RULES.PUSHED,
    RULES.MODE,
    RULES.HAND,
    RULES.BARRED,
)
WINNER, BEST, WON, FIRST_MODE, NO_MODE = RULES.WINNER, RULES.BEST, RULES.WON, RULES.FIRST_MODE, RULES.NO_MODE
HAS_POLICY = POLICY is not None
decide: Any = POLICY and POLICY.choose

FINE, NOT_HELD, ILLEGAL, IMPOSSIBLE, WRONG_WINNER = 0, 1, 2, 3, 4  # what ``check`` finds


@njit
def _lay_out(s, hands, forehand, passed, mode):
    """Set up a deal whose mode is chosen."""
    for i in range(STATE_LEN):
        s[i] = 0
    s[FOREHAND] = forehand
    s[PUSHED] = passed
    s[MODE] = mode
    s[TURN] = forehand
    for p in range(N_PLAYERS):
        s[HAND + p] = hands[p]


@kernel
def fill_samples(hands, forehand, passed, mode, cards, deals, places, obs, masks, targets, movers):
    """Fill what the player of each card saw before it, what was legal, and the card.

    Args:
        hands: int64[n, 4] and so on, the deals.
        forehand: uint8[n].
        passed: uint8[n].
        mode: int8[n].
        cards: uint8[n, 36].
        deals: int64[b], the deal of each sample.
        places: int64[b], which of its cards.
        obs: int8[b, at most OBS_LEN], filled with the beginning of each observation.
        masks: int8[b, 36], filled.
        targets: int64[b], filled.
        movers: int64[b], filled with the seats.
    """
    s = np.empty(STATE_LEN, np.int64)
    seen = np.empty(OBS_LEN, np.int8)
    for i in range(len(deals)):
        d = deals[i]
        _lay_out(s, hands[d], forehand[d], passed[d], mode[d])
        for k in range(places[i]):
            apply(s, np.int64(cards[d, k]))
        p = player(s)
        observe(s, p, seen)
        for k in range(obs.shape[1]):
            obs[i, k] = seen[k]
        allowed = legal_cards_of(s, p)
        for card in range(N_CARDS):
            masks[i, card] = (allowed >> card) & 1
        targets[i] = cards[d, places[i]]
        movers[i] = p


@kernel
def fill_sights(hands, forehand, passed, mode, cards, deals, places, obs, masks, targets, movers, orders):
    """Fill the same as ``card_sight`` shows it; legal cards and the card go by their names in its frame.

    Args:
        hands: int64[n, 4] and so on, as in ``fill_samples``.
        forehand: uint8[n].
        passed: uint8[n].
        mode: int8[n].
        cards: uint8[n, 36].
        deals: int64[b].
        places: int64[b].
        obs: int8[b, CARD_LEN], filled.
        masks: int8[b, 36], filled.
        targets: int64[b], filled.
        movers: int64[b], filled.
        orders: int64[b, 4], filled with the frames.
    """
    s = np.empty(STATE_LEN, np.int64)
    sets = np.empty(N_CARD_SETS, np.int64)
    order = np.empty(N_COLOURS, np.int64)
    for i in range(len(deals)):
        d = deals[i]
        _lay_out(s, hands[d], forehand[d], passed[d], mode[d])
        for k in range(places[i]):
            apply(s, np.int64(cards[d, k]))
        p = player(s)
        allowed = legal_cards_of(s, p)
        card_sight(s, p, allowed, s[WON + (p & 1)], s[WON + 1 - (p & 1)], sets, order, obs[i])
        allowed = renamed(allowed, order)
        played = renamed(np.int64(1) << np.int64(cards[d, places[i]]), order)
        for card in range(N_CARDS):
            masks[i, card] = (allowed >> card) & 1
            if (played >> card) & 1:
                targets[i] = card
        for k in range(N_COLOURS):
            orders[i, k] = order[k]
        movers[i] = p


@kernel
def fill_returns(hands, forehand, passed, mode, cards, played, out):
    """Fill ``out`` float64[n] with the return of team 0 in every complete deal, NaN elsewhere."""
    s = np.empty(STATE_LEN, np.int64)
    paid = np.empty(N_PLAYERS, np.float64)
    for d in range(len(out)):
        out[d] = np.nan
        if played[d] == N_CARDS and mode[d] >= 0:
            _lay_out(s, hands[d], forehand[d], passed[d], mode[d])
            for k in range(N_CARDS):
                apply(s, np.int64(cards[d, k]))
            returns(s, paid)
            out[d] = paid[0]


@kernel
def fill_seats(hands, forehand, mode, cards, played, seats):
    """Fill ``seats`` int8[n, 36] with who played each card, -1 after the last."""
    s = np.empty(STATE_LEN, np.int64)
    for d in range(len(played)):
        for k in range(N_CARDS):
            seats[d, k] = -1
        if mode[d] >= 0:
            _lay_out(s, hands[d], forehand[d], 0, mode[d])
            for k in range(played[d]):
                seats[d, k] = player(s)
                apply(s, np.int64(cards[d, k]))


@kernel
def check(hands, views, forehand, mode, cards, played, winners):
    """Play a deal by the rules; return what is wrong with it, and how many cards were right.

    Args:
        hands: int64[4], sets; of a seat not in ``views`` only the cards it played.
        views: bits of the seats whose hands are known.
        forehand: seat that begins.
        mode: 0..5.
        cards: uint8[36].
        played: number of cards.
        winners: int8[9], who is said to have won each trick, -1 where nothing is said.
    """
    s = np.empty(STATE_LEN, np.int64)
    _lay_out(s, hands, forehand, 0, mode)
    for k in range(played):
        p = player(s)
        card = np.int64(cards[k])
        bit = np.int64(1) << card
        if s[HAND + p] & bit == 0:
            return NOT_HELD, k
        if (views >> p) & 1:
            if legal_cards_of(s, p) & bit == 0:
                return ILLEGAL, k
        elif s[BARRED + p] & bit:
            return IMPOSSIBLE, k
        if k & 3 == 3:
            winner = p if beats(mode, card, s[BEST]) else s[WINNER]
            if winners[k >> 2] >= 0 and winner != winners[k >> 2]:
                return WRONG_WINNER, k
        apply(s, card)
        if (views >> p) & 1 == 0 and s[BARRED + p] & s[HAND + p]:
            return IMPOSSIBLE, k
    return FINE, played


if HAS_POLICY:

    @kernel
    def play_deals(streams, random_modes, epsilon, hands, forehand, passed, mode, choice, cards, drawn):
        """Deal and play, every seat by the policy.

        Args:
            streams: uint64[n, 2 + players]: chance, agents, what is drawn by lot.
            random_modes: share of deals whose mode is drawn by lot.
            epsilon: share of cards drawn at random.
            hands: int64[n, 4] and so on, filled; ``choice`` is 0 where the mode was drawn.
            forehand: uint8[n], who begins; this one is given.
            passed: uint8[n].
            mode: int8[n].
            choice: uint8[n].
            cards: uint8[n, 36].
            drawn: int64[n], a bit for each card that was drawn at random.
        """
        s = np.zeros(STATE_LEN, np.int64)
        acts = np.empty(MAX_BRANCH, np.int64)
        lot = N_PLAYERS + 1
        for d in range(len(mode)):
            r = streams[d]
            init(s, r)
            s[FOREHAND] = forehand[d]
            apply(s, sample(s, r))
            for p in range(N_PLAYERS):
                hands[d, p] = s[HAND + p]
            choice[d] = 1
            if unit(r, lot) < random_modes:
                choice[d] = 0
                apply(s, FIRST_MODE + below(r, lot, 6))
            while s[MODE] == NO_MODE:
                apply(s, np.int64(decide(s, r, acts)))
            passed[d] = s[PUSHED]
            mode[d] = s[MODE]
            k = 0
            while player(s) != TERMINAL:
                if epsilon > 0.0 and unit(r, lot) < epsilon:
                    a = acts[below(r, lot, legal(s, acts))]
                    drawn[d] |= np.int64(1) << k
                else:
                    a = np.int64(decide(s, r, acts))
                cards[d, k] = a
                k += 1
                apply(s, a)
