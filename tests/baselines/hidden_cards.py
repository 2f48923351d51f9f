"""What is asked of every search over hidden cards."""

from collections.abc import Iterator

import numpy as np

import stammtisch
from stammtisch import CHANCE, TERMINAL, Game
from stammtisch.envs.core.state import State


def positions(game: Game, rng: np.random.Generator, spec: str = "heuristic") -> Iterator[State]:
    """Yield every position of a deal in which a seat is to move."""
    agent = stammtisch.load_agent(spec, game, seed=1)
    state = game.new_state(seed=0)
    state.sample_chance(rng)
    while state.player not in (TERMINAL, CHANCE):
        yield state
        state.apply(agent.act(state.view(state.player)))


def check_whole_deals(game: Game, rng: np.random.Generator, spec: str) -> None:
    """Answers are legal from the choice of the mode to the last card."""
    for _ in range(3):
        assert sum(1 for _ in positions(game, rng, spec)) >= 37


def check_nothing_leaks(game: Game, rng: np.random.Generator, spec: str) -> None:
    """Other cards in hands that a player does not see change nothing."""
    for state in positions(game, rng):
        view = state.view(state.player)
        other = view.sample_state(rng).view(state.player)
        answers = [stammtisch.load_agent(spec, game, seed=5).act(v, explain=True) for v in (view, other)]
        assert answers[0].action == answers[1].action
        np.testing.assert_array_equal(answers[0].values, answers[1].values)


def check_the_seed_decides(game: Game, rng: np.random.Generator, spec: str) -> None:
    """The same seed gives the same values, also after a reset; another gives others."""
    state = next(positions(game, rng))
    agents = [stammtisch.load_agent(spec, game, seed=seed) for seed in (3, 3, 4)]
    first, again, other = (agent.act(state.view(0), explain=True).values.tolist() for agent in agents)
    assert first == again != other
    agents[0].reset(seed=3)
    assert agents[0].act(state.view(0), explain=True).values.tolist() == first
