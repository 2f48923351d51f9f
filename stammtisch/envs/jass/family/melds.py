"""Weis: sequences and fours of a kind in one hand, as numba functions on bit sets."""

import numpy as np
from numba import njit

from stammtisch.envs.jass.family.cards import N_COLOURS, N_RANKS, UNDEUFE

SHORTEST = 3
SEQUENCE_POINTS = np.array((0, 0, 0, 20, 50, 100, 150, 200, 250, 300), np.int64)
FOUR_POINTS = np.array((100, 100, 100, 150, 100, 200, 100, 100, 100), np.int64)
FOUR_SET = np.array([sum(1 << (N_RANKS * c + rank) for c in range(N_COLOURS)) for rank in range(N_RANKS)], np.int64)


@njit
def _worth(points, cards, rank, in_trumps, order):
    """Return a number that orders melds: by points, number of cards, rank of the top card, trumps or not."""
    height = N_RANKS - 1 - rank if order == UNDEUFE else rank
    return ((points * 16 + cards) * 16 + height) * 2 + in_trumps


@njit
def _sequences(hand, order):
    """Return points, best worth and cards of the sequences in a hand."""
    points, best, shown = np.int64(0), np.int64(0), np.int64(0)
    for colour in range(N_COLOURS):
        length = 0
        for rank in range(N_RANKS + 1):
            if rank < N_RANKS and (hand >> (N_RANKS * colour + rank)) & 1:
                length += 1
                continue
            if length >= SHORTEST:
                value = SEQUENCE_POINTS[length]
                points += value
                best = max(best, _worth(value, length, rank - 1, 1 if colour == order else 0, order))
                shown |= ((1 << length) - 1) << (N_RANKS * colour + rank - length)
            length = 0
    return points, best, shown


@njit
def melds_in(hand, order, overlap):
    """Return the points of all melds in a hand, the worth of the best one, and their cards.

    Args:
        hand: the nine cards dealt.
        order: the order of the first trick; in Undeufe low cards are better.
        overlap: whether one card may serve in a sequence and in a four of a kind; if not, those melds count
            that make the most points together.
    """
    points, best, shown = _sequences(hand, order)
    fours_points, fours_best, fours_shown = np.int64(0), np.int64(0), np.int64(0)
    for rank in range(N_RANKS):
        if (hand & FOUR_SET[rank]) == FOUR_SET[rank]:
            fours_points += FOUR_POINTS[rank]
            fours_best = max(fours_best, _worth(FOUR_POINTS[rank], 4, rank, 0, order))
            fours_shown |= FOUR_SET[rank]
    if overlap or (fours_shown & shown) == 0:
        return points + fours_points, max(best, fours_best), shown | fours_shown
    for first in range(N_RANKS):
        if fours_shown & FOUR_SET[first]:
            for second in range(first, N_RANKS):
                if fours_shown & FOUR_SET[second]:
                    one = _with_fours(hand, order, first, second)
                    if one[0] > points or (one[0] == points and one[1] > best):
                        points, best, shown = one
    return points, best, shown


@njit
def _with_fours(hand, order, first, second):
    """Return points, best worth and cards when one or two fours of a kind are laid apart first."""
    fours = FOUR_SET[first] | FOUR_SET[second]
    points, best, shown = _sequences(hand & ~fours, order)
    points += FOUR_POINTS[first]
    best = max(best, _worth(FOUR_POINTS[first], 4, first, 0, order))
    if second != first:
        points += FOUR_POINTS[second]
        best = max(best, _worth(FOUR_POINTS[second], 4, second, 0, order))
    return points, best, shown | fours


@njit
def best_team(hands, order, overlap, forehand, points, shown):
    """Find the team with the best meld.

    Args:
        hands: int64[4], the nine cards dealt to each player.
        order: the order of the first trick.
        overlap: as in ``melds_in``.
        forehand: the player who leads; among equal melds the earlier player's is better.
        points: int64[4], filled with the points of the melds that count, zero for the team that is beaten.
        shown: int64[4], filled with the cards of the melds that count.

    Returns:
        The team, -1 when nobody has a meld.
    """
    team, best = -1, np.int64(0)
    for turn in range(4):
        p = (forehand + turn) & 3
        points[p], worth, shown[p] = melds_in(hands[p], order, overlap)
        if worth > best:
            team, best = p & 1, worth
    for p in range(4):
        if (p & 1) != team:
            points[p] = 0
            shown[p] = 0
    return team
