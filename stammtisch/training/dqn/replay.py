"""Transitions from a player's decision to its own next decision, and the memory that they are replayed from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.baselines.learned.tensor_files import take_over

_FOLLOWED = ("_observations", "_actions", "_returns", "_age", "_turn")
_REPLAYED = ("_observations", "_next_observations", "_actions", "_returns", "_discounts", "_next_masks")


@dataclass
class Transitions:
    """A batch of experience; ``n`` rows in every array.

    Attributes:
        observations: ``[n, observation length]`` at the decision.
        actions: int64[n].
        returns: float32[n], what the player earned until its decision that counts as the next, discounted.
        next_observations: ``[n, observation length]`` of the same player; anything after the end.
        next_masks: int8[n, num_actions] of that decision.
        discounts: float32[n], weight of the next decision's value; 0 after the end of the game.
    """

    observations: NDArray[Any]
    actions: NDArray[np.int64]
    returns: NDArray[np.float32]
    next_observations: NDArray[Any]
    next_masks: NDArray[np.int8]
    discounts: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.actions)


class OwnDecisions:
    """Follows games in which several seats learn, and joins each seat's decisions.

    Whatever a seat earns between two of its decisions, be it for its own action or for those of the others, belongs to
    the transition between them; at the end every seat gets a last one, also the one that lost by another's move.

    Args:
        games: number of games.
        seats: players of a game.
        length: length of a flat observation.
        dtype: type of the observations.
        actions: size of the action space.
        n_step: own decisions from one end of a transition to the other.
        gamma: discount per own decision.
    """

    def __init__(self, games: int, seats: int, length: int, dtype: Any, actions: int, n_step: int, gamma: float):
        self.n_step, self.gamma = n_step, gamma
        shape = (n_step, games, seats)
        self._observations = np.zeros((*shape, length), dtype)
        self._actions = np.zeros(shape, np.int64)
        self._returns = np.zeros(shape, np.float32)
        self._age = np.full(shape, -1, np.int64)  # own decisions since; -1: no transition begun
        self._turn = np.zeros((games, seats), np.int64)
        self._everyone = np.arange(games)
        self._no_mask = np.ones(actions, np.int8)

    def arrive(self, movers: NDArray[np.int64], observations: NDArray[Any], masks: NDArray[np.int8]) -> Transitions:
        """Tell that ``movers[i]`` has to decide in game ``i``; return the transitions that end there."""
        lanes = self._everyone
        age = self._age[:, lanes, movers]
        age = np.where(age >= 0, age + 1, age)
        slots, games = np.nonzero(age == self.n_step)
        seats = movers[games]
        ended = Transitions(
            self._observations[slots, games, seats],
            self._actions[slots, games, seats],
            self._returns[slots, games, seats],
            observations[games],
            masks[games],
            np.full(len(games), self.gamma**self.n_step, np.float32),
        )
        age[slots, games] = -1
        self._age[:, lanes, movers] = age
        return ended

    def begin(self, movers: NDArray[np.int64], observations: NDArray[Any], actions: NDArray[np.int64]) -> None:
        """Tell what ``movers`` decided."""
        lanes = self._everyone
        slots = self._turn[lanes, movers] % self.n_step
        self._turn[lanes, movers] += 1
        self._observations[slots, lanes, movers] = observations
        self._actions[slots, lanes, movers] = actions
        self._returns[slots, lanes, movers] = 0.0
        self._age[slots, lanes, movers] = 0

    def pay(self, rewards: NDArray[np.float64]) -> None:
        """Tell what every seat of every game earned, ``float64[games, seats]``."""
        self._returns += np.where(self._age >= 0, self.gamma ** np.maximum(self._age, 0) * rewards, 0.0)

    def finish(self, over: NDArray[np.bool_]) -> Transitions:
        """Tell which games ended; return the last transitions of all their seats."""
        slots, games, seats = np.nonzero((self._age >= 0) & over[None, :, None])
        observations = self._observations[slots, games, seats]
        ended = Transitions(
            observations,
            self._actions[slots, games, seats],
            self._returns[slots, games, seats],
            observations,
            np.tile(self._no_mask, (len(games), 1)),
            np.zeros(len(games), np.float32),
        )
        self._age[:, over] = -1
        return ended

    def saved(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that decide everything to come."""
        return {name.removeprefix("_"): getattr(self, name) for name in _FOLLOWED}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what ``saved`` returned for as many games and seats.

        Raises:
            ValueError: it is of other games.
        """
        take_over({name.removeprefix("_"): getattr(self, name) for name in _FOLLOWED}, arrays)
        _check_actions(self._actions, len(self._no_mask))
        if self._turn.min() < 0:
            raise ValueError("it counts fewer turns than none")


class Replay:
    """The last ``capacity`` transitions; masks are kept as bits."""

    def __init__(self, capacity: int, length: int, dtype: Any, actions: int):
        self.capacity, self._n_actions = capacity, actions
        self._observations = np.zeros((capacity, length), dtype)
        self._next_observations = np.zeros((capacity, length), dtype)
        self._actions = np.zeros(capacity, np.int64)
        self._returns = np.zeros(capacity, np.float32)
        self._discounts = np.zeros(capacity, np.float32)
        self._next_masks = np.zeros((capacity, (actions + 7) // 8), np.uint8)
        self.added = 0

    def __len__(self) -> int:
        return min(self.added, self.capacity)

    def add(self, batch: Transitions, which: NDArray[np.bool_]) -> None:
        """Remember some rows of a batch, over the oldest."""
        rows = np.flatnonzero(which)[-self.capacity :]
        places = (self.added + np.arange(len(rows))) % self.capacity
        self._observations[places] = batch.observations[rows]
        self._next_observations[places] = batch.next_observations[rows]
        self._actions[places] = batch.actions[rows]
        self._returns[places] = batch.returns[rows]
        self._discounts[places] = batch.discounts[rows]
        self._next_masks[places] = np.packbits(batch.next_masks[rows].astype(np.bool_), axis=1)
        self.added += len(rows)

    def saved(self) -> dict[str, NDArray[Any]]:
        """Return the transitions, as far as there are any, and how many have been added in all."""
        arrays = {name.removeprefix("_"): getattr(self, name)[: len(self)] for name in _REPLAYED}
        return {**arrays, "added": np.array(self.added, np.int64)}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what ``saved`` returned for a memory of the same capacity.

        Raises:
            ValueError: it is of another one.
        """
        added = arrays["added"]
        if added.shape or added.dtype != np.int64 or added < 0:
            raise ValueError(f"its memory has {added} transitions")
        self.added = int(added)
        take_over({name.removeprefix("_"): getattr(self, name)[: len(self)] for name in _REPLAYED}, arrays)
        _check_actions(self._actions, self._n_actions)

    def sample(self, size: int, rng: np.random.Generator) -> Transitions:
        """Draw rows with replacement."""
        rows = rng.integers(len(self), size=size)
        return Transitions(
            self._observations[rows],
            self._actions[rows],
            self._returns[rows],
            self._next_observations[rows],
            np.unpackbits(self._next_masks[rows], axis=1, count=self._n_actions).view(np.int8),
            self._discounts[rows],
        )


def _check_actions(actions: NDArray[np.int64], count: int) -> None:
    if actions.size and (actions.min() < 0 or actions.max() >= count):
        raise ValueError(f"it remembers actions {actions.min()}..{actions.max()}, and there are {count}")
