"""``State``: a position for planning, checked and readable; ``View``: what one player may know of it."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core.constants import CHANCE, ILLEGAL, TERMINAL
from stammtisch.errors import IllegalAction

if TYPE_CHECKING:
    from stammtisch.envs.core.facts import Fact
    from stammtisch.envs.core.game import Game

_T = TypeVar("_T")
_INT8 = np.dtype(np.int8)
_LARGEST = (1 << 63) - 1
_empty = np.empty


class State:
    """A position. Mutable through ``apply`` and ``sample_chance`` only; equal and hashed by value.

    Attributes:
        game: the game it belongs to.
        last_action: the last player action applied to this object, for drawing; not part of the position.
    """

    __slots__ = ("_k", "_player", "_row", "game", "last_action")

    def __init__(self, game: Game, row: NDArray[np.int64]):
        self.game = game
        self.last_action: int | None = None
        self._row = row
        self._k: Any = game.stepping
        self._player: int | None = None

    def _begin(self, seed: int) -> None:
        self._player = self._k.start(self._row, seed)

    @property
    def row(self) -> NDArray[np.int64]:
        """A copy of the integer row that the rules work on."""
        return self._row.copy()

    @property
    def player(self) -> int:
        """Seat to move, ``CHANCE`` (-1) or ``TERMINAL`` (-2)."""
        if self._player is None:
            self._player = self._k.seat_to_move(self._row)
        return self._player

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return what the game's positions tell by that name; see ``classes_of``."""

    def facts(self) -> dict[str, Any]:
        """Return all that the position tells by name, see the game's manual page."""
        return {name: fact.read(self) for name, fact in self.game.FACTS.items()}

    def legal_actions(self) -> list[int]:
        """Legal actions in ascending order, the outcomes at a listable chance node; empty after the end."""
        if self.player == TERMINAL:
            return []
        if self._player == CHANCE and self.game.info.chance == "sampled":
            raise ValueError(f"the chance outcomes of {self.game.id} are too many to list; use sample_chance(rng)")
        acts = np.empty(self.game.rules.MAX_BRANCH, np.int64)
        legal: list[int] = acts[: self._k.list_legal(self._row, acts)].tolist()
        return legal

    def legal_mask(self) -> NDArray[np.int8]:
        """Mask ``int8[num_actions]`` of the seat to move; zeros at a chance node and after the end."""
        kernels = self._k
        mask = _empty(kernels.N_ACTIONS, _INT8)
        kernels.fill_own_mask(self._row, mask)
        return mask

    def is_legal(self, action: int) -> bool:
        """Tell whether an action is legal for the seat to move."""
        return 0 <= action < self._k.N_ACTIONS and bool(self.legal_mask()[action])

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Outcomes and their probabilities at a chance node."""
        if self.player != CHANCE:
            raise ValueError(f"no chance node in {self.game.id}: {self._who()} is to move")
        outcomes = self.legal_actions()
        probabilities = np.empty(self.game.rules.MAX_BRANCH, np.float64)
        n = self._k.list_chances(self._row, probabilities)
        return list(zip(outcomes, probabilities[:n].tolist(), strict=True))

    def sample_chance(self, rng: np.random.Generator) -> int:
        """Draw one outcome from ``rng``, apply it and return it."""
        if self._player != CHANCE and self.player != CHANCE:
            raise ValueError(f"no chance node in {self.game.id}: {self._who()} is to move")
        outcome: int
        outcome, self._player = self._k.roll(self._row, rng.bit_generator.random_raw() >> 1)
        return outcome

    def apply(self, action: int) -> None:
        """Take a legal action, or a listed outcome at a chance node, in place."""
        if type(action) is not int:
            try:
                action = operator.index(action)
            except TypeError:
                raise IllegalAction(f"an action is an integer, not {action!r}") from None
        mover = self._player if self._player is not None else self.player
        if mover == CHANCE and self.game.info.chance == "sampled":
            player = self._k.play(self._row, action & _LARGEST)
        elif 0 <= action <= _LARGEST:
            player = self._k.play_checked(self._row, action)
        else:
            player = ILLEGAL
        if player == ILLEGAL:
            raise self._illegal(action)
        if mover != CHANCE:
            self.last_action = action
        self._player = player

    def child(self, action: int) -> State:
        """Return the state after ``action``; this one stays."""
        child = self.clone()
        child.apply(action)
        return child

    def clone(self) -> State:
        """Return an independent copy."""
        kind = type(self)
        copy = kind.__new__(kind)
        copy.game = self.game
        copy.last_action = self.last_action
        copy._row = self._row.copy()
        copy._k = self._k
        copy._player = self._player
        return copy

    def returns(self) -> NDArray[np.float64]:
        """Utilities ``float64[num_players]``; zeros before the end."""
        out = np.empty(self.game.rules.N_PLAYERS, np.float64)
        self._k.fill_returns(self._row, out)
        return out

    def observation(self, player: int) -> NDArray[Any]:
        """Return the array that the environments show to ``player``."""
        kernels = self._k
        if not 0 <= player < kernels.N_PLAYERS:
            raise self._no_seat(player)
        obs = _empty(kernels.OBS_SHAPE, kernels.OBS_DTYPE)
        kernels.fill_observation(self._row, player, obs)
        return obs

    def view(self, player: int) -> View:
        """Return what ``player`` may know, for planning agents."""
        if not 0 <= player < self.game.rules.N_PLAYERS:
            raise self._no_seat(player)
        row = self._row.copy()
        if self.game.HIDDEN:
            self._k.hide(row, player)
        return self.game.own_view_class(self.game, row, player)

    def seen_by(self, player: int) -> State:
        """Return the position as ``player`` may see it, for drawing: what is hidden from it is not in there."""
        seen = self.view(player)._state
        seen.last_action = self.last_action
        return seen

    def to_text(self) -> str:
        """Return an exact record; ``game.from_text`` is its inverse."""
        return self.game.to_text(self)

    def action_text(self, action: int) -> str:
        """Say an action as a person would."""
        return self.game.action_text(self, action)

    def parse_action(self, text: str) -> int:
        """Read a legal action as a person would say it."""
        return self.game.parse_action(self, text)

    def __str__(self) -> str:
        return self.game.board_text(self)

    def __repr__(self) -> str:
        return f"{self.game!r}.from_text({self.to_text()!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self.game == other.game and np.array_equal(self._row, other._row)

    def __hash__(self) -> int:
        return hash((self.game.id, self._row.tobytes()))

    def __copy__(self) -> State:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> State:
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.game, self._row, self.last_action)

    def _who(self) -> str:
        return "nobody (the game is over)" if self.player == TERMINAL else f"player {self.player}"

    def _no_seat(self, player: object) -> ValueError:
        return ValueError(f"no player {player!r} in {self.game.id}; seats are 0..{self.game.info.num_players - 1}")

    def _illegal(self, action: int) -> IllegalAction:
        if self.player == TERMINAL:
            return IllegalAction(f"illegal action {action} in {self.game.id}: the game is over")
        legal = self.legal_actions()
        if self.player == CHANCE:
            return IllegalAction(f"illegal chance outcome {action} in {self.game.id}; outcomes: {legal}")
        legal_text = ", ".join(f"{a} ({self.action_text(a)})" for a in legal)
        return IllegalAction(f"illegal action {action} for player {self.player} in {self.game.id}; legal: {legal_text}")


def _restore(game: Game, row: NDArray[np.int64], last_action: int | None) -> State:
    state = game.from_row(row)
    state.last_action = last_action
    return state


class View:
    """What one player may know of a state. With perfect information that is the position itself.

    Attributes:
        game: the game.
        player: the seat whose view this is.
    """

    __slots__ = ("_state", "game", "player")

    def __init__(self, game: Game, row: NDArray[np.int64], player: int):
        self.game = game
        self.player = player
        self._state = game.own_state_class(game, row)

    @property
    def row(self) -> NDArray[np.int64]:
        """A copy of the row, with everything hidden from this player blanked."""
        return self._state.row

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return what the game's positions tell by that name, as far as this player may know it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore_view, (self.game, self._state._row, self.player)

    def facts(self) -> dict[str, Any]:
        """Return all that the position tells by name, as far as this player may know it."""
        return {name: getattr(self, name) for name in self.game.FACTS}

    @property
    def to_move(self) -> int:
        """Seat to move, CHANCE or TERMINAL."""
        return self._state.player

    def legal_actions(self) -> list[int]:
        """Legal actions of this player in ascending order; empty when it is not its turn."""
        return self._state.legal_actions() if self._state.player == self.player else []

    def legal_mask(self) -> NDArray[np.int8]:
        """Mask ``int8[num_actions]``; zeros when it is not this player's turn."""
        mask = np.empty(self.game.rules.N_ACTIONS, _INT8)
        self._state._k.fill_mask(self._state._row, self.player, mask)
        return mask

    def observation(self) -> NDArray[Any]:
        """Return the array that the environments show to this player."""
        return self._state.observation(self.player)

    def action_text(self, action: int) -> str:
        """Say an action as a person would."""
        return self._state.action_text(action)

    def sample_state(self, rng: np.random.Generator) -> State:
        """Return a full state that agrees with everything this player knows.

        With perfect information that is the position itself; hidden cards are dealt anew from ``rng``.
        """
        state = self._state.clone()
        if self.game.HIDDEN:
            state._k.deal_hidden(state._row, self.player, rng.bit_generator.random_raw() >> 1)
        return state


def _restore_view(game: Game, row: NDArray[np.int64], player: int) -> View:
    return game.own_view_class(game, row, player)


def classes_of(game: type[Game]) -> tuple[type[State], type[View]]:
    """Return the classes of a game's states and views: what its positions tell by name are properties.

    A ``__getattr__`` of all would do the same, but it slows down every other attribute of theirs. What the game's own
    class of views has by such a name it keeps.
    """
    if game not in _CLASSES:
        view = game.view_class
        on_states = {name: property(fact.read, doc=fact.help) for name, fact in game.FACTS.items()}
        on_views = {name: _of_view(fact) for name, fact in game.FACTS.items() if not hasattr(view, name)}
        _CLASSES[game] = _telling(State, on_states), _telling(view, on_views)
    return _CLASSES[game]


_CLASSES: dict[type[Game], tuple[type[State], type[View]]] = {}


def _of_view(fact: Fact) -> property:
    return property(lambda view: fact.read(view._state), doc=fact.help)


def _telling(own: type[_T], facts: dict[str, property]) -> type[_T]:
    return type(own.__name__, (own,), {"__slots__": (), "__doc__": own.__doc__, "__module__": own.__module__, **facts})
