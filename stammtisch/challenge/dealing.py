"""The cards of a game, drawn from the seed of its match exactly as the arena draws them."""

from collections.abc import Callable

from stammtisch.arena.plan import MatchPlan, game_streams, seatings
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.rules import uncompiled
from stammtisch.envs.core.state import State

Deal = Callable[[State], tuple[State, int]]
"""Deals the next cards: takes the position before, returns the one after and the number that says which deal it was."""


def dealer(game: Game, plan: MatchPlan, number: int) -> Deal:
    """Return what deals the cards of a game of a match."""
    group = len(seatings(game, len(plan.agents)))
    stream = game_streams(plan.seed, group, game.info.num_players, [number])[0, :1].copy()
    sample = uncompiled(game.rules.sample)

    def deal(state: State) -> tuple[State, int]:
        outcome = int(sample(state.row, stream))
        state.apply(outcome)
        return state, outcome

    return deal
