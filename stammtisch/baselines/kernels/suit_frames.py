"""Frames of suits inside kernels: trumps first, the other suits by the hand, so that a network sees one case of many.

A frame is the number of a renaming of suits among the 24, in the order of ``renamings``. This file imports nothing of
ours that is compiled, since the disk cache looks only at one file.
"""

import itertools

import numpy as np
from numba import njit

from stammtisch.envs.core.jit import entry

N_SUITS, N_RANKS, N_CARDS = 4, 9, 36
_IN_HAND = 1  # how encodings write a card of the own hand


def _numbers() -> np.ndarray:
    """Number of every renaming, by its code: two bits per suit."""
    numbers = np.zeros(256, np.int64)
    for number, renaming in enumerate(itertools.permutations(range(N_SUITS))):
        numbers[sum(new << (2 * old) for old, new in enumerate(renaming))] = number
    return numbers


FRAME_NUMBERS = _numbers()


@njit
def frame_of(hand, trump):
    """Return the frame of a hand: trumps become the first suit, the others follow by their cards held, greatest first.

    Args:
        hand: set of cards.
        trump: suit 0..3, or another number when there are no trumps.
    """
    code = 0
    for suit in range(N_SUITS):
        mine = (hand >> (N_RANKS * suit)) & 511
        if suit == trump:
            mine += 512
        place = 0
        for other in range(N_SUITS):
            theirs = (hand >> (N_RANKS * other)) & 511
            if other == trump:
                theirs += 512
            if theirs > mine or (theirs == mine and other < suit):
                place += 1
        code |= place << (2 * suit)
    return FRAME_NUMBERS[code]


@njit
def frame_of_inputs(x, mode_at):
    """Return the frame of an encoded position whose first 36 values are the hand and whose mode stands at ``mode_at``.

    Without a mode (-1), as before its choice, all suits go by the hand.
    """
    hand = np.int64(0)
    for card in range(N_CARDS):
        if x[card] == _IN_HAND:
            hand |= np.int64(1) << card
    trump = np.int64(-1)
    if mode_at >= 0:
        for suit in range(N_SUITS):
            if x[mode_at + suit] == 1:
                trump = np.int64(suit)
    return frame_of(hand, trump)


def _frames_of(rows, mode_at, frames):
    """Fill ``frames`` int64[n] with the frame of each row."""
    for i in range(len(rows)):
        frames[i] = frame_of_inputs(rows[i], mode_at)


def _turn_rows(rows, frames, cells, out):
    """Fill ``out`` [n, inputs] with every row in its frame; ``cells`` [24, inputs] says where values come from."""
    for i in range(len(rows)):
        source = cells[frames[i]]
        for k in range(out.shape[1]):
            out[i, k] = rows[i, source[k]]


frames_of = entry(_frames_of, nogil=True)
turn_rows = entry(_turn_rows, nogil=True)
