"""What an evaluation by n-tuples costs: random games in which every move is valued, anew or by following the taps."""

from collections.abc import Callable
from typing import Any

import numpy as np

from stammtisch.baselines.kernels.bindings import Track
from stammtisch.baselines.kernels.ntuple_net import BEHIND_TAPS
from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.rng import below
from stammtisch.envs.core.rules import Rules

RULES: Rules
TRACK: Track
kernel: Callable[[Callable[..., Any]], Any]

init, player, legal, apply = RULES.init, RULES.player, RULES.legal, RULES.apply
MAX_BRANCH, N_PLAYERS, STATE_LEN, SCRATCH = RULES.MAX_BRANCH, RULES.N_PLAYERS, RULES.STATE_LEN, TRACK.SCRATCH
HAS_CHANCE, sample = RULES.HAS_CHANCE, RULES.sample
point, point_all, worth = TRACK.point, TRACK.point_all, TRACK.worth
follow, follow_all = TRACK.follow, TRACK.follow_all

NOTHING, PLAIN, FOLLOWING = 0, 1, 2  # ways to value a move


@kernel
def walk(games, r, way, net):
    """Play games at random and value every move on the way; return how many there were, and the sum of their values."""
    s = np.empty(STATE_LEN, np.int64)
    after = np.empty(STATE_LEN, np.int64)
    acts = np.empty(MAX_BRANCH, np.int64)
    scratch = np.empty(SCRATCH, np.int64)
    paths = np.empty((2, N_PLAYERS, len(net.offsets) + BEHIND_TAPS), np.int64)
    there = np.empty(len(net.offsets) + BEHIND_TAPS, np.int64)
    valued = 0
    total = 0.0
    for _ in range(games):
        init(s, r)
        if way == FOLLOWING:
            point_all(s, net, paths[0], scratch)
        level = 0
        while True:
            p = player(s)
            while HAS_CHANCE and p == CHANCE:
                apply(s, sample(s, r))
                p = player(s)
            if p == TERMINAL:
                break
            n = legal(s, acts)
            for i in range(n):
                for j in range(STATE_LEN):
                    after[j] = s[j]
                apply(after, acts[i])
                if player(after) == TERMINAL:
                    continue
                valued += 1
                if way == PLAIN:
                    point(after, p, net, there, scratch)
                    total += worth(there)
                elif way == FOLLOWING:
                    total += follow(s, after, p, net, paths[level, p], there, scratch)
            for j in range(STATE_LEN):
                after[j] = s[j]
            apply(s, acts[below(r, 0, n)])
            if way == FOLLOWING:
                follow_all(after, s, net, paths[level], paths[1 - level], scratch)
                level = 1 - level
    return valued, total
