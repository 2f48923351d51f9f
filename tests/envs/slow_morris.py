"""Sectors of morris games solved the plain way, a twin of the tables: the rules themselves, all positions as they lie.

No symmetry, no backward moves and no promises: a list of where every position leads, by ``legal`` and ``apply`` of the
rules, and passes over all of it until nothing changes.
"""

import itertools
from typing import Any

import numpy as np
from numba import njit

from stammtisch.envs.core.game import Game

UNKNOWN = -1  # not decided yet; what stays so is drawn


def masks(points: int, men: int) -> Any:
    """Return the sets of so many points, ascending."""
    return np.array(sorted(sum(1 << p for p in chosen) for chosen in itertools.combinations(range(points), men)))


class SlowSector:
    """All positions with ``w`` men of the side to move against ``b``, both sides' hands empty.

    Attributes:
        own, enemy: int64[n], the men of every position.
        turns: int64[n], turns to the end, odd for won ones, ``UNKNOWN`` if it is drawn.
    """

    def __init__(self, game: Game, w: int, b: int):
        points = game.rules.POINTS
        pairs = [(a, e[(e & a) == 0]) for e in [masks(points, b)] for a in masks(points, w)]
        self.w, self.b = w, b
        self.own = np.concatenate([np.full(len(e), a) for a, e in pairs])
        self.enemy = np.concatenate([e for _, e in pairs])
        keys = self.own << points | self.enemy
        assert (np.diff(keys) > 0).all()
        self.keys = keys
        self.turns = np.full(len(keys), UNKNOWN)


def solve(game: Game, sectors: list[SlowSector], lower: list[SlowSector]) -> None:
    """Solve sectors that lead to each other and to solved ones."""
    rules: Any = game.rules
    list_ways = _lister(rules)
    everything = [*sectors, *lower]
    bases = np.cumsum([0, *(len(sector.keys) for sector in everything)])
    order = np.argsort([(s.w * 100 + s.b) for s in everything])
    keys = [everything[k].keys for k in order]
    sizes = np.array([everything[k].w * 100 + everything[k].b for k in order])
    starts = bases[:-1][order]
    flat, ends = np.concatenate(keys), np.cumsum([0, *map(len, keys)])
    turns = np.concatenate([sector.turns for sector in everything])
    n = sum(len(sector.keys) for sector in sectors)
    own = np.concatenate([sector.own for sector in sectors])
    enemy = np.concatenate([sector.enemy for sector in sectors])
    first = np.zeros(n + 1, np.int64)
    ways = np.zeros(0, np.int32)
    list_ways(own, enemy, flat, ends, sizes, starts, first, ways, False)
    first = np.concatenate([[0], np.cumsum(first[:-1])])
    ways = np.empty(first[-1], np.int32)
    list_ways(own, enemy, flat, ends, sizes, starts, first, ways, True)
    turn = 0
    latest = max(0, int(turns.max()))
    while turn <= latest + 1:
        changed = _pass(first, ways, turns, turn, n)
        latest = max(latest, turn) if changed else latest
        turn += 1
    at = 0
    for sector in sectors:
        sector.turns = turns[at : at + len(sector.keys)]
        at += len(sector.keys)


WON_AT_ONCE = -1  # a way that ends the game


@njit
def _pass(first, ways, turns, turn, n):
    """Decide what is decided in exactly ``turn`` turns; return whether anything is."""
    changed = False
    for i in range(n):
        if turns[i] != UNKNOWN:
            continue
        wins, loses, longest = False, True, -1
        for at in range(first[i], first[i + 1]):
            after = 0 if ways[at] == WON_AT_ONCE else turns[ways[at]]
            if after == UNKNOWN or after >= turn:
                loses = False
            elif after % 2 == 0:
                wins, loses = True, False
                if after == turn - 1:
                    break
            else:
                longest = max(longest, after)
        if (wins and turn % 2 == 1) or (loses and turn % 2 == 0 and longest == turn - 1):
            turns[i] = turn
            changed = True
    return changed


def _lister(rules: Any) -> Any:
    legal, apply = rules.legal, rules.apply
    POINTS, STATE_LEN, BRANCH = rules.POINTS, rules.STATE_LEN, rules.MAX_BRANCH
    PENDING, OVER = rules.PENDING, rules.OVER
    BOARD, LEFT = rules.BOARD, rules.LEFT

    @njit
    def bits(men):
        n = 0
        while men:
            men &= men - 1
            n += 1
        return n

    @njit
    def place_of(row, flat, ends, sizes, starts):
        """Number of the position in which seat 1 is to move, or that it is over."""
        if row[OVER] == 1:
            return WON_AT_ONCE
        size = row[LEFT + 1] * 100 + row[LEFT]
        k = 0
        while sizes[k] != size:
            k += 1
        key = row[BOARD + 1] << POINTS | row[BOARD]
        lo, hi = ends[k], ends[k + 1]
        while hi - lo > 1:
            middle = (lo + hi) // 2
            if flat[middle] <= key:
                lo = middle
            else:
                hi = middle
        return starts[k] + lo - ends[k]

    @njit
    def list_ways(own, enemy, flat, ends, sizes, starts, first, ways, fills):
        row, after, last = np.zeros(STATE_LEN, np.int64), np.zeros(STATE_LEN, np.int64), np.zeros(STATE_LEN, np.int64)
        acts, removals = np.zeros(BRANCH, np.int64), np.zeros(BRANCH, np.int64)
        for i in range(len(own)):
            row[:] = 0
            row[BOARD], row[BOARD + 1] = own[i], enemy[i]
            row[LEFT], row[LEFT + 1] = bits(own[i]), bits(enemy[i])
            n = 0
            for k in range(legal(row, acts)):
                after[:] = row
                apply(after, acts[k])
                pending = legal(after, removals) if after[PENDING] else 1
                for j in range(pending):
                    last[:] = after
                    if after[PENDING]:
                        apply(last, removals[j])
                    if fills:
                        ways[first[i] + n] = place_of(last, flat, ends, sizes, starts)
                    n += 1
            if not fills:
                first[i] = n

    return list_ways
