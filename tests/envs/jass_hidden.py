"""Hidden cards of Jass by brute force: every way to deal them, and players that may not look at them."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from stammtisch import Game
from stammtisch.envs.core.state import State
from stammtisch.envs.core.streams import seed_streams
from tests.playing import random_state

Hand = tuple[int, ...]


def plays_of(view: Any) -> list[int]:
    """Return the cards played in this deal, in their order."""
    return [card for trick in view.history for card in trick.cards] + [card for _, card in view.table]


def possible_deals(state: State, player: int) -> Iterator[tuple[tuple[Hand, Hand, Hand], list[list[int]]]]:
    """Yield every way to give the three others the cards that ``player`` has not seen, and all hands at the start."""
    view, rules = state.view(player), state.game.rules
    plays = plays_of(view)
    played = [[c for c in plays if int(state.row[rules.PLAYED + p]) >> c & 1] for p in range(4)]
    others = [(player + i) % 4 for i in (1, 2, 3)]
    unseen = [c for c in range(36) if c not in plays and c not in view.hand]
    sizes = [9 - len(played[p]) for p in others]
    for first in itertools.combinations(unseen, sizes[0]):
        rest = [c for c in unseen if c not in first]
        for second in itertools.combinations(rest, sizes[1]):
            third = tuple(c for c in rest if c not in second)
            hands = [played[p] + (view.hand if p == player else []) for p in range(4)]
            for p, cards in zip(others, (first, second, third), strict=True):
                hands[p] = hands[p] + list(cards)
            yield (first, second, third), hands


def check_policies_are_blind(game: Game, kernels: Any, positions: int, moves: int) -> None:
    """The two policies of lane kernels choose the same card whatever the others hold, and a legal one."""
    rng = np.random.default_rng(1)
    for seed in range(positions):
        state = random_state(game, seed, int(rng.integers(1, moves)))
        if state.player < 0:
            continue
        view = state.view(state.player)
        for kind in (1, 2):
            chosen = {
                int(kernels.choose(kind, row, seed_streams(seed, 5)))
                for row in (state.row, view.row, view.sample_state(rng).row)
            }
            assert len(chosen) == 1
            assert chosen.pop() in state.legal_actions()
