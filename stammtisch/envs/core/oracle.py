"""``Oracle``: who knows what positions of a game are worth with perfect play, whichever way it was found out."""

import functools
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.state import State, View

if TYPE_CHECKING:
    from stammtisch.envs.core.game import Game


class Oracle(ABC):
    """Knows the exact value of some or all positions of one game.

    A subclass says which positions at a player's turn it knows (``_knows``) and what they are worth (``_worth``). What
    follows from that is written here once: finished games, chance events, and the worth of actions.
    """

    UNIT: ClassVar[str] = "return"  # what ``value`` counts
    SEARCHES: ClassVar[bool] = False  # whether answers are searched when they are asked for, not looked up
    game: "Game | None" = None  # whose positions it knows; ``Game.oracle`` says it

    @property
    def searched(self) -> int:
        """Positions that were searched so far in order to answer; 0 where answers are looked up."""
        return 0

    def prepare(self) -> bool:
        """Build what small games look answers up in, which the first question would do, too; tell whether it had to."""
        return False

    def covers(self, state: State) -> bool:
        """Tell whether ``value`` and ``values`` can be asked about a position."""
        if self._is_strange(state):
            return False
        if state.player == TERMINAL:
            return True
        if state.player == CHANCE:
            if state.game.info.chance != "explicit":
                return False
            return all(self.covers(state.child(outcome)) for outcome, _ in state.chance_outcomes())
        return self._knows(state)

    def covers_from(self, state: State) -> bool:
        """Tell whether a position is covered and all that can follow it, so that games can be judged from here on."""
        return self.covers(state)

    def value(self, state: State) -> NDArray[np.float64]:
        """Return the expected returns of all seats, float64[num_players], with perfect play of everybody from here.

        Raises:
            ValueError: the oracle does not cover the position.
        """
        self._check(state)
        if state.player == TERMINAL:
            return state.returns()
        if state.player == CHANCE:
            return self._expected(state)
        return self._worth(state)

    def values(self, state: State) -> dict[int, float]:
        """Return the expected return of the seat to move after each legal action, with perfect play from then on.

        At a chance node and after the end nobody is to move, and there is nothing to return.

        Raises:
            ValueError: the oracle does not cover the position.
        """
        if state.player < 0:
            return {}
        self._check(state)
        return self._worth_of_actions(state)

    def _is_strange(self, state: State) -> bool:
        """Tell whether a position belongs to another game, or to the same with other options."""
        return self.game is not None and state.game is not self.game and state.game != self.game

    def values_of(self, states: Sequence[State]) -> list[dict[int, float]]:
        """Return the ``values`` of many positions; an oracle that is faster with all at once does it its own way."""
        return [self.values(state) for state in states]

    def value_of(self, states: Sequence[State]) -> NDArray[np.float64]:
        """Return the ``value`` of many positions, float64[n, num_players], NaN where one is not covered.

        An oracle that is faster with all at once does it its own way.
        """
        if not states:
            return np.empty((0, 0))
        unknown = np.full(states[0].game.info.num_players, np.nan)
        return np.array([self.value(state) if self.covers(state) else unknown for state in states], np.float64)

    def values_in_worlds(self, view: View, worlds: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return the values of the legal actions in states drawn from what a player may know.

        Args:
            view: of the seat to move, in a position that is covered.
            worlds: how many states to draw.
            rng: draws them.

        Returns:
            float64[worlds, legal actions], in ascending order of the actions.
        """
        found = [list(self.values(view.sample_state(rng)).values()) for _ in range(worlds)]
        return np.array(found, np.float64).reshape(worlds, len(view.legal_actions()))

    def size(self) -> int:
        """Return up to which size there are tables that ``start`` draws from, 0 where it does not."""
        return 0

    def start(self, rng: np.random.Generator, size: int = 0) -> State | None:
        """Draw a position from all that are covered, None where positions are better reached by playing.

        Args:
            rng: draws.
            size: of the largest tables to draw from, in what tables count; 0 for all that are there.

        Raises:
            ValueError: none is covered, as where tables are still to be built.
        """
        return None

    def distance(self, state: State) -> int | None:
        """Return after how many more turns the game ends if the winner hurries and the loser delays, None if unknown.

        A drawn game need never end.
        """
        return None

    def distances(self, state: State) -> Mapping[int, int | None]:
        """Return for each legal action after how many turns, this one counted, the game ends; see ``distance``."""
        found = {action: self.distance(state.child(action)) for action in state.legal_actions()}
        return {action: None if after is None else 1 + after for action, after in found.items()}

    def best(self, state: State) -> list[int]:
        """Return the actions that keep the value; where distances are known only those that hurry, or delay, most."""
        values = self.values(state)
        most = max(values.values())
        best = [action for action, value in values.items() if value >= most - _EQUAL]
        distances = self.distances(state)
        known = [(distances[action], action) for action in best]
        if any(distance is None for distance, _ in known):
            return best
        wanted = (min if most > 0 else max)(distance for distance, _ in known if distance is not None)
        return [action for distance, action in known if distance == wanted]

    def answer_to_random(self, state: State, seat: int) -> float:
        """Return the expected return of ``seat`` if it answers ``random``, in all other seats, as well as can be.

        Raises:
            ValueError: that is not known in this game.
        """
        raise ValueError(f"the oracle of {state.game.id} knows perfect play only, not the best answer to random")

    @abstractmethod
    def _knows(self, state: State) -> bool:
        """Tell whether a position at a player's turn is covered; then all that actions lead to must be, too."""

    @abstractmethod
    def _worth(self, state: State) -> NDArray[np.float64]:
        """Return the value of a covered position at a player's turn."""

    def _expected(self, state: State) -> NDArray[np.float64]:
        """Return the value of a covered chance node."""
        expected = np.zeros(state.game.info.num_players)
        for outcome, probability in state.chance_outcomes():
            expected += probability * self.value(state.child(outcome))
        return expected

    def _worth_of_actions(self, state: State) -> dict[int, float]:
        """Return the values of the actions at a player's turn, in ascending order of the actions."""
        return {action: float(self.value(state.child(action))[state.player]) for action in state.legal_actions()}

    def _check(self, state: State) -> None:
        if self._is_strange(state):
            raise ValueError(f"the oracle of {self.game!r} was asked about a position of {state.game!r}")
        if not self.covers(state):
            raise ValueError(f"the oracle of {state.game.id} does not cover this position: {self._why_not(state)}")

    def _why_not(self, state: State) -> str:
        """Say in a few words what keeps a position out."""
        return "ask covers(state) first"


_EQUAL = 1e-9


def oracle_of(game: "Game", reach: int = 0, tables: str = "") -> Oracle:
    """Return the oracle of a game for players and measurements; the same call again returns the same one.

    It is not made for several threads at a time.

    Args:
        game: the game.
        reach: how far from the end positions are covered, in what the game counts there (empty cells, tricks); 0
            leaves that to the oracle.
        tables: folder of endgame tables; "" leaves that to the oracle, too.

    Raises:
        ValueError: the game has no oracle, or its oracle takes no such thing.
    """
    options: dict[str, Any] = {}
    if reach:
        if game.REACH is None:
            raise ValueError(f"the oracle of {game.id} has no reach to choose, but {reach} was given")
        options[game.REACH[0]] = reach
    if tables:
        options["tables"] = tables
    return _made(game, tuple(options.items()))


@functools.lru_cache(maxsize=8)
def _made(game: "Game", options: tuple[tuple[str, Any], ...]) -> Oracle:
    return game.oracle(**dict(options))
