"""Samples to learn from, made of deals when they are asked for: only the deals are kept in memory."""

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.baselines.learned.jass.encodings import MODE_INPUTS, N_CARDS, N_CHOICES, SCHIEBER, SIGHTS, inputs_of
from stammtisch.envs import load_game
from stammtisch.envs.core import loader
from stammtisch.training.jass.deals import KIT_RULE, NO_VALUE, Deals

_RULES = ("server", "jass-kit")
_SOURCE = "stammtisch.training.kernels.jass_replay"
_PASS = N_CHOICES - 1


@functools.cache
def replay_kernels(encoding: str = "jass-42", rule: int = 0, policy: str = "") -> Any:
    """Return the kernels that play deals again, under the server's rule or jass-kit's, or that let a policy play."""
    game = load_game(SCHIEBER, observation=encoding, legal_rule=_RULES[rule])
    chosen = game.policy_module(policy) if policy else None
    return loader.load(_SOURCE, game.id, RULES=game.rules, POLICY=chosen)


def seats_of(deals: Deals) -> NDArray[np.int8]:
    """Return who played each card, ``int8[n, 36]``, -1 after the last."""
    seats = np.empty((len(deals), N_CARDS), np.int8)
    replay_kernels().fill_seats(deals.hands, deals.forehand, deals.mode, deals.cards, deals.played, seats)
    return seats


def returns_of(deals: Deals) -> NDArray[np.float64]:
    """Return the point difference / 100 of team 0 in every complete deal, match included, NaN elsewhere."""
    out = np.empty(len(deals), np.float64)
    kernels = replay_kernels()
    kernels.fill_returns(deals.hands, deals.forehand, deals.passed, deals.mode, deals.cards, deals.played, out)
    return out


def card_places(deals: Deals) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the deal and the place of every card that is a sample: its player's hand is known, no lot drew it."""
    seats = seats_of(deals)
    places = np.arange(N_CARDS)
    known = (deals.views[:, None].astype(np.int64) >> np.maximum(seats, 0)) & 1 == 1
    drawn = (deals.drawn[:, None] >> places) & 1 == 1
    chosen = (seats >= 0) & known & (places >= deals.first[:, None]) & ~drawn
    found, at = np.nonzero(chosen)
    return found, at


class CardSamples:
    """One sample per card played: what its player saw before, what was legal, and the card.

    Args:
        deals: the deals, kept as they are.
        encoding: ``"jass-42"``, ``"jass-150"``, ``"jass-186"``, ``"jass-1302"``, ``"jass-1302-seats"``, ``"full"``, or
            ``"sight"``, where cards go by their names in a frame without names of colours.
    """

    def __init__(self, deals: Deals, encoding: str = "full"):
        self.deals, self.encoding = deals, encoding
        self._is_sight = encoding == SIGHTS["card"]
        self.inputs = inputs_of(encoding)
        found, at = card_places(deals)
        self._deals, self._places = found.astype(np.int32), at.astype(np.uint8)

    def __len__(self) -> int:
        return len(self._deals)

    def batch(self, indices: NDArray[Any]) -> tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.int64]]:
        """Return inputs ``int8[b, inputs]``, legal cards ``int8[b, 36]`` and the cards played ``int64[b]``."""
        x, masks, targets, *_ = self._filled(indices)
        return x, masks, targets

    def _filled(self, indices: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        """Return inputs, legal cards, cards played, who played them, and of a sight the frames ``int64[b, 4]``."""
        deals, n = self.deals, len(indices)
        chosen = self._deals[indices].astype(np.int64)
        places = self._places[indices].astype(np.int64)
        out: tuple[NDArray[Any], ...] = (
            np.empty((n, self.inputs), np.int8),
            np.empty((n, N_CARDS), np.int8),
            np.empty(n, np.int64),
            np.empty(n, np.int64),
        )
        if self._is_sight:
            out = (*out, np.empty((n, 4), np.int64))
        rules = deals.rule[chosen]
        for rule in (0, KIT_RULE):
            members = np.flatnonzero(rules == rule)
            if not len(members):
                continue
            part = out if len(members) == n else tuple(array[members] for array in out)
            kernels = replay_kernels("full" if self._is_sight else self.encoding, rule)
            fill = kernels.fill_sights if self._is_sight else kernels.fill_samples
            fill(
                deals.hands,
                deals.forehand,
                deals.passed,
                deals.mode,
                deals.cards,
                chosen[members],
                places[members],
                *part,
            )
            if part is not out:
                for whole, filled in zip(out, part, strict=True):
                    whole[members] = filled
        return out

    def returns(self, indices: NDArray[Any]) -> NDArray[np.float64]:
        """Return what the deal brought the player's team, points / 100; NaN where it was cut off."""
        movers = self._filled(indices)[3]
        found = returns_of(self.deals)[self._deals[indices]]
        mine: NDArray[np.float64] = np.where(movers & 1 == 1, -found, found)
        return mine

    def modes(self, indices: NDArray[Any]) -> NDArray[np.int8]:
        """Return the mode of each sample."""
        found: NDArray[np.int8] = self.deals.mode[self._deals[indices]]
        return found

    def values(self, indices: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.float32] | None:
        """Return what the teacher thought of the legal cards, points below the best; NaN where it did not say.

        Args:
            indices: the samples.
            masks: their legal cards.
        """
        if self.deals.values is None:
            return None
        told = self.deals.values[self._deals[indices], self._places[indices]]
        names = np.broadcast_to(np.arange(N_CARDS), masks.shape)
        if self._is_sight:  # what was said goes by the usual order of cards
            orders = self._filled(indices)[4]
            names = (9 * orders[:, :, None] + np.arange(9)).reshape(masks.shape)
            masks = np.take_along_axis(masks, np.argsort(names, axis=1), axis=1)
        usual = np.full(masks.shape, np.nan, np.float32)
        rows, cards = np.nonzero(masks)
        rank = (np.cumsum(masks, axis=1) - 1)[rows, cards]
        found = told[rows, rank].astype(np.float32) / 10
        usual[rows, cards] = np.where(told[rows, rank] == NO_VALUE, np.nan, found)
        return np.take_along_axis(usual, names, axis=1)


class TrumpSamples:
    """One sample per choice of the mode: the hand, whether the choice was passed on, and what was said.

    Args:
        deals: the deals; where the mode was drawn by lot, there is no sample.
        encoding: ``"trump-36"`` or ``"trump-37"``.
        passes: which passes are kept: ``"all"``, ``"half"`` (every second) or ``"two-thirds"`` (two of three).
    """

    def __init__(self, deals: Deals, encoding: str = "trump-37", passes: str = "all"):
        self.deals, self.encoding = deals, encoding
        seats = np.stack([deals.forehand, (deals.forehand + 2) & 3], axis=1).astype(np.int64)
        known = (deals.views[:, None] >> seats) & 1 == 1
        passed = deals.passed == 1
        spoke = np.stack([passed | (deals.mode >= 0), passed & (deals.mode >= 0)], axis=1)
        found, turn = np.nonzero(known & spoke & (deals.choice[:, None] == 1))
        targets = np.where((turn == 0) & passed[found], _PASS, deals.mode[found])
        kept = _kept_passes(targets == _PASS, passes)
        self._deals, self._turns, self._targets = found[kept], turn[kept], targets[kept].astype(np.int64)
        self._hands = deals.hands[self._deals, seats[self._deals, self._turns]]

    def __len__(self) -> int:
        return len(self._deals)

    def batch(self, indices: NDArray[Any]) -> tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.int64]]:
        """Return inputs ``int8[b, 36 or 37]``, what could be said ``int8[b, 7]`` and what was said ``int64[b]``."""
        x = np.zeros((len(indices), MODE_INPUTS[self.encoding]), np.int8)
        x[:, :N_CARDS] = (self._hands[indices][:, None] >> np.arange(N_CARDS)) & 1
        turns = self._turns[indices]
        x[:, N_CARDS:] = turns[:, None]
        masks = np.ones((len(indices), N_CHOICES), np.int8)
        masks[turns == 1, _PASS] = 0
        return x, masks, self._targets[indices]

    def modes(self, indices: NDArray[Any]) -> NDArray[np.int8]:
        """Return that no mode is there yet."""
        return np.full(len(indices), -1, np.int8)

    def values(self, indices: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.float32] | None:
        """Return what the teacher thought of the modes and of the pass, points below the best; NaN: it did not say."""
        if self.deals.mode_values is None:
            return None
        told = self.deals.mode_values[self._deals[indices], self._turns[indices]]
        return np.where((told == NO_VALUE) | (masks == 0), np.nan, told.astype(np.float32) / 10)


def _kept_passes(is_pass: NDArray[np.bool_], passes: str) -> NDArray[np.bool_]:
    """Return which samples stay when passes are thinned out evenly."""
    count = np.cumsum(is_pass)
    drop = {"all": np.zeros(len(is_pass), np.bool_), "half": count % 2 == 0, "two-thirds": count % 3 == 0}
    if passes not in drop:
        raise ValueError(f"passes={passes!r} is not allowed; choose one of {', '.join(drop)}")
    kept: NDArray[np.bool_] = ~(is_pass & drop[passes])
    return kept
