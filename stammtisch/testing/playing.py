"""Random games, and how a check says what it expected."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.state import State


class BrokenPromise(AssertionError):
    """A game does not do what all games promise."""


def expect(kept: bool, what: str, state: State | None = None) -> None:
    """Raise ``BrokenPromise`` with a sentence, and the position if there is one, unless the promise was kept."""
    if not kept:
        where = "" if state is None else f"\nthe position, as state.to_text() writes it:\n{state.to_text()}"
        raise BrokenPromise(f"{what}{where}")


@contextmanager
def expect_error(kind: type[Exception], part: str, what: str) -> Iterator[None]:
    """Expect the block to raise an error of a kind that says ``part`` in one line."""
    try:
        yield
    except kind as error:
        said = str(error)
        expect(part in said and "\n" not in said, f'{what} must say "{part}" in one line, not:\n{said}')
    except Exception as error:
        raise BrokenPromise(f"{what} must raise {kind.__name__}, not {type(error).__name__}: {error}") from error
    else:
        raise BrokenPromise(f"{what} must raise {kind.__name__}; nothing happened")


def random_move(state: State, rng: np.random.Generator) -> None:
    """Play one chance event or one random action in place."""
    if state.player == CHANCE:
        state.sample_chance(rng)
    else:
        legal = state.legal_actions()
        expect(bool(legal), f"player {state.player} is to move and has no legal action", state)
        state.apply(legal[rng.integers(len(legal))])


def random_states(game: Game, seed: int, games: int = 1) -> Iterator[State]:
    """Yield every state of random games, the last one included; each may be kept."""
    rng = np.random.default_rng(seed)
    for number in range(games):
        state = game.new_state(seed=seed + number)
        while state.player != TERMINAL:
            yield state.clone()
            random_move(state, rng)
        yield state


def random_state(game: Game, seed: int, moves: int) -> State:
    """Return the state after at most ``moves`` events of a random game."""
    rng = np.random.default_rng(seed)
    state = game.new_state(seed=seed)
    for _ in range(moves):
        if state.player == TERMINAL:
            break
        random_move(state, rng)
    return state


def sampled_states(game: Game, count: int, seed: int = 0) -> Iterator[State]:
    """Yield states after a random number of moves, each of a game of its own."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        yield random_state(game, seed + number, int(rng.integers(0, 61)))
